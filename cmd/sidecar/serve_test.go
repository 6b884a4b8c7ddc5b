package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mipwatch/mipwatch/sidecar"
)

// TestServeCutsOff ends requests in flight after the time limit, with the bubble's clock.
func TestServeCutsOff(t *testing.T) {
	tests := []struct {
		name string
		work time.Duration // of a request
		want time.Duration // from the signal to the end
		cut  bool
	}{
		{"in time", shutdownTimeout - time.Second, shutdownTimeout - time.Second, false},
		{"too long", shutdownTimeout + time.Second, shutdownTimeout, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := &server{log: slog.New(slog.NewJSONHandler(&log, nil))}
				s.handler = sidecar.New(sidecar.Config{})
				arrived := make(chan struct{})
				srv := newHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					close(arrived)
					select {
					case <-time.After(tt.work):
						io.WriteString(w, "done")
					case <-r.Context().Done():
					}
				}), newConnectionLimit(mostWaiting), s.log)
				ctx, cancel := context.WithCancel(t.Context())
				listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
				served := make(chan error, 1)
				go func() { served <- s.serve(ctx, srv, listener) }()
				c := listener.dial()
				defer c.Close()
				answered := make(chan string, 1)
				go func() {
					answer, err := ask(c, "/")
					if err != nil {
						answer = "nothing"
					}
					answered <- answer
				}()
				<-arrived
				began := time.Now()
				cancel()
				if err := <-served; err != nil {
					t.Errorf("serve: %v", err)
				}
				// Shutdown checks at most twice a second.
				if got := time.Since(began).Truncate(time.Second); got != tt.want {
					t.Errorf("serve ended after %v, want %v", got, tt.want)
				}
				if got, want := <-answered,
					map[bool]string{false: "200 done", true: "nothing"}[tt.cut]; got != want {
					t.Errorf("the request in flight got %q, want %q", got, want)
				}
				if cut := strings.Contains(log.String(), `"requests were cut off"`); cut != tt.cut {
					t.Errorf("log %s, want that requests were cut off: %v", &log, tt.cut)
				}
				s.handler.Close()
			})
		})
	}
}

// TestServeStopsDespiteBodies stops a server with many incomplete bodies. No request has to be cut
// off.
func TestServeStopsDespiteBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := &server{log: slog.New(slog.NewJSONHandler(&log, nil))}
		s.handler = sidecar.New(sidecar.Config{RequestsPerMinute: 1000, AIRequestsPerMinute: 1000})
		ctx, cancel := context.WithCancel(t.Context())
		listener := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		served := make(chan error, 1)
		go func() {
			served <- s.serve(ctx, newHTTP(s.handler, newConnectionLimit(mostWaiting), s.log),
				listener)
		}()
		for _, route := range []string{"POST /api/ai-summary", "POST /api/ai-translate",
			"PUT /api/ai-summary", "POST /api/mip-watch", "OPTIONS /healthz"} {
			const length, chunked = "Content-Length: 9\r\n\r\n",
				"Transfer-Encoding: chunked\r\n\r\n"
			for _, body := range []string{length, length + "{", chunked, chunked + "9\r\n{",
				chunked + "11800\r\n" + strings.Repeat(" ", 70<<10)} {
				for range 2 {
					c := listener.dial()
					defer c.Close()
					go io.WriteString(c,
						route+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+body)
					go io.Copy(io.Discard, c)
				}
			}
		}
		synctest.Wait()
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		if strings.Contains(log.String(), "requests were cut off") {
			t.Errorf("log %s", &log)
		}
		s.handler.Close()
	})
}
