package agent

import "github.com/mipwatch/mipwatch/internal/api"

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
		key, err := api.JSON(m.key)
		if err != nil {
			return nil, err
		}
		value, err := api.JSON(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(out, key[:len(key)-1]...), ':')
		out = append(out, value[:len(value)-1]...)
	}
	return append(out, '}'), nil
}
