//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mipwatch/mipwatch/build"
	"github.com/mipwatch/mipwatch/internal/demo"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
	"github.com/mipwatch/mipwatch/internal/test/buildtest"
)

// world has the upstream hosts of the function on ports of their own, and the program in three
// builds, each made on first use.
type world struct {
	files     *build.Published
	published *httptest.Server // the files
	snapshot  string
	carrying  func() (path string, _ error) // with a snapshot of the samples
	bare      func() (path string, _ error) // without a snapshot
	torn      func() (path string, _ error) // with a snapshot that has a truncated document
}

var shared *world

// itself is the variable that makes the test program run as the function, with the snapshot of the
// checkout.
const itself = "TEST_RUNS_THE_FUNCTION"

func TestMain(m *testing.M) {
	if os.Getenv(itself) != "" {
		main()
		return
	}
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "function-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	topics := demo.NewDiscourse(time.Now,
		demo.Topic{ID: 401, Title: "Topic 401", Posts: 3, Participants: 2, Created: time.Now()})
	shared = &world{}
	forum := httptest.NewServer(topics)
	defer forum.Close()
	const chainID = 4711
	chain := httptest.NewServer(demo.NewChain(demo.ChainConfig{ChainID: chainID,
		Genesis: time.Now().Add(-time.Hour)}))
	defer chain.Close()
	topic := 401
	s := &site.Site{Title: "Sample", BaseURL: "https://mips.example.org", Prefix: "MIP",
		Forum: forum.URL, Locales: []string{"ja"},
		Overrides: map[mip.ID]site.Override{{Kind: "MIP", Number: 7}: {ForumTopicID: &topic}},
		Networks: []mip.Endpoints{{Network: mip.Network{ID: "test-net", Name: "Test",
			ChainID: chainID, BlockTime: 1}, RPC: []string{chain.URL + "/key-that-is-secret"}}},
	}
	plan, err := buildtest.Plan(context.Background(), s, "../../../internal/samples/proposals")
	if err != nil {
		return 1, err
	}
	files := plan.Publish()
	shared.files, shared.published = files, httptest.NewServer(files)
	defer shared.published.Close()
	shared.snapshot = filepath.Join(dir, "snapshot")
	if _, err := build.Snapshot(context.Background(), plan, shared.snapshot); err != nil {
		return 1, err
	}
	shared.carrying = sync.OnceValues(func() (string, error) {
		return compile(filepath.Join(dir, "carrying"), shared.snapshot)
	})
	shared.bare = sync.OnceValues(func() (string, error) {
		// the checkout has no snapshot, so this program can stand in
		if _, err := carried.Open("snapshot/api"); err != nil {
			return os.Args[0], nil
		}
		return compile(filepath.Join(dir, "bare"), "")
	})
	shared.torn = sync.OnceValues(func() (string, error) {
		torn := filepath.Join(dir, "torn-snapshot")
		err := os.CopyFS(torn, os.DirFS(shared.snapshot))
		err = errors.Join(err,
			os.WriteFile(filepath.Join(torn, "api/v1/site.json"), []byte(`{"title":"Torn`), 0o600))
		if err != nil {
			return "", err
		}
		return compile(filepath.Join(dir, "torn"), torn)
	})
	return m.Run(), nil
}

// compile builds the program with a snapshot in place of the checkout's. It disables cgo as Netlify
// does, since with cgo all packages would be compiled again.
func compile(program, snapshot string) (string, error) {
	here, err := filepath.Abs("snapshot")
	if err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	err = eachFile(here, func(name string) {
		if name != "README.md" {
			overlay.Replace[filepath.Join(here, name)] = ""
		}
	})
	if snapshot != "" {
		err = errors.Join(err, eachFile(snapshot, func(name string) {
			overlay.Replace[filepath.Join(here, name)] = filepath.Join(snapshot, name)
		}))
	}
	b, bad := json.Marshal(overlay)
	if err := errors.Join(err, bad, os.WriteFile(program+".json", b, 0o600)); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-overlay", program+".json", "-tags", "lambda.norpc",
		"-ldflags", "-s -w", "-o", program, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
}

// eachFile calls f with the name of every file below dir, relative to dir.
func eachFile(dir string, f func(name string)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		f(name)
		return err
	})
}

// built returns the path of a program of the world.
func built(t testing.TB, program func() (string, error)) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
