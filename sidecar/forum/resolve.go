package forum

import (
	"context"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
)

const slugMost = 255 // runes, as in the forum's own table

// Resolve returns the number of the topic that a link names only by its slug (the last element of
// /t/SLUG, escaped or not). Discourse leads from there to the topic. An answer holds for 24 h and
// that there is none for an hour. Errors are those of [Forum.Linked].
func (f *Forum) Resolve(ctx context.Context, slug string) (int, error) {
	slug = plainSlug(slug)
	if strings.Trim(slug, "0123456789") == "" {
		return 0, httpError(ErrNotFound) // no slug, or a number, which would be read as the topic's
	}
	e, err := f.slugs.Get(ctx, slug, func(ctx context.Context) (int, error) {
		a, err := f.ask(ctx, &f.linked, "/t/"+url.PathEscape(slug)+".json", nil, func(body []byte) (api.ForumActivity, error) {
			return decode(body, f.base, f.now())
		})
		return a.TopicID, err
	})
	return e.Value, httpError(err)
}

// plainSlug is a slug without escapes, and empty if it is none: letters of any script, digits,
// hyphens and underscores.
func plainSlug(slug string) string {
	plain, err := url.PathUnescape(slug)
	if err != nil || !utf8.ValidString(plain) || utf8.RuneCountInString(plain) > slugMost {
		return ""
	}
	for _, c := range plain {
		if c != '-' && c != '_' && !unicode.In(c, unicode.L, unicode.M, unicode.Nd) {
			return ""
		}
	}
	return plain
}
