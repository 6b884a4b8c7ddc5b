package render

import (
	"encoding/json"
	"fmt"
)

// JSON is v as one compact line that ends with a newline. The characters < > & stay as they are: the
// bytes are served as application/json and never stand inside HTML. U+2028 and U+2029 are escaped by
// the encoder, which changes nothing for a JSON reader.
func JSON(v any) ([]byte, error) {
	var out sink
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return out, nil
}

// sink keeps what is written. The encoder works in a buffer that it reuses and writes a value in one
// call, so a sink costs one allocation of the right size where a bytes.Buffer would grow in steps.
type sink []byte

func (s *sink) Write(p []byte) (int, error) {
	*s = append(*s, p...)
	return len(p), nil
}

// object is a JSON object whose members keep their order, so that a document reads as it was
// written and two builds write the same bytes.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := JSON(m.key)
		if err != nil {
			return nil, err
		}
		value, err := JSON(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(out, key[:len(key)-1]...), ':')
		out = append(out, value[:len(value)-1]...)
	}
	return append(out, '}'), nil
}
