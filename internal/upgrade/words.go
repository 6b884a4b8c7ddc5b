package upgrade

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/spelling"
)

// stages has the words of headings that name a stage, without the word for proposals. They are from
// EIP-7723 and EIP-233.
var stages = map[mip.Inclusion][]string{
	mip.Included:   {"included", "activated", "this activates the following"},
	mip.Scheduled:  {"scheduled for inclusion", "scheduled", "accepted"},
	mip.Considered: {"considered for inclusion", "considered", "tentatively accepted"},
	mip.Proposed:   {"proposed for inclusion", "proposed"},
	mip.Declined:   {"declined for inclusion", "declined", "rejected", "rejected withdrawn"},
	mip.Unlisted:   {"withdrawn for inclusion", "withdrawn"},
}

// forkWords are the words for an upgrade in titles, the longest first.
var forkWords = []string{"evm and protocol upgrades", "network upgrade", "protocol upgrade",
	"hard fork", "hardfork"}

// Reader reads the texts of upgrades. It is immutable and safe for concurrent use.
type Reader struct {
	kinds    []string
	stages   map[string]mip.Inclusion
	networks []mip.Network
}

// NewReader returns a reader of proposals whose ids begin with one of the kinds. words are further
// words of headings by stage. They take precedence over the known ones. networks are the site's.
func NewReader(kinds []string, words map[string][]string, networks []mip.Network) *Reader {
	r := &Reader{kinds: kinds, stages: map[string]mip.Inclusion{}, networks: networks}
	for stage, known := range stages {
		for _, w := range known {
			r.stages[w] = stage
		}
	}
	for stage, further := range words {
		for _, w := range further {
			r.stages[r.fold(w)] = mip.Inclusion(stage)
		}
	}
	return r
}

// stage returns the stage that the words of a heading name, or "".
func (r *Reader) stage(heading string) mip.Inclusion {
	words := r.fold(heading)
	if words == "" {
		return ""
	}
	return r.stages[words]
}

// clues are parts of words that suggest a stage.
var clues = map[mip.Inclusion][]string{
	mip.Included:   {"includ", "activat", "deployed", "final"},
	mip.Scheduled:  {"schedul", "accept", "approv", "planned"},
	mip.Considered: {"consider", "review", "discuss", "deferred"},
	mip.Proposed:   {"propos", "candidate", "pending"},
	mip.Declined:   {"declin", "reject", "exclud", "omit", "removed", "discard", "not "},
	mip.Unlisted:   {"withdrawn"},
}

// Guess returns the stage that the words of a heading suggest. It is empty if there is no clue, or
// several.
func Guess(heading string) (stage mip.Inclusion) {
	words := strings.ToLower(heading) + " "
	for _, s := range mip.Inclusions() {
		suggests := func(part string) bool { return strings.Contains(words, part) }
		if slices.ContainsFunc(clues[s], suggests) {
			if stage != "" {
				return ""
			}
			stage = s
		}
	}
	return stage
}

// tail matches the end of a heading's words.
var tail = regexp.MustCompile(`\s*[(:]|\s[-–—]\s`)

// fold returns words as [fields] gives them, without a number before them, without the text after a
// colon, a dash or a parenthesis, and without words for proposals, such as EIPs, unless there are
// no others.
func (r *Reader) fold(heading string) string {
	if at := tail.FindStringIndex(heading); at != nil {
		heading = heading[:at[0]]
	}
	words := fields(heading)
	for len(words) > 1 && strings.Trim(words[0], "0123456789") == "" {
		words = words[1:]
	}
	own := slices.DeleteFunc(slices.Clone(words), r.isProposal)
	if len(own) == 0 {
		own = words
	}
	return strings.Join(own, " ")
}

// isProposal reports whether a word of [fields] is one for proposals, such as "eips".
func (r *Reader) isProposal(word string) bool {
	word = strings.TrimSuffix(word, "s")
	return word == "proposal" || slices.ContainsFunc(r.kinds, func(kind string) bool {
		return strings.EqualFold(kind, word)
	})
}

// fields returns the words of a text, as [spelling.Fold] gives them.
func fields(text string) []string {
	return strings.FieldsFunc(spelling.Fold(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c)
	})
}

// leading returns the proposal whose id begins a text, after marks and blanks.
func (r *Reader) leading(text string) (id mip.ID, ok bool) {
	text = strings.TrimLeftFunc(text, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	for _, kind := range r.kinds {
		if len(text) <= len(kind) || !strings.EqualFold(text[:len(kind)], kind) {
			continue
		}
		rest := text[len(kind):]
		if strings.ContainsRune("-_ #", rune(rest[0])) {
			rest = rest[1:]
		}
		behind := strings.TrimLeft(rest, "0123456789")
		n, small := mip.ParseNumber(rest[:len(rest)-len(behind)])
		next, _ := utf8.DecodeRuneInString(behind)
		if small && len(behind) < len(rest) && !unicode.IsLetter(next) && next != '_' {
			return mip.ID{Kind: kind, Number: n}, true
		}
	}
	return mip.ID{}, false
}

// Candidate reports whether the text of a proposal may define an upgrade: the proposal was not
// given up, and its title names an upgrade, or it is about process and its text has a code name.
func Candidate(m mip.Metadata, body string) bool {
	named := nameIn(m.Title) != "" || isMeta(m) && strings.Contains(body, codename)
	return named && !m.Over()
}

// isMeta reports whether a proposal is about process.
func isMeta(m mip.Metadata) bool {
	return strings.EqualFold(mip.Deref(m.Type), "meta") ||
		strings.EqualFold(mip.Deref(m.Category), "meta")
}

// codename begins the item of a text that names the upgrade.
const codename = "Codename:"

// quotes removes the marks around a name.
var quotes = strings.NewReplacer("`", "", "\"", "")

// nameIn returns the name of the upgrade in a title such as "Hardfork Meta: Berlin", "Hardfork Meta
// Backfill - Berlin to Shapella" or "Berlin Network Upgrade". It is empty if there is none.
func nameIn(title string) string {
	title = quotes.Replace(title)
	for _, mark := range []string{": ", " - ", " – ", " — "} {
		of, name, ok := strings.Cut(title, mark)
		if !ok {
			continue
		}
		name, named := withoutForkWord(name)
		before := strings.Join(fields(of), " ")
		if named && before == "meta" || slices.ContainsFunc(forkWords, func(w string) bool {
			return strings.Contains(before, w)
		}) {
			return name
		}
	}
	if name, named := withoutForkWord(title); named {
		return name
	}
	return ""
}

// withoutForkWord removes the word for an upgrade from the end of a name, and reports whether it
// was there.
func withoutForkWord(name string) (string, bool) {
	name = strings.TrimSpace(name)
	for _, w := range forkWords {
		at := len(name) - len(w)
		if at > 0 && name[at-1] == ' ' && strings.EqualFold(name[at:], w) {
			return strings.TrimSpace(name[:at]), true
		}
	}
	return name, false
}
