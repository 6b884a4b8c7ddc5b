package header

import (
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
)

var (
	// login matches a GitHub login: up to 39 letters, digits and single hyphens; managed accounts
	// add an underscore and a short name.
	login = regexp.MustCompile(
		`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?(?:_[A-Za-z0-9]{1,39})?$`)
	// bracket matches a Markdown link, or a text in round or angle brackets.
	bracket = regexp.MustCompile(`\[[^\[\]]*\]\([^()]*\)|\([^()]*\)|<[^<>]*>`)
	// betweenAuthors matches a bracket, in which nothing separates, or a separator of two authors.
	// Each bracket ends at the next one, so that matching takes linear time.
	betweenAuthors = regexp.MustCompile(bracket.String() +
		`|(?i:[,;\n]\s*(?:(?:and|&)\s)?|\s+(?:and|&)\s+)`)
	// bracketComma matches a place where a list item has several authors after all.
	bracketComma = regexp.MustCompile(`[)>]\s*[,;&]|[)>]\s+and\s`)
	// anAddress matches a web address in a text.
	anAddress = regexp.MustCompile(`https?://[^\s()<>\[\],]+`)
	// nameSuffix matches a part that follows a comma but belongs to the name before it.
	nameSuffix = regexp.MustCompile(
		`(?i)^(?:(?:[js]r|ph\.?\s?d|m\.?d|esq|inc|ltd|llc)\.?|i{2,3}|iv)(?:[\s(<]|$)`)
	// etAl matches an ending that names nobody.
	etAl = regexp.MustCompile(`(?i)\bet\.? al\.?$`)
	// contact matches a bracket with an e-mail address, a profile or a login.
	contact = regexp.MustCompile(`[(<](?:[^()<>\s]*@|https?://github\.com/)[^()<>]*[)>]`)
	// mails matches several e-mail addresses separated by blanks.
	mails = regexp.MustCompile(`^[^@\s<(]+@\S+(?:\s+[^@\s<(]+@\S+)+$`)
)

// authors parses an author field in any of its forms. The result is never nil.
func (f *fields) authors(names ...string) []mip.Author {
	v := f.get(names...)
	out := []mip.Author{}
	var all []string
	if text, ok := v.v.(string); ok {
		all = splitAuthors(text)
	} else {
		all = authorTexts(v.v)
	}
	for _, text := range all {
		// The code below compares each word of an author with each bracket.
		if len(text) > maxText {
			f.r.Add(v.line, "long-value/name", mip.Quote(v.key), len(text), maxText)
		}
		a := newAuthor(mip.Shorten(text, maxText))
		if a != (mip.Author{}) {
			out = append(out, a)
		}
		for _, address := range anAddress.FindAllString(mip.Shorten(text, maxText), -1) {
			if _, profile, ok := strings.Cut(address, "github.com/"); !ok || a.GitHub == nil ||
				!strings.Contains(profile, *a.GitHub) {
				f.r.Add(v.line, "bad-author", mip.Quote(address), mip.Quote(v.key))
			}
		}
	}
	return shorten(out, v, f.r)
}

// authorTexts returns the authors of an element of a list, each as if on a separate line.
func authorTexts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		if bracketComma.MatchString(v) {
			return splitAuthors(v)
		}
		return []string{v}
	case []any:
		for _, item := range v {
			all = append(all, authorTexts(item)...)
		}
	case map[string]any:
		// "- name: A" with "github: a" below it. With one other key, a name that contains a colon.
		var name, github, email string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			text := textOf(v[key])
			switch fieldName(key) {
			case "name", "author":
				name = text
			case "github", "handle", "login", "username":
				github = " (@" + strings.TrimPrefix(text, "@") + ")"
			case "email", "mail":
				email = " <" + text + ">"
			default:
				if len(v) == 1 {
					name = key + ": " + text
				}
			}
		}
		return []string{name + github + email}
	}
	return all
}

// splitAuthors splits a line at commas, semicolons, "and" and "&" outside of brackets.
func splitAuthors(s string) (all []string) {
	from := 0
	for _, m := range append(betweenAuthors.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		if m[0] < len(s) && strings.IndexByte("[(<", s[m[0]]) >= 0 {
			continue
		}
		part := strings.TrimSpace(s[from:m[0]])
		from = m[1]
		switch last := len(all) - 1; {
		case part == "":
		case last >= 0 && nameSuffix.MatchString(part): // "Ada, Jr." is one name
			all[last] += ", " + part
		default:
			if part = strings.TrimSpace(etAl.ReplaceAllString(part, "")); part != "" {
				all = append(all, unjoined(part)...)
			}
		}
	}
	return all
}

// unjoined returns the authors between two commas: several if only blanks separate them, as in "A
// <a@x.org> B <b@x.org>", "@a @b" and "a@x.org b@x.org".
func unjoined(part string) (all []string) {
	if mails.MatchString(part) {
		return strings.Fields(part)
	}
	if part[0] == '@' && !strings.ContainsAny(part, "<(") {
		for handle := range strings.SplitSeq(part[1:], " @") {
			all = append(all, "@"+strings.TrimSpace(handle))
		}
		return all
	}
	from, found := 0, contact.FindAllStringIndex(part, -1)
	for i, m := range found {
		// The last contact owns the words after it; a second bracket belongs to the author before.
		next := strings.TrimLeft(part[m[1]:], " ")
		if first, _ := utf8.DecodeRuneInString(next); first == '@' ||
			unicode.IsLetter(first) && i+1 < len(found) {
			all, from = append(all, part[from:m[1]]), m[1]
		}
	}
	return append(all, strings.TrimSpace(part[from:]))
}

// newAuthor parses one author. Text in brackets that is neither a handle nor an address is part of
// the name: Jacob Creech (Solana Foundation).
func newAuthor(s string) (a mip.Author) {
	// The words outside of brackets distinguish a handle from an employer.
	name := strings.Fields(strings.ToLower(bracket.ReplaceAllString(s, " ")))
	rest := bracket.ReplaceAllStringFunc(s, func(b string) string {
		// A link contains an address; its label is part of the name.
		if label, address, link := strings.Cut(b, "]("); link && b[0] == '[' {
			take(&a, strings.TrimSuffix(address, ")"))
			return " " + label[1:] + " "
		}
		var kept []string
		separates := func(c rune) bool { return c == ',' || c == ';' }
		for part := range strings.FieldsFuncSeq(b[1:len(b)-1], separates) {
			part = strings.TrimSpace(part)
			if part != "" && !take(&a, part) && !takeHandle(&a, part, name) {
				kept = append(kept, part)
			}
		}
		if len(kept) == 0 {
			return " "
		}
		return " " + b[:1] + strings.Join(kept, ", ") + b[len(b)-1:] + " "
	})
	if a == (mip.Author{}) && !anAddress.MatchString(s) {
		rest = s // all brackets are part of the name
	}
	// Handles and addresses occur outside of brackets as well: Ada @ada.
	var words []string
	for word := range strings.FieldsSeq(rest) {
		bare := strings.TrimRight(word, ")>") // of an unopened bracket
		if !strings.Contains(word, "@") && !strings.Contains(word, "/") || !take(&a, bare) {
			words = append(words, word)
		}
	}
	// "Ada (@ada)," leaves a comma.
	if name := strings.TrimRight(strings.Join(words, " "), ",;"); name != "" {
		a.Name = &name
	}
	return a
}

// take reads a piece of an author as an e-mail address (RFC 5322, without a display name), a login
// marked by @, or a profile on GitHub. It reports whether it was one of these, or another address.
func take(a *mip.Author, s string) bool {
	const longest = 254 // bytes of an e-mail address: RFC 5321, section 4.5.3.1.3
	email := s
	if scheme := "mailto:"; len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
		email = s[len(scheme):]
	}
	if e, err := mail.ParseAddress(email); err == nil && e.Address == email &&
		len(email) <= longest && a.Email == nil {
		a.Email = &email
		return true
	}
	_, handle, profile := strings.Cut(s, "github.com/") // with or without a scheme
	if !profile {
		handle, profile = strings.CutPrefix(s, "@")
	}
	handle = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(handle, "@"), "/"))
	if profile && login.MatchString(handle) && a.GitHub == nil {
		a.GitHub = &handle
		return true
	}
	_, isURL := mip.WebAddress(s)
	return isURL
}

// takeHandle reads a handle without its @. A word in brackets may be an employer, and a wrong link
// is worse than none, so the handle must contain a word of the person's name.
func takeHandle(a *mip.Author, s string, name []string) bool {
	const significant = 3 // bytes of a word that make a coincidence unlikely
	if a.GitHub != nil || !login.MatchString(s) {
		return false
	}
	for _, word := range name {
		if len(word) >= significant && strings.Contains(strings.ToLower(s), word) {
			a.GitHub = &s
			return true
		}
	}
	return false
}

// texts flattens a value. YAML decodes "- MIP-3: A title" as a map: its key counts.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			if item == nil {
				out = append(out, "") // an item without text
			}
			out = append(out, texts(item)...)
		}
	case map[string]any:
		return slices.Sorted(maps.Keys(v))
	}
	return out
}

// labelled flattens a value like [texts], but the keys of a map are labels: "- Draft: https://…".
func labelled(v any) (out []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			out = append(out, labelled(item)...)
		}
	case map[string]any:
		for _, label := range slices.Sorted(maps.Keys(v)) {
			out = append(out, label+": "+strings.Join(labelled(v[label]), " "))
		}
	default:
		return texts(v)
	}
	return out
}

// discussion parses the addresses, each once, at which a proposal is discussed, and the forum topic
// of the first. The list is never nil. A text without an http(s) address is dropped with a warning.
func (f *fields) discussion(names ...string) (addresses []string, topic *int) {
	v := f.get(names...)
	addresses = []string{}
	for _, item := range labelled(v.v) {
		item = markdownLink.ReplaceAllString(item, "$2")
		found := isPlaceholder(item)
		for token := range strings.FieldsSeq(item) {
			u, ok := mip.WebAddress(strings.Trim(token, `<>,;"'`))
			if !ok || len(u.String()) > maxLink {
				continue
			}
			found = true
			if len(addresses) == 0 && topic == nil {
				topic = mip.Topic(u.String())
			}
			if !slices.Contains(addresses, u.String()) {
				addresses = append(addresses, u.String())
			}
		}
		switch {
		case found:
		// A forum address without its host is on the site's own forum.
		case strings.HasPrefix(item, "/t/") && len(addresses) == 0 && topic == nil:
			topic = mip.Topic(item)
		case len(item) > maxLink:
			f.r.Add(v.line, "bad-link/long", mip.Quote(item), mip.Quote(v.key), maxLink)
		default:
			f.r.Add(v.line, "bad-link", mip.Quote(item), mip.Quote(v.key))
		}
		if len(addresses) > maxList {
			break
		}
	}
	return shorten(addresses, v, f.r), topic
}

// forumTopic parses a field that contains the topic itself, as a number or as its address.
func (f *fields) forumTopic(names ...string) *int {
	v := f.get(names...)
	text := v.text()
	if isPlaceholder(text) {
		return nil
	}
	id := mip.Topic(text)
	if n, ok := mip.ParseNumber(text); ok && n > 0 {
		id = &n
	}
	if id == nil {
		f.r.Add(v.line, "bad-topic", mip.Quote(text), mip.Quote(v.key))
	}
	return id
}
