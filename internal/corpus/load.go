package corpus

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/history"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/problem"
	"golang.org/x/sync/errgroup"
)

// Load reads the folders once: the proposals, their committed files, and their history. The error
// is non-nil only if a folder cannot be read or ctx ends. Problems has everything about single
// files.
func Load(ctx context.Context, o Options) (*Corpus, error) {
	o.Prefix = cmp.Or(o.Prefix, "MIP")
	// The same folders in any order and spelling give the same corpus.
	o.Sources = slices.Clone(o.Sources)
	for i, s := range o.Sources {
		o.Sources[i].Folder = filepath.Clean(s.Folder)
	}
	c := &Corpus{options: o, Folders: o.Rules.Folders()}
	if len(c.Folders) == 0 {
		return nil, errors.New("load proposals: no folder given")
	}
	o.sum = sha256.Sum256(fmt.Appendln(nil, o.Options, o.Rules))
	unused := slices.Clone(o.Ignore)
	// List all folders before reading any file, since an unreadable folder ends the load.
	for _, dir := range c.Folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("open proposals folder: %w", err)
		}
		defer root.Close()
		files, err := folder.List(root, dir, ".")
		if err != nil {
			return nil, fmt.Errorf("read proposals folder: %w", err)
		}
		patterns := o.Patterns(dir)
		if slices.Contains(patterns, "") {
			files, unused = filename.Without(files, o.Ignore, unused)
			c.texts = append(c.texts, list(root, dir, files, c.Folders)...)
		}
		for _, pattern := range patterns {
			var found []*entry
			found, unused = matching(root, dir, pattern, o.Locales, o.Ignore, unused)
			c.texts = append(c.texts, found...)
		}
		c.beside = append(c.beside, listCommitted(root, dir, o)...)
	}
	var translations []*entry
	c.texts, translations = inLanguages(c.texts, o.Locales)
	c.beside = append(c.beside, translations...)
	// Patterns may match the same text.
	seen := map[string]bool{}
	c.texts = slices.DeleteFunc(c.texts, func(e *entry) bool {
		twice := seen[e.Path]
		seen[e.Path] = true
		return twice
	})
	for _, pattern := range unused {
		e := newEntry(nil, folder.File{Path: filepath.ToSlash(c.Folders[0])})
		e.report.Add(0, "ignore-unused", pattern)
		c.texts = append(c.texts, e)
	}
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0) + 1) // git runs in another process
	workers.Go(func() error {
		c.Log = history.Read(ctx, c.logOptions(translations))
		return ctx.Err()
	})
	for _, e := range slices.Concat(c.texts, c.beside) {
		workers.Go(func() error {
			if ctx.Err() == nil {
				e.read(o)
			}
			return ctx.Err()
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, fmt.Errorf("load proposals: %w", err)
	}
	for _, e := range translations {
		if e.id = e.of.id; e.id == (mip.ID{}) {
			e.translation = nil // the text is faulty
		}
	}
	// Two folders may have a file for the same proposal.
	for e, others := range twice(c.beside) {
		e.clash, e.summary, e.translation, e.report.Problems = true, nil, nil, nil
		e.report.Add(0, "duplicate-"+e.kind(), e.id, others)
	}
	c.resolveDates(o.Dates)
	c.assemble()
	if o.Cache != nil {
		o.Cache.log.Store(c.Log)
	}
	return c, nil
}

// Without returns the corpus without the files of these problems, and adds the problems. It reads
// no file again.
func (c *Corpus) Without(refused []mip.Problem) *Corpus {
	out := &Corpus{
		Folders: c.Folders, options: c.options, Log: c.Log,
		texts: copies(c.texts), beside: copies(c.beside),
	}
	for _, e := range slices.Concat(out.texts, out.beside) {
		for _, p := range refused {
			if p.File == e.Path {
				e.report.Put(p.Level, p.Line, p.Code, p.Message)
				e.summary, e.translation = nil, nil
			}
		}
	}
	out.assemble()
	return out
}

// logOptions returns the options for the history of the corpus and of the translations beside its
// texts.
func (c *Corpus) logOptions(translations []*entry) history.Options {
	files := func(entries []*entry) (out []folder.File) {
		for _, e := range entries {
			out = append(out, e.File)
		}
		return out
	}
	o := history.Options{
		Headers: c.options.Options, Rules: c.options.Rules, Dated: map[string][]string{},
		Texts: files(c.texts), Translations: files(translations), Epoch: c.options.Epoch,
		Upstream: c.options.Upstream, Config: c.options.Config, Before: c.options.Cache.before(),
	}
	for _, dir := range c.Folders {
		o.Dated[dir] = languages(dir)
	}
	return o
}

// entry is a file of a proposals folder, or of a folder in it, with its content.
type entry struct {
	folder.File
	root   *os.Root
	report problem.Report
	// id is the id of the proposal in the file, or of the proposal that the file belongs to, or the
	// zero ID.
	id mip.ID
	// claim is the number that a text occupies: its proposal's, or for a faulty text the number in
	// its header or name. The zero ID means none.
	claim mip.ID
	// locale is the language of a translation. of is the text next to it, or nil for a file in a
	// folder of translations.
	locale string
	of     *entry
	// clash is true if another file claims the same place.
	clash bool

	proposal    *Proposal
	summary     *api.Summary
	translation *CommittedTranslation
}

// newEntry returns the entry of an unread file.
func newEntry(root *os.Root, f folder.File) *entry {
	return &entry{File: f, root: root, report: problem.Report{File: f.Path}}
}

// copies returns entries that can be changed without changing the originals.
func copies(entries []*entry) []*entry {
	out := make([]*entry, len(entries))
	for i, e := range entries {
		fresh := *e
		fresh.report.Problems = slices.Clip(e.report.Problems)
		if e.proposal != nil {
			fresh.proposal = e.proposal.copyFor(&fresh.report)
		}
		out[i] = &fresh
	}
	return out
}

// list returns the files of a folder that may be proposals, in order. An unreadable file has a
// problem. So has a sub-folder with files named like proposals that is not one of folders.
func list(root *os.Root, dir string, files []folder.File, folders []string) (out []*entry) {
	var texts []*entry
	for _, f := range files {
		e := newEntry(root, f)
		lower, visible := strings.ToLower(f.Name), folder.Visible(f.Name) == f.Name
		_, numbered := filename.Number(f.Name)
		switch {
		case strings.HasSuffix(lower, ".md"), !visible && strings.Contains(lower, ".md"):
			texts = append(texts, e)
		// A name with a number deserves a notice: somebody may miss the proposal.
		case visible && numbered && f.Irregular && e.ownFolder():
		case visible && numbered && slices.Contains(otherTexts, path.Ext(lower)):
			e.report.Add(0, "not-read/ending", path.Ext(lower))
		case visible && f.Irregular && !slices.Contains(folders, filepath.Join(dir, f.Name)):
			if !e.nested() {
				continue
			}
		default:
			continue
		}
		out = append(out, e)
	}
	checkNames(texts, "")
	if isRepository(root) {
		e := newEntry(root,
			folder.File{Name: "HEAD", Path: path.Join(filepath.ToSlash(dir), "HEAD")})
		e.report.Add(0, "repository-files", filepath.ToSlash(dir))
		out = append(out, e)
	}
	return out
}

// checkNames reports names that look like others in messages and in addresses. variant selects the
// message. It returns the remaining files.
func checkNames(entries []*entry, variant string) (visible []folder.File) {
	for _, e := range entries {
		if folder.Visible(e.Name) == e.Name {
			visible = append(visible, e.File)
			continue
		}
		e.report.Add(0, "bad-file-name"+variant)
	}
	return visible
}

// twice finds several summaries or translations with the same id and locale. It returns the paths
// of the others for each of them. A person has to choose one.
func twice(entries []*entry) map[*entry]string {
	type key struct {
		id     mip.ID
		locale string
	}
	byKey := map[key][]*entry{}
	for _, e := range entries {
		if e.id != (mip.ID{}) && !e.clash {
			byKey[key{e.id, e.locale}] = append(byKey[key{e.id, e.locale}], e)
		}
	}
	out := map[*entry]string{}
	for _, same := range byKey {
		for i, e := range same {
			var others []string
			for _, o := range slices.Concat(same[:i], same[i+1:]) {
				others = append(others, o.Path)
			}
			if len(others) > 0 {
				out[e] = strings.Join(others, ", ")
			}
		}
	}
	return out
}

// otherTexts are extensions of other text formats, whose files may be named like proposals.
var otherTexts = []string{".markdown", ".mdown", ".mkd", ".txt", ".mediawiki", ".rst", ".org"}

// read reads the file according to its place. It does not open a file whose name has a problem.
func (e *entry) read(o Options) {
	level, beside := mip.Error, e.id != (mip.ID{}) || e.of != nil
	if beside {
		level = mip.Warning
	}
	defer func() {
		if !beside && e.report.Failed && e.claim == (mip.ID{}) {
			e.claim = o.ByName(o.place(e.File))
		}
	}()
	if len(e.report.Problems) > 0 {
		return
	}
	raw, err := e.Read(e.root)
	switch {
	case err != nil:
		code, message := e.Refusal(err)
		e.report.Put(level, 0, code, message)
	case !beside:
		e.readProposal(raw, o)
	case e.locale == "":
		e.readSummary(raw)
	default:
		e.readTranslation(string(raw))
	}
}

// readProposal reads the file as a proposal.
func (e *entry) readProposal(raw []byte, o Options) {
	from := sha256.Sum256(slices.Concat(o.sum[:], raw))
	if o.Cache.read(e, from) {
		return
	}
	p := newProposal(e.File, raw, o, &e.report)
	if p != nil {
		e.claim = p.ID
	}
	if p != nil && !e.report.Failed {
		e.proposal, e.id = p, p.ID
	}
	o.Cache.keep(e, from)
}

// assemble builds the corpus from the files with a valid and unique proposal: relations, times, and
// committed files. It does not change the entries as read.
func (c *Corpus) assemble() {
	texts, beside := copies(c.texts), copies(c.beside)
	c.resolveClaims(texts)
	// Proposals also refer to each other by file name: [MIP-3](./MIP-3.md).
	c.files = map[string]*Proposal{}
	for _, e := range texts {
		if e.proposal == nil || e.report.Failed {
			continue
		}
		c.Proposals = append(c.Proposals, e.proposal)
		name := strings.ToLower(e.Base())
		if _, numbered := filename.Number(name); !numbered && e.Name != e.Base() {
			continue // README.md identifies no proposal
		}
		// Folders may have files of the same name.
		if _, twice := c.files[name]; twice {
			c.files[name] = nil
		} else {
			c.files[name] = e.proposal
		}
	}
	slices.SortFunc(c.Proposals, byID)
	relate(c.Proposals, c.options.References, c.options.Kinds())
	c.date()
	c.folders, c.places = map[string]string{}, map[string]*Proposal{}
	for _, p := range c.Proposals {
		c.folders[path.Dir(p.RepoPath)] = p.source.Folder
		c.places[p.RepoPath] = p
		if filename.Own(p.RepoPath) != path.Base(p.RepoPath) {
			c.places[path.Dir(p.RepoPath)] = p
		}
	}
	c.attach(beside)
	for _, e := range texts {
		c.Problems = append(c.Problems, e.report.Most()...)
	}
	c.Problems = mip.SortProblems(c.Problems)
}
