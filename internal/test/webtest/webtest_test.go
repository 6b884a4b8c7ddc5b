package webtest

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

const notes = `{"count":2,"notes":[{"title":"First","size":1e3,"topic":399,"tags":["a","b"]},{"title":"Second","topic":null,"tags":[]}],` +
	`"links":{"self.href":"/notes","next":"/notes/2?page"}}`

// testServer is a handler with something for every feature of scripts.
func testServer() http.Handler {
	mux := http.NewServeMux()
	problem := func(w http.ResponseWriter, code int, text string) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(code)
		io.WriteString(w, text)
	}
	mux.HandleFunc("GET /notes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("ETag", `"v1.0+a"`)
		w.Header().Add("Vary", "Accept")
		w.Header().Add("Vary", "Accept-Encoding")
		switch {
		case r.Header.Get("If-None-Match") == `"v1.0+a"`:
			w.WriteHeader(http.StatusNotModified)
		case strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"):
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			io.WriteString(z, notes)
		default:
			io.WriteString(w, notes)
		}
	})
	mux.HandleFunc("GET /notes/2", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"title":"Second"}`)
	})
	mux.HandleFunc("GET /notes/399", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"topic":"399"}`)
	})
	mux.HandleFunc("GET /text", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "plain\nwords")
	})
	mux.HandleFunc("GET /two", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "{}{}")
	})
	mux.HandleFunc("GET /moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/notes/2", http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /broken", func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("GET /gzip", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, "is not gzip")
	})
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			problem(w, http.StatusBadRequest, `{"code":"bad_request"}`)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"query": r.URL.RawQuery, "host": r.Host,
			"two": r.Header["X-Two"], "body": string(body)})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, `{"code":"not_found"}`)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		mux.ServeHTTP(w, r)
	})
}

// TestExample runs a script that uses everything once, against a handler and against an address.
func TestExample(t *testing.T) {
	target := Handler(t, testServer())
	Run(t, "testdata/example.web", target)

	t.Setenv(environment, target.base+"/")
	deployed, ok := Deployed(t)
	if !ok {
		t.Fatalf("Deployed with %s=%s: false, want true", environment, os.Getenv(environment))
	}
	Run(t, "testdata/example.web", deployed)
	for path, want := range map[string]bool{"/text": true, "/nowhere": false, "/moved": false,
		"/broken": false} {
		if got := deployed.Answers(t.Context(), path); got != want {
			t.Errorf("Answers(%s) = %v, want %v", path, got, want)
		}
	}
	t.Setenv(environment, "")
	if _, ok := Deployed(t); ok {
		t.Errorf("Deployed without %s: true, want false", environment)
	}
}

// TestGolden runs the file script.web of each testdata/*.txtar and compares its report, and the
// skipped cases, with the file want.
func TestGolden(t *testing.T) {
	target := Handler(t, testServer())
	for path, a := range testenv.Archives(t, "testdata/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			var got strings.Builder
			s, err := parse("script.web", a.Files[0].Data)
			if err != nil {
				fmt.Fprintln(&got, err)
			} else {
				failures, skipped := s.run(t.Context(), target)
				for _, err := range failures {
					fmt.Fprintln(&got, err)
				}
				for _, note := range skipped {
					fmt.Fprintln(&got, note)
				}
			}
			// The port differs from run to run.
			report := strings.ReplaceAll(got.String(), target.base, "http://target")
			testenv.Golden(t, path, "want", []byte(report))
		})
	}
}

// recorder is a test that only records reports.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestRunReports checks that failures of a script fail its test, and that an invalid script does
// not keep others from running.
func TestRunReports(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.web": "GET /text\ncode == 200\nbody == other\n",
		"b.web": "GET\n",
		"c.web": "GET /nowhere\ncode == 200\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := &recorder{TB: t}
	Run(r, filepath.Join(dir, "*.web"), Handler(t, testServer()))
	dir = filepath.ToSlash(dir)
	want := []string{
		dir + `/a.web:3: GET /text: body: got "plain\nwords", want == "other"`,
		dir + `/b.web:1: want a method and a path that starts with a slash and holds no blank, got "GET"`,
		dir + `/c.web:2: GET /nowhere: code: got "404", want == "200"; body "{\"code\":\"not_found\"}"`,
	}
	if diff := cmp.Diff(want, r.errors); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}
