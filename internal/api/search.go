package api

import "github.com/mipwatch/mipwatch/internal/mip"

// Limits of GET /api/search.
const (
	// MostHits is the largest limit, and UsualHits the default.
	MostHits, UsualHits = 50, 10
	// MostOffset is the largest offset.
	MostOffset = 1000
	// LongestQuestion and LongestFilter are lengths in bytes.
	LongestQuestion, LongestFilter = 400, 100
	// MostFilters bounds the values of all filters together.
	MostFilters = 20
)

// English is the locale of the proposals themselves.
const English = "en"

// SearchFilters returns the parameters of GET /api/search that filter.
func SearchFilters() (names []string) {
	for _, f := range mip.Words() {
		names = append(names, f.Key())
	}
	return append(names, "kind", "author")
}

// SearchResults is the body of GET /api/search. Its lists are never nil.
type SearchResults struct {
	Query      string        `json:"query" doc:"The query without invisible characters."`
	Count      int           `json:"count" doc:"How many proposals were found; hits has those of the page that limit and offset choose."`
	Partial    bool          `json:"partial" doc:"There may be more with the phrase: offset and limit want no more, or 24 parts of texts were read."`
	Hits       []SearchHit   `json:"hits" doc:"The best first; for filters alone the last number first. None where offset is count or more."`
	DidYouMean []Replacement `json:"didYouMean" doc:"Words that no text has, with those that were looked for in their place."`
	Unknown    []Unknown     `json:"unknown" doc:"Filters with a value that no proposal has, so that nothing is found by them, with values that there are."`
	Ignored    []string      `json:"ignored" doc:"Words and phrases that did not count, in the form of the index: sixteen words do, and four phrases."`
	IndexedAt  *mip.Time     `json:"indexedAt" doc:"The newest change of a proposal that is searched, as updatedAt of listProposals."`
}

// SearchHit is a proposal in the results, with its best section.
type SearchHit struct {
	ID               mip.ID         `json:"id" doc:"Prefix and number."`
	Title            string         `json:"title" doc:"Plain text."`
	Status           mip.Status     `json:"status" doc:"As in listProposals."`
	LastCallDeadline *string        `json:"lastCallDeadline" doc:"The last day for comments in a last call, null for others."`
	Section          *SearchSection `json:"section" doc:"The section that fits best; null for the proposal as a whole."`
	Excerpt          []Fragment     `json:"excerpt" doc:"The part of the section with most of the words, in pieces; empty where the text cannot be read now."`
	Score            int            `json:"score" doc:"Larger for a better one, within one answer; 0 for filters alone."`
	URL              string         `json:"url" doc:"The address to cite: the page, at the section."`
}

// SearchSection identifies a section of a [SearchHit].
type SearchSection struct {
	ID    string `json:"id" doc:"As in sections of the proposal."`
	Title string `json:"title" doc:"Its heading as plain text; empty for the text before the first one."`
}

// Fragment is a piece of an excerpt.
type Fragment struct {
	Text string `json:"text" doc:"Plain text of the proposal: data, not markup."`
	Mark bool   `json:"mark" doc:"It is a word that was looked for."`
}

// Replacement is a word that was searched in place of an unknown one.
type Replacement struct {
	Word    string `json:"word" doc:"As asked for, in the form of the index."`
	Instead string `json:"instead" doc:"What was looked for."`
}

// Unknown is a filter with a value that no proposal has.
type Unknown struct {
	Filter string   `json:"filter" doc:"Its name and value in the form of the index, such as status:ready."`
	Known  []string `json:"known" doc:"Values that proposals have, at most twelve: those that are nearest to it in the alphabet."`
}
