package site

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// defaultPrefix is what ids start with when the file does not say.
const defaultPrefix = "MIP"

// site reads the top of the file. What is wrong is reported, so the result is only good when nothing
// was.
func (r *reader) site(root *yaml.Node) *Site {
	s := &Site{Prefix: defaultPrefix, Proposals: []string{"proposals"}, Highlight: true}
	// Forks and overrides refer to networks and forks, wherever those stand in the file.
	var forks, overrides *yaml.Node
	r.object("", root,
		field{"title", true, r.into(&s.Title, r.text)},
		field{"base_url", true, r.into(&s.BaseURL, r.baseURL)},
		field{"description", false, r.into(&s.Description, r.text)},
		field{"prefix", false, r.into(&s.Prefix, r.prefix)},
		field{"proposals", false, func(where string, n *yaml.Node) {
			s.ProposalsLine = n.Line
			s.Proposals = r.folders(where, n, r.folder)
			if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
				r.bad(n, where, "no folder")
			}
		}},
		field{"source_url", false, r.into(&s.SourceURL, r.sourceURL)},
		field{"upstream", false, func(where string, n *yaml.Node) { s.Upstream = r.upstream(where, n) }},
		field{"forum", false, func(where string, n *yaml.Node) {
			r.object(where, n, field{"base_url", true, r.into(&s.Forum, r.baseURL)})
		}},
		field{"networks", false, func(where string, n *yaml.Node) { s.Networks = r.networks(where, n) }},
		field{"hardforks", false, func(_ string, n *yaml.Node) { forks = n }},
		field{"overrides", false, func(_ string, n *yaml.Node) { overrides = n }},
		field{"locales", false, func(where string, n *yaml.Node) { s.Locales = r.locales(where, n) }},
		field{"highlight", false, func(where string, n *yaml.Node) { s.Highlight, _ = r.boolean(where, n) }},
	)
	if forks != nil {
		s.HardForks = r.hardForks("hardforks", forks, s.Networks)
	}
	if overrides != nil {
		s.Overrides = r.overrides("overrides", overrides, s.HardForks)
	}
	return s
}

// into adapts a reader of text to a field.
func (r *reader) into(to *string, read func(string, *yaml.Node) (string, bool)) func(string, *yaml.Node) {
	return func(where string, n *yaml.Node) {
		if v, ok := read(where, n); ok {
			*to = v
		}
	}
}

func (r *reader) upstream(where string, n *yaml.Node) *Upstream {
	u := &Upstream{Line: n.Line}
	r.object(where, n,
		field{"git", true, r.into(&u.Git, r.gitAddress)},
		field{"ref", false, r.into(&u.Ref, r.gitRef)},
		field{"folders", false, func(where string, n *yaml.Node) { u.Folders = r.folders(where, n, r.inside) }},
	)
	return u
}

// folders reads a list of paths, none of them twice.
func (r *reader) folders(where string, n *yaml.Node, read func(string, *yaml.Node) (string, bool)) []string {
	var out []string
	r.list(where, n, func(where string, n *yaml.Node) {
		dir, ok := read(where, n)
		if !ok {
			return
		}
		if slices.Contains(out, dir) {
			r.add(n.Line, "duplicate-value", "%s: %s is listed twice", where, show(dir))
			return
		}
		out = append(out, dir)
	})
	return out
}

// folder reads a path in slashes and cleans it.
func (r *reader) folder(where string, n *yaml.Node) (string, bool) {
	s, ok := r.text(where, n)
	return path.Clean(s), ok
}

// inside reads a path that does not leave the folder it starts from.
func (r *reader) inside(where string, n *yaml.Node) (string, bool) {
	s, ok := r.folder(where, n)
	if ok && (path.IsAbs(s) || s == ".." || strings.HasPrefix(s, "../") || strings.Contains(s, `\`)) {
		r.bad(n, where, fmt.Sprintf("want a folder within the repository, got %s", show(s)))
		return "", false
	}
	return s, ok
}

func (r *reader) locales(where string, n *yaml.Node) []string {
	var out []string
	r.list(where, n, func(where string, n *yaml.Node) {
		tag, ok := r.locale(where, n)
		if !ok {
			return
		}
		if slices.Contains(out, tag) {
			r.add(n.Line, "duplicate-value", "%s: %s is listed twice", where, tag)
			return
		}
		out = append(out, tag)
	})
	return out
}
