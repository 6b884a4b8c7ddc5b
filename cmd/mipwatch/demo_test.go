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
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
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
	testenv.Git(t, ".", "", "version") // skips the test without git
	s := serve(t, sampleFiles(t), "--demo")
	for _, page := range []string{"/", "/dashboard/", "/mip/4/", "/upgrade/", "/404.html"} {
		s.contains(page, samplesNotice)
	}
	w := s.watch()
	if len(w.MIPs) != 15 || len(w.Forum) != 15 || len(w.Errors) != 0 ||
		w.Networks["mainnet"].Status != api.NetworkOK ||
		w.Networks["testnet"].Status != api.NetworkOK {
		t.Errorf("mip-watch of the demo: %d proposals, %d topics, errors %v, networks %+v",
			len(w.MIPs), len(w.Forum), w.Errors, w.Networks)
	}
	s.datesAgree()
	target := webtest.At(s.base)
	webtest.Run(t, "../../build/testdata/web/*.web", target)
	webtest.Run(t, "testdata/web/samples.web", target)
	for _, script := range []string{"contract", "live", "requests", "ai", "ids"} {
		webtest.Run(t, "../../sidecar/testdata/web/"+script+".web", target)
	}
}

// datesAgree checks that each sample begins as a draft on the day in its header.
func (s *serving) datesAgree() {
	s.t.Helper()
	var list mip.List
	var events mip.Events
	for path, into := range map[string]any{"/api/v1/mips": &list, "/api/v1/events": &events} {
		body, _ := s.get(path, http.StatusOK)
		if err := json.Unmarshal([]byte(body), into); err != nil {
			s.t.Fatal(err)
		}
	}
	begun := map[mip.ID]mip.Date{}
	for _, e := range events.Events {
		if e.Kind == mip.EventCreated && mip.Deref(e.To) == "Draft" {
			begun[e.MIP] = e.Time.Date()
		}
	}
	for _, m := range list.MIPs {
		if begun[m.ID] != m.Created {
			s.t.Errorf("%s was created on %v, and its header has %v", m.ID, begun[m.ID], m.Created)
		}
	}
}

// TestServeSamples checks that the samples keep their history while their texts change, that it is
// in a temporary folder as long as they are served, and that other proposals do not have it.
func TestServeSamples(t *testing.T) {
	testenv.Git(t, ".", "", "version") // skips the test without git
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	left := func() (names []string) {
		entries, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "mipwatch-") {
				names = append(names, e.Name())
			}
		}
		return names
	}
	files := sampleFiles(t)
	s := serve(t, files, "--demo")
	if names := left(); len(names) != 1 {
		t.Errorf("temporary folders while the samples are served: %q, want one", names)
	}
	const text, edited = "Lantern makes two blocks a second", "Lantern makes four blocks a second"
	s.write("proposals/MIP-4.md", strings.Replace(files["proposals/MIP-4.md"], text, edited, 1))
	s.await("built 15 proposals")
	s.contains("/mip/4/", edited)
	s.contains("/mip/4/history/", "MIP-4 is final")
	s.stop()
	if code := <-s.code; code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if names := left(); len(names) > 0 {
		t.Errorf("temporary folders in the end: %q", names)
	}

	// Other proposals have the history of their own repository.
	for _, flags := range [][]string{{"--demo"}, nil} {
		s := serve(t, map[string]string{"proposals/MIP-4.md": files["proposals/MIP-4.md"]},
			flags...)
		testenv.Git(t, s.dir, "", "init", "-q")
		testenv.Git(t, s.dir, "", "add", "-A")
		testenv.Git(t, s.dir, "2026-01-02T03:04:05Z", "commit", "-q", "-m", "Our own")
		s.write("proposals/MIP-4.md", strings.Replace(files["proposals/MIP-4.md"], text, edited, 1))
		s.await("built 1 proposal")
		s.contains("/mip/4/history/", "Our own")
	}
	// Without --demo the samples have none, as they would be published.
	s = serve(t, files)
	s.get("/mip/4/history/", http.StatusNotFound)
	if names := left(); len(names) > 0 {
		t.Errorf("temporary folders for other proposals: %q", names)
	}

	t.Setenv("PATH", temporary)
	s = starting(t, files, "--demo")
	s.await("mipwatch: the samples are served without their history: no git program")
	s.await("mipwatch: serving ")
	if names := left(); len(names) > 0 {
		t.Errorf("temporary folders without git: %q", names)
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
