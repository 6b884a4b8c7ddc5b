package api

import (
	"encoding/json"
	"fmt"
)

// JSON is v as one compact line that ends with a newline, the form of every JSON body, static or live.
// The characters < > & stay as they are: the bytes are served as application/json and never stand
// inside HTML. U+2028 and U+2029 are escaped by the encoder, which changes nothing for a JSON reader.
func JSON(v any) ([]byte, error) {
	var out sink
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return out, nil
}

// sink is a writer into memory. The encoder works in a buffer that it reuses and writes a value in one
// call, so a sink costs one allocation of the right size where a bytes.Buffer would grow in steps.
type sink []byte

func (s *sink) Write(p []byte) (int, error) {
	*s = append(*s, p...)
	return len(p), nil
}
