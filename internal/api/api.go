// Package api is the wire contract of the live endpoints: the types of their responses, the problem
// type of their errors and the table of their routes. It does not know how a response is computed.
// It imports the standard library and internal/mip only.
package api

import "github.com/mipwatch/mipwatch/internal/mip"

// ForumActivity is the body of GET /api/forum-activity, and an element of [MIPWatch.Forum].
type ForumActivity struct {
	TopicID       int       `json:"topicId" doc:"The forum's number of the topic."`
	Title         string    `json:"title" doc:"Plain text."`
	URL           string    `json:"url" doc:"The topic for people."`
	ActivityScore int       `json:"activityScore" doc:"0 to 100, from posts, participants, likes, views and how recent the last post is."`
	Posts         int       `json:"posts" doc:"All posts, the first included."`
	Replies       int       `json:"replies" doc:"Posts less one."`
	Participants  int       `json:"participants" doc:"People who posted."`
	Views         int       `json:"views" doc:"As the forum counts them."`
	Likes         int       `json:"likes" doc:"Of all posts."`
	CreatedAt     mip.Time  `json:"createdAt" doc:"When the topic was opened."`
	LastPostedAt  *mip.Time `json:"lastPostedAt" doc:"The newest post, null when the forum does not say."`
	Closed        bool      `json:"closed" doc:"No more replies."`
	Archived      bool      `json:"archived" doc:"Frozen."`
	FetchedAt     mip.Time  `json:"fetchedAt" doc:"When these figures were true."`
	Stale         bool      `json:"stale" doc:"The forum did not answer and these figures are older than their lifetime."`

	Proposals []ProposalRef `json:"proposals,omitempty" doc:"In /api/mip-watch only: the proposals that link to it, by number."`
}

// ProposalRef identifies a proposal: an element of [ForumActivity.Proposals].
type ProposalRef struct {
	Number int    `json:"number" doc:"Its number."`
	ID     mip.ID `json:"id" doc:"Prefix and number."`
	Title  string `json:"title" doc:"As in listProposals."`
}

// NetworkInfo is the body of GET /api/network-info.
type NetworkInfo struct {
	Networks map[string]NetworkStatus `json:"networks" doc:"By network id."`
}

// NetworkStatus is the head of one chain. Unknown values are null.
type NetworkStatus struct {
	Name            string        `json:"name" doc:"For people."`
	ChainID         uint64        `json:"chainId" doc:"EIP-155 chain id, as configured."`
	Status          NetworkHealth `json:"status" doc:"ok, stale (figures older than their lifetime, or a head that does not advance) or unavailable."`
	BlockHeight     *uint64       `json:"blockHeight" doc:"The latest block."`
	FinalizedHeight *uint64       `json:"finalizedHeight" doc:"The latest finalized block."`
	BlockTime       *mip.Time     `json:"blockTime" doc:"Time stamp of the latest block."`
	FetchedAt       *mip.Time     `json:"fetchedAt" doc:"When these figures were true."`
	Stale           bool          `json:"stale" doc:"Older than their lifetime, or the head does not advance."`
	Regressed       bool          `json:"regressed" doc:"The height is lower than one seen before."`
	Error           *string       `json:"error" doc:"A code, when the last attempt failed."`

	// Recent lists heads by height, lowest first. It is never nil.
	Recent []Head `json:"recent" doc:"Heads seen of late, at most 40, each higher than the one before; few in a young process."`
}

// Head is a block that was the latest of its chain when it was read.
type Head struct {
	BlockHeight uint64   `json:"blockHeight" doc:"Its number."`
	BlockTime   mip.Time `json:"blockTime" doc:"Its time stamp."`
}

// NetworkHealth is the state of [NetworkStatus].
type NetworkHealth string

// States of a network.
const (
	NetworkOK          NetworkHealth = "ok"
	NetworkStale       NetworkHealth = "stale"
	NetworkUnavailable NetworkHealth = "unavailable"
)

// MIPWatch is the body of GET /api/mip-watch: all data of a dashboard in one answer, or the
// requested parts. A part that was not requested is nil; a requested part without data is empty.
type MIPWatch struct {
	MIPs          []mip.Metadata           `json:"mips,omitzero" doc:"As in listProposals; forumTopicId is also there for links to the forum that hold no number."`
	Forum         []ForumActivity          `json:"forum,omitzero" doc:"The topics that proposals link to, hottest first."`
	Networks      map[string]NetworkStatus `json:"networks,omitzero" doc:"By network id."`
	HardForks     []mip.HardFork           `json:"hardforks,omitzero" doc:"With status against the chains' own time."`
	Discrepancies []Discrepancy            `json:"discrepancies,omitzero" doc:"Where texts and chains disagree."`
	Compared      *mip.Compared            `json:"compared,omitzero" doc:"What discrepancies were looked for in; there with them."`
	AI            *Offers                  `json:"ai,omitzero" doc:"What this sidecar makes of a text."`
	Freshness     Freshness                `json:"freshness" doc:"When each part was true; null for one that was never true or not asked for."`

	// Errors is never nil.
	Errors map[string]Code `json:"errors" doc:"Code by what failed of the forum and the networks; empty when all is well."`
}

// WatchParts returns the members of [MIPWatch] that the parameter parts accepts, in order.
func WatchParts() []string {
	return []string{"mips", "forum", "networks", "hardforks", "discrepancies", "ai"}
}

// Offers reports which AI routes use a model. Committed summaries and translations are served
// without one.
type Offers struct {
	Summaries    bool `json:"summaries" doc:"POST /api/ai-summary asks a model for what is not committed; false: it answers what summaryUrl does."`
	Translations bool `json:"translations" doc:"POST /api/ai-translate asks a model for what is not committed."`
}

// Discrepancy is one disagreement between a proposal's text and the network.
type Discrepancy struct {
	ID       mip.ID  `json:"id" doc:"The proposal, published or not."`
	MIP      *int    `json:"mip" doc:"Its number; null for one of another kind than the main one."`
	Hardfork *string `json:"hardfork" doc:"The hard fork."`
	Network  *string `json:"network" doc:"The network's id, null where none matters."`
	Code     string  `json:"code" doc:"What disagrees, such as active-not-final or last-call-overdue: see the guide for integrators."`
	Message  string  `json:"message" doc:"What disagrees, with the evidence."`
}

// Freshness holds the time as of which each part of [MIPWatch] is valid, null if it was never read
// or not requested.
type Freshness struct {
	MIPs      *mip.Time `json:"mips" doc:"Newest change of a proposal."`
	Forum     *mip.Time `json:"forum" doc:"Oldest of the forum figures."`
	Networks  *mip.Time `json:"networks" doc:"Oldest of the network figures."`
	HardForks *mip.Time `json:"hardforks" doc:"The time that fork states were judged at."`
}
