package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// TestMarks checks each mark: of two sentences that differ by it alone, one is taken for a group,
// or as a change, and the other is not.
func TestMarks(t *testing.T) {
	const change = "change"
	for _, tt := range []struct{ mark, title, for_, taken, left string }{
		{"named", "Impact", "developers", "Wallets lose a second field of each key.",
			"Houses lose a second field of each key."},
		{"with a hyphen", "Impact", "developers", "JSON-RPC methods lose a field of each.",
			"JSON-LD methods lose a field of each."},
		{"of two words", "Impact", "validators", "Block-production is simplified.",
			"Lamp-production is simplified."},
		{"fees", "Impact", "users", "The fees of lamps are doubled by 12 %.",
			"The fees that validators get are doubled by 12 %."},
		{"near", "Impact", "users", "The fee of each transaction is reduced by 12 %.",
			"The fee of each block is reduced by 12 %."},
		{"break", "Rationale", "developers", "The cut breaks all wallets and contracts by 12 %.",
			"This keeps all wallets and contracts by 12 %."},
		{"gone", "Specification", "validators",
			"Validators remove and replace the old key, which attacks need.",
			"Validators sign with and show the old key, which all need."},
		{"number", "Abstract", "users", "For users the price is 128 here.",
			"The fee and the price are here."},
		{"effect", "Backwards Compatibility", "validators", "Validators raise the bar of it.",
			"Validators see the bar of it."},
		{"excluded", "Changes", change, "It includes:\n\n- Reduce the cap of it to 5 lamps.",
			"It does not include:\n\n- Reduce the cap of it to 5 lamps."},
		{"becomes", "Specification", change, "The cap of it is lowered to 5 lamps.",
			"The cap of it lies below all lamps."},
		{"verb", "Specification", change, "Set the cap of a lamp to one flame.",
			"A cap of a lamp is one flame of it."},
		{"self", "Abstract", change, "This proposal gives each lamp a flame.",
			"Each of the lamps is given a flame."},
		{"now", "Specification", change, "Reduce the cap of lamps to 5 flames.",
			"Reduce the current cap of lamps."},
		{"today", "Motivation", "developers", "A wallet here must show a key.",
			"A wallet today must show a key."},
		{"maybe", "Specification", change, "Add a flame of 128 to each lamp.",
			"A lamp could add a flame of 128."},
		{"other", "Abstract", change, "Add the fee that MIP-9 has to 5 lamps.",
			"MIP-9 does add the fee of its lamps."},
		{"fork", "Abstract", change, "Add a flame that requires a new lamp.",
			"Add what requires a network upgrade."},
		{"supposed", "Abstract", change, "Add a second flame to each of them.",
			"Suppose that lamps add a flame here."},
		{"question", "Abstract", change, "Add a second flame to each of them.",
			"Would they add one to each of them?"},
	} {
		for text, want := range map[string]bool{tt.taken: true, tt.left: false} {
			s := says("Core", tt.title, text)
			if tt.for_ == change { // three better points, since a weak one fills up
				s.Proposal.Sections = append(s.Proposal.Sections, mip.Section{ID: "s-strong",
					Level: 2, Title: "Specification",
					Markdown: "Set the wick of inns to 10 inches.\n\nRemove candles of churches " +
						"by 300.\n\nAdd torches from 9 gates to 12.\n"})
			}
			sum := Extract(s)
			own := text[strings.LastIndex(text, "- ")+1:]
			got := slices.ContainsFunc(sum.WhatsChanging,
				func(p string) bool { return strings.Contains(p, strings.TrimSpace(own)) })
			for a, x := range axes(&sum) {
				if axis(a).String() == tt.for_ {
					got = x.Stated
				}
			}
			if got != want {
				t.Errorf("%s: %q is taken for %s: %t", tt.mark, text, tt.for_, got)
			}
		}
	}
}

// Between contracts an operator or a node is no validator: an operator is someone an owner trusts,
// and a node may be part of a tree.
func TestMarksOfConvention(t *testing.T) {
	for text, both := range map[string]bool{
		"An operator moves 128 lamps at once.":        false,
		"Each node of the tree is allowed two lamps.": false,
		"A reward is added for staking lamps.":        false,
		"Block builders reject lamps without a wick.": true,
	} {
		for kind, want := range map[string]bool{"Core": true, "MRC": both} {
			if sum := Extract(says(kind, "Abstract", text)); sum.Validators.Stated != want {
				t.Errorf("%s, %q: stated for validators: %t", kind, text, sum.Validators.Stated)
			}
		}
	}
}

// A specification binds those who follow it: authors of contracts for a convention, else operators
// of nodes. The abstract of a proposal for them alone need not name them.
func TestMarksOfDuty(t *testing.T) {
	for _, tt := range []struct {
		title, text            string
		convention, developers bool // for developers of a convention, and of a core proposal
		validators             bool // of a core proposal
	}{
		{"Specification", "Contracts MUST answer with the wick of a lamp.", true, false, false},
		{"Specification", "Contracts answer with the wick of a lamp.", false, false, false},
		{"Specification", "MUST be read by a contract that has a lamp.", false, false, false},
		{"Specification", "Nodes MUST drop a lamp without a wick.", false, false, true},
		{"Specification", "Nodes drop a lamp without a wick.", false, false, false},
		{"Abstract", "Lamps are extended by the wick of a lamp.", true, false, false},
		{"Motivation", "Lamps are extended by the wick of a lamp.", false, false, false},
	} {
		quotes := func(kind string, of axis) bool {
			sum := Extract(says(kind, tt.title, tt.text))
			return slices.ContainsFunc(axes(&sum)[of].Evidence,
				func(e api.Evidence) bool { return e.Quote == tt.text })
		}
		got := [...]bool{quotes("MRC", developers), quotes("Core", developers), quotes("Core",
			validators)}
		if want := [...]bool{tt.convention, tt.developers, tt.validators}; got != want {
			t.Errorf("%s, %q: quoted %t, want %t", tt.title, tt.text, got, want)
		}
		if quotes("MRC", validators) {
			t.Errorf("%s, %q: quoted for validators of a convention", tt.title, tt.text)
		}
	}
}

// A sentence that points back is quoted with the one before it, and both once. The dependencies of
// a proposal are not part of its changes.
func TestMarksOfPlace(t *testing.T) {
	for _, tt := range []struct {
		title, text string
		want        []string
	}{
		{"Impact", "A lamp without oil goes out. Its contracts are removed.",
			[]string{"A lamp without oil goes out. Its contracts are removed."}},
		{"Impact", "Wallets have to deal with new lamps. This may break tools that count them.",
			[]string{"Wallets have to deal with new lamps. This may break tools that count them."}},
		{"Impact", "Wallets must be updated for new lamps. This is as it was for candles.",
			[]string{"Wallets must be updated for new lamps."}},
		{"Dependencies", "MIP-4 adds 128 instructions that wallets need.", []string{}},
	} {
		sum := Extract(says("Core", tt.title, tt.text))
		got := []string{}
		for _, e := range sum.Developers.Evidence {
			got = append(got, e.Quote)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s, %q: quoted for developers: %q", tt.title, tt.text, got)
		}
	}
}
