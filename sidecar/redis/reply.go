package redis

import (
	"bytes"
	"net"
	"strconv"
)

// Bounds of the replies to what is written at once. The longest one is a record.
const (
	maxReply  = maxRecord + 1 // bytes of all strings
	maxValues = 64            // in all arrays
	maxLine   = 4 << 10       // bytes of a header, a number or an error
)

// boundedConn is a connection to a Redis that fails with errReply when a reply exceeds the bounds, or is not RESP2
// (redis.io/docs/latest/develop/reference/protocol-spec). The library allocates as much as the header of a reply
// announces, before any of it has arrived.
type boundedConn struct {
	net.Conn
	line   []byte // of a header, as far as it has arrived
	skip   int    // bytes of a string, and of its line end, that are still to come
	values int    // announced since the last Write
	bytes  int    // announced since the last Write
}

// Write implements [net.Conn].
func (c *boundedConn) Write(p []byte) (int, error) {
	c.values, c.bytes = 0, 0
	return c.Conn.Write(p)
}

// Read implements [net.Conn]. A read may begin and end anywhere in a reply.
func (c *boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for b := p[:n]; len(b) > 0; {
		if c.skip > 0 {
			skipped := min(c.skip, len(b))
			c.skip, b = c.skip-skipped, b[skipped:]
			continue
		}
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		c.line, b = append(c.line, line...), rest
		if len(c.line) > maxLine || ended && !c.allows(bytes.TrimSuffix(c.line, []byte("\r"))) {
			return 0, errReply
		}
		if ended {
			c.line = c.line[:0]
		}
	}
	return n, err
}

// allows takes the line that begins a value: its kind, and a length in the case of a string or an array. Other kinds
// than those of RESP2 announce more values, or are streams.
func (c *boundedConn) allows(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	n, err := strconv.Atoi(string(line[1:]))
	switch kind := line[0]; {
	case kind == '+' || kind == '-' || kind == ':': // a status, an error, a number
		return true
	case err != nil || n < -1 || n > maxReply:
		return false
	case n == -1: // null
	case kind == '*':
		c.values += n
	case kind == '$':
		c.bytes += n
		c.skip = n + len("\r\n")
	default:
		return false
	}
	return c.values <= maxValues && c.bytes <= maxReply
}
