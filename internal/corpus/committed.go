package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// The folders within a proposals folder.
const (
	SummariesDir    = "summaries"
	TranslationsDir = "translations"
)

// Committed is what is committed beside the proposals: summaries in summaries/MIP-7.json and translations in
// translations/ja/MIP-7.md. It is immutable after [Corpus.ReadCommitted] and safe for concurrent use.
type Committed struct {
	Problems []mip.Problem // sorted; every file that is not published has at least one
	Files    []string      // every file that was read, as in problems

	prefix       string
	summaries    map[mip.ID]*api.Summary
	translations map[mip.ID][]Translation
	files        map[mip.ID]summaryFile
}

// summaryFile stands where the summary of a proposal belongs.
type summaryFile struct {
	file  folder.File
	taken bool // by several files, so that none can be chosen
}

// Translation is a committed translation that is published.
type Translation struct {
	ID          mip.ID
	Locale      string
	Stale       bool // the English text has changed since it was made
	GeneratedAt mip.Time
	FileHash    string // hex SHA-256 of the file

	text *api.PublishedTranslation
}

// Text is the translation as it is published. The ids of its sections are those of the English text as far as
// the two correspond. It must not be changed.
func (t Translation) Text() *api.PublishedTranslation { return t.text }

// Summary is the committed summary of a proposal, nil when none is published. Its Stale marks one of an
// older text, which still passes the check against the present one.
func (c *Committed) Summary(id mip.ID) *api.Summary { return c.summaries[id] }

// Translations are the published translations of a proposal, by locale. A stale one is among them.
func (c *Committed) Translations(id mip.ID) []Translation { return c.translations[id] }

// SummaryFile is the folder of proposals in which the summary of a proposal belongs, and its name there: where
// one stands, else beside the proposal. ok is false when several files claim the name.
func (c *Committed) SummaryFile(p *Proposal) (dir, name string, ok bool) {
	if at, found := c.files[p.ID]; found {
		return at.file.Folder, at.file.Name, !at.taken
	}
	return p.source.Folder, SummariesDir + "/" + p.ID.String() + ".json", true
}

// CheckSummary says what the text of the i-th proposal does not bear out of a summary. It is called from several
// goroutines.
type CheckSummary func(sum *api.Summary, i int) error

// ReadCommitted reads what is committed beside the proposals. The error is non-nil only when a folder cannot be read any
// more, or ctx ends; what concerns a file is in Problems.
func (c *Corpus) ReadCommitted(ctx context.Context, locales []string, check CheckSummary) (*Committed, error) {
	l := &committedList{prefix: c.prefix, locales: locales}
	for _, dir := range c.Folders {
		if err := l.folder(dir); err != nil {
			return nil, err
		}
	}
	out := &Committed{prefix: c.prefix, summaries: map[mip.ID]*api.Summary{}, translations: map[mip.ID][]Translation{}, files: map[mip.ID]summaryFile{}}
	alone, doubled := l.unique()
	out.add(alone, false)
	out.add(append(doubled, l.clashes...), true)
	var read []*committedReader
	for _, f := range alone {
		i, ok := slices.BinarySearchFunc(c.Proposals, f.id, func(p *Proposal, id mip.ID) int { return p.ID.Compare(id) })
		if !ok {
			l.add(mip.Warning, f.file.Path, f.kind()+"-unpublished", "%s is not published, so this %s is not either; remove it if the proposal is gone",
				f.id, f.kind())
			continue
		}
		read = append(read, &committedReader{committedFile: f, corpus: c, index: i, check: check})
	}
	workers := errgroup.Group{}
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, r := range read {
		workers.Go(func() error { return cmp.Or(ctx.Err(), r.read()) })
	}
	if err := workers.Wait(); err != nil {
		return nil, fmt.Errorf("load what is committed beside the proposals: %w", err)
	}
	out.Problems = l.problems
	for _, r := range read {
		out.Problems = append(out.Problems, r.problems...)
		if r.summary != nil {
			out.summaries[r.id] = r.summary
		}
		if r.translation != nil {
			out.translations[r.id] = append(out.translations[r.id], *r.translation)
		}
	}
	for _, all := range out.translations {
		slices.SortFunc(all, func(a, b Translation) int { return cmp.Compare(a.Locale, b.Locale) })
	}
	out.Problems = mip.SortProblems(out.Problems)
	slices.Sort(out.Files)
	return out, nil
}

// add notes files, and where summaries stand.
func (c *Committed) add(files []committedFile, taken bool) {
	for _, f := range files {
		c.Files = append(c.Files, f.file.Path)
		if f.locale == "" {
			c.files[f.id] = summaryFile{f.file, taken}
		}
	}
}

// committedReader reads one file.
type committedReader struct {
	committedFile
	corpus *Corpus
	index  int // of the proposal
	check  CheckSummary

	summary     *api.Summary
	translation *Translation
	problems    []mip.Problem
}

func (r *committedReader) read() error {
	root, err := os.OpenRoot(r.file.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	raw, err := r.file.Read(root)
	switch {
	case err != nil:
		code, message := r.file.Refusal(err)
		r.warn(0, code, "%s", message)
	case r.locale == "":
		r.readSummary(raw)
	default:
		r.readTranslation(raw)
	}
	return nil
}

func (r *committedReader) warn(line int, code, format string, args ...any) {
	r.problems = append(r.problems, mip.Problem{Level: mip.Warning, Code: code, File: r.file.Path, Line: line, Message: fmt.Sprintf(format, args...)})
}

// committedFile is a file that belongs to a proposal by its name.
type committedFile struct {
	file   folder.File
	id     mip.ID
	locale string // of a translation; empty: a summary
}

// kind is the word for a file in codes and messages.
func (it committedFile) kind() string {
	if it.locale == "" {
		return "summary"
	}
	return "translation"
}

// committedList gathers the files of all folders.
type committedList struct {
	prefix   string
	locales  []string
	files    []committedFile
	clashes  []committedFile // whose names differ only by case from others'
	problems []mip.Problem
}

func (l *committedList) add(level mip.Level, file, code, format string, args ...any) {
	l.problems = append(l.problems, mip.Problem{Level: level, Code: code, File: file, Message: fmt.Sprintf(format, args...)})
}

// folder lists the committed files in a folder of proposals.
func (l *committedList) folder(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open proposals folder: %w", err)
	}
	defer root.Close()
	if files, ok := l.list(root, dir, SummariesDir); ok {
		l.sift(files, ".json", "")
	}
	locales, _ := l.list(root, dir, TranslationsDir)
	for _, f := range l.apart(locales, nil) {
		l.locale(root, f)
	}
	return nil
}

// list is the entries of a sub-folder; ok is false when it is not there or cannot be listed.
func (l *committedList) list(root *os.Root, dir, name string) (files []folder.File, ok bool) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err == nil {
		files, err = folder.List(root, dir, name)
	}
	if err == nil {
		return files, true
	}
	at := path.Join(filepath.ToSlash(dir), name)
	switch {
	case info != nil && info.Mode()&fs.ModeSymlink != 0:
		l.add(mip.Warning, at, "bad-symlink", "the symbolic link leads to no folder within the proposals folder; put the folder itself here")
	case info != nil && !info.IsDir():
		l.add(mip.Warning, at, "not-a-folder", "this name is kept for a folder with %s; rename the file", name)
	default:
		l.add(mip.Warning, at, "unreadable", "the folder cannot be read: %v", folder.Cause(err))
	}
	return nil, false
}

// locale lists the translations into one language.
func (l *committedList) locale(root *os.Root, f folder.File) {
	tag := f.Base()
	if info, err := root.Stat(f.Name); err == nil && !info.IsDir() {
		l.add(mip.Notice, f.Path, "not-read", "skipped: a translation stands in the folder of its language, such as %s/ja/%s-7.md", TranslationsDir, l.prefix)
		return
	}
	if !slices.Contains(l.locales, tag) {
		i := slices.IndexFunc(l.locales, func(known string) bool { return strings.EqualFold(known, tag) })
		if i >= 0 {
			l.add(mip.Warning, f.Path, "unknown-locale", "site.yaml writes this language %s; rename the folder. Nothing in it is published", l.locales[i])
			return
		}
		l.add(mip.Warning, f.Path, "unknown-locale", "%s is none of the site's languages (%s); add it to locales in site.yaml. Nothing in it is published",
			folder.Visible(tag), strings.Join(l.locales, ", "))
		return
	}
	if files, ok := l.list(root, f.Folder, f.Name); ok {
		l.sift(files, ".md", tag)
	}
}

// sift takes the files that belong to a proposal by their names, and says of the others why not.
func (l *committedList) sift(files []folder.File, ext, locale string) {
	var named []folder.File
	for _, f := range files {
		if strings.EqualFold(path.Ext(f.Name), ext) || f.Irregular {
			named = append(named, f)
			continue
		}
		l.add(mip.Notice, f.Path, "not-read", "skipped: files here are named %s-7%s", l.prefix, ext)
	}
	clash := func(f folder.File) {
		if id, ok := l.id(f.Base(), ext); ok {
			l.clashes = append(l.clashes, committedFile{f, id, locale})
		}
	}
	for _, f := range l.apart(named, clash) {
		id, ok := l.id(f.Base(), ext)
		if !ok {
			l.add(mip.Warning, f.Path, "companion-name", "the file name does not say a proposal's number as %s-7%s does; rename it", l.prefix, ext)
			continue
		}
		l.files = append(l.files, committedFile{f, id, locale})
	}
}

// apart returns the files whose names can be told from others' on every machine. clash, when given, is
// called for the others.
func (l *committedList) apart(files []folder.File, clash func(folder.File)) []folder.File {
	var sound []folder.File
	for _, f := range files {
		if folder.Visible(f.Name) != f.Name {
			l.add(mip.Warning, f.Path, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
			continue
		}
		sound = append(sound, f)
	}
	alone, twins := folder.Twins(sound)
	for _, f := range sound {
		others := twins[f.Name]
		if others == nil {
			continue
		}
		l.add(mip.Warning, f.Path, "name-case", "the file name differs only by case from %s; rename one. None of them is read", strings.Join(others, ", "))
		if clash != nil {
			clash(f)
		}
	}
	return alone
}

// id reads MIP-7.json: exactly as ids are written, so that one proposal has one name.
func (l *committedList) id(name, ext string) (mip.ID, bool) {
	text, ok := strings.CutSuffix(name, ext)
	id, err := mip.ParseID(text)
	return id, ok && err == nil && id.Kind == l.prefix
}

// unique takes out files of which two folders have one for the same proposal.
func (l *committedList) unique() (alone []committedFile, doubled []committedFile) {
	type key struct {
		id     mip.ID
		locale string
	}
	files := map[key][]string{}
	for _, it := range l.files {
		k := key{it.id, it.locale}
		files[k] = append(files[k], it.file.Path)
	}
	for _, it := range l.files {
		same := files[key{it.id, it.locale}]
		if len(same) == 1 {
			alone = append(alone, it)
			continue
		}
		doubled = append(doubled, it)
		others := slices.DeleteFunc(slices.Clone(same), func(file string) bool { return file == it.file.Path })
		l.add(mip.Error, it.file.Path, "duplicate-"+it.kind(), "%s has another %s in %s; keep one", it.id, it.kind(), strings.Join(others, ", "))
	}
	return alone, doubled
}
