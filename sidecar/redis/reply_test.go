package redis_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/test/redistest"
	"github.com/mipwatch/mipwatch/sidecar/redis"
)

// stranger answers each command with the next of its replies, the last one again and again.
func stranger(t *testing.T, replies ...string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		in := bufio.NewReader(c)
		for i := 0; ; i++ {
			var values int
			if _, err := fmt.Fscanf(in, "*%d\r\n", &values); err != nil {
				return
			}
			for range values {
				var size int64
				if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
					return
				}
				io.CopyN(io.Discard, in, size+2)
			}
			if _, err := io.WriteString(c, replies[min(i, len(replies)-1)]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// TestBoundedReplies asks servers whose replies announce more than they may, or never end.
func TestBoundedReplies(t *testing.T) {
	const most = 64 << 20 // bytes that one question may allocate: of a bad reply of 2 MiB, and of a client
	many := func(reply string, times int) string { return strings.Repeat(reply, times) }
	for name, reply := range map[string]string{
		"map": "%9999999\r\n", "array": "*99999999\r\n",
		"set": "~99999999\r\n", "push": ">99999999\r\n", "attribute": "|99999999\r\n", "string": "$999999999\r\n",
		"verbatim": "=999999999\r\n", "error": "!999999999\r\n",
		"array in an array": "*4\r\n:1\r\n*99999999\r\n", "string in an array": "*4\r\n:1\r\n$999999999\r\n",
		"map in an array": "*4\r\n:1\r\n%9999999\r\n", "overflow": "*9223372036854775807\r\n", "overflow of the sum": "*4\r\n$5\r\nhello\r\n$9223372036854775807\r\n",
		"arrays of arrays": many("*1000\r\n", 100_000), "deep": many("*1\r\n", 1_000_000),
		"strings":               "*900\r\n" + many("$1000000\r\n"+many("x", 1_000_000)+"\r\n", 40),
		"a line without an end": "+" + many("x", 40_000_000), "a number without an end": "*" + many("0", 40_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			// The password and the database come first.
			const ok, taken = "+OK\r\n", "*3\r\n:1\r\n:1\r\n:1\r\n"
			for _, replies := range [][]string{{reply}, {ok, reply}, {ok, ok, reply}, {ok, ok, taken, reply}} {
				s := openAt(t, "redis://:password@"+stranger(t, replies...)+"/1", redis.Config{Timeout: patient})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				var err error
				for range replies { // the last of which may be the answer to the second question
					if _, err = s.Take(t.Context(), "k", 1, time.Hour); err != nil {
						break
					}
				}
				runtime.ReadMemStats(&after)
				if err == nil || err.Error() != "an answer that makes no sense" || !s.Down() {
					t.Errorf("after %d replies: got %v", len(replies), err)
				}
				if n := after.TotalAlloc - before.TotalAlloc; n > most {
					t.Errorf("after %d replies: %d bytes were allocated, want at most %d", len(replies), n, most)
				}
			}
		})
	}
}

// TestLargestReply reads the largest record that there may be, of arbitrary bytes.
func TestLargestReply(t *testing.T) {
	s := open(t, redistest.Start(t))
	record := []byte(strings.Repeat("\r\n%99999999\r\n$-1\r\n*", 2<<20)[:2<<20])
	for range 3 { // on one connection: what comes after it is read well
		s.Set(t.Context(), "k", record, time.Minute)
		if found, _ := s.Get(t.Context(), "k"); !bytes.Equal(found, record) {
			t.Fatalf("found %d bytes, want the %d that were kept", len(found), len(record))
		}
	}
}
