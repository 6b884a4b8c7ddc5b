package corpus

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// Folders within a proposals folder.
const (
	SummariesDir    = "summaries"
	TranslationsDir = "translations"

	maxSource = 100 // characters of the name of a model
)

// CommittedSummary is a committed summary of a proposal: summaries/MIP-7.json. Its form is valid.
// The caller checks whether the text supports it.
type CommittedSummary struct {
	// Summary has the fields of the file, and Stale, which marks a summary of an older text, and
	// Committed.
	*api.Summary
	// File is the path, as in problems.
	File string
}

// CommittedTranslation is a committed translation of a proposal: translations/ja/MIP-7.md.
type CommittedTranslation struct {
	// PublishedTranslation is the body of the answer. Sections have the ids of the corresponding
	// English ones. It must not be changed.
	*api.PublishedTranslation
	// File is the path, as in problems.
	File string
	// NeedsTrialRender is as in [Proposal].
	NeedsTrialRender bool
	// Lines is the number of lines in the file.
	Lines int
}

// SummaryFile is the folder of proposals for the summary of a proposal, and the summary's name
// there: the existing file, or else a file next to the proposal. ok is false if several files claim
// the name.
func (c *Corpus) SummaryFile(p *Proposal) (dir, name string, ok bool) {
	for _, e := range c.beside {
		if e.id == p.ID && e.locale == "" {
			return e.Folder, e.Name, !e.clash
		}
	}
	return p.source.Folder, SummariesDir + "/" + p.ID.String() + ".json", true
}

// kind is the word for a file in codes and messages.
func (e *entry) kind() string {
	if e.locale == "" {
		return "summary"
	}
	return "translation"
}

// listCommitted returns the summaries and translations in a proposals folder. A file whose place or
// name belongs to no proposal has a problem.
func listCommitted(root *os.Root, dir string, o Options) []*entry {
	all := listBeside(root, dir, SummariesDir)
	for _, e := range all {
		e.belong(o.Kinds(), ".json", "")
	}
	for _, language := range listBeside(root, dir, TranslationsDir) {
		language.checkLanguage(o)
		if len(language.report.Problems) > 0 {
			all = append(all, language)
			continue
		}
		texts := listBeside(root, dir, language.Name)
		for _, e := range texts {
			e.belong(o.Kinds(), ".md", language.Base())
		}
		all = append(all, texts...)
	}
	return all
}

// listBeside lists a folder in a proposals folder. An entry with an invalid name has a problem. If
// the folder cannot be listed, the only entry has the problem.
func listBeside(root *os.Root, dir, name string) (files []*entry) {
	// Most repositories have no such folder.
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var listed []folder.File
	if err == nil {
		listed, err = folder.List(root, dir, name)
	}
	at := newEntry(root, folder.File{Path: path.Join(filepath.ToSlash(dir), name)})
	switch {
	case err == nil:
		for _, f := range listed {
			files = append(files, newEntry(root, f))
		}
		twins := folder.Twins(checkNames(files, "/committed"))
		for _, e := range files {
			if others := twins[e.Name]; others != nil {
				e.report.Add(0, "name-case/committed", strings.Join(others, ", "))
			}
		}
		return files
	case info != nil && info.Mode()&fs.ModeSymlink != 0:
		at.report.Add(0, "bad-symlink")
	case info != nil && !info.IsDir():
		at.report.Add(0, "not-a-folder", name)
	default:
		at.report.Add(0, "unreadable", folder.Cause(err))
	}
	return []*entry{at}
}

// checkLanguage reports an entry of the folder of translations that is no folder of a language.
func (e *entry) checkLanguage(o Options) {
	if len(e.report.Problems) > 0 {
		return
	}
	tag := e.Base()
	i := slices.IndexFunc(o.Locales, func(known string) bool {
		return strings.EqualFold(known, tag)
	})
	info, err := e.root.Stat(e.Name)
	switch {
	case err == nil && !info.IsDir(): // in the wrong place
		e.report.Add(0, "not-read/language", TranslationsDir, o.Prefix)
	case i < 0:
		e.report.Add(0, "unknown-locale", tag, strings.Join(o.Locales, ", "))
	case o.Locales[i] != tag:
		e.report.Add(0, "unknown-locale/spelling", o.Locales[i])
	}
}

// belong finds the proposal of a file by the file's name, which must be exactly the id, so that a
// proposal has only one file. It reports why other files belong to no proposal.
func (e *entry) belong(kinds []string, ext, locale string) {
	text, ok := strings.CutSuffix(e.Base(), ext)
	id, err := mip.ParseID(text)
	switch bad := len(e.report.Problems) > 0; {
	case ok && err == nil && slices.Contains(kinds, id.Kind):
		e.id, e.locale, e.clash = id, locale, bad
	case bad:
	case strings.EqualFold(path.Ext(e.Name), ext) || e.Irregular:
		e.report.Add(0, "committed-name", kinds[0], ext)
	default:
		e.report.Add(0, "not-read/name", kinds[0], ext)
	}
}

// attach adds committed files to their proposals, and collects the problems of all such files.
func (c *Corpus) attach(beside []*entry) {
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, e := range beside {
		if e.id == (mip.ID{}) {
			continue
		}
		c.CommittedFiles = append(c.CommittedFiles, e.Path)
		i, ok := c.find(e.id)
		switch {
		case ok:
			workers.Go(func() error {
				e.compare(c, c.Proposals[i])
				return nil
			})
		case !e.clash:
			// The proposal is missing or faulty: nothing else about the file matters.
			e.summary, e.translation, e.report.Problems = nil, nil, nil
			e.report.Add(0, e.kind()+"-unpublished", e.id)
		}
	}
	_ = workers.Wait() // no worker returns an error
	slices.Sort(c.CommittedFiles)
	for _, e := range beside {
		c.Problems = append(c.Problems, e.report.Problems...)
		i, _ := c.find(e.id)
		if e.summary != nil {
			c.Proposals[i].CommittedSummary = &CommittedSummary{e.summary, e.Path}
		}
		if e.translation != nil {
			c.Proposals[i].Translations = append(c.Proposals[i].Translations, *e.translation)
		}
	}
	for _, p := range c.Proposals {
		slices.SortFunc(p.Translations, func(a, b CommittedTranslation) int {
			return strings.Compare(a.Locale, b.Locale)
		})
	}
}

// compare compares a file with the present text of its proposal.
func (e *entry) compare(c *Corpus, p *Proposal) {
	if e.summary != nil {
		sum := *e.summary
		sum.Stale, sum.Committed = sum.ContentHash != p.ContentHash, true
		e.summary = &sum
	}
	if e.translation != nil {
		e.translation = e.compareTranslation(c, p)
	}
}

// readSummary reads a summary and checks its form.
func (e *entry) readSummary(raw []byte) {
	sum, err := parseSummary(raw, e.id.Number)
	if err != nil {
		e.report.Add(err.Line, "summary-invalid", err.Message)
		return
	}
	e.summary = sum
}

// parseSummary parses the file of a proposal's summary, without the proposal.
func parseSummary(raw []byte, number int) (*api.Summary, *strictjson.Error) {
	sum := &api.Summary{}
	// A build computes these members itself.
	err := strictjson.Decode(raw, sum, "stale", "committed", "fallback", "stated", "actionEvidence",
		"hardfork")
	if err != nil {
		return nil, err
	}
	for _, rule := range []struct {
		broken          bool
		member, message string
	}{
		{sum.MIPNumber != number, "mipNumber", "mipNumber is not that of the file's name"},
		{sum.Locale != "en", "locale", "locale is not en: a committed summary is English"},
		{!mip.IsContentHash(sum.ContentHash), "contentHash",
			"contentHash is not 64 hexadecimal digits in lower case"},
		{utf8.RuneCountInString(sum.Source) > maxSource, "source",
			"source is longer than 100 characters"},
		{sum.Fallback != nil, "fallback",
			"fallback is not null: what only stands in for a summary is not one to keep"},
	} {
		if rule.broken {
			return nil, &strictjson.Error{Line: strictjson.Line(raw, rule.member),
				Message: rule.message}
		}
	}
	return sum, nil
}
