package corpus

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
)

// Text reads a proposal's text as [Load] does. It returns nil for a file that would be refused, or
// that is no proposal.
func (o Options) Text(file folder.File, content []byte) *Proposal {
	var r problem.Report
	p := newProposal(file, content, o, &r)
	if p == nil || r.Failed {
		return nil
	}
	return p
}

var (
	// rawFile matches the address of a file's bytes on GitHub.
	rawFile = regexp.MustCompile(`^https://raw\.githubusercontent\.com/([^/]+/[^/]+)/`)
	// ordinary matches the usual names of a main branch, and commit hashes. They are complete: none
	// is taken for the start of a longer name.
	ordinary = regexp.MustCompile(`^(?:main|master|develop|dev|HEAD|[0-9a-f]{7,40})$`)
)

// Paths returns the paths in the repository that a destination in a proposal's text can mean, the
// likeliest first. text is the path of the text. A leading slash means the top of the repository.
// An address in the repository means its present path, whatever branch, tag or commit it names.
// There are no paths for a destination outside of the repository.
func (o Options) Paths(from *Proposal, text, dest string) (paths []string) {
	file, _, _ := strings.Cut(dest, "?")
	files := []string{file}
	if strings.Contains(file, "://") {
		files = o.addressed(file)
	}
	for _, file := range files {
		if plain, err := url.PathUnescape(file); err == nil {
			file = plain
		}
		target := path.Join(path.Dir(text), file)
		if path.IsAbs(file) {
			target = path.Clean(file)[1:]
		}
		if filepath.IsLocal(target) {
			paths = append(paths, from.forms(target)...)
		}
	}
	return paths
}

// addressed returns the absolute paths in the repository that an address can mean, if it is below
// the repository's address. There may be several, since the name of a branch may have slashes.
func (o Options) addressed(address string) (files []string) {
	address = rawFile.ReplaceAllString(address, "https://github.com/$1/raw/")
	at := slices.IndexFunc(o.Addresses, func(base string) bool {
		_, below := mip.Below(address, base)
		return base != "" && below
	})
	if at <= 0 { // the first is the site's
		return nil
	}
	rest, _ := mip.Below(address, o.Addresses[at])
	m := viewed.FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	const most = 4 // parts of a branch's name
	for file, more := m[2], true; more && len(files) < most; {
		if files = append(files, "/"+file); ordinary.MatchString(m[1]) {
			break
		}
		_, file, more = strings.Cut(file, "/")
	}
	return files
}

// numberedPath matches the start of a name such as eip-721, up to the number's first digit.
var numberedPath = regexp.MustCompile(`(^|/)[a-z]+-\d`)

// forms returns a path and its other forms. If the proposal's header has its number under another
// prefix, the site's prefix replaces that one, in the whole path or in the folders alone:
// assets/eip-721 becomes assets/erc-721.
func (p *Proposal) forms(repoPath string) []string {
	ours := func(name string) string {
		return numberedPath.ReplaceAllStringFunc(name, func(part string) string {
			if strings.Trim(part, "/-0123456789") != p.alias {
				return part
			}
			return strings.Replace(part, p.alias, strings.ToLower(p.ID.Kind), 1)
		})
	}
	forms := []string{repoPath}
	if p.alias == "" {
		return forms
	}
	dir, name := path.Split(repoPath)
	for _, other := range []string{ours(repoPath), ours(dir) + name} {
		if !slices.Contains(forms, other) {
			forms = append(forms, other)
		}
	}
	return forms
}
