package survey

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// YAML is a site.yaml with all that was found, each guess with the count that speaks for it.
func (s *Survey) YAML() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# What this site is. All keys: https://github.com/mipwatch/mipwatch/blob/main/docs/reference.md#configuration")
	line("# Found: %s.", s.found())
	line("title: %s", quote(s.Title))
	base, source := s.addresses()
	pages := base != ""
	if !pages {
		base = "https://proposals.example.org"
	}
	line("# Where it will be published.\nbase_url: %s", base)
	if pages {
		line("# GitHub Pages knows no rules: every address is that of a file.\nhost: plain")
	}
	if source != "" {
		line("# Where the files of its repository are shown.\nsource_url: %s", quote(source))
	}
	line("")
	s.kinds(line)
	if len(s.Statuses) > 0 {
		line("\n# The process, in its order. Stages: draft, review, last-call, final, living, stopped.\nstatuses:")
		for _, of := range s.Statuses {
			guess, aliases := "", ""
			if of.Guessed {
				guess = "; the stage is a guess"
			}
			if len(of.Aliases) > 0 {
				var words []string
				for _, word := range of.Aliases {
					words = append(words, quote(word))
				}
				aliases = ", aliases: [" + strings.Join(words, ", ") + "]"
			}
			line("  - {name: %s, stage: %s%s} # %s%s", quote(of.Status.String()), of.Stage, aliases, plural(of.Texts), guess)
		}
	}
	if len(s.Keys) > 0 {
		line("\n# What headers call things.\nkeys:")
		for _, meaning := range slices.Sorted(maps.Keys(s.Keys)) {
			var names, texts []string
			for _, c := range s.Keys[meaning] {
				names, texts = append(names, quote(c.Word)), append(texts, plural(c.Texts))
			}
			line("  %s: [%s] # %s", meaning, strings.Join(names, ", "), strings.Join(texts, ", "))
		}
	}
	if len(s.Ignore) > 0 {
		line("\n# Files that are no proposals.\nignore:")
		for _, c := range s.Ignore {
			line("  - %s # %s", quote(c.Word), plural(c.Texts))
		}
	}
	if len(s.References) > 0 {
		line("\n# Proposals of other sites, to which headers and texts refer.\nreferences:")
		for _, c := range s.References {
			line("  %s: %s # in %s", c.Word, quote(Address(c.Word)), plural(c.Texts))
		}
	}
	if s.Forum != "" {
		line("\n# Where proposals are discussed, on Discourse: the headers of %s say so.\nforum: {base_url: %s}", plural(s.Discussed), quote(s.Forum))
	}
	if s.Errors > 0 {
		line("\n# Publish the sound texts although others are in error: %s today, see mipwatch check.\nkeep_going: true", plural(s.Errors))
	}
	if s.Remote != "" {
		line("\n# For a site in another repository, which copies the texts from here by mipwatch sync:\n# upstream: {git: %s}", s.Remote)
	}
	return []byte(b.String())
}

// found says in words what was found.
func (s *Survey) found() string {
	var kinds []string
	for _, k := range s.Kinds {
		n := 0
		for _, p := range k.Places {
			n += p.Texts
		}
		kinds = append(kinds, fmt.Sprintf("%s of %s", plural(n), k.Prefix))
	}
	return strings.Join(kinds, ", ")
}

// kinds writes the kinds of proposals.
func (s *Survey) kinds(line func(string, ...any)) {
	list := func(places []Count) string {
		var out []string
		for _, p := range places {
			out = append(out, quote(p.Word))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	texts := func(places []Count) string {
		var out []string
		for _, p := range places {
			out = append(out, strconv.Itoa(p.Texts))
		}
		if len(out) == 1 {
			return plural(places[0].Texts)
		}
		return strings.Join(out, " + ") + " texts"
	}
	if len(s.Kinds) == 1 {
		line("prefix: %s\nproposals: %s # %s", s.Kinds[0].Prefix, list(s.Kinds[0].Places), texts(s.Kinds[0].Places))
		return
	}
	line("# The first kind is the main one.\nkinds:")
	for _, k := range s.Kinds {
		line("  - {prefix: %s, proposals: %s} # %s", k.Prefix, list(k.Places), texts(k.Places))
	}
}

// addresses are those of a site on GitHub Pages and of the files, by the repository's; empty for a host whose addresses are
// not known.
func (s *Survey) addresses() (base, source string) {
	u, err := url.Parse(s.Remote)
	if err != nil || u.Host == "" {
		return "", ""
	}
	owner, name := path.Split(strings.Trim(u.Path, "/"))
	switch {
	case u.Host == "github.com":
		owner = strings.ToLower(strings.Trim(owner, "/"))
		if base = "https://" + owner + ".github.io/" + name; strings.EqualFold(name, owner+".github.io") {
			base = "https://" + owner + ".github.io"
		}
		return base, s.Remote + "/blob/{commit}/{path}"
	case strings.Contains(u.Host, "gitlab"):
		return "", s.Remote + "/-/blob/{commit}/{path}"
	case u.Host == "codeberg.org":
		return "", s.Remote + "/src/commit/{commit}/{path}"
	}
	return "", ""
}

// plain is text that YAML reads as it stands.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9 ./_+-]*[A-Za-z0-9./_+-]$`)

// words are plain texts that YAML takes for something else.
var words = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}

// quote writes a text as YAML, in quotation marks where it needs them.
func quote(s string) string {
	if plain.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}

// plural is a number of texts.
func plural(n int) string {
	if n == 1 {
		return "1 text"
	}
	return strconv.Itoa(n) + " texts"
}
