package render

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// List writes l as [JSON] would, one proposal at a time: the list of a large site is not held in
// memory as a whole.
func List(w io.Writer, l mip.List) error {
	all := l.MIPs
	l.MIPs = []mip.Summary{}
	frame, err := api.JSON(l)
	if err != nil {
		return err
	}
	begin, end, ok := bytes.Cut(frame, []byte("[]"))
	if !ok {
		return fmt.Errorf("encode %T: no empty list in %s", l, frame)
	}
	out := bufio.NewWriter(w)
	out.Write(begin) // a bufio.Writer keeps its first error for Flush
	out.WriteByte('[')
	for i, s := range all {
		b, err := api.JSON(s)
		if err != nil {
			return fmt.Errorf("list: %s: %w", s.ID, err)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(bytes.TrimSuffix(b, []byte("\n")))
	}
	out.WriteByte(']')
	out.Write(end)
	return out.Flush()
}
