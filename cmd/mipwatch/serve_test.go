package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"
)

// serving is a running serve command.
type serving struct {
	t      *testing.T
	dir    string
	base   string
	stderr <-chan string // its lines; closed at the end
	stop   context.CancelFunc
	code   chan int
}

// serve starts the command over the files and waits for its address.
func serve(t *testing.T, files map[string]string, flags ...string) *serving {
	t.Helper()
	s := &serving{t: t, dir: t.TempDir(), code: make(chan int, 1)}
	for name, text := range files {
		s.write(name, text)
	}
	if files["site.yaml"] == "" {
		s.write("site.yaml", "title: Sample\nbase_url: https://mips.example.org/base\n")
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	r, w := io.Pipe()
	s.stderr = lines(r)
	go func() {
		args := []string{"serve", "--config", filepath.Join(s.dir, "site.yaml"), "--addr", "127.0.0.1:0"}
		args = append(args, flags...)
		code := run(ctx, args, io.Discard, w, func(string) (string, bool) { return "", false })
		w.Close()
		s.code <- code
	}()
	t.Cleanup(func() {
		stop()
		for range s.stderr {
		}
	})
	line := s.await("mipwatch: serving http://127.0.0.1:")
	s.base = strings.TrimSpace(strings.TrimPrefix(line, "mipwatch: serving "))
	return s
}

// lines reads to the end, whether anybody waits for a line or not: a log that is not read keeps whoever
// writes to it, and that may be the one who asks an upstream.
func lines(r io.Reader) <-chan string {
	const mostUnread, longest = 1 << 16, 1 << 20
	out := make(chan string, mostUnread)
	in := bufio.NewScanner(r)
	in.Buffer(nil, longest)
	go func() {
		defer close(out)
		for in.Scan() {
			out <- in.Text()
		}
	}()
	return out
}

func proposal(n int, title string) string {
	return fmt.Sprintf("---\nmip: %d\ntitle: %s\nauthor: Ada (@ada)\nstatus: Draft\n---\n\n## Abstract\n\nWords.\n", n, title)
}

// write saves a file as editors do: beside the old one, and then in its place.
func (s *serving) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name+"~", []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		s.t.Fatal(err)
	}
}

// await reads standard error up to a line with the text.
func (s *serving) await(text string) string {
	s.t.Helper()
	var said strings.Builder
	for line := range s.stderr {
		if strings.Contains(line, text) {
			return line
		}
		fmt.Fprintln(&said, line)
	}
	s.t.Fatalf("serve said %q and ended, want %q", said.String(), text)
	return ""
}

// get fetches a path and wants its status.
func (s *serving) get(path string, status int) (string, http.Header) {
	s.t.Helper()
	res, err := http.Get(s.base + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != status {
		s.t.Fatalf("GET %s: status %d, want %d; body %.200q", path, res.StatusCode, status, body)
	}
	return string(body), res.Header
}

// contains fetches a page that must hold the text.
func (s *serving) contains(path, text string) {
	s.t.Helper()
	if body, _ := s.get(path, http.StatusOK); !strings.Contains(body, text) {
		s.t.Errorf("GET %s does not hold %q", path, text)
	}
}

// events opens the stream of a page that the build made.
func (s *serving) events(build string) *bufio.Reader {
	s.t.Helper()
	res, err := http.Get(s.base + eventsRoute + "?build=" + build)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	if got := res.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		s.t.Fatalf("GET %s: Content-Type %q, want an event stream", eventsRoute, got)
	}
	return bufio.NewReader(res.Body)
}

// message returns the next message of a stream.
func message(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSpace(data)
		}
		if err != nil {
			t.Fatalf("stream of events: %v, want a message", err)
		}
	}
}

func TestServe(t *testing.T) {
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "First title"), "proposals/MIP-2.md": proposal(2, "Second")})

	// Everything is local and as the CDN has it.
	s.contains("/mip/1/", "First title")
	s.contains("/api/v1/mips/1", `"url":"`+s.base+`/mip/1/"`)
	body, header := s.get("/api/v1/mips", http.StatusOK)
	if got := header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") || strings.Contains(body, "mips.example.org") {
		t.Errorf("GET /api/v1/mips: Content-Type %q, body %s; want JSON without the published address", got, body)
	}
	s.get("/api/v1/nothing", http.StatusNotFound)
	s.get("/_mipwatch/nothing", http.StatusNotFound)

	// Pages have the bytes of the CDN; only a script of the site brings the reloading one.
	page, _ := s.get("/", http.StatusOK)
	if strings.Contains(page, "_mipwatch") {
		t.Error("GET /: the page speaks of _mipwatch, want the bytes that the CDN serves")
	}
	_, after, ok := strings.Cut(page, `src="/assets/`)
	name, _, _ := strings.Cut(after, `"`)
	if !ok {
		t.Fatalf("GET /: no script of the site in %s", page)
	}
	script, header := s.get("/assets/"+name, http.StatusOK)
	if want := `import("/_mipwatch/reload.js?build=1");`; !strings.Contains(script, want) || header.Get("Cache-Control") != "no-store" {
		t.Errorf("GET /assets/%s: Cache-Control %q, want no-store and the line %s", name, header.Get("Cache-Control"), want)
	}
	s.contains("/_mipwatch/reload.js?build=1", "new EventSource(")

	// A page of this build hears of the next one, a page of an older build at once.
	stream := s.events("1")
	if got := message(t, s.events("0")); got != "1" {
		t.Errorf("stream of build 0: message %q, want 1", got)
	}
	s.write("proposals/MIP-1.md", proposal(1, "Second title"))
	if got := message(t, stream); got != "2" {
		t.Errorf("stream of build 1: message %q, want 2", got)
	}
	s.contains("/mip/1/", "Second title")
	s.await("built 2 proposals")

	// An error keeps what is there.
	s.write("proposals/MIP-2.md", "---\nmip: two\n---\n")
	s.await("proposals/MIP-2.md:2: bad-number: ")
	s.await("1 error, 0 warnings, 0 notices; the last site without errors is still served")
	s.contains("/mip/2/", "Second")
	s.write("site.yaml", "title: Sample\n")
	s.await("site.yaml:1: missing-key: base_url is required")
	s.contains("/mip/2/", "Second")

	// Mended, moved and deleted.
	s.write("site.yaml", "title: Sample\nbase_url: https://mips.example.org\nproposals: [moved]\n")
	s.await("no-folder")
	if err := os.Rename(filepath.Join(s.dir, "proposals"), filepath.Join(s.dir, "moved")); err != nil {
		t.Fatal(err)
	}
	s.write("site.yaml", "title: Sample two\nbase_url: https://mips.example.org\nproposals: [moved]\n")
	s.await("still served")
	if err := os.Remove(filepath.Join(s.dir, "moved", "MIP-2.md")); err != nil {
		t.Fatal(err)
	}
	s.await("built 1 proposal")
	s.get("/mip/2/", http.StatusNotFound)
	s.contains("/", "Sample two")

	// The end: streams are ended, and the program says success.
	if got := message(t, stream); got != "3" {
		t.Errorf("stream: message %q, want 3", got)
	}
	s.stop()
	if _, err := io.ReadAll(stream); err != nil {
		t.Errorf("stream after the end: %v, want it to be ended", err)
	}
	if got := <-s.code; got != exitDone {
		t.Errorf("serve ended with exit code %d, want %d", got, exitDone)
	}
}

// TestServeStartsWithErrors shows the sound proposals until there is a site without errors.
func TestServeStartsWithErrors(t *testing.T) {
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "Sound"), "proposals/MIP-2.md": "---\nmip: two\n---\n", "proposals/MIP-3.md": "---\nmip: three\n---\n"})
	s.contains("/mip/1/", "Sound")
	s.get("/mip/2/", http.StatusNotFound)
	s.write("proposals/MIP-2.md", proposal(2, "Mended"))
	s.await("only sound proposals are served: 1 error, 0 warnings, 0 notices")
	s.await("built 2 proposals")
	s.contains("/mip/2/", "Mended")
}

// TestServeFollowsCompanions rebuilds when what is beside the proposals changes, in folders that were not
// there before, too.
func TestServeFollowsCompanions(t *testing.T) {
	s := serve(t, map[string]string{"proposals/MIP-1.md": proposal(1, "Alone")})
	s.write("proposals/summaries/MIP-1.json", "{}")
	s.await("summary-invalid: mipNumber is missing")
	s.await("built 1 proposal")
	s.write("proposals/summaries/MIP-1.json", "[]")
	s.await("summary-invalid: the file is a list")
	s.await("built 1 proposal")
	s.write("proposals/translations/xx/MIP-1.md", "")
	s.await("unknown-locale")
}

func TestConcerns(t *testing.T) {
	w := &watcher{files: []string{"conf/site.yaml"}, folders: []string{"conf/proposals", "./other/"}}
	tests := []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"conf/site.yaml", fsnotify.Write, true},
		{"conf/site.yaml", fsnotify.Chmod, false},
		{"conf/site.yaml~", fsnotify.Create, false},
		{"conf/proposals", fsnotify.Create, true},
		{"conf/proposals/MIP-1.md", fsnotify.Write, true},
		{"conf/proposals/MIP-1.MD", fsnotify.Remove, true},
		{"conf/proposals/.MIP-1.md.swp", fsnotify.Write, false},
		{"conf/proposals/deeper/MIP-1.md", fsnotify.Write, false},
		{"./other/MIP-2.md", fsnotify.Rename, true},
		{"other/MIP-2.md", fsnotify.Write | fsnotify.Chmod, true},
		{"conf/README.md", fsnotify.Write, false},
		{"conf/proposals/summaries", fsnotify.Create, true},
		{"conf/proposals/summaries/MIP-1.json", fsnotify.Write, true},
		{"conf/proposals/summaries/.MIP-1.json.swp", fsnotify.Write, false},
		{"other/translations/ja/MIP-2.md", fsnotify.Remove, true},
		{"other/translations-of-others/MIP-2.txt", fsnotify.Write, false},
	}
	for _, tt := range tests {
		if got := w.concerns(fsnotify.Event{Name: tt.name, Op: tt.op}); got != tt.want {
			t.Errorf("concerns(%s %s) = %v, want %v", tt.op, tt.name, got, tt.want)
		}
	}
}

// TestSettle shows that a run of events is one rebuild, and that foreign events are none.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events, errs := make(chan fsnotify.Event), make(chan error)
		var rebuilt []string
		step := ""
		go settle(t.Context(), events, errs, func(e fsnotify.Event) bool { return e.Name == "ours" }, func() { rebuilt = append(rebuilt, step) })
		for _, s := range []struct {
			name   string
			events []string
			err    error
		}{
			{"three of ours", []string{"ours", "ours", "ours"}, nil},
			{"foreign", []string{"foreign", "foreign"}, nil},
			{"ours among foreign", []string{"foreign", "ours", "foreign"}, nil},
			{"lost events", nil, fsnotify.ErrEventOverflow},
		} {
			step = s.name
			for _, name := range s.events {
				events <- fsnotify.Event{Name: name}
			}
			if s.err != nil {
				errs <- s.err
			}
			<-time.After(2 * quietTime) // of the bubble's own clock
			synctest.Wait()
		}
		want := []string{"three of ours", "ours among foreign", "lost events"}
		if diff := cmp.Diff(want, rebuilt); diff != "" {
			t.Errorf("rebuilt after (-want +got):\n%s", diff)
		}
	})
}

// TestSettleHasPatience shows that changes which never cease do not put a rebuild off for ever.
func TestSettleHasPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan fsnotify.Event)
		rebuilt := 0
		go settle(t.Context(), events, nil, func(fsnotify.Event) bool { return true }, func() { rebuilt++ })
		const step = quietTime / 2
		for range 3 * maxDelay / step {
			events <- fsnotify.Event{Name: "ours"}
			<-time.After(step) // of the bubble's own clock
		}
		synctest.Wait()
		if rebuilt < 2 || rebuilt > 3 {
			t.Errorf("%d rebuilds while something changed all the time for three times as long as one waits, want 2 or 3", rebuilt)
		}
	})
}
