package render

import (
	"bytes"
	"cmp"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// MaxDiff bounds the changes that one page of a history shows, and the difference of one version, in bytes of text.
const MaxDiff = 64 << 10

// HistoryPage is what /mip/{n}/history/ shows: the versions of a proposal's file.
type HistoryPage struct {
	Metadata mip.Metadata
	Versions []Version   // newest first
	Before   string      // what came before the oldest: nothing, more or unknown
	Events   []mip.Event // of the proposal, newest first
}

// Version is what a commit made of a file. Author and Subject may hold text of any kind.
type Version struct {
	Commit, Author, Subject string
	When                    mip.Time
	SourceURL               string // empty: none
	Before, After           []byte // empty: no file, nil: not available
}

// pullRequest is how GitHub names the pull request of a merged commit at the end of its subject.
var pullRequest = regexp.MustCompile(`\(#([0-9]+)\)$`)

// subject shows the first line of a commit's message, with a link to the pull request where the
// source's address is like one of GitHub.
func (p *Pages) subject(v Version) template.HTML {
	text := template.HTMLEscapeString(cmp.Or(v.Subject, "No message"))
	m := pullRequest.FindStringSubmatchIndex(text)
	repository, _, ok := strings.Cut(v.SourceURL, "/blob/")
	if m == nil || !ok || strings.HasSuffix(repository, "/-") { // of GitLab, where #6 is an issue
		return template.HTML(text)
	}
	href := template.HTMLEscapeString(repository + "/pull/" + text[m[2]:m[3]])
	return template.HTML(text[:m[0]] + `(<a href="` + href + `" rel="noopener">#` + text[m[2]:m[3]] + `</a>)`)
}

// versionView is a version with its changes since the one before: a text in What, changes, or both.
type versionView struct {
	Version
	Happened string // in words; empty: nothing but what stands in What
	What     string // what changed, in words
	Diff     []diffLine
	Cut      bool // Diff is not all
}

// History renders the page of a proposal's versions. Its changes stand in the order of the versions
// as long as there is room.
func (p *Pages) History(v HistoryPage) ([]byte, error) {
	var versions []versionView
	// The newest changes are shown first, so the oldest are the ones without room.
	room := MaxDiff
	for i, version := range v.Versions {
		first := i+1 == len(v.Versions)
		// A source is made of site.yaml and a path, which may hold anything.
		version.SourceURL = webAddress(&version.SourceURL)
		x := versionView{Version: version}
		switch {
		case version.After == nil:
			x.What = "This version is not in the copy of the repository that this site was made from."
		case first && v.Before == "nothing":
			x.What = "The first version under this name."
		case version.Before == nil:
			x.What = "What was before is not in the copy of the repository that this site was made from."
		case room == 0:
			x.Cut = true
		default:
			d := Diff(version.Before, version.After)
			if x.What = lines(d.Added) + " added, " + lines(d.Removed) + " removed"; d.Text == "" {
				x.What = "No line changed"
			}
			shown, cut := d.First(room)
			x.Diff, x.Cut = diffLines(shown), cut
			room -= min(len(d.Text), room)
		}
		versions = append(versions, x)
	}
	changes := make([]Change, len(v.Events))
	for i, e := range v.Events {
		changes[i].Event = e
	}
	for _, o := range occasions(changes) {
		i := slices.IndexFunc(versions, func(x versionView) bool { return x.Commit == o[0].Commit })
		if i >= 0 && o[0].Kind != mip.EventText {
			versions[i].Happened = p.happened(o)
		}
	}
	title := fullTitle(v.Metadata)
	return p.page("history", head{
		Section: "/", Title: "History of " + title, Description: "What changed in " + title + ", version by version.",
		Route: v.Metadata.ID.Page() + "history/",
	}, struct {
		HistoryPage
		Versions []versionView
	}{v, versions})
}

// lines is a number of lines in words.
func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return thousands(n) + " lines"
}

// LineDiff is the difference of two versions, in lines, with a few unchanged lines around each change.
type LineDiff struct {
	Text           string // a unified diff without its heading; empty when no line changed
	Added, Removed int    // lines
}

// Diff compares two texts. It takes time proportional to their size.
func Diff(before, after []byte) LineDiff {
	text := diff.Diff("a", before, "b", after)
	for range 3 { // the heading: names, --- and +++
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	d := LineDiff{Text: string(text)}
	for line := range strings.Lines(d.Text) {
		switch line[0] {
		case '+':
			d.Added++
		case '-':
			d.Removed++
		}
	}
	return d
}

// First is the text in its first bytes, most at the most, and whether there is more. No character is cut apart.
func (d LineDiff) First(most int) (text string, cut bool) {
	if len(d.Text) <= most {
		return d.Text, false
	}
	for most > 0 && !utf8.RuneStart(d.Text[most]) {
		most--
	}
	return d.Text[:most], true
}

// diffLine is a line as a page shows it. The signs are those of a unified diff.
type diffLine struct {
	Sign string // + added, - removed, @ where in the file, empty: around a change
	Text string // without a sign + or -
}

// diffLines are the lines of a unified diff.
func diffLines(text string) (out []diffLine) {
	for line := range strings.Lines(text) {
		x := diffLine{Text: line}
		switch line[0] {
		case '+', '-':
			x = diffLine{line[:1], line[1:]}
		case '@', '\\':
			x.Sign = "@"
		}
		out = append(out, x)
	}
	return out
}
