package problem

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestProblems checks that the code and problems.txt have the same problems, and that each has a
// level.
func TestProblems(t *testing.T) {
	call := regexp.MustCompile(
		`\b(?:[Aa]dd|report|fail)\((?:[^"]*(?:"[a-z]+"\)[^"]*)?), "([a-z0-9/-]+)"[,)]`)
	ids := regexp.MustCompile(`"((?:summary-refused|bad-link)(?:/[a-z]+)?)"`)
	used := map[string]bool{}
	var names []string
	for _, room := range []string{"corpus", "header", "history", "upgrade"} {
		found, err := filepath.Glob("../" + room + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(source)) {
			for _, m := range append(call.FindAllStringSubmatch(line, -1),
				ids.FindAllStringSubmatch(line, -1)...) {
				used[m[1]] = true
			}
		}
	}
	for _, kind := range []string{"summary", "translation"} { // the code assembles these ids
		used["duplicate-"+kind], used[kind+"-unpublished"] = true, true
	}
	for _, code := range []string{"name-case", "bad-file-name"} {
		used[code], used[code+"/committed"] = true, true
	}
	for id, m := range messages() {
		// Package build reports problems of links, old addresses and unsupported summaries.
		if found := regexp.MustCompile(
			`^(dead-(link|fragment|redirect)|(redirects-left|taken-redirect)|source-unknown|(file|picture)-refused|diagram-undrawn|summary-(refused|stale))`).MatchString(id); !used[id] && !found {
			t.Errorf("problems.txt has %s, which no code reports", id)
		}
		if m.level != "error" && m.level != "warning" && m.level != "notice" || m.code == "" ||
			m.format == "" {
			t.Errorf("%s of problems.txt is %+v", id, m)
		}
	}
	for id := range used {
		if _, ok := messages()[id]; !ok {
			t.Errorf("the code reports %s, which problems.txt lacks", id)
		}
	}
}
