// Package catalog is the sidecar's view of the published site: its documents, read back from a
// folder, an embedded file system or the site's address, and kept up to date. It does not know
// callers or live upstreams.
package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Catalog is one consistent state of a site. It is immutable, so any number of goroutines may read
// it. Encoding its parts reproduces the documents that they were read from.
type Catalog struct {
	Site      mip.SiteInfo
	List      mip.List
	HardForks []mip.HardFork
	// Endpoints are the networks of Site, in the same order, with their RPC addresses. It is nil if
	// these are unknown: a snapshot has them, and a published site does not.
	Endpoints []mip.Endpoints
	// documents is nil in a Catalog that no Source created.
	documents *documentCache
}

// Source is a place that a site is read from. It is safe for concurrent use: calls of [Source.Load]
// run one after another.
type Source struct {
	documents reader

	mu   sync.Mutex // held by Load
	last [4]file    // siteDocuments of the Catalog that Load returned last
}

// siteDocuments are read by each Load: site, list, hard forks, and the configuration of a snapshot,
// which may be missing. The documents of a single proposal are read on request.
var siteDocuments = [4]document{
	{"api/v1/site", mebibyte}, {"api/v1/mips", 32 * mebibyte}, {"api/v1/hardforks", mebibyte},
	snapshotConfig,
}

// Load reads the documents that have changed since the last Load. It returns nil without an error
// if nothing has changed. After an error the caller keeps its Catalog, and the next Load reads the
// doubtful documents again.
//
// The documents are separate files, so a reader can get the list of one build and the site of
// another. Load returns a Catalog only if they fit together; see check.
func (s *Source) Load(ctx context.Context) (*Catalog, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	// The bytes may be the same: of a server without entity tags, and of a file that was only
	// touched.
	same := true
	for i := range next {
		same = same && bytes.Equal(next[i].body, s.last[i].body)
	}
	if same {
		s.last = next
		return nil, nil
	}
	// Decode all of them again, even unchanged ones: sites change seldom.
	c := &Catalog{documents: newDocumentCache(s.documents)}
	var hardForks mip.HardForks
	var snapshot mip.SidecarConfig
	for i, into := range []any{&c.Site, &c.List, &hardForks, &snapshot} {
		if next[i].body == nil {
			continue
		}
		if err := decode(next[i].body, into); err != nil {
			return nil, fmt.Errorf("read %s: %w", next[i].name, err)
		}
	}
	c.HardForks, c.Endpoints = hardForks.HardForks, snapshot.Networks
	if i, err := c.check(); err != nil {
		return nil, fmt.Errorf("check %s: %w", next[i].name, err)
	}
	s.last = next
	return c, nil
}

// read reads siteDocuments. It requests all at the same time, since each may wait for the site to
// answer.
func (s *Source) read(ctx context.Context) (next [len(siteDocuments)]file, err error) {
	var errs [len(siteDocuments)]error
	var wg sync.WaitGroup
	for i, d := range siteDocuments {
		wg.Go(func() {
			next[i], errs[i] = s.documents.read(ctx, d, s.last[i])
			if d == snapshotConfig && errors.Is(errs[i], fs.ErrNotExist) {
				errs[i] = nil
			}
		})
	}
	wg.Wait()
	return next, errors.Join(errs[:]...)
}

// check compares values that every build writes, so that documents of different builds are not
// combined into one site: the site counts as many proposals of each status and category as the list
// has, and has each network on which a hard fork activates. Two builds that differ only otherwise,
// such as in a title, pass, and are mixed until the next Load. The error is about the document at
// position i.
func (c *Catalog) check() (i int, err error) {
	// The address is part of each problem, and of the keys in Redis.
	s := c.Site
	if !strings.HasPrefix(s.BaseURL, "http://") && !strings.HasPrefix(s.BaseURL, "https://") ||
		s.Prefix == "" {
		return 0, fmt.Errorf("baseUrl is %q and prefix %q, want an http(s) address and a prefix",
			s.BaseURL, s.Prefix)
	}
	if c.List.Count != len(c.List.MIPs) || c.List.Count != s.Counts.Total {
		const text = "it holds %d proposals, its count is %d and the site's %d: want one number, " +
			"of one build"
		return 1, fmt.Errorf(text, len(c.List.MIPs), c.List.Count, s.Counts.Total)
	}
	// A changed status is the most common difference between two builds.
	statuses, categories := map[string]int{}, map[string]int{}
	for _, m := range c.List.MIPs {
		category := ""
		if m.Category != nil {
			category = *m.Category
		}
		statuses[string(m.Status)]++
		categories[category]++
	}
	if !maps.Equal(statuses, s.Counts.ByStatus) || !maps.Equal(categories, s.Counts.ByCategory) {
		return 1, errors.New("statuses or categories are not those that the site counts: " +
			"want documents of one build")
	}
	networks := map[string]bool{}
	for _, n := range s.Networks {
		networks[n.ID] = true
	}
	for _, f := range c.HardForks {
		for id := range f.Activation {
			if !networks[id] {
				const text = "hard fork %s activates on %q, which is no network of the site: " +
					"want documents of one build"
				return 2, fmt.Errorf(text, f.Name, id)
			}
		}
	}
	return 0, nil
}

// decode reads one JSON object. It ignores unknown members, since a newer program may have built
// the site.
func decode(body []byte, into any) error {
	// The decoder would turn null into an empty value.
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'{'}) {
		return errors.New("want a JSON object")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w; want it as mipwatch build writes it", err)
	}
	return nil
}
