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
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// funcs are what templates may call: addresses and words, no decisions. A template passes a value
// or a pointer to it alike; a pointer that may be nil stands within a with. Methods of the values
// themselves, such as Status.Slug, need no entry here.
func (p *Pages) funcs() template.FuncMap {
	return template.FuncMap{
		// The site.
		"site":      func() mip.SiteInfo { return p.info },
		"brand":     func() Brand { return p.brand },
		"sections":  sections,
		"roles":     api.Roles,
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
		"profile":    plain.Profile,
		// Texts, times and numbers.
		"title":        titleHTML,
		"said":         said,
		"named":        namedHTML,
		"full":         fullTitle,
		"author":       authorName,
		"slug":         mip.Slug,
		"class":        statusClass,
		"category":     category,
		"organization": func(a mip.Author) bool { return organization.MatchString(mip.Deref(a.Name)) },
		"subject":      p.subject,
		"ended":        plain.Ended,
		"badge":        func(m mip.Metadata) string { return badgeClass(m.Standing, m.Superseded()) },
		"meaning":      plain.StatusMeaning,
		"date":         date,
		"num":          thousands,
		"short":        short,
		"first":        first,
		"rest":         rest,
		"after":        after,
		// Parts of single pages.
		"activation": p.activation,
		"networks":   p.networks,
		"dated":      p.dated,
		"genesis":    genesis,
		"cite":       p.cite,
		"csl":        p.csl,
		"tex":        texText,
		"cited":      p.cited,
		"capital":    func(s string) string { return strings.ToUpper(s[:1]) + s[1:] },
		"curl":       p.curl,
		"example":    example,
		"inAddress":  inAddress,
		"statusText": http.StatusText,
		"join":       strings.Join,
		"lower":      strings.ToLower,
	}
}

// path is a link to a route of this site. The route starts with a slash; the site may lie below a
// path.
func (p *Pages) path(route string) string { return p.base + p.info.Host.Route(route) }

// proposalPath is a link to a proposal's page.
func (p *Pages) proposalPath(id mip.ID) string { return p.path(id.Page()) }

// listPath is the page of a value: kind is status, category, type, author or upgrade. The slug is
// that of [mip.Slug], or of the status or author itself.
func (p *Pages) listPath(kind, slug string) string {
	return p.path(plain.Listing{Kind: kind, Slug: slug}.Route())
}

// authorPath leads to what an author wrote: the page of the author or, of one proposal alone, the first
// page with that choice.
func (p *Pages) authorPath(slug string) string {
	if p.Alone[slug] {
		return p.path("/?author=@" + slug)
	}
	return p.listPath("author", slug)
}

// jsonPath is a link to a proposal as JSON, or to the document that is below it, such as summary.
func (p *Pages) jsonPath(id mip.ID, below ...string) string {
	return p.path(path.Join(append([]string{"/api/v1/mips", p.key(id)}, below...)...))
}

// key is what stands for a proposal in the API.
func (p *Pages) key(id mip.ID) string { return id.Key(p.info.Prefix) }

// hue is a further CSS class, behind a blank, of the id of a proposal of another kind than the main one. Three colours are
// taken in turn.
func (p *Pages) hue(id mip.ID) string {
	const hues = 3
	i := slices.IndexFunc(p.info.Kinds, func(k mip.Kind) bool { return k.Prefix == id.Kind })
	if i < 1 {
		return ""
	}
	return fmt.Sprintf(" k%d", (i-1)%hues+1)
}

// webAddress is an address that a link may lead to, empty for nil and for any text that is none.
func webAddress(s *string) string {
	if _, ok := mip.WebAddress(mip.Deref(s)); !ok {
		return ""
	}
	return *s
}

// host is the name that people know an address by.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.")
}

// shownAddress is an address as a link shows it: the host and the path, of which a long one is cut.
func shownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	const most = 60 // characters: two lines of the card
	return mip.ShortenRunes(strings.TrimSuffix(host(address)+u.Path, "/"), most)
}

// titleHTML escapes a title and shows its Markdown code spans as such. Nothing else in a title is
// Markdown: a star stays a star.
func titleHTML(s string) template.HTML {
	if !strings.Contains(s, "`") {
		return template.HTML(template.HTMLEscapeString(s)) // most are without
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

// said is a quote as people read it: without the marks of links, emphasis and HTML.
func said(quote string) template.HTML { return titleHTML(prose.Plain(quote, nil)) }

// named is a proposal's id with its title after it, or only the id where the title says no more. It is not escaped: a
// template does that later.
func named(id, sep, title string) string {
	if title == "" || title == id {
		return id
	}
	return id + sep + title
}

// fullTitle is a proposal's id and title as plain text, whole.
func fullTitle(m mip.Metadata) string { return named(m.ID.String(), ": ", plain.Text(m.Title)) }

// mentionBytes is how many bytes of a title a mention shows: many pages may mention one proposal.
const mentionBytes = 200

// namedHTML is named for a link's text. A long title is cut.
func namedHTML(id mip.ID, title string) template.HTML {
	text := template.HTML(template.HTMLEscapeString(id.String()))
	if title == "" || title == id.String() {
		return text
	}
	return text + " " + titleHTML(mip.Shorten(title, mentionBytes))
}

// authorName names an author by the best thing that the header gives, empty when it gives nothing.
func authorName(a mip.Author) string {
	login := mip.Deref(a.GitHub)
	if login != "" {
		login = "@" + login
	}
	return cmp.Or(mip.Deref(a.Name), login, mip.Deref(a.Email))
}

// statusClass is the CSS class of a status. There are those of [plain.Mark], so that no header can choose a class.
func statusClass(s mip.Standing) string { return "s-" + plain.Mark(s) }

// organization matches the name of an author that is no person.
var organization = regexp.MustCompile(`(?i)\b(foundation|fondation|stiftung|fundación|labs?|dao|inc|ltd|llc|gmbh|corp(oration)?|` +
	`company|association|consortium|alliance|network|protocol|group|institute|university|council|committee|collective|` +
	`society|studios?|technologies|research|team|contributors|developers|validators)\b`)

// category is a proposal's category unless its type has the same word.
func category(m mip.Metadata) *string {
	if m.Type != nil && m.Category != nil && strings.EqualFold(*m.Type, *m.Category) {
		return nil
	}
	return m.Category
}

// badgeClass is statusClass, but what is superseded does not look as if it were in force.
func badgeClass(s mip.Standing, superseded bool) string {
	if superseded {
		return statusClass(s) + " was"
	}
	return statusClass(s)
}

// date formats a [mip.Date] or a [mip.Time], in UTC, by a layout of package time. No reader's zone
// and language are known when a page is made; a script may show the age in their place.
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

// thousands groups the digits of a count, an integer of any type or a pointer to one.
func thousands(n any) string {
	s := fmt.Sprint(reflect.Indirect(reflect.ValueOf(n)))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short is the beginning of a hash, as much as people are shown.
func short(hash string) string { return hash[:min(len(hash), 7)] } // git shows as many

// first are the first n elements of a list, or all of a shorter one. list must be a slice.
func first(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(n, v.Len())).Interface()
}

// after is what [first] leaves out; empty when that is nothing.
func after(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(min(n, v.Len()), v.Len()).Interface()
}

// rest is how many elements [first] leaves out.
func rest(n int, list any) int { return max(0, reflect.ValueOf(list).Len()-n) }
