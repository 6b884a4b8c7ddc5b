package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/test/webtest"
)

// sampleFiles returns the files of this repository's site.
func sampleFiles(t *testing.T) map[string]string {
	t.Helper()
	config, err := os.ReadFile("../../internal/samples/site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"site.yaml": string(config)}
	proposals := os.DirFS("../../internal/samples/proposals")
	err = fs.WalkDir(proposals, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(proposals, name)
		files["proposals/"+name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The demo shows blocks and discussions without a network, and every page states that they are
// invented.
func TestServeDemo(t *testing.T) {
	t.Parallel()
	s := serve(t, sampleFiles(t), "--demo")
	for _, page := range []string{"/", "/dashboard/", "/mip/4/", "/upgrade/", "/404.html"} {
		s.contains(page, demoNotice)
	}
	w := s.watch()
	if len(w.MIPs) != 15 || len(w.Forum) != 15 || len(w.Errors) != 0 ||
		w.Networks["mainnet"].Status != api.NetworkOK ||
		w.Networks["testnet"].Status != api.NetworkOK {
		t.Errorf("mip-watch of the demo: %d proposals, %d topics, errors %v, networks %+v",
			len(w.MIPs), len(w.Forum), w.Errors, w.Networks)
	}
	target := webtest.At(s.base)
	webtest.Run(t, "../../build/testdata/web/*.web", target)
	for _, script := range []string{"contract", "live", "requests", "ai", "ids"} {
		webtest.Run(t, "../../sidecar/testdata/web/"+script+".web", target)
	}
}

// watch is the answer for the dashboard. On a busy machine an upstream may be late even in memory,
// so watch asks again, like a page.
func (s *serving) watch() (w api.MIPWatch) {
	s.t.Helper()
	const attempts = 90
	for range attempts {
		body, _ := s.get("/api/mip-watch", http.StatusOK)
		w = api.MIPWatch{}
		if err := json.Unmarshal([]byte(body), &w); err != nil {
			s.t.Fatal(err)
		}
		if len(w.Errors) == 0 {
			break
		}
		select {
		case <-time.After(time.Second):
		case <-s.t.Context().Done():
		}
	}
	return w
}

// Without --demo the hosts of site.yaml are used. A site without hosts has no live figures, and no
// page mentions a demo.
func TestServeLive(t *testing.T) {
	t.Parallel()
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "One")})
	if body, _ := s.get("/", http.StatusOK); strings.Contains(body, "Demo:") {
		t.Error("the page speaks of a demo")
	}
	if body, _ := s.get("/api/network-info", http.StatusOK); body != "{\"networks\":{}}\n" {
		t.Errorf("network-info %s", body)
	}
	s.get("/api/forum-activity?topicId=1", http.StatusNotFound)
	s.contains("/api/mip-watch", `"title":"One"`)
	s.write("proposals/MIP-2.md", proposal(2, "Two"))
	s.await("built 2 proposals")
	s.contains("/api/v1/mips", `"title":"Two"`)
}
