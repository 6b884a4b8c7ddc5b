package redis

import (
	"bytes"
	"context"
	"net"
	"strconv"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// Bounds of one reply. The longest ones are a record, and what a server says of itself and its modules when a
// connection begins.
const (
	maxReply  = maxRecord + 64<<10 // bytes of all its strings
	maxValues = 1 << 10            // in all its arrays
	maxLine   = 4 << 10            // bytes of a header, a number or an error
)

// dialer returns the dialer of the options, with its connections bounded.
func dialer(o redis.Options) func(ctx context.Context, network, address string) (net.Conn, error) {
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

// boundedConn is a connection to a Redis that fails with errReply when a reply exceeds the bounds, or is not
// RESP2. The library allocates whatever the header of a reply announces, before any of it has arrived.
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

// check follows the replies in what has arrived.
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

// header takes the line that begins a value.
func (c *boundedConn) header(line string) error {
	if c.open == 0 {
		c.open, c.values, c.bytes = 1, 0, 0 // a new reply
	}
	c.open--
	if line == "" {
		return errReply
	}
	switch line[0] {
	case redisStatus, redisError, redisInteger:
		return nil
	case redisString, redisArray:
	default:
		return errReply
	}
	n, err := strconv.Atoi(line[1:])
	switch {
	case err != nil || n < -1:
		return errReply
	case n == -1: // nothing
		return nil
	case line[0] == redisArray:
		if n > maxValues-c.values {
			return errReply
		}
		c.values, c.open = c.values+n, c.open+n
	default:
		if n > maxReply-c.bytes {
			return errReply
		}
		c.bytes, c.skip = c.bytes+n, n+len("\r\n")
	}
	return nil
}

// First characters of the values of RESP2 (redis.io/docs/latest/develop/reference/protocol-spec).
const (
	redisStatus  = '+'
	redisError   = '-'
	redisInteger = ':'
	redisString  = '$'
	redisArray   = '*'
)
