package api

import "net/http"

// Route is one live endpoint.
type Route struct {
	Method string
	Path   string
	// Name is the operationId in OpenAPI; Summary is one sentence for documentation.
	Name    string
	Summary string
	Query   []Parameter
	// Request and Response are zero values of the types of the bodies. Request is nil for a route
	// without a body.
	Request  any
	Response any
	Codes    []Code
}

// Parameter is one query parameter: a text, a number from Least, or a choice of Values, each once,
// separated by commas or repeated with the name.
type Parameter struct {
	Name     string
	Doc      string
	Required bool
	Values   []string
	// Text reports a text; Repeats reports that each of several values has its own name before it.
	Text, Repeats bool
	// Least is the smallest number.
	Least int
	// Most is the largest number, or the greatest length of a text. Zero means no maximum.
	Most int
	// Usual is the default number. Zero means no default.
	Usual int
	// Example is an int, a string, or a []string if there are Values or the parameter repeats.
	Example any
}

// ProposalPath is the prefix of the addresses of a proposal's documents. A sidecar answers for
// documents without a file.
const ProposalPath = "/api/v1/mips/"

// Routes returns the live endpoints in the order of the documentation. A site without a sidecar
// answers each of them with a 404 [Problem].
func Routes() []Route {
	ai := []Code{
		BadRequest, NotFound, MethodNotAllowed, TooLarge, UnsupportedMediaType, RateLimited,
		Internal, AIFailed, AIUnreadable, UpstreamUnavailable, AIDisabled, NotReady,
		UpstreamTimeout,
	}
	return []Route{
		{
			Method: http.MethodGet, Path: "/api/search", Name: "searchProposals",
			Summary: "The proposals, and the section of each, that have some words, with an " +
				"excerpt and the address to cite.",
			Query:    searchParameters(),
			Response: SearchResults{},
			Codes: []Code{
				BadRequest, NotFound, MethodNotAllowed, RateLimited, Internal, UpstreamUnavailable,
				NotReady, UpstreamTimeout,
			},
		},
		{
			Method: http.MethodGet, Path: "/api/forum-activity", Name: "getForumActivity",
			Summary: "How active a forum topic is.",
			Query: []Parameter{{
				Name: "topicId", Required: true, Least: 1, Example: 399,
				Doc: "The topic's number, from forumTopicId or any other of the site's forum.",
			}},
			Response: ForumActivity{},
			Codes: []Code{
				BadRequest, NotFound, MethodNotAllowed, RateLimited, Internal, UpstreamUnavailable,
				NotReady, UpstreamTimeout,
			},
		},
		{
			Method: http.MethodGet, Path: "/api/network-info", Name: "getNetworkInfo",
			Summary:  "Block heights of the site's networks.",
			Response: NetworkInfo{},
			Codes:    []Code{NotFound, MethodNotAllowed, RateLimited, Internal, NotReady},
		},
		{
			Method: http.MethodGet, Path: "/api/mip-watch", Name: "getMIPWatch",
			Summary: "Proposals, discussions, networks and hard forks in one answer.",
			Query: []Parameter{{
				Name: "parts", Values: WatchParts(), Example: []string{"forum", "networks"},
				Doc: "The members to answer with, in any order; without it all. freshness and " +
					"errors are always there. " +
					"parts=forum&parts=networks and parts=forum,networks are the same. " +
					"What the chosen members do not need is not asked of the forum and the " +
					"networks.",
			}},
			Response: MIPWatch{},
			Codes: []Code{BadRequest, NotFound, MethodNotAllowed, RateLimited, Internal,
				NotReady},
		},
		{
			Method: http.MethodPost, Path: "/api/ai-summary", Name: "createSummary",
			Summary: "What a proposal means for developers, users, validators and the " +
				"foundation, with evidence.",
			Request: SummaryRequest{}, Response: Summary{}, Codes: ai,
		},
		{
			Method: http.MethodPost, Path: "/api/ai-translate", Name: "createTranslation",
			Summary: "A proposal in another language; the English text is authoritative.",
			Request: TranslateRequest{}, Response: Translation{}, Codes: ai,
		},
	}
}

// searchParameters returns the parameters of GET /api/search.
func searchParameters() []Parameter {
	examples := map[string]string{"status": "final", "type": "core", "category": "core",
		"kind": "mip", "author": "ada"}
	out := []Parameter{
		{
			Name: "q", Required: true, Text: true, Most: LongestQuestion, Example: "base fee",
			Doc: "Words, identifiers, a number or an id, as on /search/, with filters such as " +
				"status:final in it. The last word may be the beginning of one, unless a blank " +
				"follows it. It may be empty where a filter is there.",
		},
		{
			Name: "limit", Least: 1, Most: MostHits, Usual: UsualHits, Example: UsualHits,
			Doc: "How many hits there are at most.",
		},
		{
			Name: "offset", Most: MostOffset, Example: UsualHits,
			Doc: "How many of what was found come before the first hit, none without it: 10 is " +
				"the second page of ten.",
		},
	}
	for _, name := range SearchFilters() {
		out = append(out, Parameter{
			Name: name, Text: true, Repeats: true, Most: LongestFilter,
			Example: []string{examples[name]},
			Doc: "Only proposals of this " + name +
				", in any case, with hyphens or blanks. Several of one name: any of them will do.",
		})
	}
	return out
}
