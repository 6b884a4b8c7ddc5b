package corpus

import (
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

// Committed are the summaries and translations in the proposals folders: summaries/MIP-7.json
// and translations/ja/MIP-7.md. It is immutable after [Corpus.ReadCommitted] and safe for
// concurrent use.
type Committed struct {
	// Problems are sorted; every file that is not published has at least one.
	Problems []mip.Problem
	// Files are the paths of all files that were read, as in problems, sorted.
	Files []string

	summaries    map[mip.ID]*api.Summary
	translations map[mip.ID][]Translation
	// files are those of summaries, whether they are published or not.
	files map[mip.ID]*committedFile
}

// Translation is a committed translation that is published.
type Translation struct {
	// PublishedTranslation is the body of the answer. The ids of its sections are those of the
	// English text as far as the two correspond. It must not be changed.
	*api.PublishedTranslation
	ID mip.ID
	// File is the path, as in problems.
	File string
	// Heavy says that the HTML can be out of proportion to the text, as in [Proposal].
	Heavy bool
}

// Text is the translation as it is published.
func (t Translation) Text() *api.PublishedTranslation { return t.PublishedTranslation }

// Summary is the committed summary of a proposal, nil when none is published. Its Stale marks
// one of an older text, which still passes the check against the present one.
func (c *Committed) Summary(id mip.ID) *api.Summary { return c.summaries[id] }

// Translations are the published translations of a proposal, by locale. A stale one is among
// them.
func (c *Committed) Translations(id mip.ID) []Translation { return c.translations[id] }

// SummaryFile is the folder of proposals in which the summary of a proposal belongs, and its
// name there: the place of the file, or that next to the proposal when there is none. ok is
// false when several files claim the name.
func (c *Committed) SummaryFile(p *Proposal) (dir, name string, ok bool) {
	if f := c.files[p.ID]; f != nil {
		return f.Folder, f.Name, !f.clash
	}
	return p.source.Folder, SummariesDir + "/" + p.ID.String() + ".json", true
}

// CheckSummary returns an error for a summary that the text of the i-th proposal does not
// support. It is called from several goroutines.
type CheckSummary func(sum *api.Summary, i int) error

// ReadCommitted reads the summaries and the translations into the locales. The error is non-nil
// only when a folder cannot be read any more, or ctx ends; a problem of a file is in Problems.
func (c *Corpus) ReadCommitted(ctx context.Context, locales []string, check CheckSummary) (*Committed, error) {
	l := &committedList{prefix: c.prefix, locales: locales}
	// All files are listed first, since two folders may have one for the same proposal.
	for _, dir := range c.Folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("open proposals folder: %w", err)
		}
		defer root.Close()
		l.root, l.dir = root, dir
		if files, ok := l.entries(SummariesDir); ok {
			l.take(files, ".json", "")
		}
		languages, _ := l.entries(TranslationsDir)
		languages, _ = l.distinct(languages)
		for _, f := range languages {
			l.language(f)
		}
	}
	l.refuseDoubles()
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	// A file without its proposal is left over from one that is gone, or waits for one to be
	// mended.
	for _, f := range l.files {
		i, ok := c.find(f.id)
		switch {
		case f.clash:
		case !ok:
			f.report.warnf(0, f.kind()+"-unpublished", "%s is not published, so this %s is not either; remove it if the proposal is gone", f.id, f.kind())
		default:
			workers.Go(func() error {
				f.read(c, i, check)
				return ctx.Err()
			})
		}
	}
	if err := workers.Wait(); err != nil {
		return nil, fmt.Errorf("read committed summaries and translations: %w", err)
	}
	return l.committed(), nil
}

// committedFile is a file that belongs to a proposal by its name.
type committedFile struct {
	folder.File
	root *os.Root
	id   mip.ID
	// locale is that of a translation, empty for a summary.
	locale string
	// clash says that another file claims the same place.
	clash bool

	report      report
	summary     *api.Summary
	translation *Translation
}

// kind is the word for a file in codes and messages.
func (f *committedFile) kind() string {
	if f.locale == "" {
		return "summary"
	}
	return "translation"
}

// read reads the file, which belongs to the i-th proposal.
func (f *committedFile) read(c *Corpus, i int, check CheckSummary) {
	raw, err := f.Read(f.root)
	switch {
	case err != nil:
		code, message := f.Refusal(err)
		f.report.warnf(0, code, "%s", message)
	case f.locale == "":
		f.readSummary(raw, c.Proposals[i], func(sum *api.Summary) error { return check(sum, i) })
	default:
		f.readTranslation(raw, c, c.Proposals[i])
	}
	// The caller may find out only by rendering that a file cannot be published.
	if p, ok := c.refused[f.Path]; ok {
		f.report.warnf(p.Line, p.Code, "%s", p.Message)
		f.summary, f.translation = nil, nil
	}
}

// committedList gathers the files of all folders.
type committedList struct {
	prefix  string
	locales []string
	// root is the proposals folder at hand.
	root *os.Root
	// dir is the name of root.
	dir   string
	files []*committedFile
	// others holds the problems of files and folders that belong to no proposal.
	others report
}

// problem reports a file or folder that belongs to no proposal.
func (l *committedList) problem(level mip.Level, name, code, format string, args ...any) {
	l.others.file = name
	l.others.add(level, 0, code, format, args...)
}

// entries lists a sub-folder; ok is false when it is not there or cannot be listed.
func (l *committedList) entries(name string) (files []folder.File, ok bool) {
	// Most repositories have no such folder.
	info, err := l.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err == nil {
		files, err = folder.List(l.root, l.dir, name)
	}
	at := path.Join(filepath.ToSlash(l.dir), name)
	switch {
	case err == nil:
		return files, true
	case info != nil && info.Mode()&fs.ModeSymlink != 0:
		l.problem(mip.Warning, at, "bad-symlink", "the symbolic link leads to no folder within the proposals folder; put the folder itself here")
	case info != nil && !info.IsDir():
		l.problem(mip.Warning, at, "not-a-folder", "this name is kept for a folder with %s; rename the file", name)
	default:
		l.problem(mip.Warning, at, "unreadable", "the folder cannot be read: %v", folder.Cause(err))
	}
	return nil, false
}

// language lists the translations into one language.
func (l *committedList) language(f folder.File) {
	tag := f.Base()
	// A file next to the languages is in the wrong place.
	if info, err := l.root.Stat(f.Name); err == nil && !info.IsDir() {
		l.problem(mip.Notice, f.Path, "not-read", "skipped: a translation stands in the folder of its language, such as %s/ja/%s-7.md", TranslationsDir, l.prefix)
		return
	}
	switch i := slices.IndexFunc(l.locales, func(known string) bool { return strings.EqualFold(known, tag) }); {
	case i < 0:
		l.problem(mip.Warning, f.Path, "unknown-locale", "%s is none of the site's languages (%s); add it to locales in site.yaml. Nothing in it is published",
			folder.Visible(tag), strings.Join(l.locales, ", "))
	case l.locales[i] != tag:
		l.problem(mip.Warning, f.Path, "unknown-locale", "site.yaml writes this language %s; rename the folder. Nothing in it is published", l.locales[i])
	default:
		if files, ok := l.entries(f.Name); ok {
			l.take(files, ".md", tag)
		}
	}
}

// take takes the files that belong to a proposal by their names, and says of the others why
// not.
func (l *committedList) take(files []folder.File, ext, locale string) {
	var named []folder.File
	for _, f := range files {
		if strings.EqualFold(path.Ext(f.Name), ext) || f.Irregular {
			named = append(named, f)
			continue
		}
		l.problem(mip.Notice, f.Path, "not-read", "skipped: files here are named %s-7%s", l.prefix, ext)
	}
	alone, twins := l.distinct(named)
	for i, f := range slices.Concat(alone, twins) {
		id, ok := l.id(f.Base(), ext)
		switch clash := i >= len(alone); {
		case ok:
			l.files = append(l.files, &committedFile{File: f, root: l.root, id: id, locale: locale, clash: clash, report: report{file: f.Path}})
		case !clash:
			l.problem(mip.Warning, f.Path, "companion-name", "the file name does not say a proposal's number as %s-7%s does; rename it", l.prefix, ext)
		}
	}
}

// distinct returns the files whose names differ on every machine, and those whose names differ
// only by case.
func (l *committedList) distinct(files []folder.File) (alone, twins []folder.File) {
	files = slices.DeleteFunc(files, func(f folder.File) bool {
		if folder.Visible(f.Name) == f.Name {
			return false
		}
		l.problem(mip.Warning, f.Path, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
		return true
	})
	clashes := folder.Twins(files)
	for _, f := range files {
		others := clashes[f.Name]
		if others == nil {
			alone = append(alone, f)
			continue
		}
		twins = append(twins, f)
		l.problem(mip.Warning, f.Path, "name-case", "the file name differs only by case from %s; rename one. None of them is read", strings.Join(others, ", "))
	}
	return alone, twins
}

// id reads MIP-7.json: exactly as ids are written, so that one proposal has one name.
func (l *committedList) id(name, ext string) (mip.ID, bool) {
	text, ok := strings.CutSuffix(name, ext)
	id, err := mip.ParseID(text)
	return id, ok && err == nil && id.Kind == l.prefix
}

// refuseDoubles finds files of which two folders have one for the same proposal.
func (l *committedList) refuseDoubles() {
	type key struct {
		id     mip.ID
		locale string
	}
	same := map[key][]*committedFile{}
	for _, f := range l.files {
		if k := (key{f.id, f.locale}); !f.clash {
			same[k] = append(same[k], f)
		}
	}
	for _, files := range same {
		for _, f := range files {
			var others []string
			for _, o := range files {
				if o != f {
					others = append(others, o.Path)
				}
			}
			if len(others) > 0 {
				f.clash = true
				f.report.errorf(0, "duplicate-"+f.kind(), "%s has another %s in %s; keep one", f.id, f.kind(), strings.Join(others, ", "))
			}
		}
	}
}

// committed gathers the files that were read.
func (l *committedList) committed() *Committed {
	c := &Committed{
		Problems:  l.others.problems,
		summaries: map[mip.ID]*api.Summary{}, translations: map[mip.ID][]Translation{}, files: map[mip.ID]*committedFile{},
	}
	for _, f := range l.files {
		c.Files = append(c.Files, f.Path)
		c.Problems = append(c.Problems, f.report.problems...)
		if f.locale == "" {
			c.files[f.id] = f
		}
		if f.summary != nil {
			c.summaries[f.id] = f.summary
		}
		if f.translation != nil {
			c.translations[f.id] = append(c.translations[f.id], *f.translation)
		}
	}
	for _, all := range c.translations {
		slices.SortFunc(all, func(a, b Translation) int { return strings.Compare(a.Locale, b.Locale) })
	}
	c.Problems = mip.SortProblems(c.Problems)
	slices.Sort(c.Files)
	return c
}
