package mip

import (
	"cmp"
	"slices"
	"strings"
)

// Index is the body of GET /api/v1/index.
type Index struct {
	Count     int     `json:"count" doc:"How many proposals the list holds."`
	UpdatedAt *Time   `json:"updatedAt" doc:"The latest change of any proposal, or the newest commit; null when no proposal has a date."`
	MIPs      []Entry `json:"mips" doc:"Those under discussion, then those in force, then those that ended, each by latest change."`
}

// Entry is a proposal in a list, with the fields by which lists are filtered.
type Entry struct {
	ID               ID                  `json:"id" doc:"Prefix and number, such as MIP-7."`
	Title            string              `json:"title" doc:"May hold Markdown backticks."`
	Description      *string             `json:"description" doc:"One sentence, plain text."`
	Status           Status              `json:"status" doc:"As written."`
	Type             *string             `json:"type" doc:"Such as Standards Track, Meta or Informational."`
	Category         *string             `json:"category" doc:"Such as Core, Networking or Interface."`
	Authors          []string            `json:"authors" doc:"In the header's order, such as Ada Lovelace (@ada)."`
	Hardfork         *string             `json:"hardfork" doc:"The hard fork that bundles this proposal or whose meta proposal it is."`
	Activations      []NetworkActivation `json:"activations" doc:"When networks get that hard fork, as far as times are set."`
	Created          Date                `json:"created" doc:"The header's creation date."`
	Updated          *Time               `json:"updated" doc:"The last change: of the file in git, else, or if git knows no more than an import, the creation date at midnight UTC."`
	LastCallDeadline Date                `json:"lastCallDeadline" doc:"The day on which the last call ends, null for a proposal that states none."`
	ForumTopicID     *int                `json:"forumTopicId" doc:"The forum topic, for /api/forum-activity."`
	URL              string              `json:"url" doc:"The page for people."`
	Ended            []string            `json:"ended" doc:"Why it is over, such as Superseded by MIP-7; empty for others."`
	Lists            []string            `json:"lists" doc:"Paths of the lists that it is on, such as status/last-call; upgrade/ of those that are in the upgrade, may come into it or define it."`
}

// NewEntry returns the entry of a proposal. ended and lists become the fields of [Entry] and may be
// nil.
func NewEntry(m Metadata, ended, lists []string) Entry {
	e := Entry{
		ID:               m.ID,
		Title:            m.Title,
		Description:      m.Description,
		Status:           m.Status,
		Type:             m.Type,
		Category:         m.Category,
		Authors:          []string{},
		Hardfork:         m.Hardfork,
		Activations:      m.Activations,
		Created:          m.Created,
		Updated:          m.Updated,
		LastCallDeadline: m.LastCallDeadline,
		ForumTopicID:     m.ForumTopicID,
		URL:              m.URL,
		Ended:            append([]string{}, ended...),
		Lists:            append([]string{}, lists...),
	}
	for _, a := range m.Authors {
		e.Authors = append(e.Authors, a.String())
	}
	return e
}

// String returns the author as in a header, without an e-mail address: "Ada Lovelace (@ada)", or
// the part that the header has.
func (a Author) String() string {
	switch {
	case a.GitHub != nil && a.Name != nil:
		return *a.Name + " (@" + *a.GitHub + ")"
	case a.GitHub != nil:
		return "@" + *a.GitHub
	case a.Name != nil:
		return *a.Name
	case a.Email != nil:
		return *a.Email
	}
	return ""
}

// ended are statuses outside the process, by slug, of proposals that are no longer pursued or
// continue elsewhere.
const ended = " abandoned cancelled canceled closed deferred deprecated inactive moved rejected "

// group orders proposals for readers of lists: 0 is under discussion, 1 in force or unknown, 2
// over.
func (m Metadata) group() int {
	switch {
	case m.Stage == StageStopped, m.Superseded(),
		m.Stage == "" && strings.Contains(ended, " "+m.Status.Slug()+" "):
		return 2
	case m.Open():
		return 0
	}
	return 1
}

// Over reports whether the proposal was given up or replaced.
func (m Metadata) Over() bool { return m.group() == 2 }

// UnderDiscussion reports whether the proposal is still to be decided: by its status or, without
// one, if no hard fork bundles it.
func (m Metadata) UnderDiscussion() bool {
	return m.group() == 0 || m.Status == "" && m.Hardfork == nil && !m.Superseded()
}

// ActiveFirst returns the proposals in the order of a list for readers: those under discussion
// first, those given up or replaced last, and within each group the latest change first. Proposals
// without a date end their group. The order is total: ties are broken by number.
func ActiveFirst(all []Metadata) []Metadata {
	unix := func(m Metadata) int64 {
		if m.Updated == nil {
			return -1 << 63
		}
		return m.Updated.UTC().Unix()
	}
	return slices.SortedFunc(slices.Values(all), func(a, b Metadata) int {
		return cmp.Or(cmp.Compare(a.group(), b.group()), cmp.Compare(unix(b), unix(a)),
			b.ID.Compare(a.ID))
	})
}
