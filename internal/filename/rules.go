package filename

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
)

// Source is a place of texts.
type Source struct {
	// Folder is relative to the working directory of the process.
	Folder string
	// Pattern selects the files in the folder and below that are texts, in the syntax of
	// [path.Match]: CIP-*/README.md. Empty means every Markdown file directly in the folder.
	Pattern string
	// Kind is the default prefix of the folder's files. Empty means the main kind. Among several
	// sources with one folder, the first one's applies to all.
	Kind string
}

// Rules decide which files are texts.
type Rules struct {
	Sources []Source
	// Ignore are patterns of file names to leave out, in the syntax of [path.Match]. They are
	// case-insensitive.
	Ignore []string
	// Locales are the languages of translations that are read.
	Locales []string
}

// Folders are the folders of the sources, sorted, each once.
func (r Rules) Folders() (out []string) {
	for _, s := range r.Sources {
		out = append(out, s.Folder)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Patterns are the patterns of the texts in a folder.
func (r Rules) Patterns(folder string) (out []string) {
	for _, s := range r.Sources {
		if s.Folder == folder {
			out = append(out, s.Pattern)
		}
	}
	return out
}

// Kind is the default prefix of a folder's files. Empty means the main kind.
func (r Rules) Kind(folder string) string {
	for _, s := range r.Sources {
		if s.Folder == folder {
			return s.Kind
		}
	}
	return ""
}

// Is reports whether a file has the name and the place of a proposal. The number may be only in its
// header.
func (r Rules) Is(f folder.File) bool {
	dir, _ := path.Split(f.Name)
	return r.kept(f) && (dir == "" ||
		slices.ContainsFunc(r.Patterns(f.Folder), func(pattern string) bool {
			matches, _ := path.Match(pattern, f.Name)
			return matches
		}))
}

// Was reports whether a file, which may be deleted, was once a proposal: a file with a number may
// have been in a folder of its own under another name.
func (r Rules) Was(f folder.File) bool {
	dir, base := path.Split(f.Name)
	_, named := Number(base)
	return r.Is(f) || named && r.kept(f) &&
		slices.ContainsFunc(r.Patterns(f.Folder), func(pattern string) bool {
			folders, _ := path.Split(pattern)
			matches, _ := path.Match(folders, dir)
			return matches
		})
}

// kept reports whether a file is no translation and matches no ignored pattern.
func (r Rules) kept(f folder.File) bool {
	_, _, _, translated := LanguageOf(f.Name, r.Locales)
	kept, _ := Without([]folder.File{f}, r.Ignore, nil)
	return !translated && len(kept) > 0
}

// Without returns the files whose names match no pattern, and the patterns of unused that match no
// file.
func Without(files []folder.File, patterns, unused []string) (kept []folder.File, still []string) {
	matches := func(pattern, name string) bool {
		// the site has checked the pattern
		ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name))
		return ok
	}
	any := func(p string, f folder.File) bool {
		return matches(p, f.Name) || matches(p, f.Base()) || matches(p, Own(f.Name))
	}
	for _, f := range files {
		if !slices.ContainsFunc(patterns, func(p string) bool { return any(p, f) }) {
			kept = append(kept, f)
		}
	}
	still = slices.DeleteFunc(unused, func(p string) bool {
		return slices.ContainsFunc(files, func(f folder.File) bool { return any(p, f) })
	})
	return kept, still
}

// inLanguage matches the name of a translation, such as README.fr.md of README.md.
var inLanguage = regexp.MustCompile(
	`(?i)^(.+)\.([a-z]{2,3}(?:[-_][a-z]{2,4})?(?:[-_][a-z]{2}|[-_][0-9]{3})?)(\.md)$`)

// LanguagesOf is the pattern of the translations of texts that match a pattern. It is empty if the
// pattern does not end in .md.
func LanguagesOf(pattern string) string {
	stem, ok := strings.CutSuffix(pattern, ".md")
	if !ok {
		return ""
	}
	return stem + ".*.md"
}

// LanguageOf splits the name of a possible translation into the name of the original text and the
// language tag. known reports that the site has the language. The tag is then spelled like the
// site's, else like BCP 47. ok is false if the tag may be a word other than a language.
func LanguageOf(name string, locales []string) (of, tag string, known, ok bool) {
	m := inLanguage.FindStringSubmatch(name)
	if m == nil {
		return "", "", false, false
	}
	of, tag = m[1]+m[3], strings.ReplaceAll(m[2], "_", "-")
	if i := slices.IndexFunc(locales, func(known string) bool {
		return strings.EqualFold(known, tag)
	}); i >= 0 {
		return of, locales[i], true, true
	}
	parts := strings.Split(strings.ToLower(tag), "-")
	for i, part := range parts[1:] {
		if parts[i+1] = strings.ToUpper(part); len(part) == 4 { // a script
			parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return of, strings.Join(parts, "-"), false, len(parts[0]) == 2
}
