package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/once"
	"github.com/mipwatch/mipwatch/internal/search"
	"github.com/mipwatch/mipwatch/render/plain"
)

// searchable is a proposal as the search index has it.
type searchable struct {
	// from is a hash of what it is made of, if there is a cache.
	from [sha256.Size]byte
	// indexed has the terms, and parts are its Parts, packed.
	indexed search.Indexed
	parts   [][]byte
}

// searchIndex is the search index: a manifest, and files of packed parts, which are named by a hash
// of their content, so that browsers keep unchanged ones.
type searchIndex struct {
	*planner
	search.Manifest
	files []Artifact
	// named has the routes of the files.
	named map[string]bool
}

// search adds the manifest of the search index.
func (p *planner) search() {
	p.searchIndex = sync.OnceValues(p.makeIndex)
	p.addIndex("/api/v1/search", func() ([]byte, error) {
		x, err := p.searchIndex()
		if err != nil {
			return nil, err
		}
		return api.JSON(x.Manifest)
	})
}

// Index returns the files of the search index but for its manifest. It reads the texts whose files
// have not been made yet, while the context of [NewPlan] lasts.
func (p *Plan) Index() ([]Artifact, error) {
	x, err := p.made.searchIndex()
	if err != nil {
		return nil, fmt.Errorf("%w the search index: %w", ErrMake, err)
	}
	return x.files, nil
}

// makeIndex makes the search index.
func (p *planner) makeIndex() (*searchIndex, error) {
	all, err := p.searchables()
	if err != nil {
		return nil, err
	}
	x := &searchIndex{planner: p, named: map[string]bool{}, Manifest: search.Manifest{
		Version: search.Version, Kinds: []string{}, Proposals: []string{}, Statuses: []string{},
		Status: []int{}, Parts: []int{}, Titles: []search.Part{},
	}}
	for _, k := range p.info.Kinds {
		x.Kinds = append(x.Kinds, k.Prefix)
	}
	if err := x.addTitles(all); err != nil {
		return nil, err
	}
	return x, x.addShards(all)
}

// searchables returns all proposals as the search index has them. It uses all processors.
func (p *planner) searchables() ([]searchable, error) {
	all := make([]searchable, len(p.Proposals))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, c := range p.Proposals {
		workers.Go(func() (err error) {
			if p.context.Err() != nil {
				return context.Cause(p.context)
			}
			all[i], err = p.searchable(c)
			return err
		})
	}
	return all, workers.Wait()
}

// packers are reused, since a new one costs more than a part.
var packers = sync.Pool{New: func() any { return search.NewPacker() }}

// searchable returns a proposal as the search index has it.
func (p *planner) searchable(c *corpus.Proposal) (searchable, error) {
	s := p.searched.Get(c.File, func() once.Result[searchable] {
		return once.ResultOf(p.makeSearchable(c))
	})
	return s.Value, s.Err
}

// makeSearchable cuts and counts the text of a proposal, unless it is cached.
func (p *planner) makeSearchable(c *corpus.Proposal) (s searchable, err error) {
	i, _ := mip.Search(p.Metadata, c.ID)
	cache, text := p.cache(), searched(&p.Metadata[i])
	s.from = sha256.Sum256(fmt.Append(nil, c.ContentHash, text))
	before, _ := cache.searched.Load(c.File)
	if before, ok := before.(searchable); ok && before.from == s.from {
		return before, nil
	}
	d := p.doc(c)
	for i, of := range d.Texts() {
		section := d.Sections[i]
		text.Sections = append(text.Sections,
			search.Section{ID: section.ID, Title: section.Title, Text: of})
	}
	s.indexed = text.Index()
	pack := packers.Get().(*search.Packer)
	defer packers.Put(pack)
	for _, part := range s.indexed.Parts {
		packed, err := pack.Pack(part)
		if err != nil {
			return s, err
		}
		s.parts = append(s.parts, packed)
	}
	s.indexed.Parts = nil
	cache.searched.Store(c.File, s)
	return s, nil
}

// addShards adds the shards of an index.
func (x *searchIndex) addShards(of []searchable) error {
	indexed := make([]search.Indexed, len(of))
	for i := range of {
		indexed[i] = of[i].indexed
	}
	shards, err := search.Shards(x.context, indexed)
	if err != nil {
		return err
	}
	var from []string
	for _, s := range shards {
		from = append(from, s.First())
	}
	x.Shards, err = addParts(x, shards, from, search.MostOfFile)
	return err
}

// addTitles adds the parts with texts and then the blocks of entries, which name them.
func (x *searchIndex) addTitles(of []searchable) error {
	var texts [][]byte
	for _, s := range of {
		texts = append(texts, s.parts...)
	}
	urls := x.addPacked(texts, search.MostOfFile)
	var blocks []search.Block
	var from []string
	for i, s := range of {
		if i%search.BlockOf == 0 {
			blocks = append(blocks, search.Block{Version: search.Version})
			from = append(from, strconv.Itoa(i))
		}
		metadata, block := &x.Metadata[i], &blocks[len(blocks)-1]
		entry := newEntry(metadata)
		entry.Texts, urls = urls[:len(s.parts)], urls[len(s.parts):]
		block.Proposals = append(block.Proposals, entry)
		x.Add(metadata.ID.Key(x.info.Prefix), string(metadata.Stage), metadata.Status.Slug(),
			len(s.parts))
	}
	var err error
	x.Titles, err = addParts(x, blocks, from, search.MostOfEntries)
	return err
}

// addParts adds parts that begin with these terms or positions, in files of at most most bytes.
func addParts[T any](x *searchIndex, parts []T, from []string, most int) ([]search.Part, error) {
	pack := search.NewPacker()
	packed := make([][]byte, len(parts))
	for i := range parts {
		var err error
		if packed[i], err = pack.Pack(parts[i]); err != nil {
			return nil, err
		}
	}
	out := []search.Part{}
	for i, url := range x.addPacked(packed, most) {
		out = append(out, search.Part{From: from[i], URL: url})
	}
	return out, nil
}

// addPacked adds files of at most most bytes with packed parts, and returns the addresses of the
// parts.
func (x *searchIndex) addPacked(parts [][]byte, most int) (urls []string) {
	for _, file := range search.FilesOf(parts, most) {
		url, first := x.addFile(file), 0
		for _, part := range file {
			urls = append(urls, url+"#"+search.Range(first, first+len(part)-1))
			first += len(part)
		}
	}
	return urls
}

// searchFile is the prefix of the routes of the index's files.
const searchFile = "/assets/search."

// addFile adds a file of the index, and returns its address.
func (x *searchIndex) addFile(parts [][]byte) (url string) {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write(part)
	}
	// Entries contain the names, so they are short. Among many thousand hashes, two may begin
	// alike.
	sum, n := hash.Sum(nil), 4
	route := func() string { return fmt.Sprintf(searchFile+"%x.bin", sum[:n]) }
	for x.named[route()] {
		n++
	}
	x.named[route()] = true
	x.files = append(x.files, x.complete(Artifact{
		Route: route(), Pattern: assetRoute, Cache: immutable,
		Body: func() ([]byte, error) { return bytes.Join(parts, nil), nil },
	}))
	return x.options.Site.URL(route())
}

// searched returns the searched parts of a proposal's header.
func searched(m *mip.Metadata) search.Proposal {
	text := search.Proposal{
		Title:       plain.Text(m.Title),
		Description: mip.OneLine(plain.Text(mip.Deref(m.Description))),
	}
	facets := [][2]string{{"kind", m.ID.Kind}, {"upgrade", mip.Deref(m.Hardfork)}}
	for _, f := range mip.Words() {
		facets = append(facets, [2]string{f.Key(), f.Text(m)})
	}
	for _, a := range m.Authors {
		name, login := mip.Deref(a.Name), mip.Deref(a.GitHub)
		text.Authors += " " + name + " " + login
		for _, name := range append(strings.Fields(name), name, login) {
			facets = append(facets, [2]string{"author", name})
		}
	}
	for _, f := range facets {
		// A value without a letter or a digit is not searched.
		if facet := search.Facet(f[0], f[1]); !strings.HasSuffix(facet, ":") {
			text.Facets = append(text.Facets, facet)
		}
	}
	return text
}

// newEntry returns a proposal as search results show it, without the addresses of its texts.
func newEntry(m *mip.Metadata) search.Entry {
	entry := search.Entry{
		ID: m.ID.String(), Title: plain.Text(m.Title), URL: m.URL, Status: string(m.Status),
		Mark: "s-" + plain.Mark(m.Standing), Category: m.Category, Hardfork: m.Hardfork,
		Activations: m.Activations, Created: m.Created, Updated: m.Updated,
		ForumTopicID: m.ForumTopicID, Ended: append([]string{}, plain.Ended(*m)...),
		Lists: []string{"status/" + m.Status.Slug()}, Texts: []string{},
	}
	if m.Hardfork != nil {
		entry.Lists = append(entry.Lists, "upgrade/"+mip.Slug(*m.Hardfork))
	}
	if until := m.CommentsUntil(); until != nil {
		entry.Until = mip.Ref(until.String())
	}
	return entry
}
