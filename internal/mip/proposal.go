package mip

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/mipwatch/mipwatch/internal/spelling"
)

// List is the body of GET /api/v1/mips.
type List struct {
	Count     int        `json:"count" doc:"How many proposals the list holds."`
	UpdatedAt *Time      `json:"updatedAt" doc:"The latest change of any proposal, or the newest commit; null when no proposal has a date."`
	MIPs      []Metadata `json:"mips" doc:"Every published proposal, ascending by number."`
}

// Metadata is a proposal without its text: an element of [List.MIPs], and the first fields of a
// [Proposal]. A value missing in the header is null (nil or zero here), never guessed; inferred
// values are listed in Inferred. Slices are never nil on the wire.
type Metadata struct {
	Number      int      `json:"number" doc:"The proposal's number."`
	ID          ID       `json:"id" doc:"Prefix and number, such as MIP-7."`
	Title       string   `json:"title" doc:"May hold Markdown backticks. Without one in the header: the first level-1 heading, or the id."`
	Description *string  `json:"description" doc:"One sentence, plain text."`
	Authors     []Author `json:"authors" doc:"In the header's order."`
	Standing
	Type              *string             `json:"type" doc:"Such as Standards Track, Meta or Informational."`
	Category          *string             `json:"category" doc:"Such as Core, Networking or Interface."`
	Created           Date                `json:"created" doc:"The header's creation date."`
	Updated           *Time               `json:"updated" doc:"The last change: of the file in git, else, or if git knows no more than an import, the creation date at midnight UTC."`
	LastCallDeadline  Date                `json:"lastCallDeadline" doc:"The day on which the last call ends."`
	WithdrawalReason  *string             `json:"withdrawalReason" doc:"Why the proposal was withdrawn, plain text."`
	Requires          []int               `json:"requires" doc:"Numbers that this proposal depends on, as the header has them, whether published or not."`
	RequiredBy        []int               `json:"requiredBy" doc:"Published proposals that depend on this one, ascending."`
	Replaces          []int               `json:"replaces" doc:"Proposals that this one replaces."`
	ReplacedBy        []int               `json:"replacedBy" doc:"Published proposals that are to replace this one by a header, whatever their status, ascending."`
	SupersededBy      []int               `json:"supersededBy" doc:"Proposals that replace this one."`
	External          []External          `json:"external" doc:"Ties to what is no proposal of its kind here: by its header, and of other kinds by theirs."`
	Hardfork          *string             `json:"hardfork" doc:"The hard fork that bundles this proposal or whose meta proposal it is."`
	Activations       []NetworkActivation `json:"activations" doc:"When networks get that hard fork, as far as times are set: compare with the present."`
	StatedActivations []StatedActivation  `json:"statedActivations" doc:"When networks switch by the text's own tables and lists."`
	DiscussionsTo     *string             `json:"discussionsTo" doc:"An http or https address where the proposal is discussed: the first of discussions."`
	Discussions       []string            `json:"discussions" doc:"All such addresses, in the header's order."`
	ForumTopicID      *int                `json:"forumTopicId" doc:"The topic of the site's forum, for /api/forum-activity; null on a site without a forum."`
	URL               string              `json:"url" doc:"The page for people."`
	APIURL            string              `json:"apiUrl" doc:"This proposal as JSON, with its text."`
	MarkdownURL       string              `json:"markdownUrl" doc:"The file, byte for byte."`
	SourceURL         *string             `json:"sourceUrl" doc:"The file in its repository."`
	ContentHash       string              `json:"contentHash" doc:"Hex SHA-256 of the file."`
	Frontmatter       Frontmatter         `json:"frontmatter" doc:"Every header key with its value as read: strings, null, or lists and objects of them."`
	Inferred          []string            `json:"inferred" doc:"Names of fields here that the header does not state."`
}

// Superseded reports whether something replaced the proposal: another proposal named in the header,
// on this site or elsewhere, or an unnamed one if the status is such a word.
func (m Metadata) Superseded() bool {
	return len(m.SupersededBy) > 0 || m.Status.Superseded() ||
		slices.ContainsFunc(m.External, func(e External) bool { return e.Relation == SupersededBy })
}

// Moved reports whether the text has moved to another site: only a pointer is left here.
func (m Metadata) Moved() bool { return m.Stage == "" && m.Status.Slug() == "moved" }

// ShortTitle returns the title as shown with other proposals, cut to the length beyond which a
// header's title gets a warning.
func (m Metadata) ShortTitle() string {
	const most = 90 // characters
	return ShortenRunes(m.Title, most)
}

// External is a header's reference to another site, or a relation between proposals of two of the
// site's kinds.
type External struct {
	Relation RelationType `json:"relation" doc:"requires, replaces or supersededBy; between kinds of the site also requiredBy, replacedBy or related."`
	Text     string       `json:"text" doc:"As the header has it, such as ERC-165."`
	URL      *string      `json:"url" doc:"An http or https address, null when the header gives none."`
}

// CommentsUntil returns the last day for comments on a proposal in a last call, under any name of
// that status. It is nil if the header has none, and at other stages, where the deadline has
// passed.
func (m Metadata) CommentsUntil() *Date {
	if m.Stage != StageLastCall || m.LastCallDeadline.IsZero() {
		return nil
	}
	return &m.LastCallDeadline
}

// Changed returns the time of the last change. It is nil if Updated is the creation date, which is
// used if git does not know the file.
func (m Metadata) Changed() *Time {
	if m.Updated != nil && !m.Created.IsZero() && m.Updated.UTC().Equal(m.Created.Time()) {
		return nil
	}
	return m.Updated
}

// Proposal is the body of GET /api/v1/mips/{n}.
type Proposal struct {
	Metadata
	SummaryURL   string        `json:"summaryUrl" doc:"What it means, as JSON: the committed summary, else one made by rules."`
	Translations []Translation `json:"translations" doc:"The committed translations, by locale."`
	Relations    []Relation    `json:"relations" doc:"Every tie to a proposal, by type: of headers, hard forks and texts."`

	RawMarkdown  string        `json:"rawMarkdown" doc:"The file, byte for byte, header included."`
	Sections     []Section     `json:"sections" doc:"The text in order; the markdown values concatenated are the body with LF line ends."`
	Requirements []Requirement `json:"requirements" doc:"Its sentences with a key word of RFC 2119, in order."`
}

// Requirement is a sentence of a text, or a table row, that contains an RFC 2119 key word in
// capitals.
type Requirement struct {
	ID       string           `json:"id" doc:"Unique within the proposal, stable, prefixed r-."`
	Level    RequirementLevel `json:"level" doc:"MUST, also for REQUIRED and SHALL, or SHOULD."`
	KeyWords []string         `json:"keyWords" doc:"As written, such as MUST NOT."`
	Section  string           `json:"section" doc:"The id of its section."`
	Context  string           `json:"context" doc:"What it goes on with, such as the lead of its list."`
	Text     string           `json:"text" doc:"The sentence, or cells of a row parted by bars."`
	Items    []string         `json:"items" doc:"Of the list that it leads to."`
}

// RequirementLevel is the strength of a requirement (RFC 2119).
type RequirementLevel string

// Levels that texts are searched for.
const (
	Must   RequirementLevel = "MUST"
	Should RequirementLevel = "SHOULD"
)

// Task is an item of a task list in a text.
type Task struct {
	Text    string // on one line, without Markdown marks
	Done    bool
	Section string // id of the section that contains it
}

// Translation is a committed translation of a proposal, with its address.
type Translation struct {
	Locale string `json:"locale" doc:"BCP 47."`
	URL    string `json:"url" doc:"The translation as JSON."`
	Stale  bool   `json:"stale" doc:"The English text has changed since it was made."`
}

// Section is a heading and the text up to the next heading of any level; text before the first
// heading is a section of level 0 with an empty title. Only headings of the document itself count:
// those in code fences, quotes or lists do not.
type Section struct {
	ID       string `json:"id" doc:"Unique within the proposal, stable, prefixed s-; the id of the heading on the page."`
	Level    int    `json:"level" doc:"1 to 6, or 0 for text before the first heading."`
	Title    string `json:"title" doc:"The heading as plain text."`
	Markdown string `json:"markdown" doc:"The section's source, its heading line included."`
}

// Author is one name of the header's author field. A part missing in the header is null.
type Author struct {
	Name   *string `json:"name" doc:"As written."`
	GitHub *string `json:"github" doc:"GitHub login without the @."`
	Email  *string `json:"email" doc:"E-mail address."`
}

// Slug returns the author's path segment, /author/{login}/: the login in lower case, as logins
// ignore case. It is empty without a login.
func (a Author) Slug() string {
	if a.GitHub == nil {
		return ""
	}
	slug := strings.ToLower(*a.GitHub)
	if strings.Trim(slug, "-_0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return Slug(slug) // not a GitHub login
	}
	return boundedSlug(slug)
}

// Frontmatter maps a header's keys, as spelled, to their parsed values: string, nil, []any or
// map[string]any of the same, nothing else. It encodes with sorted keys and must not be nil when
// encoded.
type Frontmatter map[string]any

// Shown is a header key, as the site spells it, with its value as text.
type Shown struct{ Key, Text string }

// Slug converts a name into a path segment: [spelling.Fold], letters and digits of any script kept,
// and one hyphen between words. A name without letters and digits becomes "other". A slug has at
// most [slugBytes]. Two names with one slug are one name.
func Slug(s string) string {
	slug := strings.Join(strings.FieldsFunc(spelling.Fold(s), func(r rune) bool {
		return r != '_' && !unicode.In(r, unicode.L, unicode.Nd, unicode.M)
	}), "-")
	if slug == "" {
		return "other"
	}
	return boundedSlug(slug)
}

// slugBytes bounds a slug: a file name has at most 255 bytes, and on some file systems fewer.
const slugBytes = 80

// boundedSlug cuts a slug that is too long. A hash of the whole slug at its end keeps two long
// slugs distinct.
func boundedSlug(slug string) string {
	if len(slug) <= slugBytes {
		return slug
	}
	sum := sha256.Sum256([]byte(slug))
	tail := "-" + hex.EncodeToString(sum[:4])
	return strings.TrimRight(Cut(slug, slugBytes-len(tail)), "-") + tail
}
