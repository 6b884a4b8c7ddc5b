package render

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/ai/prose"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// funcs are the functions for templates: addresses and words, no decisions. A template may pass a
// value or a pointer to it. A pointer that may be nil is within a with. Methods of the values, such
// as Status.Slug, need no entry here.
func (p *Pages) funcs() template.FuncMap {
	return template.FuncMap{
		// The site.
		"site":      func() mip.SiteInfo { return p.info },
		"brand":     func() Brand { return p.brand },
		"sections":  p.sections,
		"frame":     func(part, key string) template.HTML { return p.frame[part][key] },
		"image":     p.image,
		"newest":    mip.NewestChange,
		"recent":    recent,
		"row":       p.row,
		"discussed": p.discussed,
		"happened":  p.happened,
		// Addresses.
		"path":       p.path,
		"abs":        p.info.URL,
		"asset":      p.assetPath,
		"folder":     func(id mip.ID) string { return p.path(mip.PageFolder(id.Kind)) },
		"page":       p.proposalPath,
		"list":       p.listPath,
		"authorPath": p.authorPath,
		"json":       p.jsonPath,
		"key":        p.key,
		"hue":        p.hue,
		"web":        webAddress,
		"host":       host,
		"shown":      shownAddress,
		"linked":     linked,
		"profile":    plain.Profile,
		// Texts, times and numbers.
		"title":    titleHTML,
		"quoted":   quoted,
		"named":    namedHTML,
		"full":     fullTitle,
		"author":   authorName,
		"slug":     mip.Slug,
		"class":    statusClass,
		"category": category,
		"organization": func(a mip.Author) bool {
			return organization.MatchString(mip.Deref(a.Name))
		},
		"subject": p.subject,
		"ended":   plain.Ended,
		"badge":   func(m mip.Metadata) string { return badgeClass(m.Standing, m.Superseded()) },
		"meaning": plain.StatusMeaning,
		"dated":   p.dated,
		"date":    date,
		"num":     plain.Thousands,
		"stated":  plain.Stated,
		"byText":  plain.ByText,
		"due":     func(at *string) string { return plain.Due(*at) },
		"release": plain.Release,
		"short":   short,
		"diff":    diffHTML,
		"first":   first,
		"rest":    rest,
		"after":   after,
		// Parts of single pages.
		"activation": p.activation,
		"leading":    p.leading,
		"networks":   p.networks,
		"leader":     leader,
		"genesis":    genesis,
		"cite":       p.cite,
		"csl":        p.csl,
		"tex":        texText,
		"capital":    plain.Capital,
		"curl":       p.curl,
		"example":    example,
		"inAddress":  inAddress,
		"statusText": http.StatusText,
		"join":       strings.Join,
		"lower":      strings.ToLower,
	}
}

// section is an entry of the main menu.
type section struct{ Path, Label string }

// sections are the entries of the main menu, in order, of which a page names its own.
func (p *Pages) sections() []section {
	out := []section{{"/", "Proposals"}, {"/dashboard/", "Dashboard"}}
	if len(p.forks) > 0 {
		out = append(out, section{"/upgrade/", "Upgrades"})
	}
	return append(out, section{"/api/", "API"}, section{"/follow/", "Follow"})
}

// path is a link to a route of this site. The route starts with a slash, and the site may be below
// a path.
func (p *Pages) path(route string) string { return p.base + p.info.Host.Route(route) }

// proposalPath is a link to a proposal's page.
func (p *Pages) proposalPath(id mip.ID) string { return p.path(id.Page()) }

// listPath is the page of a value. kind is status, category, type, author or upgrade. The slug is
// from [mip.Slug], or the status's or author's own.
func (p *Pages) listPath(kind, slug string) string {
	return p.path(plain.Listing{Kind: kind, Slug: slug}.Route())
}

// authorPath links to an author's proposals: the author's page or, for a single proposal, the first
// page with that filter.
func (p *Pages) authorPath(slug string) string {
	if p.Alone[slug] {
		return p.path("/?author=@" + slug)
	}
	return p.listPath("author", slug)
}

// jsonPath is a link to a proposal as JSON, or to a document below it, such as summary.
func (p *Pages) jsonPath(id mip.ID, below ...string) string {
	return p.path(path.Join(append([]string{"/api/v1/mips", p.key(id)}, below...)...))
}

// key identifies a proposal in the API.
func (p *Pages) key(id mip.ID) string { return id.Key(p.info.Prefix) }

// hue is an additional CSS class, after a blank, for the id of a proposal of another kind than the
// main one. The kinds take turns with three colors.
func (p *Pages) hue(id mip.ID) string {
	const hues = 3
	i := slices.IndexFunc(p.info.Kinds, func(k mip.Kind) bool { return k.Prefix == id.Kind })
	if i < 1 {
		return ""
	}
	return fmt.Sprintf(" k%d", (i-1)%hues+1)
}

// webAddress is an address for a link, or "" for nil and any text that is no web address.
func webAddress(s *string) string {
	if _, ok := mip.WebAddress(mip.Deref(s)); !ok {
		return ""
	}
	return *s
}

// host is the host name in an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.")
}

// shownAddress is the visible text of a link: the host and the path, cut if long.
func shownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	const most = 60 // characters: two lines of the card
	return mip.ShortenRunes(strings.TrimSuffix(host(address)+u.Path, "/"), most)
}

// inText matches an address in a text.
var inText = regexp.MustCompile("https?://[^\\s<>()\"`]*[^\\s<>()\"`.,;:!?]")

// span is a part of a text. Address is its address, or empty.
type span struct{ Text, Address string }

// linked returns the parts of a text, of which each address is one.
func linked(s string) (out []span) {
	if webAddress(&s) != "" {
		return []span{{s, s}} // may contain parentheses
	}
	at := 0
	for _, m := range inText.FindAllStringIndex(s, -1) {
		if address := s[m[0]:m[1]]; webAddress(&address) != "" {
			out = append(out, span{Text: s[at:m[0]]}, span{address, address})
			at = m[1]
		}
	}
	return append(out, span{Text: s[at:]})
}

// titleHTML escapes a title and renders its Markdown code spans. Other Markdown in a title has no
// meaning: a star stays a star.
func titleHTML(s string) template.HTML {
	if !strings.Contains(s, "`") {
		return template.HTML(template.HTMLEscapeString(s)) // most have none
	}
	var b strings.Builder
	for text, code := range plain.Spans(s) {
		if code {
			b.WriteString("<code>" + template.HTMLEscapeString(plain.Code(text)) + "</code>")
			continue
		}
		b.WriteString(template.HTMLEscapeString(text))
	}
	return template.HTML(b.String())
}

// quoted is a quote without the markup of links, emphasis and HTML.
func quoted(quote string) template.HTML { return titleHTML(prose.Plain(quote, nil)) }

// named is a proposal's id followed by its title, or only the id if the title adds nothing. It is
// unescaped.
func named(id, sep, title string) string {
	if title == "" || title == id {
		return id
	}
	return id + sep + title
}

// fullTitle is a proposal's id and whole title as plain text.
func fullTitle(m mip.Metadata) string { return named(m.ID.String(), ": ", plain.Text(m.Title)) }

// mentionBytes bounds the title in a mention, in bytes: many pages may mention one proposal.
const mentionBytes = 200

// namedHTML is named for a link's text. A long title is cut.
func namedHTML(id mip.ID, title string) template.HTML {
	text := template.HTML(template.HTMLEscapeString(id.String()))
	if title == "" || title == id.String() {
		return text
	}
	return text + " " + titleHTML(mip.Shorten(title, mentionBytes))
}

// authorName is an author's name, or the best substitute in the header, or "".
func authorName(a mip.Author) string {
	login := mip.Deref(a.GitHub)
	if login != "" {
		login = "@" + login
	}
	return cmp.Or(mip.Deref(a.Name), login, mip.Deref(a.Email))
}

// statusClass is the CSS class of a status. It is limited to the values of [plain.Mark], so that no
// header can choose a class.
func statusClass(s mip.Standing) string { return "s-" + plain.Mark(s) }

// organization matches the name of an author that is an organization.
var organization = regexp.MustCompile(`(?i)\b(foundation|fondation|stiftung|fundación|labs?|dao|inc|ltd|llc|gmbh|corp(oration)?|` +
	`company|association|consortium|alliance|network|protocol|group|institute|university|council|committee|collective|` +
	`society|studios?|technologies|research|team|contributors|developers|validators)\b`)

// category is a proposal's category unless its type is the same word.
func category(m mip.Metadata) *string {
	if m.Type != nil && m.Category != nil && strings.EqualFold(*m.Type, *m.Category) {
		return nil
	}
	return m.Category
}

// badgeClass is statusClass, except that a superseded proposal does not look as if it were in
// force.
func badgeClass(s mip.Standing, superseded bool) string {
	if superseded {
		return statusClass(s) + " was"
	}
	return statusClass(s)
}

// date formats a [mip.Date] or a [mip.Time], in UTC, by a layout of package time. The reader's zone
// and language are unknown when a page is made. A script may replace it by the age.
func date(layout string, v any) string {
	switch v := v.(type) {
	case mip.Date:
		return v.Time().Format(layout)
	case *mip.Date:
		return v.Time().Format(layout)
	case mip.Time:
		return v.UTC().Format(layout)
	case *mip.Time:
		return v.UTC().Format(layout)
	}
	return ""
}

// short is the abbreviated form of a hash.
func short(hash string) string { return hash[:min(len(hash), 7)] } // the same length as in git

// first returns the first n elements of a list, or all of a shorter one. list must be a slice.
func first(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(n, v.Len())).Interface()
}

// after returns the elements that [first] leaves out.
func after(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(min(n, v.Len()), v.Len()).Interface()
}

// rest is the number of elements that [first] leaves out.
func rest(n int, list any) int { return max(0, reflect.ValueOf(list).Len()-n) }
