package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrChanged is wrapped by the errors of [Corpus.Read] and [Corpus.ReadRaw] for a file that was edited
// after Load: a build that began before must not paper over it.
var ErrChanged = errors.New("the file has changed since it was first read; build again")

// Read reads a proposal's file again and parses it. The error says so when the file has changed
// since Load.
func (c *Corpus) Read(p *Proposal) (*Document, error) {
	raw, err := c.ReadRaw(p, nil)
	if err != nil {
		return nil, err
	}
	var r report
	text, ok := normalise(raw, &r)
	var h *header
	if ok {
		h, ok = guard(text, &r)
	}
	if !ok || h == nil {
		return nil, fmt.Errorf("read %s: %w", p.File, ErrChanged)
	}
	body, _ := printable(text[h.body:])
	file := string(raw)
	// Mostly a body is the end of its file as it stands, and the sections can share it.
	words := file[max(0, len(file)-len(body)):]
	if words != string(body) {
		words = string(body)
	}
	doc := parseWords(body, words)
	doc.Raw = file
	return doc, nil
}

// ReadRaw reads a proposal's file again, byte for byte, into buf's memory. The error says so when the file
// has changed since Load.
func (c *Corpus) ReadRaw(p *Proposal, buf []byte) ([]byte, error) {
	root, err := c.root(p.source.Folder)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.File, err)
	}
	raw, err := p.source.Read(root, buf)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.File, err)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != p.ContentHash {
		return nil, fmt.Errorf("read %s: %w", p.File, ErrChanged)
	}
	return raw, nil
}

// Changed is when a file in a folder of the corpus, or below one, changed: the time of the newest commit
// that touched it, or the fixed time of [Options.Epoch]. Nil when git does not know.
func (c *Corpus) Changed(f folder.File) *mip.Time { return c.history.changed(f) }

// Source is the proposal's file.
func (p *Proposal) Source() folder.File { return p.source }

// root keeps a folder open for the next file of it. The garbage collector closes it.
func (c *Corpus) root(folder string) (*os.Root, error) {
	if root, ok := c.roots.Load(folder); ok {
		return root.(*os.Root), nil
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	kept, _ := c.roots.LoadOrStore(folder, root)
	return kept.(*os.Root), nil
}

// Number returns the published proposal that a link to a file of that name (MIP-3.md, in any case)
// means.
func (c *Corpus) Number(file string) (int, bool) {
	name := strings.ToLower(path.Base(file))
	if n, ok := c.files[name]; ok {
		return n, n >= 0
	}
	digits, ok := stripPrefix(strings.TrimSuffix(name, ".md"), c.prefix)
	if !ok || digits == strings.TrimSuffix(name, ".md") {
		return 0, false
	}
	n, ok := smallNumber(digits)
	if !ok {
		return 0, false
	}
	_, published := slices.BinarySearchFunc(c.Proposals, n, func(p *Proposal, n int) int { return p.Number - n })
	return n, published
}

// fileNumbers maps file names to numbers. A name that two folders share means neither.
func fileNumbers(proposals []*Proposal) map[string]int {
	files := make(map[string]int, len(proposals))
	for _, p := range proposals {
		name := strings.ToLower(p.source.Name)
		if _, twice := files[name]; twice {
			files[name] = -1
			continue
		}
		files[name] = p.Number
	}
	return files
}
