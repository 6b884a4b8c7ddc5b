package survey

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

const (
	mostFiles = 200_000  // files looked at
	deepest   = 5        // nested folders
	sampled   = 20       // texts read of a place
	sampleOf  = 4 << 10  // bytes read of each
	readmeOf  = 64 << 10 // bytes read of the README
)

// file is a Markdown file whose name, or whose folder's name, has a number.
type file struct {
	folder  string // contains the texts of its kind
	letters string // before the number, in their own case
	mark    string // between both
	number  string // without leading zeros
	own     string // its name, if its folder has the number
	path    string
}

var (
	numbered = regexp.MustCompile(`^([A-Za-z]*)([-_]?)([0-9]+)(?:[-_. ].*)?$`)
	// skipped matches folders that contain no proposals.
	skipped = regexp.MustCompile(`(?i)^(assets|node_modules|vendor|public|summaries|translations` +
		`|templates?|tests?|testdata|fixtures|examples|samples|internal|images|\..+)$`)
	// copied matches the name of a template.
	copied = regexp.MustCompile(`(?i)template|^[a-z]+[-_]?x+\.md$`)
	// headerLine matches a line of a header.
	headerLine = regexp.MustCompile(
		`(?im)^\W*(?:title|status|authors?|created)\W*[:|]|^\|.*\|[ \t]*title[ \t]*\|`)
	// firstKey matches the first key of a header.
	firstKey = regexp.MustCompile(`(?m)^\W*([A-Za-z]{2,8})\W*[:|]`)
	// prefixed matches the name of a folder that is the plural of a prefix: rfcs.
	prefixed = regexp.MustCompile(`^[A-Z]{2,5}S$`)
	heading  = regexp.MustCompile(`(?m)^#{1,2}[ \t]+(.+?)[ \t#]*$`)
	// siteWord matches words in the title of a site.
	siteWord = regexp.MustCompile(`(?i)improvement|proposals|comments`)
	// special matches a special character of a pattern.
	special = regexp.MustCompile(`[*?\[\\]`)
	// link matches a Markdown link or picture.
	link = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// walk lists the files of a folder that may be proposals, in the order of their paths.
func walk(ctx context.Context, dir string) (found []file, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if seen++; seen > mostFiles {
			return fs.SkipAll
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && name == ".":
			return err
		case err != nil:
			return fs.SkipDir
		case d.IsDir():
			if name != "." && (skipped.MatchString(d.Name()) ||
				strings.Count(name, "/") >= deepest) {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !strings.EqualFold(path.Ext(name), ".md"):
			return nil
		}
		folder := path.Dir(name)
		base, stem := path.Base(name), strings.TrimSuffix(path.Base(name), path.Ext(name))
		if m := numbered.FindStringSubmatch(stem); m != nil {
			found = append(found, file{
				folder: folder, letters: m[1], mark: m[2], number: strings.TrimLeft(m[3], "0"),
				path: name,
			})
		} else if m := numbered.FindStringSubmatch(path.Base(folder)); m != nil &&
			strings.EqualFold(stem, "readme") {
			found = append(found, file{
				folder: path.Dir(folder), letters: m[1], mark: m[2],
				number: strings.TrimLeft(m[3], "0"), own: base, path: name,
			})
		} else if copied.MatchString(base) {
			found = append(found, file{folder: folder, path: name})
		}
		return nil
	})
	return found, err
}

// isText reports whether the file is no template.
func (f file) isText() bool { return !copied.MatchString(path.Base(f.path)) }

// place returns the folder of a text, or the pattern of texts like it.
func (f file) place() string {
	if f.own == "" {
		return f.folder
	}
	folder := special.ReplaceAllString(f.folder, `\$0`)
	if f.letters == "" {
		return path.Join(folder, "[0-9]*", f.own)
	}
	return path.Join(folder, f.letters+f.mark+"*", f.own)
}

// kinds groups texts by their prefix: the letters of their names, else the first key of their
// headers, else the folder's name, else MIP. A place whose texts have no headers is left out,
// unless it is the only one. left lists the texts that no site.yaml can name, each with the reason.
func kinds(dir string, found []file) (out []Kind, left []string) {
	type group struct{ place, letters string }
	groups := map[group][]file{}
	var order []group
	for _, f := range found {
		if !f.isText() {
			continue
		}
		g := group{f.place(), strings.ToUpper(f.letters)}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], f)
	}
	largest := map[string]int{} // group of a place
	for g, files := range groups {
		largest[g.place] = max(largest[g.place], len(files))
	}
	places := map[string]map[string]int{}
	numbers := map[string]map[string]bool{} // by kind
	slices.SortStableFunc(order, func(a, b group) int { return len(groups[b]) - len(groups[a]) })
	for _, g := range order {
		files := groups[g]
		headers, prefix := sample(dir, files)
		if folder := strings.ToUpper(path.Base(files[0].folder)); prefixed.MatchString(folder) {
			prefix = cmp.Or(prefix, strings.TrimSuffix(folder, "S"))
		}
		prefix = cmp.Or(g.letters, prefix, "MIP")
		// A few foreign texts among many are reported when the texts are read.
		if len(order) > 1 && 2*headers < min(len(files), sampled) ||
			20*len(files) < largest[g.place] {
			continue
		}
		if err := cmp.Or(refusal("prefix", prefix), refusal("proposals", g.place)); err != nil {
			of := fmt.Sprintf("%s of %s in %s", texts(len(files)), mip.Quote(prefix),
				mip.Quote(g.place))
			left = append(left, fmt.Sprintf("%s: %v", of, err))
			continue
		}
		if places[prefix] == nil {
			places[prefix], numbers[prefix] = map[string]int{}, map[string]bool{}
		}
		// Translations and copies have the numbers of others.
		if !slices.ContainsFunc(files, func(f file) bool { return !numbers[prefix][f.number] }) {
			continue
		}
		for _, f := range files {
			numbers[prefix][f.number] = true
		}
		places[prefix][g.place] += len(files)
	}
	total := map[string]int{}
	for prefix, at := range places {
		for _, n := range at {
			total[prefix] += n
		}
	}
	for _, c := range counts(total) {
		out = append(out, Kind{Prefix: c.Word, Places: counts(places[c.Word])})
	}
	// Other kinds serve improvement proposals, so they come second, however many they are.
	slices.SortStableFunc(out, func(a, b Kind) int {
		improves := func(k Kind) int {
			if strings.HasSuffix(k.Prefix, "IP") {
				return 0
			}
			return 1
		}
		return improves(a) - improves(b)
	})
	return out, left
}

// sample reads the first texts of a group and returns the number with a header, and their most
// frequent first key.
func sample(dir string, files []file) (headers int, prefix string) {
	keys := map[string]int{}
	for _, f := range files[:min(len(files), sampled)] {
		text := beginning(filepath.Join(dir, filepath.FromSlash(f.path)), sampleOf)
		if !headerLine.MatchString(text) {
			continue
		}
		headers++
		if m := firstKey.FindStringSubmatch(text); m != nil && !headerLine.MatchString(m[0]) {
			keys[strings.ToUpper(m[1])]++
		}
	}
	if of := counts(keys); len(of) > 0 && 2*of[0].Texts > headers {
		prefix = of[0].Word
	}
	return headers, prefix
}

// beginning returns the beginning of a file, empty if it cannot be read.
func beginning(name string, most int) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, most)
	n, _ := f.Read(b)
	return strings.ToValidUTF8(string(b[:n]), "")
}

// templates returns the patterns of templates next to the texts.
func templates(found []file, kinds []Kind) []Count {
	words, read := map[string]int{}, map[string]bool{}
	for _, k := range kinds {
		for _, p := range k.Places {
			read[p.Word] = true
		}
	}
	for _, f := range found {
		switch base := path.Base(f.path); {
		case f.isText(), !read[f.place()]:
		case strings.Contains(strings.ToLower(base), "template"):
			words["*template*"]++
		default:
			words[base]++
		}
	}
	return counts(words)
}

// title returns the first heading of the README as plain text, if it names the site.
func title(dir, prefix string) string {
	entries, _ := os.ReadDir(dir)
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool {
		return strings.EqualFold(e.Name(), "readme.md") && e.Type().IsRegular()
	})
	if i >= 0 {
		readme := beginning(filepath.Join(dir, entries[i].Name()), readmeOf)
		if m := heading.FindStringSubmatch(readme); m != nil {
			marks := strings.NewReplacer("*", "", "`", "", "_", " ")
			plain := mip.OneLine(marks.Replace(link.ReplaceAllString(m[1], "$1")))
			if len(plain) <= 80 && (siteWord.MatchString(plain) ||
				strings.EqualFold(plain, prefix+"s") || strings.EqualFold(plain, prefix)) {
				return plain
			}
		}
	}
	return prefix + " proposals"
}
