package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// reading is the last good reading of one document.
type reading[T any] struct {
	// version is the one of the store.
	version string
	sum     [sha256.Size]byte
	value   T
	// changed says that there was a new value since Load last returned an Index.
	changed bool
}

// Load reads what has changed since the last Load. It returns nil without an error when nothing has. After an error the
// caller keeps the Index that it has, and the next Load reads again what is in doubt.
//
// The documents are separate files, so that a reader can meet the list of one build and the site of another. Load
// returns an Index only when they fit together; see check.
func (s *Source) Load(ctx context.Context) (*Index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// On the web each reading waits for an answer of the site, so all are under way at the same time.
	var list, site, hardForks, config error
	var wg sync.WaitGroup
	wg.Go(func() { list = s.list.refresh(ctx, s.store, listDocument) })
	wg.Go(func() { site = s.site.refresh(ctx, s.store, siteDocument) })
	wg.Go(func() { hardForks = s.hardForks.refresh(ctx, s.store, hardForksDocument) })
	wg.Go(func() { config = s.refreshConfig(ctx) })
	wg.Wait()
	if err := errors.Join(list, site, hardForks, config); err != nil {
		return nil, err
	}
	if !s.list.changed && !s.site.changed && !s.hardForks.changed && !s.config.changed {
		return nil, nil
	}
	x := &Index{Site: s.site.value, List: s.list.value, HardForks: s.hardForks.value.HardForks, Endpoints: s.config.value.Networks, Source: s}
	// A reading stays marked as changed until it is part of an Index, since the next one may make it fit.
	if err := s.check(x); err != nil {
		return nil, err
	}
	s.list.changed, s.site.changed, s.hardForks.changed, s.config.changed = false, false, false, false
	s.builds.Add(1)
	return x, nil
}

// refreshConfig reads sidecar.json, which may be missing. A public site is not asked for it.
func (s *Source) refreshConfig(ctx context.Context) error {
	if s.public {
		return nil
	}
	err := s.config.refresh(ctx, s.store, configDocument)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// The RPC addresses of a file that has been removed are gone as well.
	s.config = reading[mip.SidecarConfig]{changed: s.config.changed || s.config.value.Networks != nil}
	return nil
}

// refresh reads a document if its version has changed. On an error the last reading stays.
func (r *reading[T]) refresh(ctx context.Context, s store, d document) error {
	body, version, err := s.read(ctx, d, r.version)
	if errors.Is(err, errNotModified) {
		return nil
	}
	if err != nil {
		return err
	}
	// A server without entity tags and a file that was only touched give the same bytes again.
	sum := sha256.Sum256(body)
	if sum == r.sum {
		r.version = version
		return nil
	}
	value, err := decode[T](s, d, body)
	if err != nil {
		return err
	}
	*r = reading[T]{version, sum, value, true}
	return nil
}

// decode reads one JSON object. It ignores unknown members, since a newer program may have built the site.
func decode[T any](s store, d document, body []byte) (value T, err error) {
	// The decoder would make an empty value of null.
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'{'}) {
		return value, fmt.Errorf("read %s: want a JSON object", s.name(d))
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return value, fmt.Errorf("read %s: %w; want it as mipwatch build writes it", s.name(d), err)
	}
	return value, nil
}
