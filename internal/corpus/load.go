package corpus

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// loader is what every worker of one Load shares.
type loader struct {
	prefix  string // as in ids
	key     string // the header key of the number
	decoder *decoder
	render  func(*markdown.Document) error
	refused map[string]mip.Problem // by file
}

// loaded is what became of one file; p is nil when it is not a sound proposal.
type loaded struct {
	p *Proposal
	r *report
}

// Load reads the folders. The error is non-nil only when a folder cannot be read at all or ctx ends;
// everything that concerns a file is in Problems.
func Load(ctx context.Context, o Options) (*Corpus, error) {
	ld := &loader{prefix: cmp.Or(o.Prefix, "MIP"), decoder: newDecoder(), render: o.Render, refused: o.Refused}
	ld.key = fieldName(ld.prefix)
	folders := slices.Clone(o.Folders)
	for i := range folders {
		folders[i] = filepath.Clean(folders[i])
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	if len(folders) == 0 {
		return nil, errors.New("load proposals: no folder given")
	}
	var files []folder.File
	var results []loaded
	for _, dir := range folders {
		found, refused, err := list(dir)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
		for _, r := range refused {
			results = append(results, loaded{r: r})
		}
	}
	asked := make(chan *history, 1)
	go func() { asked <- askGit(ctx, folders, o.Epoch) }()
	read, err := ld.files(ctx, files)
	h := <-asked
	if err := cmp.Or(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("load proposals: %w", err)
	}
	c := assemble(ctx, ld, append(results, read...), h)
	c.Folders = folders
	return c, nil
}

// files reads every file on as many workers as there are processors.
func (ld *loader) files(ctx context.Context, files []folder.File) ([]loaded, error) {
	roots := map[string]*os.Root{}
	defer func() {
		for _, root := range roots {
			root.Close()
		}
	}()
	for _, s := range files {
		if roots[s.Folder] == nil {
			root, err := os.OpenRoot(s.Folder)
			if err != nil {
				return nil, err
			}
			roots[s.Folder] = root
		}
	}
	results := make([]loaded, len(files))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		workers.Go(func() error {
			if ctx.Err() == nil {
				results[i] = ld.file(roots[f.Folder], f)
			}
			return nil
		})
	}
	workers.Wait() // no worker fails
	return results, ctx.Err()
}

func (ld *loader) file(root *os.Root, s folder.File) loaded {
	r := &report{file: s.Path}
	raw, err := s.Read(root)
	if err != nil {
		code, message := s.Refusal(err)
		r.errorf(0, code, "%s", message)
		return loaded{r: r}
	}
	p := ld.proposal(raw, s, r)
	if q, refused := ld.refused[s.Path]; refused && p != nil {
		r.errorf(q.Line, q.Code, "%s", q.Message)
	}
	return loaded{p: p, r: r}
}

// proposal reads a file's bytes. It returns nil when r says why the file is not published.
func (ld *loader) proposal(raw []byte, s folder.File, r *report) *Proposal {
	text, ok := normalise(raw, r)
	var h *header
	if ok {
		h, ok = guard(text, r)
	}
	if _, named := numberInName(s.Name); h == nil && !named && !ld.mayHaveNumber(raw) {
		*r = report{file: r.file} // what would be wrong with a proposal is right with another text
		r.noticef(0, "no-header", "skipped: no header and no number in the file name")
		return nil
	}
	if !ok {
		return nil
	}
	if h == nil {
		r.errorf(1, "no-header", "the file is named like a proposal and has no header; begin it with --- and lines such as title: A title")
		return nil
	}
	d := ld.decoder.decode(h, r)
	p := &Proposal{File: s.Path, Raw: string(raw), source: s}
	p.Summary, ok = ld.summary(d, s.Name, r)
	if !ok {
		return nil
	}
	p.requireLine = lineOf(d.get("requires", "depends-on"))
	p.numberLine = lineOf(d.byName[ld.key])
	sum := sha256.Sum256(raw)
	p.ContentHash = hex.EncodeToString(sum[:])
	ld.body(text, h, p, lineOf(d.get("title")), r)
	if r.failed {
		return nil
	}
	return p
}

// body checks the text below the header without parsing it, unless it must be parsed: for a title,
// or because its shape could grow out of proportion.
func (ld *loader) body(text []byte, h *header, p *Proposal, titleLine int, r *report) {
	first := lineAt(text, h.body)
	body, at := printable(text[h.body:])
	if at >= 0 {
		r.warnf(first+bytes.Count(text[h.body:h.body+at], []byte("\n")), "control-character", "the text holds a control character: it is replaced by U+FFFD")
	}
	p.body = p.Raw[max(0, len(p.Raw)-len(body)):]
	if p.body != string(body) {
		p.body = string(body)
	}
	// Without a mark of a heading there is none: the stubs that say where a proposal went are many.
	titleless := p.Title == "" && bytes.ContainsAny(body, "#=")
	doc, ok := parse(p.body, first, titleless, ld.render, r)
	if !ok {
		return
	}
	heading := ""
	if doc != nil {
		heading = doc.Title()
	}
	titled(&p.Summary, heading, titleLine, r)
}

// parse checks a text, and parses it if always is set or if it could cost too much. ok is false when r says why it is
// refused; first is the file's line at which the text begins.
func parse(body string, first int, always bool, render func(*markdown.Document) error, r *report) (doc *markdown.Document, ok bool) {
	heavy, refused := markdown.Check([]byte(body))
	if refused == nil && (heavy || always) {
		doc = markdown.Parse(body)
		refused = doc.TooDeep()
	}
	if refused != nil {
		r.errorf(first+refused.Line-1, refused.Code, "%s", refused.Message)
		return nil, false
	}
	if heavy && render != nil {
		if err := render(doc); err != nil {
			r.errorf(0, "render-limit", "%v", err)
			return nil, false
		}
	}
	return doc, true
}

// assemble makes the corpus of what was read: duplicates, times, relations.
func assemble(ctx context.Context, ld *loader, results []loaded, h *history) *Corpus {
	c := &Corpus{prefix: ld.prefix, render: ld.render, history: h}
	unique(results)
	for _, l := range results {
		if l.p != nil && !l.r.failed {
			c.Proposals = append(c.Proposals, l.p)
		}
	}
	slices.SortFunc(c.Proposals, func(a, b *Proposal) int { return cmp.Compare(a.Number, b.Number) })
	reports := map[string]*report{}
	for _, l := range results {
		reports[l.r.file] = l.r
	}
	relate(c.Proposals, func(p *Proposal) *report { return reports[p.File] })
	c.Commit, c.Committed = h.date(c.Proposals)
	h.keepTexts(ctx, c.Proposals)
	c.History = h.state
	c.files = fileIDs(c.Proposals)
	c.Problems = append([]mip.Problem{}, h.problems...)
	for _, l := range results {
		c.Problems = append(c.Problems, l.r.most()...)
	}
	c.Problems = mip.SortProblems(c.Problems)
	return c
}

// unique fails every proposal whose id another one has too.
func unique(results []loaded) {
	byID := map[mip.ID][]loaded{}
	for _, l := range results {
		if l.p != nil {
			byID[l.p.ID] = append(byID[l.p.ID], l)
		}
	}
	for _, same := range byID {
		if len(same) < 2 {
			continue
		}
		for _, l := range same {
			var others []string
			for _, o := range same {
				if o.r != l.r {
					others = append(others, o.p.File)
				}
			}
			slices.Sort(others)
			l.r.errorf(l.p.numberLine, "duplicate-number", "number %d is also that of %s", l.p.Number, strings.Join(others, ", "))
		}
	}
}

// list returns the proposal files of a folder, sorted by name. Entries that look like proposals and
// cannot be read as files are problems of their own.
func list(dir string) (found []folder.File, problems []*report, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open proposals folder: %w", err)
	}
	defer root.Close()
	entries, err := folder.List(root, dir, ".")
	if err != nil {
		return nil, nil, fmt.Errorf("read proposals folder: %w", err)
	}
	for _, f := range entries {
		r := &report{file: f.Path}
		switch {
		case folder.Visible(f.Name) != f.Name:
			if strings.Contains(strings.ToLower(f.Name), ".md") {
				r.errorf(0, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
				problems = append(problems, r)
			}
		case !strings.EqualFold(path.Ext(f.Name), ".md"):
			if passedOver(f, r) {
				problems = append(problems, r)
			}
		default:
			found = append(found, f)
		}
	}
	kept, twins := folder.Twins(found)
	for _, f := range found {
		if others := twins[f.Name]; others != nil {
			r := &report{file: f.Path}
			r.errorf(0, "name-case", "the file name differs only by case from %s; rename one", strings.Join(others, ", "))
			problems = append(problems, r)
		}
	}
	return kept, problems, nil
}

// passedOver notes an entry that is named like a proposal but is not read, if it is one.
func passedOver(f folder.File, r *report) bool {
	ext := strings.ToLower(path.Ext(f.Name))
	_, numbered := numberInName(f.Name)
	switch {
	case !numbered:
		return false
	case f.Irregular:
		r.noticef(0, "not-read", "skipped: sub-folders are not read; a proposal is a file such as MIP-7.md in the folder itself")
	case ext == ".markdown" || ext == ".mdown" || ext == ".mkd" || ext == ".txt" || ext == ".mediawiki" || ext == ".rst" || ext == ".org":
		r.noticef(0, "not-read", "skipped: a proposal's file name ends in .md")
	default:
		return false
	}
	return true
}

// Read parses a proposal's text. The caller owns the result.
func (c *Corpus) Read(p *Proposal) *markdown.Document { return markdown.Parse(p.body) }

// Changed is when a file in a folder of the corpus, or below one, changed: the time of the newest commit
// that touched it, or the fixed time of [Options.Epoch]. Nil when git does not know.
func (c *Corpus) Changed(f folder.File) *mip.Time { return c.history.changed(f) }

// Source is the proposal's file.
func (p *Proposal) Source() folder.File { return p.source }

// ID returns the published proposal that a link to a file of that name (MIP-3.md, in any case)
// means.
func (c *Corpus) ID(file string) (id mip.ID, published bool) {
	name := strings.ToLower(path.Base(file))
	if id, ok := c.files[name]; ok {
		return id, id.Kind != ""
	}
	digits, ok := stripPrefix(strings.TrimSuffix(name, ".md"), c.prefix)
	if !ok || digits == strings.TrimSuffix(name, ".md") {
		return mip.ID{}, false
	}
	n, ok := smallNumber(digits)
	if !ok {
		return mip.ID{}, false
	}
	id = mip.ID{Kind: c.prefix, Number: n}
	_, published = slices.BinarySearchFunc(c.Proposals, id, func(p *Proposal, id mip.ID) int { return p.ID.Compare(id) })
	return id, published
}

// fileIDs maps file names to ids. A name that two folders share is that of no proposal, the zero id.
func fileIDs(proposals []*Proposal) map[string]mip.ID {
	files := make(map[string]mip.ID, len(proposals))
	for _, p := range proposals {
		name := strings.ToLower(p.source.Name)
		if _, twice := files[name]; twice {
			files[name] = mip.ID{}
			continue
		}
		files[name] = p.ID
	}
	return files
}
