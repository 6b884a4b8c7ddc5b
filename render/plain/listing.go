package plain

import (
	"net/url"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Listing is the proposals that share one value of a field, for their page or their feed.
type Listing struct {
	Kind      string // status, category, type or author; of a feed upgrade, too
	Value     string // as written, of an author the name; empty: the proposals that have none
	Slug      string // its path segment
	Summaries []mip.Summary
}

// Route is where the list's page lies.
func (l Listing) Route() string { return "/" + l.Kind + "/" + url.PathEscape(l.Slug) + "/" }

// Explain gives a listing its heading and says what its value means. A value outside the process is said to be unknown:
// its meaning is the authors' affair.
func Explain(kind, value string) (heading, meaning string) {
	status := mip.Status(value)
	switch {
	case kind == "author":
		return "Proposals by " + value, "Every proposal that names this author, by number."
	case kind == "upgrade":
		return value + " upgrade", "The proposals that the " + value + " network upgrade activates, and the one that says so."
	case value == "":
		return "Proposals without a " + kind, "The headers of these proposals state no " + kind + "."
	case kind == "status" && status.Known():
		return value + " proposals", StatusMeaning(status)
	case kind == "status":
		return "Status: " + value, "This is not one of the statuses of the process. It is shown as the headers have it."
	}
	heading = "Category: " + value
	if kind == "type" {
		heading = "Type: " + value
	}
	return heading, valueMeaning(kind, value)
}

// StatusMeaning explains a status of the process; empty for any other.
func StatusMeaning(s mip.Status) string {
	switch s {
	case mip.Draft:
		return "An early text. Anything in it may still change, and comments help most now."
	case mip.Review:
		return "The authors think that the text is complete and ask others to examine it."
	case mip.LastCall:
		return "The last round of comments. If none of weight comes by the deadline, the text becomes final."
	case mip.Final:
		return "Accepted. The text is frozen but for corrections that do not change its meaning."
	case mip.Living:
		return "Kept up to date for as long as it is in use, and never frozen."
	case mip.Stagnant:
		return "Nobody has moved it forward for a long time. Its authors, or new ones, may take it up again."
	case mip.Withdrawn:
		return "Given up by its authors. The idea may come back, but under a new number."
	}
	return ""
}

// valueMeaning explains a type or a category.
func valueMeaning(kind, value string) string {
	switch kind + " " + mip.Slug(value) {
	case "type standards-track":
		return "Changes that implementations have to agree on."
	case "type meta":
		return "Proposals about the process, or the list of what a network upgrade bundles."
	case "type informational":
		return "Guidance and background that nobody is obliged to follow."
	case "category core":
		return "Changes of the protocol itself: execution, consensus, gas. Every node has to follow them."
	case "category networking":
		return "How nodes find each other and what they say to each other."
	case "category interface":
		return "What clients offer to the outside, such as RPC methods."
	case "category mrc", "category erc":
		return "Standards for applications and contracts. No node has to change."
	case "category process":
		return "How proposals and decisions are made."
	case "category hardfork", "category meta":
		return "Proposals about proposals, such as the list of what a network upgrade bundles."
	}
	return "Proposals whose header gives the " + kind + " “" + value + "”."
}
