package render

import (
	"cmp"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// maxChanges bounds the changes on one page of a history, in bytes of text.
const maxChanges = 64 << 10

// foldedFrom is the number of lines of a long diff that are shown at once.
const foldedFrom = 40

// HistoryPage is the content of /mip/{n}/history/: the versions of a proposal's file.
type HistoryPage struct {
	Metadata mip.Metadata
	mip.History
	Texts  []VersionText // of the versions, in their order
	Events []mip.Event   // of the proposal, newest first
}

// VersionText is where the text of a version is.
type VersionText struct {
	SourceURL string // empty: none
	Missing   bool   // from the site's copy of the repository
}

// pullRequest matches GitHub's mention of a pull request at the end of a merged commit's subject.
var pullRequest = regexp.MustCompile(`\(#([0-9]+)\)$`)

// subject shows a commit's subject, with a link to its pull request if the source's address is like
// GitHub's.
func (p *Pages) subject(v versionView) template.HTML {
	text := template.HTMLEscapeString(cmp.Or(v.Subject, "No message"))
	m := pullRequest.FindStringSubmatchIndex(text)
	repository, _, ok := strings.Cut(v.SourceURL, "/blob/")
	if m == nil || !ok || strings.HasSuffix(repository, "/-") { // GitLab, where #6 is an issue
		return template.HTML(text)
	}
	href := template.HTMLEscapeString(repository + "/pull/" + text[m[2]:m[3]])
	return template.HTML(text[:m[0]] + `(<a href="` + href + `" rel="noopener">#` +
		text[m[2]:m[3]] + `</a>)`)
}

// versionView is a version with its changes from the previous one: a text in What, Lines, or both.
type versionView struct {
	mip.Version
	SourceURL string   // empty: none
	Happened  string   // in words; empty if What has everything
	What      string   // the change in words
	Lines     []string // of the difference in unified format
	Rest      []string // folded
	Cut       bool     // the lines are incomplete
}

// History renders the page of a proposal's versions. It shows changes in the order of the versions,
// up to a limit.
func (p *Pages) History(v HistoryPage) ([]byte, error) {
	var versions []versionView
	// The newest changes are shown first, so the oldest are omitted.
	room := maxChanges
	for i, version := range v.Versions {
		// A source is built from site.yaml and a path, which may contain anything.
		x := versionView{Version: version, SourceURL: webAddress(&v.Texts[i].SourceURL)}
		switch {
		case v.Texts[i].Missing:
			x.What = "This version is not in the copy of the repository that this site was " +
				"made from."
		case i+1 == len(v.Versions) && v.Before == "nothing":
			x.What = "First version."
		case version.Diff == nil:
			x.What = "What was before is not in the copy of the repository that this site was " +
				"made from."
		case room == 0:
			x.Cut = true
		default:
			x.What = lines(*version.Added, *version.Removed)
			shown := mip.Cut(*version.Diff, room)
			x.Lines = slices.Collect(strings.Lines(shown))
			if len(x.Lines) > foldedFrom+20 { // a few lines are not worth a click
				x.Lines, x.Rest = x.Lines[:foldedFrom], x.Lines[foldedFrom:]
			}
			x.Cut = version.Truncated || len(shown) < len(*version.Diff)
			if room -= len(shown); x.Cut {
				room = 0
			}
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
			said := cmp.Or(plain.Import(o[0].Event, versions[i].Time), p.happened(o))
			versions[i].Happened = strings.TrimSuffix(said+"; "+versions[i].Happened, "; ")
		}
	}
	title := fullTitle(v.Metadata)
	return p.page("history", head{
		Section: "/", Title: "History of " + title,
		Description: "What changed in " + title + ", version by version.",
		Route:       v.Metadata.ID.Page() + "history/",
	}, struct {
		HistoryPage
		Versions []versionView
	}{v, versions})
}

// lines are the numbers of changed lines in words.
func lines(added, removed int) string {
	var out []string
	for i, n := range []int{added, removed} {
		what := []string{" added", " removed"}[i]
		switch n {
		case 0:
		case 1:
			out = append(out, "1 line"+what)
		default:
			out = append(out, plain.Thousands(n)+" lines"+what)
		}
	}
	return cmp.Or(strings.Join(out, ", "), "No line changed")
}

// diffHTML shows lines of a unified diff. Screen readers announce ins and del.
func diffHTML(lines []string) template.HTML {
	var b strings.Builder
	for _, line := range lines {
		tag, class := "span", ""
		switch line[0] {
		case '+':
			tag = "ins"
		case '-':
			tag = "del"
		case '@':
			class = ` class="at hunk"`
		case '\\': // a remark
			class = ` class="at"`
		}
		b.WriteString("<" + tag + class + ">" + template.HTMLEscapeString(line) + "</" + tag + ">")
	}
	return template.HTML(b.String())
}
