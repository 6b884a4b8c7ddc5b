package corpus

import (
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

// Load reads the folders. The error is non-nil only when a folder cannot be read at all or ctx
// ends; everything that concerns a file is in Problems.
func Load(ctx context.Context, o Options) (*Corpus, error) {
	c := &Corpus{prefix: cmp.Or(o.Prefix, "MIP"), refused: o.Refused}
	// The same folders in any order and spelling give the same corpus.
	for _, dir := range o.Folders {
		c.Folders = append(c.Folders, filepath.Clean(dir))
	}
	slices.Sort(c.Folders)
	c.Folders = slices.Compact(c.Folders)
	if len(c.Folders) == 0 {
		return nil, errors.New("load proposals: no folder given")
	}
	// Every folder is listed before any file is read, since a folder that cannot be read ends
	// all.
	var all []*entry
	for _, dir := range c.Folders {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, fmt.Errorf("open proposals folder: %w", err)
		}
		defer root.Close()
		listed, err := list(root, dir)
		if err != nil {
			return nil, fmt.Errorf("read proposals folder: %w", err)
		}
		all = append(all, listed...)
	}
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0) + 1) // git works in a process of its own
	var h *history
	workers.Go(func() error {
		h = readHistory(ctx, c.Folders, o.Epoch)
		return ctx.Err()
	})
	// An entry that has a problem by its name alone is not opened.
	for _, e := range all {
		if len(e.report.problems) > 0 {
			continue
		}
		workers.Go(func() error {
			if ctx.Err() == nil {
				e.read(c.prefix)
			}
			return ctx.Err()
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, fmt.Errorf("load proposals: %w", err)
	}
	refuse(all, o.Refused)
	c.assemble(ctx, all, h)
	return c, nil
}

// entry is a file of a folder, with the result of reading it.
type entry struct {
	folder.File
	root   *os.Root
	report *report
	// Nil when it is not a sound one.
	proposal *Proposal
}

// list returns the files of a folder that may be proposals, sorted by name. One that cannot be
// read has a problem.
func list(root *os.Root, dir string) ([]*entry, error) {
	files, err := folder.List(root, dir, ".")
	if err != nil {
		return nil, err
	}
	var out []*entry
	var texts []folder.File
	for _, f := range files {
		e := &entry{File: f, root: root, report: &report{file: f.Path}}
		switch ext := strings.ToLower(path.Ext(f.Name)); {
		// Such a name looks like another one in messages and in addresses.
		case folder.Visible(f.Name) != f.Name && strings.Contains(strings.ToLower(f.Name), ".md"):
			e.report.errorf(0, "bad-file-name", "the file name holds a control character or is not UTF-8; rename it")
		case folder.Visible(f.Name) != f.Name:
			continue
		case ext == ".md":
			texts = append(texts, f)
		default:
			_, numbered := numberInName(f.Name)
			switch {
			// A name with a number is worth a notice: somebody may miss the proposal.
			case numbered && f.Irregular:
				e.report.noticef(0, "not-read", "skipped: sub-folders are not read; a proposal is a file such as MIP-7.md in the folder itself")
			case numbered && slices.Contains(otherTexts, ext):
				e.report.noticef(0, "not-read", "skipped: a proposal's file name ends in .md")
			default:
				continue
			}
		}
		out = append(out, e)
	}
	twins := folder.Twins(texts)
	for _, e := range out {
		if others := twins[e.Name]; others != nil {
			e.report.errorf(0, "name-case", "the file name differs only by case from %s; rename one", strings.Join(others, ", "))
		}
	}
	return out, nil
}

// otherTexts are endings of texts that are named like proposals and yet are none.
var otherTexts = []string{".markdown", ".mdown", ".mkd", ".txt", ".mediawiki", ".rst", ".org"}

// read reads the file as a proposal.
func (e *entry) read(prefix string) {
	raw, err := e.Read(e.root)
	if err != nil {
		code, message := e.Refusal(err)
		e.report.errorf(0, code, "%s", message)
		return
	}
	if p := newProposal(e.File, string(raw), prefix, e.report); p != nil && !e.report.failed {
		e.proposal = p
	}
}

// newProposal reads a file's text. It returns nil when r says why the file has no number.
func newProposal(file folder.File, raw, prefix string, r *report) *Proposal {
	key := fieldName(prefix)
	text, ok := normalise(raw, r)
	var h *header
	if ok {
		h, ok = guard(text, r)
	}
	// A text such as README.md is no proposal.
	if _, named := numberInName(file.Name); h == nil && !named && !mayHaveNumber(raw, key) {
		*r = report{file: r.file} // the errors of a proposal are none of another text
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
	f := &fields{values: decode(h, r), prefix: prefix, key: key, r: r}
	number, fromName, ok := f.number(file.Name)
	if !ok {
		return nil
	}
	first := lineAt(text, h.body)
	body, at := mip.Printable(text[h.body:])
	if at >= 0 {
		line := first + strings.Count(text[h.body:h.body+at], "\n")
		r.warnf(line, "control-character", "the text holds a control character: it is replaced by U+FFFD")
	}
	// Without a mark of a heading there is none: the stubs that say where a proposal went are
	// many.
	titleless := f.get("title").text() == "" && strings.ContainsAny(body, "#=")
	doc, heavy := parse(body, first, titleless, r)
	heading := ""
	if doc != nil {
		heading = doc.Title()
	}
	sum := sha256.Sum256([]byte(raw))
	p := &Proposal{Summary: f.summary(number, fromName, heading), File: file.Path, Raw: raw, Heavy: heavy, source: file, body: body, report: r}
	p.ContentHash = hex.EncodeToString(sum[:])
	p.requireLine = lineOf(f.get("requires", "depends-on"))
	p.numberLine = lineOf(f.byName[key])
	return p
}

// parse checks a text that begins at a line of its file. It returns the text's tree when always
// is set or when it could cost too much (heavy). A text that is refused is an error of r.
func parse(body string, first int, always bool, r *report) (doc *markdown.Document, heavy bool) {
	heavy, refused := markdown.Check(body)
	if refused == nil && (heavy || always) {
		doc = markdown.Parse(body)
		refused = doc.TooDeep()
	}
	if refused != nil {
		r.errorf(first+refused.Line-1, refused.Code, "%s", refused.Message)
		return nil, false
	}
	return doc, heavy
}

// refuse fails the proposals that a caller refuses, and those whose id another one has too.
func refuse(all []*entry, refused map[string]mip.Problem) {
	byID := map[mip.ID][]*entry{}
	// Refusing one of two files with the same number does not settle which is meant.
	for _, e := range all {
		if e.proposal == nil {
			continue
		}
		if p, ok := refused[e.Path]; ok {
			e.report.errorf(p.Line, p.Code, "%s", p.Message)
		}
		byID[e.proposal.ID] = append(byID[e.proposal.ID], e)
	}
	// None of the files is published: which one is meant is for a person to say.
	for id, same := range byID {
		for _, e := range same {
			var others []string
			for _, o := range same {
				if o != e {
					others = append(others, o.Path)
				}
			}
			if len(others) > 0 {
				e.report.errorf(e.proposal.numberLine, "duplicate-number", "number %d is also that of %s", id.Number, strings.Join(others, ", "))
			}
		}
	}
}

// assemble makes the corpus of the files: relations and times.
func (c *Corpus) assemble(ctx context.Context, all []*entry, h *history) {
	c.files = map[string]*Proposal{}
	for _, e := range all {
		if e.proposal == nil || e.report.failed {
			continue
		}
		c.Proposals = append(c.Proposals, e.proposal)
		name := strings.ToLower(e.Name)
		// Folders may hold files of the same name.
		if _, twice := c.files[name]; twice {
			c.files[name] = nil
		} else {
			c.files[name] = e.proposal
		}
	}
	slices.SortFunc(c.Proposals, byID)
	relate(c.Proposals)
	c.history = h
	c.Commit, c.Committed = h.date(c.Proposals)
	h.keepTexts(ctx, c.Proposals)
	c.History = h.state
	c.Problems = append([]mip.Problem{}, h.problems...)
	for _, e := range all {
		c.Problems = append(c.Problems, e.report.most()...)
	}
	c.Problems = mip.SortProblems(c.Problems)
}
