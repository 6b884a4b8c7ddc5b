//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

func refuseNot(ts *testscript.TestScript, neg bool) {
	if neg {
		ts.Fatalf("the command cannot be negated")
	}
}

// bounded CODE PROGRAM ARG...: like exits, but ends the program after 6 s of processor time. This
// is three times the promise, since other processes slow down a shared machine.
func bounded(ts *testscript.TestScript, neg bool, args []string) {
	testenv.Exits(ts, neg,
		slices.Concat([]string{args[0], "sh", "-c", `ulimit -t 6; exec "$@"`, "sh"}, args[1:]))
}

// kill-at TEXT PROGRAM ARG...: kills the program as soon as it has written the text to standard
// error. The program may have ended before.
func killAt(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	cmd, errs := start(ts, args[1:])
	await(ts, errs, args[0])
	ts.Check(cmd.Process.Kill())
	finish(ts, cmd, errs)
}

// while-locked DIR release|interrupt CODE PROGRAM ARG...: locks the output folder until the program
// reports that it waits, then releases the lock or interrupts the program, and checks the exit
// code.
func whileLocked(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	lock := flock.New(filepath.Join(ts.MkAbs(args[0]), ".mipwatch", "lock"))
	ts.Check(lock.Lock())
	defer lock.Close()
	cmd, errs := start(ts, args[3:])
	await(ts, errs, "waiting for another build")
	if args[1] == "interrupt" {
		ts.Check(cmd.Process.Signal(os.Interrupt))
	} else {
		ts.Check(lock.Close())
	}
	finish(ts, cmd, errs)
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[2] {
		ts.Fatalf("%q: exit code %s, want %s", cmd.Args, got, args[2])
	}
}

func start(ts *testscript.TestScript, args []string) (*exec.Cmd, *bufio.Reader) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Dir = ts.MkAbs(".")
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	return cmd, bufio.NewReader(pipe)
}

// await reads lines until one contains the text.
func await(ts *testscript.TestScript, r *bufio.Reader, text string) {
	for {
		line, err := r.ReadString('\n')
		ts.Logf("[stderr] %s", line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			ts.Fatalf("the program ended without %q on standard error", text)
		}
	}
}

// finish waits for the program and logs the rest of its output.
func finish(ts *testscript.TestScript, cmd *exec.Cmd, errs *bufio.Reader) {
	rest, err := io.ReadAll(errs)
	ts.Check(err)
	ts.Logf("[stderr]\n%s", rest)
	if err := cmd.Wait(); err != nil {
		if _, exited := errors.AsType[*exec.ExitError](err); !exited {
			ts.Fatalf("%q: %v", cmd.Args, err)
		}
	}
}

// append FILE TIMES TEXT: appends the text, which may contain Go escapes, the given number of
// times.
func appendText(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	times, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[2], `"`, `\"`) + `"`)
	ts.Check(err)
	name := ts.MkAbs(args[0])
	if unquoted, err := strconv.Unquote(`"` + args[0] + `"`); err == nil {
		name = ts.MkAbs(unquoted)
	}
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	ts.Check(err)
	_, err = io.WriteString(f, strings.Repeat(text, times))
	ts.Check(errors.Join(err, f.Close()))
}

// mkfifo FILE: makes a pipe.
func makeFIFO(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o644))
}

// json FILE [PATH WANT]: checks that the file is valid JSON, and has a JSON value at the path of
// keys and indexes, joined by slashes.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &v); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	if len(args) == 1 {
		return
	}
	for key := range strings.SplitSeq(args[1], "/") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(at) {
				ts.Fatalf("%s: %s: no element %q among %d", args[0], args[1], key, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%s: %s: nothing below %v", args[0], args[1], v)
		}
	}
	var want any
	ts.Check(json.Unmarshal([]byte(args[2]), &want))
	if diff := cmp.Diff(want, v); diff != "" {
		ts.Fatalf("%s: %s (-want +got):\n%s", args[0], args[1], diff)
	}
}

// files returns a folder's published files by name.
func files(ts *testscript.TestScript, dir string) map[string]string {
	out := map[string]string{}
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if rel == ".mipwatch" {
			return fs.SkipDir
		}
		if !d.IsDir() {
			b, err := os.ReadFile(name)
			out[filepath.ToSlash(rel)] = string(b)
			return err
		}
		return nil
	}))
	return out
}

// same-tree DIR DIR: checks that both folders have the same files with the same bytes.
func sameTree(ts *testscript.TestScript, neg bool, args []string) {
	diff := cmp.Diff(files(ts, args[0]), files(ts, args[1]))
	if (diff == "") == neg {
		ts.Fatalf("%s and %s (-first +second):\n%s", args[0], args[1], diff)
	}
}

// oldTime is the time of files that were not written since age-tree.
func oldTime() time.Time { return time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC) }

// age-tree DIR: sets the modification time of every file back.
func ageTree(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	for name := range files(ts, args[0]) {
		ts.Check(os.Chtimes(filepath.Join(ts.MkAbs(args[0]), name), oldTime(), oldTime()))
	}
}

// contentHash matches the hash in the names of share cards and of parts of the search index, which
// change with their content.
var contentHash = regexp.MustCompile(`\b(og|search)\.[0-9a-f]{8}\.(png|bin)$`)

// touched DIR FILE...: checks that exactly these files were written since age-tree.
func touched(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	got := []string{}
	for name := range files(ts, args[0]) {
		info, err := os.Stat(filepath.Join(ts.MkAbs(args[0]), name))
		ts.Check(err)
		if !info.ModTime().Equal(oldTime()) {
			got = append(got, contentHash.ReplaceAllString(name, "$1.{hash}.$2"))
		}
	}
	slices.Sort(got)
	want := append([]string{}, args[1:]...)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		ts.Fatalf("files written in %s (-want +got):\n%s", args[0], diff)
	}
}

// dom-safe DIR: parses every page like a browser and checks that it has no active content, and that
// ids are unique.
func domSafe(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	pages := 0
	for name, text := range files(ts, args[0]) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		pages++
		doc, err := html.Parse(strings.NewReader(text))
		ts.Check(err)
		ids := map[string]bool{}
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if what := active(n); what != "" {
				ts.Fatalf("%s: active content: %s", name, what)
			}
			for _, a := range n.Attr {
				if a.Key != "id" {
					continue
				}
				if ids[a.Val] {
					ts.Fatalf("%s: id %q twice", name, a.Val)
				}
				ids[a.Val] = true
			}
		}
	}
	if pages == 0 {
		ts.Fatalf("%s holds no page", args[0])
	}
}

// active describes what an element could do other than show text, or returns "".
func active(n *html.Node) string {
	attr := map[string]string{}
	for _, a := range n.Attr {
		attr[a.Key] = a.Val
	}
	switch n.Data {
	case "base", "iframe", "object", "embed", "applet", "frame", "frameset", "math",
		"foreignobject", "animate", "animatetransform", "set", "use":
		return "<" + n.Data + ">"
	case "script":
		data := attr["type"] == "application/ld+json" || attr["type"] == "application/json"
		if !data && !strings.HasPrefix(attr["src"], "/assets/") {
			return "<script> that is not the site's own"
		}
	case "form":
		if action := attr["action"]; !strings.HasPrefix(action, "/") ||
			strings.HasPrefix(action, "//") {
			return "<form action=" + action + ">"
		}
	case "meta":
		if strings.EqualFold(attr["http-equiv"], "refresh") {
			return "<meta http-equiv=refresh>"
		}
	}
	for key, value := range attr {
		if strings.HasPrefix(key, "on") || key == "style" || key == "srcdoc" {
			return "attribute " + key
		}
		if key != "href" && key != "src" && key != "action" && key != "formaction" &&
			key != "xlink:href" {
			continue
		}
		// Browsers remove these characters before they read the scheme.
		plain := strings.ToLower(strings.Map(func(c rune) rune {
			if c <= ' ' {
				return -1
			}
			return c
		}, value))
		if n.Data == "link" && attr["rel"] == "icon" && strings.HasPrefix(plain, "data:image/") {
			continue
		}
		scheme, _, ok := strings.Cut(plain, ":")
		if ok && !strings.ContainsAny(scheme, "/?#") &&
			!slices.Contains([]string{"http", "https", "mailto"}, scheme) {
			return key + "=" + value
		}
	}
	return ""
}

// xml-valid FILE...: checks that the files are well-formed XML.
func xmlValid(ts *testscript.TestScript, neg bool, args []string) {
	refuseNot(ts, neg)
	for _, name := range args {
		dec := xml.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(name))))
		for {
			_, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				ts.Fatalf("%s: %v", name, err)
			}
		}
	}
}
