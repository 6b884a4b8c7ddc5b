package gitsync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mipwatch/mipwatch/internal/mip"
)

var (
	sum  = strings.Repeat("a", 64)
	blob = strings.Repeat("b", 40)
)

func sound() *Record {
	when := mip.NewTime(time.Unix(1_700_000_000, 0))
	return &Record{
		Git: "https://git.example.org/mips", Folders: []string{"MIPs"}, Commit: blob,
		Files: []File{
			{Name: "MIP-1.md", Path: "MIPs/MIP-1.md", SHA256: sum, Blob: blob, Added: &when,
				Versions: []Version{{blob, when, "Ada", "<&> one", blob, nil, nil}}},
			{Name: "MIP-2.md", Path: "MIPs/MIP-2.md", SHA256: sum, Blob: blob},
		},
	}
}

// written writes a text as the record, and opens the folder.
func written(t *testing.T, text string) *os.Root {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, RecordName), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestRoundTrip(t *testing.T) {
	text, err := sound().encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadRecord(written(t, string(text)))
	if err != nil {
		t.Fatalf("ReadRecord(%s): %v", text, err)
	}
	diff := cmp.Diff(sound(), got, cmpopts.IgnoreFields(Record{}, "About"),
		cmp.Comparer(func(a, b mip.Time) bool {
			return a.UTC().Equal(b.UTC())
		}))
	if diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if f, ok := got.File("MIP-2.md"); !ok || f.SHA256 != sum {
		t.Errorf("File of a synced file: %+v, %t", f, ok)
	}
	for _, r := range []*Record{got, {}, nil} {
		if f, ok := r.File("MIP-3.md"); ok {
			t.Errorf("File of a file that was not synced: %+v", f)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	text, err := sound().encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, bad string }{
		{"unknown member", `"ref"`, `"reff"`},
		{"no commit", `"commit": "` + blob + `",` + "\n \"files\"", `"commit": "HEAD", "files"`},
		{"a name that leads elsewhere", `"name": "MIP-1.md"`, `"name": "../MIP-1.md"`},
		{"a hidden name", `"name": "MIP-1.md"`, `"name": ".git"`},
		{"a path that leads elsewhere", `"path": "MIPs/MIP-1.md"`, `"path": "../MIP-1.md"`},
		{"a path to another file", `"path": "MIPs/MIP-1.md"`, `"path": "MIPs/MIP-7.md"`},
		{"a name twice", `MIP-2.md"`, `MIP-1.md"`},
		{"no hash", sum, "zz"},
		{"no time", "2023-11-14T22:13:20Z", "yesterday"},
		{"a version before 1970", `"time": "2023-11-14T22:13:20Z"`,
			`"time": "1969-12-31T23:59:59Z"`},
		{"a version of the year 10000", `"time": "2023-11-14T22:13:20Z"`,
			`"time": "9999-12-31T23:59:59-01:00"`},
		{"a first commit of the year 10000", `"added": "2023-11-14T22:13:20Z"`,
			`"added": "9999-12-31T23:59:59-01:00"`},
		{"an option for git", `"blob": "` + blob, `"blob": "--batch`},
		{"trailing data", "\n}\n", "\n}{}"},
		{"cut off", "\n}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := strings.ReplaceAll(string(text), tt.old, tt.bad)
			if bad == string(text) {
				t.Fatalf("%q is not in the record", tt.old)
			}
			if r, err := ReadRecord(written(t, bad)); err == nil {
				t.Errorf("Read gives %+v, want an error", r)
			}
		})
	}
	if r, err := ReadRecord(written(t, "")); err == nil {
		t.Errorf("an empty file: %+v, want an error", r)
	}
}
