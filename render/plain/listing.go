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

// Explain gives a listing its heading and says what its value means. A value that the process does
// not know is said to be unknown: its meaning is the authors' affair.
func Explain(kind, value string) (heading, meaning string) {
	switch kind {
	case "author":
		return "Proposals by " + value, "Every proposal that names this author, by number."
	case "upgrade":
		return value + " upgrade", "The proposals that the " + value + " network upgrade activates, and the one that says so."
	case "status":
		s := mip.Status(value)
		switch {
		case s == "":
			return "Proposals without a status", "The headers of these proposals state no status."
		case !s.Known():
			return "Status: " + value, "This is not one of the statuses of the process. It is shown as the headers have it."
		}
		return value + " proposals", StatusMeaning(s)
	case "category":
		if value == "" {
			return "Proposals without a category", "The headers of these proposals state no category."
		}
		return "Category: " + value, categoryMeaning(value)
	}
	if value == "" {
		return "Proposals without a type", "The headers of these proposals state no type."
	}
	return "Type: " + value, typeMeaning(value)
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

func categoryMeaning(category string) string {
	switch mip.Slug(category) {
	case "core":
		return "Changes of the protocol itself: execution, consensus, gas. Every node has to follow them."
	case "networking":
		return "How nodes find each other and what they say to each other."
	case "interface":
		return "What clients offer to the outside, such as RPC methods."
	case "mrc", "erc":
		return "Standards for applications and contracts. No node has to change."
	case "process":
		return "How proposals and decisions are made."
	case "hardfork", "meta":
		return "Proposals about proposals, such as the list of what a network upgrade bundles."
	}
	return "Proposals whose header gives the category “" + category + "”."
}

func typeMeaning(kind string) string {
	switch mip.Slug(kind) {
	case "standards-track":
		return "Changes that implementations have to agree on."
	case "meta":
		return "Proposals about the process, or the list of what a network upgrade bundles."
	case "informational":
		return "Guidance and background that nobody is obliged to follow."
	}
	return "Proposals whose header gives the type “" + kind + "”."
}
