package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is a line of `go test -json`, as `go doc test2json` and `go help buildjson` describe it.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build output
	Test       string
	Output     string
}

// line is a line of output and whose it is.
type line struct{ test, text string }

// pack is a package whose tests are running.
type pack struct {
	lines  []line
	action map[string]string // of each test: run until it ends with pass, fail or skip
}

// skipped is a test that did not run.
type skipped struct{ pkg, test, reason string }

// summary collects events and prints each package when it ends.
type summary struct {
	out    io.Writer
	packs  map[string]*pack
	passed int
	failed int
	ended  int // packages
	skips  []skipped
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, packs: map[string]*pack{}}
}

// read consumes events to the end. A line that is none is printed as it stands: tools that run before
// the tests may write to the same place.
func (s *summary) read(in io.Reader) error {
	r := bufio.NewReader(in)
	for {
		text, err := r.ReadString('\n')
		if text != "" {
			var e event
			if json.Unmarshal([]byte(text), &e) != nil || e.Action == "" {
				fmt.Fprintln(s.out, strings.TrimSuffix(text, "\n"))
			} else {
				s.add(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
	}
}

func (s *summary) add(e event) {
	if e.Action == "build-output" {
		io.WriteString(s.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := s.packs[e.Package]
	if p == nil {
		p = &pack{action: map[string]string{}}
		s.packs[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.lines = append(p.lines, line{e.Test, e.Output})
	case "run", "pass", "fail", "skip":
		if e.Test != "" {
			p.action[e.Test] = e.Action
		} else if e.Action != "run" {
			s.end(e.Package, p, e.Action)
			delete(s.packs, e.Package)
		}
	}
}

// end counts and prints a package: its last line when it passed, else the output of everything that
// did not.
func (s *summary) end(pkg string, p *pack, action string) {
	s.ended++
	failed := s.failed
	s.count(pkg, p)
	if action != "fail" {
		for _, l := range p.lines {
			if l.test == "" && (strings.HasPrefix(l.text, "ok ") || strings.HasPrefix(l.text, "? ")) {
				io.WriteString(s.out, l.text)
			}
		}
		return
	}
	if s.failed == failed { // it did not build, or ended before its tests did
		s.failed++
	}
	for _, l := range p.lines {
		if a := p.action[l.test]; a != "pass" && a != "skip" && !strings.HasPrefix(l.text, "=== ") {
			io.WriteString(s.out, l.text)
		}
	}
}

// count counts the tests of a package. One that only ran others counts through them, unless it went
// wrong by itself.
func (s *summary) count(pkg string, p *pack) {
	parent, failedBelow := map[string]bool{}, map[string]bool{}
	for test, action := range p.action {
		for i := range len(test) {
			if test[i] == '/' {
				parent[test[:i]] = true
				failedBelow[test[:i]] = failedBelow[test[:i]] || action != "pass" && action != "skip"
			}
		}
	}
	for test, action := range p.action {
		switch {
		case action == "skip":
			s.skips = append(s.skips, skipped{pkg, test, p.reason(test)})
		case action == "pass" && !parent[test]:
			s.passed++
		case action != "pass" && !failedBelow[test]: // fail, or never ended
			s.failed++
		}
	}
}

// position is where a message was logged, at the start of its line.
var position = regexp.MustCompile(`^[^\s:]+\.go:[0-9]+: `)

// reason is what a skipped test said.
func (p *pack) reason(test string) string {
	var said []string
	for _, l := range p.lines {
		text := strings.TrimSpace(l.text)
		if l.test != test || text == "" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- ") {
			continue
		}
		said = append(said, position.ReplaceAllString(text, ""))
	}
	return cmp.Or(strings.Join(said, " "), "no reason given")
}

// finish prints the skipped tests and the counts, and reports whether all is well. Packages that never
// ended, and skips that require does not allow, are failures.
func (s *summary) finish(require []string) bool {
	for _, pkg := range slices.Sorted(maps.Keys(s.packs)) {
		fmt.Fprintf(s.out, "FAIL\t%s\tended without a result\n", pkg)
		s.end(pkg, s.packs[pkg], "fail")
	}
	slices.SortFunc(s.skips, func(a, b skipped) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
	})
	count := 0
	for _, k := range s.skips {
		word := "skipped"
		if slices.ContainsFunc(require, func(name string) bool { return strings.Contains(k.reason, "["+name+"]") }) {
			word = "FAIL: skipped, and must not be here"
			s.failed++
		} else {
			count++
		}
		fmt.Fprintf(s.out, "%s: %s %s: %s\n", word, k.pkg, k.test, k.reason)
	}
	if s.ended == 0 {
		fmt.Fprintln(s.out, "FAIL: nothing was tested")
		s.failed++
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, count)
	return s.failed == 0
}
