package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// MaxBytes bounds a file: the answer for 10,000 proposals is smaller.
const MaxBytes = 32 << 20

// File is a saved answer by itself, not yet held to any proposals.
type File struct {
	name          string
	mips          []link
	forum         []api.ForumActivity
	networks      map[string]api.NetworkStatus
	discrepancies []api.Discrepancy
	freshness     api.Freshness
	errors        map[string]api.Code
	problems      []mip.Problem
}

// link is all that is read of a proposal: which text the file speaks of, and which topic its link led to.
type link struct {
	Number        int     `json:"number"`
	ContentHash   string  `json:"contentHash"`
	DiscussionsTo *string `json:"discussionsTo"`
	ForumTopicID  *int    `json:"forumTopicId"`
}

// Read reads a saved answer of GET /api/mip-watch. name is what problems and errors call it. The error
// says which member is not as that answer has it; members that are not known are only noticed, since
// the answer may gain some.
func Read(name string, r io.Reader) (*File, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	// One byte more than the limit was asked for.
	case len(raw) > MaxBytes:
		return nil, fmt.Errorf("%s: is larger than %d bytes, which no answer of GET /api/mip-watch is", name, MaxBytes)
	case !utf8.Valid(raw):
		return nil, fmt.Errorf("%s: is not UTF-8", name)
	}
	f := &File{name: name}
	if err := f.decode(raw); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// errWanted ends every error: the wrong file was named.
var errWanted = errors.New("want a saved answer of GET /api/mip-watch")

// decode reads the members one by one, so that an error names the one that is wrong.
func (f *File) decode(raw []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return fmt.Errorf("is no JSON object; %w", errWanted)
	}
	// Each member must be there: another answer of the sidecar has some of them, too.
	parts := map[string]func([]byte) error{
		"mips": func(b []byte) error { return list(b, "mips", &f.mips, checkLink, "number", "contentHash") },
		"forum": func(b []byte) error {
			return list(b, "forum", &f.forum, checkTopic, "topicId", "activityScore", "posts", "replies", "participants", "createdAt", "fetchedAt")
		},
		"networks":  f.readNetworks,
		"hardforks": func([]byte) error { return nil }, // the site's own, judged anew
		"discrepancies": func(b []byte) error {
			return list(b, "discrepancies", &f.discrepancies, checkDiscrepancy, "code", "message")
		},
		"freshness": func(b []byte) error { return value(b, "freshness", &f.freshness) },
		"errors":    func(b []byte) error { return value(b, "errors", &f.errors) },
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		body, ok := members[name]
		if !ok {
			return fmt.Errorf("has no member %q; %w", name, errWanted)
		}
		if err := parts[name](body); err != nil {
			return err
		}
		delete(members, name)
	}
	// The members that are left were added by a later version.
	for _, name := range slices.Sorted(maps.Keys(members)) {
		f.notice("unknown-member", "the member %s is not known here and left out", clip(name))
	}
	return nil
}

// readNetworks reads the object of networks by id.
func (f *File) readNetworks(b []byte) error {
	var all map[string]json.RawMessage
	if err := value(b, "networks", &all); err != nil {
		return err
	}
	if all == nil {
		return wrong("networks", "want an object")
	}
	f.networks = make(map[string]api.NetworkStatus, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		at := "networks." + clip(id)
		var n api.NetworkStatus
		if err := object(all[id], at, &n, "chainId", "status"); err != nil {
			return err
		}
		if !slices.Contains([]api.NetworkHealth{api.NetworkOK, api.NetworkStale, api.NetworkUnavailable}, n.Status) {
			return wrong(at+".status", "want ok, stale or unavailable")
		}
		f.networks[id] = n
	}
	return nil
}

// list reads an array of objects that have at least the named members, and checks each.
func list[T any](b []byte, name string, out *[]T, check func(*T, string) error, names ...string) error {
	var all []json.RawMessage
	if err := value(b, name, &all); err != nil {
		return err
	}
	if all == nil {
		return wrong(name, "want an array")
	}
	// Positions are those of the file, so that errors can name them.
	*out = make([]T, len(all))
	// Two readings of each element: one for its members, one for its values.
	for i, raw := range all {
		at := fmt.Sprintf("%s[%d]", name, i)
		if err := object(raw, at, &(*out)[i], names...); err != nil {
			return err
		}
		if err := check(&(*out)[i], at); err != nil {
			return err
		}
	}
	return nil
}

// object reads an object that has at least the named members, none of them null.
func object(b []byte, at string, out any, names ...string) error {
	var members map[string]json.RawMessage
	if err := value(b, at, &members); err != nil {
		return err
	}
	// Members that are missing would count as zero.
	for _, name := range names {
		if raw, ok := members[name]; !ok || bytes.Equal(raw, []byte("null")) {
			return fmt.Errorf("%s has no %q; %w", at, name, errWanted)
		}
	}
	return value(b, at, out)
}

// value decodes one member. An error of its type names the place within it.
func value(b []byte, at string, out any) error {
	// The message of encoding/json names Go types, which mean nothing to a user.
	err := json.Unmarshal(b, out)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field != "" {
			at += "." + e.Field
		}
		return wrong(at, fmt.Sprintf("is a JSON %s", strings.Fields(e.Value)[0]))
	}
	if err != nil { // such as of a time
		return fmt.Errorf("%s: %s; %w", at, clip(err.Error()), errWanted)
	}
	return nil
}

// checkLink refuses a proposal that cannot be one.
func checkLink(l *link, at string) error {
	if l.Number < 0 {
		return wrong(at+".number", "want no negative number")
	}
	return nil
}

// checkTopic refuses figures that no forum has: pages would show them.
func checkTopic(t *api.ForumActivity, at string) error {
	// The score is that of the sidecar, from 0 to 100.
	const highest = 100
	switch {
	case t.TopicID < 1:
		return wrong(at+".topicId", "want a number from 1")
	case t.ActivityScore < 0 || t.ActivityScore > highest:
		return wrong(at+".activityScore", fmt.Sprintf("want 0 to %d, got %d", highest, t.ActivityScore))
	case min(t.Posts, t.Replies, t.Participants, t.Views, t.Likes) < 0:
		return wrong(at, "want no negative count")
	case !people(t.FetchedAt) || !people(t.CreatedAt) || t.LastPostedAt != nil && !people(*t.LastPostedAt):
		return wrong(at, "want times of the years 1970 to 9999")
	}
	return nil
}

// people reports whether a time is one that forums and chains can have.
func people(t mip.Time) bool { return t.UTC().Year() >= 1970 && t.UTC().Year() <= 9999 }

// checkDiscrepancy refuses one without words.
func checkDiscrepancy(d *api.Discrepancy, at string) error {
	if strings.TrimSpace(d.Message) == "" {
		return wrong(at+".message", "want a sentence")
	}
	return nil
}

// wrong is the error about a member.
func wrong(at, why string) error { return fmt.Errorf("%s: %s; %w", at, why, errWanted) }

// notice records a problem that leaves the rest of the file usable.
func (f *File) notice(code, format string, a ...any) {
	f.problems = append(f.problems, mip.Problem{Level: mip.Notice, Code: code, File: f.name, Message: fmt.Sprintf(format, a...)})
}

// clip bounds and quotes what a file says before it is repeated.
func clip(s string) string {
	const longest = 61 // characters
	return fmt.Sprintf("%q", mip.ShortenRunes(s, longest))
}
