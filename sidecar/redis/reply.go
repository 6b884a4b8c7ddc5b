package redis

import (
	"bytes"
	"context"
	"net"
	"strconv"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// Bounds of one reply. The longest ones are a record, and the server's description of itself and its modules when a
// connection begins.
const (
	maxReply  = maxRecord + 64<<10 // bytes of all its strings
	maxValues = 1 << 10            // in all its arrays
	maxLine   = 4 << 10            // bytes of a header, a number or an error
)

// boundedDialer returns the dialer of the options, with its connections bounded.
func boundedDialer(o redis.Options) func(ctx context.Context, network, address string) (net.Conn, error) {
	dial := redis.NewDialer(&o)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		bounded := &boundedConn{Conn: c}
		if s, ok := c.(syscall.Conn); ok { // by which the library sees that an idle connection was closed
			return struct {
				*boundedConn
				syscall.Conn
			}{bounded, s}, nil
		}
		return bounded, nil
	}
}

// boundedConn is a connection to a Redis that fails with errReply when a reply exceeds the bounds, or is not RESP2
// (redis.io/docs/latest/develop/reference/protocol-spec). The library allocates as much as the header of a reply
// announces, before any of it has arrived.
type boundedConn struct {
	net.Conn
	line   []byte // of a header, as far as it has arrived
	skip   int    // bytes of a string, and of its line end, that are still to come
	open   int    // values of the reply that are still to come
	values int    // in the arrays of the reply so far
	bytes  int    // in the strings of the reply so far
}

// Read implements [net.Conn].
func (c *boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if bad := c.check(p[:n]); bad != nil {
		return 0, bad
	}
	return n, err
}

// check follows the replies in the bytes that have arrived, which may begin and end anywhere in a reply.
func (c *boundedConn) check(b []byte) error {
	for len(b) > 0 {
		if c.skip > 0 {
			n := min(c.skip, len(b))
			c.skip, b = c.skip-n, b[n:]
			continue
		}
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		if len(c.line)+len(line) > maxLine {
			return errReply
		}
		c.line, b = append(c.line, line...), rest
		if !ended {
			return nil
		}
		if err := c.header(string(bytes.TrimSuffix(c.line, []byte("\r")))); err != nil {
			return err
		}
		c.line = c.line[:0]
	}
	return nil
}

// header takes the line that begins a value: its kind, and a length in the case of a string or an array. Other kinds than
// those of RESP2 announce more values, or are streams.
func (c *boundedConn) header(line string) error {
	if c.open == 0 {
		c.open, c.values, c.bytes = 1, 0, 0 // a new reply
	}
	c.open--
	if line == "" {
		return errReply
	}
	kind, length := line[0], line[1:]
	if kind == '+' || kind == '-' || kind == ':' { // a status, an error, a number
		return nil
	}
	n, err := strconv.Atoi(length)
	switch {
	case err != nil || n < -1 || kind != '*' && kind != '$':
		return errReply
	case n == -1: // null
		return nil
	case kind == '*' && n <= maxValues-c.values: // an array
		c.values += n
		c.open += n
		return nil
	case kind == '$' && n <= maxReply-c.bytes: // a string
		c.bytes += n
		c.skip = n + len("\r\n")
		return nil
	}
	return errReply
}
