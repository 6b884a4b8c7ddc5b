//go:build unix

package main

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
)

// TestWeb runs the request scripts of the live routes against the running program, first with
// working hosts and then without hosts.
func TestWeb(t *testing.T) {
	h := newHosts(t)
	dir := t.TempDir()
	h.publish(t, dir, "First title", "Second title")
	for _, tt := range []struct {
		name      string
		forum     demo.Fault
		variables []string
	}{
		{"all is well", nil, nil},
		{"no forum, no network", demo.Disconnect(), []string{"RPC_TEST_NET=http://127.0.0.1:1/"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.forum.Always(tt.forum)
			p := start(t, tt.variables, "--site", dir)
			p.await("site loaded")
			target := webtest.At("http://" + p.addr)
			if !target.Answers(t.Context(), "/healthz") {
				t.Fatalf("%s does not answer /healthz", p.addr)
			}
			webtest.Run(t, "../../sidecar/testdata/web/*.web", target)
		})
	}
}
