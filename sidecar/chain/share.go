package chain

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/mipwatch/mipwatch/sidecar/cache"
	"github.com/mipwatch/mipwatch/sidecar/upstream"
)

// Failures as other processes are told of them.
const (
	toldTimeout     = "timeout"
	toldUnavailable = "unavailable"
)

var errOther = errors.New("no head of a chain")

// sharedHeads is how heads get to other processes; nil: they do not. Which addresses a process asks is its
// own business: the chain id says which chain it is.
func sharedHeads(c Config) *cache.Sharing[struct{}, head] {
	if c.Shared == nil {
		return nil
	}
	name := cache.Name(c.Site, "head", c.Endpoints.ID, strconv.FormatUint(c.Endpoints.ChainID, 10))
	return &cache.Sharing[struct{}, head]{
		With: c.Shared, Key: func(struct{}) string { return name }, Check: checkHead, Keep: headKeep, Told: told, Heard: heard,
	}
}

func checkHead(_ struct{}, h head) error {
	if h.height > highest || h.finalized != nil && *h.finalized > h.height || h.time.Unix() < 0 || h.time.Unix() > latestTime {
		return errOther
	}
	return nil
}

func told(err error) string {
	switch {
	case errors.Is(err, errNoEndpoint): // another process may have some
		return ""
	case errors.Is(err, upstream.ErrTimeout):
		return toldTimeout
	case errors.Is(err, upstream.ErrUnavailable):
		return toldUnavailable
	}
	return ""
}

func heard(word string, _ time.Duration) error {
	switch word {
	case toldTimeout:
		return fmt.Errorf("another process says: %w", upstream.ErrTimeout)
	case toldUnavailable:
		return fmt.Errorf("another process says: %w", upstream.ErrUnavailable)
	}
	return nil
}

// wireHead is a head as other processes get it.
type wireHead struct {
	Height    uint64  `json:"height"`
	Finalized *uint64 `json:"finalized"`
	Time      int64   `json:"time"` // seconds since 1970
}

// MarshalJSON implements [json.Marshaler].
func (h head) MarshalJSON() ([]byte, error) {
	return json.Marshal(wireHead{h.height, h.finalized, h.time.Unix()})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (h *head) UnmarshalJSON(b []byte) error {
	var w wireHead
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*h = head{w.Height, w.Finalized, time.Unix(w.Time, 0)}
	return nil
}
