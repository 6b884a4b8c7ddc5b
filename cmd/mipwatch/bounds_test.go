package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// Bounds on the size of a site, for any headers.
const (
	bytesPerByte = 60       // published bytes per source byte
	bytesAnyway  = 4 << 20  // of the site itself, and of the lists of one proposal
	bytesPerFile = 32 << 10 // of a proposal without a header: page, card, JSON
	filesPerFile = 220      // 100 authors have a page and a feed each
	longestName  = 255
)

// headerBytes is a little less than the longest header that is parsed.
const headerBytes = 63 << 10

// headerKeys are one key of each meaning, and an unknown one.
var headerKeys = append(mip.HeaderKeys(), "mip", "forum-topic-id", "whatever", `"? [&"`)

// headerForms are values of about n bytes, in each form of a header value.
var headerForms = map[string]func(n int) string{
	"word":     func(n int) string { return strings.Repeat("a", n) },
	"chinese":  func(n int) string { return strings.Repeat("提", n/3) },
	"sentence": func(n int) string { return "提案" + strings.Repeat("的提案 and more", n/20) },
	"short":    func(int) string { return strings.Repeat("提", 86) },
	"marks":    func(n int) string { return "a" + strings.Repeat("\u0301", n/2-1) },
	"markup":   func(n int) string { return "x " + strings.Repeat(`<b>&"'`+"`", n/7) },
	"brackets": func(n int) string { return "x " + strings.Repeat("[(<", n/3) },
	"url": func(n int) string {
		return "https://forum.example.org/t/a/7?" + strings.Repeat("é", n/2)
	},
	"logins": func(n int) string {
		return listed(n, ", ", func(i int) string { return fmt.Sprintf("@a%d", i) })
	},
	"people": func(n int) string {
		return listed(n, ", ", func(i int) string { return fmt.Sprintf("Ada %d (@a%d)", i, i) })
	},
	"mails": func(n int) string {
		return listed(n, ", ", func(i int) string {
			return fmt.Sprintf("A%d <a%d@example.org>", i, i)
		})
	},
	"numbers": func(n int) string {
		return listed(n, ", ", func(i int) string { return fmt.Sprint(i) })
	},
	"digits":   func(n int) string { return strings.Repeat("9", n) },
	"no items": func(n int) string { return strings.Repeat(",", n) },
	"flow": func(n int) string {
		return "[" + listed(n, ", ", func(i int) string { return fmt.Sprintf("a%d", i) }) + "]"
	},
	"block": func(n int) string {
		return listed(n, "", func(i int) string { return fmt.Sprintf("\n  - MIP-%d", i) })
	},
	"map": func(n int) string {
		return listed(n, "", func(i int) string { return fmt.Sprintf("\n  k%d: v", i) })
	},
	"nested": func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"maps":   func(n int) string { return strings.Repeat("{a: ", n/5) + strings.Repeat("}", n/5) },
	"stairs": func(int) string {
		return listed(300, "", func(i int) string { return "\n" + strings.Repeat(" ", i) + "k:" })
	},
}

// listed joins items up to about n bytes.
func listed(n int, between string, item func(i int) string) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		if i > 1 {
			b.WriteString(between)
		}
		b.WriteString(item(i))
	}
	return b.String()
}

// manyKeys are long headers with many keys.
func manyKeys() map[string]string {
	key := func(i int) string { return fmt.Sprintf("k%d: v\n", i) }
	return map[string]string{
		"distinct":  listed(headerBytes, "", key),
		"duplicate": strings.Repeat("a: b\n", headerBytes/5),
		"title":     strings.Repeat("title: b\n", headerBytes/9),
		"long":      strings.Repeat("k", headerBytes) + ": v\n",
		"no value": listed(headerBytes, "", func(i int) string {
			return fmt.Sprintf("k%d:\n", i)
		}),
		"comments": strings.Repeat("# c\n", headerBytes/4),
		"strays":   "author: A\n" + strings.Repeat("stray\n", headerBytes/6),
		"indented": "whatever: A\n" + strings.Repeat(" a: b\n", headerBytes/6),
	}
}

// TestHeadersInProportion builds sites with one sound proposal and, for each form, one proposal for
// each key with the longest possible value. Only that proposal may fail.
func TestHeadersInProportion(t *testing.T) {
	testenv.Long(t, "sites of the longest headers")
	t.Parallel()
	site := func(t *testing.T, headers map[string]string) {
		dir := t.TempDir()
		n, source := 1, 0
		add := func(header string) {
			text := fmt.Sprintf("---\n%s---\n\n## Abstract\n\nWords.\n", header)
			source += len(text)
			put(t, filepath.Join(dir, "proposals", fmt.Sprintf("MIP-%d.md", n)), text)
			n++
		}
		add("mip: 1\ntitle: Sound\nstatus: Draft\n")
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			add(headers[name])
		}
		put(t, filepath.Join(dir, "site.yaml"), "title: T\nbase_url: https://m.example\n")
		inProportion(t, dir, source, n-1)
	}
	for form, value := range headerForms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			headers := map[string]string{}
			for _, key := range headerKeys {
				headers[key] = key + ": " + value(headerBytes-2*len(key)-40) + "\n"
			}
			site(t, headers)
		})
	}
	t.Run("keys", func(t *testing.T) {
		t.Parallel()
		site(t, manyKeys())
	})
}

// TestSitesInProportion builds sites in which many proposals have long values, all different or all
// the same, to find outputs that grow with the product.
func TestSitesInProportion(t *testing.T) {
	testenv.Long(t, "sites of many long values")
	t.Parallel()
	const many = 60
	for name, header := range map[string]func(i int) string{
		"own values": func(i int) string {
			own := fmt.Sprintf("%d ", i) + strings.Repeat("w", 4000)
			return fmt.Sprintf("title: %[1]s\nstatus: %[1]s\ntype: %[1]s\n"+
				"category: %[1]s\ndescription: %[1]s\n", own)
		},
		"same slug": func(i int) string {
			own := "a" + strings.Repeat("!", i) + "b"
			return fmt.Sprintf("title: %[1]s\nstatus: %[1]s\ntype: %[1]s\ncategory: %[1]s\n", own)
		},
		"all require all": func(int) string {
			return "title: " + strings.Repeat("t", 900) + "\nrequires: " +
				listed(650, ", ", func(i int) string { return fmt.Sprint(i) }) + "\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			source := 0
			for i := 1; i <= many; i++ {
				text := "---\n" + header(i) + "---\n\nWords.\n"
				source += len(text)
				put(t, filepath.Join(dir, "proposals", fmt.Sprintf("MIP-%d.md", i)), text)
			}
			put(t, filepath.Join(dir, "site.yaml"), "title: T\nbase_url: https://m.example\n")
			inProportion(t, dir, source, many)
		})
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inProportion runs check and build in a folder, and compares the output with the size of its
// proposals.
func inProportion(t *testing.T, dir string, source, proposals int) {
	t.Helper()
	type report struct{ Problems []mip.Problem }
	command := func(args ...string) (int, report) {
		var stdout, stderr bytes.Buffer
		args = append(args, "--config", filepath.Join(dir, "site.yaml"), "--format", "json")
		code := run(t.Context(), args, &stdout, &stderr, func(string) (string, bool) {
			return "", false
		})
		var r report
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
			t.Fatalf("%q: exit code %d, output %.200q, said %.400q: %v",
				args, code, stdout.Bytes(), stderr.Bytes(), err)
		}
		return code, r
	}
	out := filepath.Join(dir, "public")
	checked, found := command("check")
	built, told := command("build", "--keep-going", "--out", out)
	if built != exitDone {
		t.Errorf("build --keep-going: exit code %d, want 0", built)
	}
	errors := count(found.Problems).Errors > 0
	if (checked == exitProblems) != errors {
		t.Errorf("check: exit code %d with %v", checked, count(found.Problems))
	}
	if errors { // otherwise --keep-going changes nothing
		if strict, _ := command("build", "--out", out); strict != checked {
			t.Errorf("build: exit code %d, that of check is %d", strict, checked)
		}
	}
	if diff := cmp.Diff(found.Problems, told.Problems); diff != "" {
		t.Errorf("problems (-check +build):\n%.2000s", diff)
	}
	if _, err := os.Stat(filepath.Join(out, "mip", "1", "index.html")); err != nil {
		t.Errorf("the sound proposal is not published: %v", err)
	}
	files, size := 0, 0
	err := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, size = files+1, size+int(info.Size())
		if len(d.Name()) > longestName {
			t.Errorf("%s: a name of %d bytes", name, len(d.Name()))
		}
		return nil
	})
	most := bytesPerByte*source + bytesPerFile*proposals + bytesAnyway
	if err != nil || size > most || files > filesPerFile*proposals {
		t.Errorf("%d files and %d bytes of a source of %d, want at most %d and %d; %v",
			files, size, source, filesPerFile*proposals, most, err)
	}
	t.Logf("%d files, %d bytes, %.1f for one of the source's %d; %v",
		files, size, float64(size)/float64(source), source, count(found.Problems))
}
