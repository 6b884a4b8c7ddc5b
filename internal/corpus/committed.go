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
	"unicode"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// The folders within a proposals folder.
const (
	SummariesDir    = "summaries"
	TranslationsDir = "translations"

	maxSource = 100 // characters of the name of a model
)

// Committed are the summaries and translations in the proposals folders: summaries/MIP-7.json
// and translations/ja/MIP-7.md. It is immutable after [Corpus.ReadCommitted] and safe for
// concurrent use.
type Committed struct {
	// Problems are sorted; every file that is not published has at least one.
	Problems []mip.Problem
	// Files are the paths of all files that belong to a proposal by name, as in problems, sorted.
	Files []string

	summaries    map[mip.ID]*entry // published or not
	translations map[mip.ID][]Translation
}

// Translation is a committed translation that is published.
type Translation struct {
	// PublishedTranslation is the body of the answer. The ids of its sections are those of the
	// English text as far as the two correspond. It must not be changed.
	*api.PublishedTranslation
	// File is the path, as in problems.
	File string
	// Heavy says that the HTML can be out of proportion to the text, as in [Proposal].
	Heavy bool
	// Lines is how many the file has.
	Lines int
}

// Summary is the committed summary of a proposal, nil when none is published. Its Stale marks one of an older text.
func (c *Committed) Summary(id mip.ID) *api.Summary {
	if e := c.summaries[id]; e != nil {
		return e.summary
	}
	return nil
}

// Translations are the published translations of a proposal, by locale. A stale one is among
// them.
func (c *Committed) Translations(id mip.ID) []Translation { return c.translations[id] }

// SummaryFile is the folder of proposals in which the summary of a proposal belongs, and its
// name there: the place of the file, or that next to the proposal when there is none. ok is
// false when several files claim the name.
func (c *Committed) SummaryFile(p *Proposal) (dir, name string, ok bool) {
	if e := c.summaries[p.ID]; e != nil {
		return e.Folder, e.Name, !e.clash
	}
	return p.source.Folder, SummariesDir + "/" + p.ID.String() + ".json", true
}

// summaryCheck returns an error for a summary that the text of the i-th proposal does not support. It may leave out
// sentences that no summary holds any more, and says so.
type summaryCheck = func(sum *api.Summary, i int) (trimmed bool, err error)

// ReadCommitted reads the summaries and the translations into the locales. check is called from
// several goroutines. The error is non-nil only when a folder cannot be read any more, or ctx
// ends; a problem of a file is in Problems.
func (c *Corpus) ReadCommitted(ctx context.Context, locales []string, check summaryCheck) (*Committed, error) {
	l := &committedList{prefix: c.prefix, locales: locales}
	// All are listed first, since two folders may have a file for the same proposal.
	for _, dir := range c.Folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("open proposals folder: %w", err)
		}
		defer root.Close()
		l.root, l.dir = root, dir
		l.take(SummariesDir, ".json", "")
		for _, e := range l.list(TranslationsDir) {
			if len(e.report.problems) == 0 {
				l.language(e)
			}
		}
	}
	checkTwice(l.all, func(e *entry, others string) {
		e.clash = true
		e.report.add(0, "duplicate-"+e.kind(), e.id, others)
	})
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, e := range l.all {
		if e.id == (mip.ID{}) || e.clash {
			continue
		}
		i, ok := c.find(e.id)
		// A file without its proposal is left over from one that is gone, or waits for one to be
		// mended.
		if !ok {
			e.report.add(0, e.kind()+"-unpublished", e.id)
			continue
		}
		workers.Go(func() error {
			e.readCommitted(c, i, check)
			return ctx.Err()
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, fmt.Errorf("read committed summaries and translations: %w", err)
	}
	return l.committed(), nil
}

// kind is the word for a file in codes and messages.
func (e *entry) kind() string {
	if e.locale == "" {
		return "summary"
	}
	return "translation"
}

// readCommitted reads the file, which belongs to the i-th proposal.
func (e *entry) readCommitted(c *Corpus, i int, check summaryCheck) {
	raw, err := e.Read(e.root)
	switch {
	case err != nil:
		code, message := e.Refusal(err)
		e.report.put(mip.Warning, 0, code, message)
	case e.locale == "":
		e.readSummary(raw, c.Proposals[i], i, check)
	default:
		e.readTranslation(string(raw), c, c.Proposals[i])
	}
	if p, ok := c.refused[e.Path]; ok {
		e.report.put(mip.Warning, p.Line, p.Code, p.Message)
		e.summary, e.translation = nil, nil
	}
}

// committedList gathers the files of all folders.
type committedList struct {
	prefix  string
	locales []string
	// root is the proposals folder at hand, and dir its name.
	root *os.Root
	dir  string
	// all holds files and folders. Those that belong to no proposal have a problem.
	all []*entry
}

// list lists a sub-folder. An entry whose name is no good has a problem.
func (l *committedList) list(name string) (files []*entry) {
	// Most repositories have no such folder.
	info, err := l.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var listed []folder.File
	if err == nil {
		listed, err = folder.List(l.root, l.dir, name)
	}
	for _, f := range listed {
		files = append(files, newEntry(l.root, f))
	}
	checkNames(files, "/committed")
	l.all = append(l.all, files...)
	if err == nil {
		return files
	}
	at := &entry{report: report{file: path.Join(filepath.ToSlash(l.dir), name)}}
	l.all = append(l.all, at)
	switch {
	case info != nil && info.Mode()&fs.ModeSymlink != 0:
		at.report.add(0, "bad-symlink")
	case info != nil && !info.IsDir():
		at.report.add(0, "not-a-folder", name)
	default:
		at.report.add(0, "unreadable", folder.Cause(err))
	}
	return nil
}

// language lists the translations into one language.
func (l *committedList) language(e *entry) {
	tag := e.Base()
	i := slices.IndexFunc(l.locales, func(known string) bool { return strings.EqualFold(known, tag) })
	info, err := l.root.Stat(e.Name)
	switch {
	case err == nil && !info.IsDir(): // in the wrong place
		e.report.add(0, "not-read/language", TranslationsDir, l.prefix)
	case i < 0:
		e.report.add(0, "unknown-locale", tag, strings.Join(l.locales, ", "))
	case l.locales[i] != tag:
		e.report.add(0, "unknown-locale/spelling", l.locales[i])
	default:
		l.take(e.Name, ".md", tag)
	}
}

// take takes the files of a folder that belong to a proposal by their names, exactly as ids are
// written, so that one proposal has one name. It says of the others why not.
func (l *committedList) take(name, ext, locale string) {
	for _, e := range l.list(name) {
		text, ok := strings.CutSuffix(e.Base(), ext)
		id, err := mip.ParseID(text)
		switch bad := len(e.report.problems) > 0; {
		case ok && err == nil && id.Kind == l.prefix:
			e.id, e.locale, e.clash = id, locale, bad
		case bad:
		case strings.EqualFold(path.Ext(e.Name), ext) || e.Irregular:
			e.report.add(0, "companion-name", l.prefix, ext)
		default:
			e.report.add(0, "not-read/name", l.prefix, ext)
		}
	}
}

// committed gathers the files that were read.
func (l *committedList) committed() *Committed {
	c := &Committed{summaries: map[mip.ID]*entry{}, translations: map[mip.ID][]Translation{}}
	for _, e := range l.all {
		c.Problems = append(c.Problems, e.report.problems...)
		if e.id == (mip.ID{}) {
			continue
		}
		c.Files = append(c.Files, e.Path)
		if e.locale == "" {
			c.summaries[e.id] = e
		}
		if e.translation != nil {
			c.translations[e.id] = append(c.translations[e.id], *e.translation)
		}
	}
	for _, all := range c.translations {
		slices.SortFunc(all, func(a, b Translation) int { return strings.Compare(a.Locale, b.Locale) })
	}
	c.Problems = mip.SortProblems(c.Problems)
	slices.Sort(c.Files)
	return c
}

// readSummary publishes a summary if its form is right and it holds against the present text.
func (e *entry) readSummary(raw []byte, p *Proposal, i int, check summaryCheck) {
	sum, err := parseSummary(raw, p.Number)
	if err != nil {
		e.report.add(err.Line, "summary-invalid", err.Message)
		return
	}
	sum.Stale = sum.ContentHash != p.ContentHash
	trimmed, refused := check(sum, i)
	if refused != nil {
		id := "summary-refused"
		if sum.Stale {
			id = "summary-refused/stale"
		}
		e.report.add(0, id, strings.ReplaceAll(refused.Error(), "\n", "; "))
		return
	}
	if sum.Stale {
		e.report.add(0, "summary-stale")
	} else if trimmed {
		e.report.add(0, "summary-trimmed")
	}
	e.summary = sum
}

// parseSummary reads the file of a proposal's summary, without looking at the proposal.
func parseSummary(raw []byte, number int) (*api.Summary, *strictjson.Error) {
	sum := &api.Summary{}
	// A build finds out by itself whether a summary is stale and what it says of a group, and writes no stand-in.
	if err := strictjson.Decode(raw, sum, "stale", "fallback", "stated", "actionEvidence", "hardfork"); err != nil {
		return nil, err
	}
	for _, rule := range []struct {
		broken          bool
		member, message string
	}{
		{sum.MIPNumber != number, "mipNumber", "mipNumber is not that of the file's name"},
		{sum.Locale != "en", "locale", "locale is not en: a committed summary is English"},
		{!mip.IsContentHash(sum.ContentHash), "contentHash", "contentHash is not 64 hexadecimal digits in lower case"},
		{utf8.RuneCountInString(sum.Source) > maxSource, "source", "source is longer than 100 characters"},
		{sum.Fallback != nil, "fallback", "fallback is not null: what only stands in for a summary is not one to keep"},
	} {
		if rule.broken {
			return nil, &strictjson.Error{Line: strictjson.Line(raw, rule.member), Message: rule.message}
		}
	}
	return sum, nil
}

// readTranslation publishes a translation that can be read. One of an older text is stale. Its
// header is written as a proposal's is; only title, description and translation-of are read of
// it, the contentHash of the text that was translated.
func (e *entry) readTranslation(raw string, c *Corpus, p *Proposal) {
	r := &report{}
	header, doc, heavy := parseTranslation(raw, r)
	for _, p := range r.problems {
		if p.Code != "hidden-character" || p.Level == mip.Error {
			e.report.add(p.Line, "translation-invalid", p.Message)
			return
		}
	}
	for _, p := range r.problems {
		e.report.put(p.Level, p.Line, p.Code, p.Message)
	}
	text := &api.PublishedTranslation{
		MIPNumber: p.Number, Locale: e.locale, Title: header.get("title").text(), Sections: doc.Sections,
		ContentHash: header.get("translation-of").text(), Source: "file",
	}
	text.Stale = text.ContentHash != p.ContentHash
	if d := header.get("description").text(); d != "" {
		text.Description = &d
	}
	// Compare sections by their levels, since titles are translated. Take ids only if all
	// correspond: a wrong id would lead to another place.
	english := c.Read(p).Sections
	same, both := 0, min(len(text.Sections), len(english))
	for same < both && text.Sections[same].Level == english[same].Level {
		same++
	}
	corresponds := same == len(english) && same == len(text.Sections)
	switch {
	case text.Stale:
		e.report.add(0, "translation-stale", p.ContentHash)
	case !corresponds && same == both:
		e.report.add(0, "translation-sections/count", len(text.Sections), len(english))
		return
	case !corresponds:
		line := 1 + strings.Count(raw, "\n")
		for _, s := range text.Sections[same:] {
			line -= strings.Count(s.Markdown, "\n")
		}
		s, of := text.Sections[same], english[same]
		e.report.add(line, "translation-sections/level", s.Title, s.Level, of.Title, of.Level)
		return
	}
	for i := 0; corresponds && i < same; i++ {
		text.Sections[i].ID = english[i].ID
	}
	// The zero time stays where the proposal has no date at all.
	if at := c.Changed(e.File); at != nil {
		text.GeneratedAt = *at
	} else if p.Updated != nil {
		text.GeneratedAt = *p.Updated
	}
	e.translation = &Translation{PublishedTranslation: text, File: e.Path, Heavy: heavy, Lines: strings.Count(raw, "\n") + 1}
}

// parseTranslation reads a file without looking at the proposal. Any problem of r refuses it.
func parseTranslation(raw string, r *report) (header *fields, doc *markdown.Document, heavy bool) {
	text, ok := normalise(raw, r)
	if at := strings.IndexFunc(text, func(c rune) bool { return c != '\t' && c != '\n' && unicode.IsControl(c) }); at >= 0 {
		c, _ := utf8.DecodeRuneInString(text[at:])
		r.add(mip.LineAt(text, at), "translation-invalid/control-character", c)
	}
	if !ok || r.failed {
		return nil, nil, false
	}
	h, ok := readHeader(text, r)
	if h == nil {
		if ok {
			r.add(1, "translation-invalid/no-header")
		}
		return nil, nil, false
	}
	end := mip.LineAt(text, h.body) - 1 // the closing fence
	header = decode(h, r, "title", "description", fieldName("translation-of"))
	for _, f := range header.order {
		if text := header.get(f.name).text(); f.name == fieldName("translation-of") && !mip.IsContentHash(text) {
			r.add(f.line, "translation-invalid/hash")
		}
	}
	for _, name := range []string{"title", "translation-of"} {
		if header.get(name).text() == "" {
			r.add(end, "translation-invalid/missing", name)
		}
	}
	doc, heavy = parse(text[h.body:], end+1, true, r)
	return header, doc, heavy
}
