package api

import "github.com/mipwatch/mipwatch/internal/mip"

// Claim is a proposal's meaning for one group.
type Claim struct {
	Axis
	Group string `json:"group" doc:"developers, users, validators or foundation."`
	ID    mip.ID `json:"id" doc:"The proposal."`
	Title string `json:"title" doc:"Of the proposal; may hold Markdown backticks."`
	mip.Standing
	LastCallDeadline *mip.Date `json:"lastCallDeadline" doc:"The last day for comments in a last call, null for others."`

	Hardfork *string `json:"hardfork" doc:"The hard fork that bundles the proposal or whose meta proposal it is."`

	Activations []mip.NetworkActivation `json:"activations" doc:"When networks get that hard fork, as far as times are set: compare with the present."`

	Source string `json:"source" doc:"Who said so: a model's name, or extractive for rules."`
	URL    string `json:"url" doc:"The proposal's page."`
}

// Role is the body of GET /api/v1/for/{role}: the meaning of all proposals for one group.
type Role struct {
	Role   string   `json:"role" doc:"validators, developers or users."`
	Count  int      `json:"count" doc:"How many claims there are."`
	Claims []Claim  `json:"claims" doc:"What comes next first, then what came last, then what is in no upgrade; nothing of a withdrawn proposal."`
	Silent []mip.ID `json:"silent" doc:"Proposals of which no sentence was found that speaks of the group, ascending."`
}

// Roles returns the groups with a page and a document of their own.
func Roles() []string { return []string{"validators", "developers", "users"} }

// Claims returns the claims of a summary, one for each group in the order of the summary, including
// groups that the text does not mention.
func (s Summary) Claims(m mip.Metadata) (out []Claim) {
	for _, of := range []struct {
		group string
		axis  Axis
	}{{"developers", s.Developers}, {"users", s.Users}, {"validators", s.Validators},
		{"foundation", s.Foundation}} {
		out = append(out, Claim{of.axis, of.group, m.ID, m.Title, m.Standing, m.CommentsUntil(),
			m.Hardfork, m.Activations, s.Source, m.URL})
	}
	return out
}
