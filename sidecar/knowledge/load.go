package knowledge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
)

// errSame says that a document is what it was.
var errSame = errors.New("the document has not changed")

// held is the last good reading of one document.
type held[T any] struct {
	mark  string // as the place gave it
	sum   [sha256.Size]byte
	value T
}

// Load reads what has changed since the last Load and returns the whole, or nil and no error when
// nothing has. After an error nothing of the caller's is outdated by a half-read site: it keeps the
// Knowledge that it has, and the next Load reads again what is in doubt.
//
// The documents are separate files, so a reader can meet one build's list and another's site. The
// Knowledge is given out only when they fit: see check.
func (s *Source) Load(ctx context.Context) (*Knowledge, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, err := s.refresh(ctx)
	s.seen += changed
	if err != nil {
		return nil, err
	}
	if s.seen == s.given {
		return nil, nil
	}
	k := &Knowledge{Site: s.site.value, List: s.list.value, HardForks: s.hardForks.value.HardForks, Endpoints: s.config.value.Networks, Source: s}
	if err := s.check(k); err != nil {
		return nil, err
	}
	s.given = s.seen
	s.builds.Add(1)
	return k, nil
}

// refresh looks at every document, side by side, and says how many are new.
func (s *Source) refresh(ctx context.Context) (changed int, err error) {
	reads := [...]func() (bool, error){
		func() (bool, error) { return s.list.refresh(ctx, s.place, listDocument()) },
		func() (bool, error) { return s.site.refresh(ctx, s.place, siteDocument()) },
		func() (bool, error) { return s.hardForks.refresh(ctx, s.place, hardForksDocument()) },
		func() (bool, error) { return s.refreshConfig(ctx) },
	}
	var news [len(reads)]bool
	var errs [len(reads)]error
	var wg sync.WaitGroup
	for i, read := range reads {
		wg.Go(func() { news[i], errs[i] = read() })
	}
	wg.Wait()
	for _, isNew := range news {
		if isNew {
			changed++
		}
	}
	return changed, errors.Join(errs[:]...)
}

// refreshConfig reads sidecar.json, which need not be there and is never asked for on the web.
func (s *Source) refreshConfig(ctx context.Context) (bool, error) {
	if s.published {
		return false, nil
	}
	changed, err := s.config.refresh(ctx, s.place, configDocument())
	if !errors.Is(err, fs.ErrNotExist) {
		return changed, err
	}
	changed = s.config.value.Networks != nil
	s.config.mark, s.config.sum, s.config.value.Networks = "", [sha256.Size]byte{}, nil
	return changed, nil
}

// refresh reads a document and says whether it is another than the one held. On error the held one
// stays.
func (h *held[T]) refresh(ctx context.Context, p place, d document) (changed bool, err error) {
	body, mark, err := p.read(ctx, d, h.mark)
	if errors.Is(err, errSame) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// A server without entity tags, or a file that was only touched.
	sum := sha256.Sum256(body)
	if sum == h.sum {
		h.mark = mark
		return false, nil
	}
	value, err := decode[T](p, d, body)
	if err != nil {
		return false, err
	}
	*h = held[T]{mark, sum, value}
	return true, nil
}

// decode reads one JSON value. Members that it does not know are passed over: the site may have been
// built by a newer program.
func decode[T any](p place, d document, body []byte) (value T, err error) {
	// Of null the decoder would make an empty value.
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'{'}) {
		return value, fmt.Errorf("read %s: want a JSON object", p.name(d))
	}
	if err := json.Unmarshal(body, &value); err != nil {
		return value, fmt.Errorf("read %s: %w; want it as mipwatch build writes it", p.name(d), err)
	}
	return value, nil
}
