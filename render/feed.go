package render

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/feeds"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// feedLimit is how many entries a feed holds at most: the newest ones. A reader who was away for
// longer finds the rest in /api/v1/mips.
const feedLimit = 100

// newest returns the proposals that changed last, newest first; of one moment the higher number
// first; those without a time last. It leaves its argument as it is.
func newest(all []mip.Summary) []mip.Summary {
	order := make([]int, len(all)) // a summary is long: what is sorted is where they are
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(unix(b.Updated), unix(a.Updated)), cmp.Compare(b.Number, a.Number))
	})
	sorted := make([]mip.Summary, min(len(order), feedLimit))
	for k := range sorted {
		sorted[k] = all[order[k]]
	}
	return sorted
}

func unix(t *mip.Time) int64 {
	if t == nil {
		return math.MinInt64
	}
	return t.UTC().Unix()
}

// feedChange is the newest change of a list that is sorted newest first, nil when nothing has a time.
func feedChange(sorted []mip.Summary) *mip.Time {
	if len(sorted) == 0 {
		return nil
	}
	return sorted[0].Updated
}

// writeXML encodes a feed by the library's writer and ends it with a newline.
func writeXML(feed feeds.XmlFeed) ([]byte, error) {
	var b bytes.Buffer
	if err := feeds.WriteXML(feed, &b); err != nil {
		return nil, fmt.Errorf("encode feed: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func feedTitle(info mip.SiteInfo) string { return cmp.Or(oneLine(info.Title), info.BaseURL) }

// feedDescription is never empty: RSS requires one.
func feedDescription(info mip.SiteInfo) string {
	return cmp.Or(oneLine(info.Description), "The newest changes of the proposals at "+info.BaseURL+"/")
}

func entryTitle(s mip.Summary) string { return strings.TrimSpace(s.ID + ": " + oneLine(s.Title)) }

// entryText is the description followed by the facts of the header, as plain text.
func entryText(info mip.SiteInfo, s mip.Summary) string {
	var b strings.Builder
	if text := description(s); text != "" {
		b.WriteString(sentence(text) + " ")
	}
	b.WriteString(headerFacts(info, s))
	return b.String()
}

// sentence ends a text that is not empty.
func sentence(s string) string {
	if strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// headerFacts says status, type, category and requirements in sentences, whatever of them is known.
func headerFacts(info mip.SiteInfo, s mip.Summary) string {
	status := "Status: none."
	if s.Status != "" {
		status = "Status: " + oneLine(string(s.Status)) + "."
	}
	out := []string{status}
	for _, f := range []struct {
		name  string
		value *string
	}{{"Type", s.Type}, {"Category", s.Category}, {"Hard fork", s.Hardfork}} {
		if f.value != nil && *f.value != "" {
			out = append(out, f.name+": "+oneLine(*f.value)+".")
		}
	}
	if len(s.Requires) > 0 {
		out = append(out, "Requires "+ids(info, s.Requires)+".")
	}
	return strings.Join(out, " ")
}

// ids is "MIP-3, MIP-4".
func ids(info mip.SiteInfo, numbers []int) string {
	out := make([]string, 0, len(numbers))
	for _, n := range numbers {
		out = append(out, info.Prefix+"-"+strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// labels are the words that a reader of feeds can filter by: status, type, category, each once.
func labels(s mip.Summary) []string {
	out := []string{}
	for _, word := range []string{string(s.Status), deref(s.Type), deref(s.Category)} {
		if word = oneLine(word); word != "" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// credit is an author as feeds can show one. E-mail addresses are left out: a feed is read by more
// machines than people.
type credit struct{ name, url string }

// creditLimit is how many authors an item of a feed names: every author's feed names all of an item's.
const creditLimit = 10

// credits are the first authors, and as the last one how many others there are.
func credits(s mip.Summary) []credit {
	var out []credit
	for i, a := range s.Authors {
		if len(out) == creditLimit && len(s.Authors)-i > 1 {
			return append(out, credit{name: fmt.Sprintf("and %d others", len(s.Authors)-i)})
		}
		c := credit{name: cmp.Or(oneLine(deref(a.Name)), oneLine(deref(a.GitHub)))}
		if login := deref(a.GitHub); login != "" {
			c.url = profile(login)
		}
		if c.name != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// firstDay is the day of creation as a moment, nil when it is unknown or, by a mistake in the
// header, later than the last change.
func firstDay(s mip.Summary) *time.Time {
	if s.Created.IsZero() {
		return nil
	}
	t := s.Created.Time()
	if s.Updated != nil && t.After(s.Updated.UTC()) {
		return nil
	}
	return &t
}

func description(s mip.Summary) string { return oneLine(deref(s.Description)) }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// oneLine drops what XML 1.0 cannot hold and puts one blank in place of line ends and tabs. Blanks
// of every other kind stay as written.
func oneLine(s string) string {
	if plain(s) {
		return strings.Trim(s, " ")
	}
	s = printable(s)
	if strings.ContainsFunc(s, endsLine) {
		parts := strings.FieldsFunc(s, endsLine)
		for i := range parts {
			parts[i] = strings.Trim(parts[i], " ")
		}
		s = strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
	}
	return strings.Trim(s, " ")
}

// plain reports whether s is nothing but printable ASCII, as most of it is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func endsLine(r rune) bool {
	return r >= '\t' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// printable drops the characters outside XML 1.0's Char production, and the C1 controls, which it
// discourages. Line ends stay.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case endsLine(r):
			return r
		case r < 0x20 || r >= 0x7f && r <= 0x9f:
			return -1
		case r == 0xfffe || r == 0xffff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
