package forum

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// seed adds the contents of all goldens.
func seed(f *testing.F) {
	for _, a := range testenv.Archives(f, "testdata/*.txtar") {
		for _, file := range a.Files {
			f.Add(file.Data)
		}
	}
}

// FuzzDecode checks that no response of a forum causes a panic, and that each decoded topic can be
// shown: counts and score are within bounds, the title is one line without hidden characters, the
// address is on the forum, and times can be encoded. Errors contain nothing of the response.
func FuzzDecode(f *testing.F) {
	seed(f)
	const base = "https://forum.example"
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := decode(body, base, now)
		if err != nil {
			if !errors.Is(err, ErrNotFound) && !strings.HasPrefix(err.Error(), "not a topic") &&
				!strings.HasPrefix(err.Error(), "topic with") {
				t.Errorf("%q: error %q", body, err)
			}
			return
		}
		if a.TopicID < 1 || min(a.Posts, a.Replies, a.Participants, a.Views, a.Likes) < 0 ||
			a.Replies != max(a.Posts-1, 0) || a.ActivityScore < 0 || a.ActivityScore > 100 {
			t.Errorf("%q: %+v", body, a)
		}
		n := utf8.RuneCountInString(a.Title)
		if n < 1 || n > 255 || !utf8.ValidString(a.Title) ||
			a.Title != strings.TrimSpace(a.Title) ||
			strings.ContainsFunc(a.Title, func(c rune) bool {
				return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)
			}) {
			t.Errorf("%q: title %q", body, a.Title)
		}
		u, err := url.Parse(a.URL)
		if err != nil || u.Host != "forum.example" || !strings.HasPrefix(u.Path, "/t/") ||
			u.RawQuery != "" || u.Fragment != "" || u.String() != a.URL ||
			u.JoinPath().Path != u.Path {
			t.Errorf("%q: address %q", body, a.URL)
		}
		for _, c := range a.URL {
			if c <= ' ' || c > '~' || strings.ContainsRune(`"<>\`, c) {
				t.Errorf("%q: address %q", body, a.URL)
			}
		}
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		back := a
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(a, back) {
			t.Errorf("%q: %s reads as %+v, %v", body, b, back, err)
		}
	})
}
