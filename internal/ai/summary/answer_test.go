package summary

import (
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// Answers of a summary to a group.
const (
	yes    = "needed"
	no     = "none"
	silent = "silent"
)

// answered returns the answer of a summary, with its quote.
func answered(x api.Axis) (answer, quote string) {
	switch {
	case x.ActionEvidence == nil:
		return silent, ""
	case x.ActionRequired:
		return yes, x.ActionEvidence.Quote
	}
	return no, x.ActionEvidence.Quote
}

// says returns a proposal with an abstract that concerns nobody and one more section.
func says(kind, title, text string) Subject {
	p := lamp()
	p.Category = &kind
	p.Sections = []mip.Section{
		{ID: "s-abstract", Level: 2, Title: "Abstract",
			Markdown: "## Abstract\n\nA lamp burns for a day and a night.\n\n"},
		{ID: "s-more", Level: 2, Title: title, Markdown: "## " + title + "\n\n" + text + "\n"},
	}
	return Subject{Proposal: p, Now: noon}
}

// TestAnswers checks for sentences alone in the section on compatibility whether a group has to
// act.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		a    axis
		want string
		text string
	}{
		// Duties.
		{validators, yes, "This change requires node operators to migrate their databases."},
		{developers, yes, "Wallet developers and node operators MUST update gas estimation " +
			"handling."},
		{validators, yes, "Wallet developers and node operators MUST update gas estimation " +
			"handling."},
		{validators, silent, "Validators must update their nodes before the fork."},
		{validators, silent, "Validators need to wait an epoch for updates of their commission."},
		{developers, yes, "Contracts of the old form will not be deployable, and their creation " +
			"will result in a failure."},
		{developers, yes, "However, contracts that allocate more than 8 MB of memory will now " +
			"revert."},
		{developers, yes, "Wallets must show the fee."},
		{developers, yes, "Wallets and tools that cache the price must forget it."},
		{developers, yes, "Wallets and oracles that compare the time with their own clock " +
			"need to " +
			"" +
			"allow for the drift."},
		{developers, yes, "Libraries which parse the old field will cease to work."},
		{developers, yes, "The new cost may cause existing contracts to run out of gas."},
		{developers, yes, "This change breaks contracts that hard-code the price of a call."},
		{developers, yes, "The change requires an update of all libraries that decode receipts."},
		{developers, yes, "Tooling that assumes a root in the first slot must be updated."},
		{developers, yes, "An indexer which reads logs by position has to be rewritten."},
		{developers, yes, "Contracts allocating more than 8 MB will now revert."},
		{developers, yes, "Programs needing less space must be extended by 10 KiB."},
		{developers, yes, "Contracts compiled for the old price of a call may run out of gas."},
		{developers, yes, "Wallets, nodes, explorers, and any logic that assumes a fixed price " +
			"must update."},
		{developers, yes, "Libraries (such as those of bridges) will have to be recompiled."},

		{developers, yes, "Contracts of the old form will be rejected."},
		{developers, yes, "Keys of such wallets will no longer be valid."},
		{users, yes, "Pending transactions that exceed the limit will be rejected."},
		{users, silent, "No pending transaction of a user will be rejected."},
		{users, silent, "This limits how many transactions of a user can be invalidated."},
		{validators, yes, "Block producers need to adjust the order of lamps."},
		{users, yes, "The change requires all users to migrate to new keys."},

		// Nodes that stay as they are drop out of the network.
		{validators, yes, "Nodes that have not updated stop at the first block of the new form."},
		{validators, yes, "Nodes older than version 3.0 are cut off from the network."},
		{validators, yes, "Clients that are not upgraded will not be able to validate blocks."},
		{validators, yes, "Legacy nodes that have not upgraded will reject the payload."},
		{validators, yes, "Old clients that ignore the new fields will treat blocks as malformed " +
			"and fork away."},
		{validators, silent, "Nodes that have not updated do not stop."},
		{validators, no, "Nodes that have not been updated can continue to use the old name."},
		{validators, silent, "Clients may delete headers that are older than a year."},

		// Nothing to do.
		{users, no, "Users do not have to act."},
		{users, no, "Users and wallets can maintain their usual workflows without modification."},
		{developers, no, "No changes are required to the execution layer or to existing on-chain " +
			"contracts."},
		{developers, no, "Since the data is appended, existing programs are unaffected."},
		{users, no, "No action is required from users."},
		{users, no, "The upgrade requires no action by users or wallets."},
		{developers, no, "Existing contracts are unaffected."},
		{developers, no, "All deployed contracts and wallets remain unchanged."},
		{developers, no, "No changes to existing contracts are needed."},
		{developers, no, "Existing contracts will not be affected."},
		{developers, no, "Existing contracts continue to work without modification."},
		{developers, no, "This proposal adds a new precompile and does not modify existing " +
			"behavior."},
		{developers, no, "The change does not break existing contracts."},
		{developers, no, "Wallets need no change."},
		{validators, no, "Validators are not required to upgrade."},
		{validators, no, "Node operators need not change their configuration."},
		{validators, no, "The change does not require validators to do anything."},
		{users, silent, "No Consensus Layer changes are required."},
		{validators, silent, "The protocol currently prohibits block producers from adding " +
			"transactions that fail."},

		// A reassurance that does not hold.
		{users, silent, "Users are not affected unless they hold more than one key."},
		{developers, silent, "Most existing contracts are unaffected."},
		{users, silent, "If users do not join, they are unaffected."},
		{developers, silent, "Existing contracts should be unaffected."},
		{validators, silent, "Validators do not need to upgrade until the second fork."},
		{users, silent, "Users are unaffected, except those of hardware wallets."},
		{developers, silent, "Bridges no longer need to keep a committee."},

		{validators, silent, "The change is not backwards compatible with validators of today."},

		// A duty of nobody in the group.
		{developers, silent, "Keys of wallets are not valid names."},
		{developers, silent, "No known use case of wallets is broken."},
		{developers, silent, "No parser, signer or other tool of a wallet is affected by it."},
		{developers, silent, "A larger limit is set, reducing the risk that contracts will no " +
			"longer work."},
		{developers, silent, "The change doesn't break wallets that sort by it."},
		{developers, silent, "With so few fields it is unlikely that any wallet will be affected."},
		{developers, silent, "Contracts are positively impacted by the new order."},
		{developers, silent, "Contracts may finish rather than running out of gas."},
		{users, silent, "Verifiers that read the sender's key must be updated."},
		{users, silent, "A command that is shown to users and tools will need to adapt to the " +
			"new " +
			"" +
			"field."},
		{validators, silent, "A node MUST answer with an error."},
		{validators, silent, "A validator MUST NOT vote for such a block."},
		{users, silent, "The user's balance must suffice."},
		{users, silent, "Users need no new wallet."},
		{users, silent, "Wallets must show the fee."},
		{users, silent, "Users should be able to choose a language."},
		{developers, silent, "`contract` must be set."},
		{developers, silent, "Wallets that want to show the name must ask the registry."},
		{developers, silent, "The header has four fields."},
		{users, no, "But neither of these changes break anything related to user activity."},
		{users, silent, "User agents must send the header."},
		{developers, silent, "If a wallet has no key it should say so."},
		{developers, silent, "No wallet must show the old fee."},
		{validators, silent, "Validators can stop broadcasting the certificate."},
		{validators, no, "Rolling out a new version does not break older clients, since they can " +
			"keep the old one."},
		{validators, silent, "Blocks produced by buggy validators may become invalid."},
		{foundation, silent, "The date is not known yet."},
	} {
		s := says("Core", "Backwards Compatibility", tt.text)
		sum := Extract(s)
		got, quote := answered(*axes(&sum)[tt.a])
		// A quote leaves out a connective at the beginning of its sentence.
		if got != tt.want || got != silent && quote != tt.text &&
			!strings.HasSuffix(tt.text, ", "+quote) && tt.text != "But "+quote {
			t.Errorf("%s of %q: %s, %q; want %s", tt.a, tt.text, got, quote, tt.want)
		}
		if err := Check(sum, s); err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

// TestAnswersByPlace checks the same words in other sections and kinds, and beside other sentences.
func TestAnswersByPlace(t *testing.T) {
	for _, tt := range []struct {
		kind, title string
		a           axis
		want        string
		text        string
	}{
		// A motivation is about the present, and a rationale about alternatives.
		{"Core", "Motivation", developers, silent, "Wallets must be updated for each new token."},
		{"Core", "Rationale", developers, silent,
			"With a second field all contracts would have to be redeployed."},
		{"Core", "Rationale", developers, silent, "Existing contracts are unaffected."},
		{"Core", "Rationale", developers, yes,
			"The list is sorted by price. This will break wallets that sort the list."},
		{"Core", "Rationale", developers, silent,
			"This would break wallets that sort by it, since they will fail."},
		{"Core", "Motivation", users, silent, "Users have to sign twice."},
		{"Core", "Rationale", developers, silent, "This approach breaks wallets that sort by it."},
		// A specification does not oblige those who have built something already.
		{"Core", "Specification", developers, silent,
			"Compilers must emit an operand behind the opcode."},
		{"Core", "Specification", validators, silent,
			"A node MUST reject a block with two such transactions."},
		{"Core", "Specification", validators, silent,
			"Operators MUST set the new flag before the fork."},
		{"Core", "Deployment", developers, silent,
			"Contracts MUST be deployed at such an address."},
		{"Interface", "Specification", developers, silent,
			"Wallets MUST reject a request without an id."},
		{"Interface", "Specification", developers, silent,
			"Wallets need to be updated before the old method goes."},
		{"Interface", "Backwards Compatibility", developers, yes,
			"Wallets must answer both methods for a year."},
		{"MRC", "Specification", developers, silent,
			"Contracts MUST return zero behind the deadline."},
		{"MRC", "Backwards Compatibility", developers, yes,
			"Wallets that show the old field will break."},
		{"MRC", "Backwards Compatibility", developers, silent,
			"Contracts MUST name the interface."},
		{"MRC", "Backwards Compatibility", developers, silent,
			"The cache of a contract MUST be updated by hand."},
		{"MRC", "Backwards Compatibility", developers, silent,
			"Verify that no contract has instructions which are not supported."},
		{"MRC", "Backwards Compatibility", developers, yes, "Wallets need to ask for a new key."},
		{"MRC", "Rationale", developers, silent, "The owner does not have to be a contract."},
		{"Informational", "Impact", developers, silent, "Wallets must be updated."},
		// A section on security has advice, and sometimes duties.
		{"Core", "Security Considerations", developers, silent,
			"Wallets should warn about such a key."},
		{"Core", "Security Considerations", validators, yes,
			"Operators need to adjust the memory limits of their nodes."},
		{"Core", "Security Considerations", developers, silent,
			"A block with two such contracts MUST be deemed invalid."},
		{"Core", "Security Considerations", users, silent, "Users should exercise caution."},
		{"Core", "Security Considerations", validators, silent,
			"Operators must ensure that their keys are safe."},
		{"Core", "Impact", validators, yes, "Validators must ensure that their account is funded."},
		{"Core", "Impact", developers, yes, "Tools that assume such a layout may need updating."},
		{"Core", "Impact", developers, silent,
			"Programs need to be redeployed to adopt this feature."},
		{"Core", "Security Considerations", validators, silent,
			"There must be time for a vote. This lets the builder update its block."},
		// One sentence against a reassurance is enough, and a duty counts anywhere.
		{"Core", "Backwards Compatibility", developers, yes,
			"Existing contracts are unaffected.\n\nTools that parse headers have to be updated."},
		{"Core", "Backwards Compatibility", developers, yes,
			"No action is required.\n\nContracts that read the length by hand will now revert."},
		{"Core", "Backwards Compatibility", developers, yes,
			"Existing contracts are unaffected.\n\nSome wallets may be affected by the new order."},
		{"Core", "Backwards Compatibility", developers, no,
			"Existing contracts are unaffected.\n\nUsers have to sign again."},
		{"Core", "Backwards Compatibility", users, yes,
			"Existing contracts are unaffected.\n\nUsers have to migrate to new keys."},
		{"Core", "Backwards Compatibility", validators, yes,
			"Validators have to do two things:\n\n- migrate the database of blocks\n- set the " +
				"flag of the new one"},
		// A reassurance counts beside changes if it is for the whole group and for now.
		{"Core", "Backwards Compatibility", developers, no,
			"The fee of contracts above 8 MB is doubled.\n\nExisting contracts are unaffected."},
		{"Core", "Backwards Compatibility", developers, silent,
			"The fee of contracts above 8 MB is doubled.\n\nContracts that are smaller are " +
				"unaffected."},
		{"Core", "Impact before activation", users, silent, "Users are unaffected."},
		{"Core", "Backwards Compatibility", validators, silent,
			"Older nodes are not affected immediately."},
		// The order of the words and the marks of Markdown do not matter.
		{"Core", "Backwards Compatibility", developers, yes,
			"All *wallets* that use [the list](#list) **must be updated**."},
		{"Core", "Backwards Compatibility", users, no,
			"As in all releases, users do not need to do anything."},
	} {
		s := says(tt.kind, tt.title, tt.text)
		sum := Extract(s)
		if got, quote := answered(*axes(&sum)[tt.a]); got != tt.want {
			t.Errorf("%s, %s, %s of %q: %s, %q; want %s", tt.kind, tt.title, tt.a, tt.text, got,
				quote, tt.want)
		}
	}
}

// TestQuotesStandAlone checks that a quote has a verb, and what it points at.
func TestQuotesStandAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		a          axis
		text, want string // empty: no quote
	}{
		"a list of names":     {users, "- the new holders of accounts", ""},
		"a name with another": {users, "- the new holders of stake (called users)", ""},
		"an item with a verb": {users, "- holders pay lower fees", "holders pay lower fees"},
		"a connective": {users, "However, holders pay lower fees.",
			"holders pay lower fees."},
		"nothing before": {users,
			"A lamp is no candle.\n\nThis reduces the fees of holders.", ""},
		"nothing is meant at the end": {users, "Holders of accounts pay lower fees for it.", ""},
		"the sentence before": {users, "A lamp has a wick. This reduces the fees of holders.",
			"A lamp has a wick. This reduces the fees of holders."},
		"two sentences before": {users,
			"A lamp has a wick. It burns slowly. This reduces the fees of holders.",
			"A lamp has a wick. It burns slowly. This reduces the fees of holders."},
		"a connective in the sentence before": {users,
			"But a lamp has a wick. This reduces the fees of holders.",
			"a lamp has a wick. This reduces the fees of holders."},
		"nothing before the sentence before": {users, "A lamp is no candle.\n\n" +
			"However, that means a longer wick. This reduces the fees of holders.", ""},
		"the end points back": {users, "A lamp has a wick. Holders pay lower fees for it.",
			"A lamp has a wick. Holders pay lower fees for it."},
		"the end points at the sentence itself": {users,
			"A lamp has a wick. Holders of a lamp pay lower fees for it.",
			"Holders of a lamp pay lower fees for it."},
		"too long before": {users, "A lamp has " + strings.Repeat("a very long wick and ", 12) +
			"oil. This reduces the fees of holders.", ""},
		"the beginning of a section": {users, "This reduces the fees of holders.",
			"This reduces the fees of holders."},
		"the document with its name": {users,
			"This Lamp Improvement Proposal reduces the fees of holders.",
			"This Lamp Improvement Proposal reduces the fees of holders."},
		"the document": {users, "This proposal reduces the fees of holders.",
			"This proposal reduces the fees of holders."},
	} {
		s := says("Core", "Impact", tt.text)
		sum := Extract(s)
		var got strings.Builder
		for _, e := range axes(&sum)[tt.a].Evidence {
			got.WriteString(e.Quote)
		}
		if got.String() != tt.want {
			t.Errorf("%s: quoted %q, want %q", name, got.String(), tt.want)
		}
		if err := Check(sum, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An abandoned proposal obliges nobody. A fork raises a severity and answers nothing. A sentence of
// one of several proposals holds for that proposal alone.
func TestAnswersAround(t *testing.T) {
	const must, idle = "Validators must migrate their keys.",
		"Validators are not required to upgrade."
	for _, status := range []mip.Status{mip.Withdrawn, mip.Stagnant} {
		for _, text := range []string{must, idle} {
			s := says("Core", "Backwards Compatibility", text)
			s.Proposal.Standing = status.Usual()
			sum := Extract(s)
			if got, _ := answered(sum.Validators); got != silent {
				t.Errorf("%s, %q: %s", status, text, got)
			}
		}
	}
	// The answer is from the text. A fork does not change it.
	for text, want := range map[string]string{"A lamp is lit at night.": silent, idle: no} {
		s := says("Core", "Backwards Compatibility", text)
		s.Fork = new(argand())
		sum := Extract(s)
		if got, _ := answered(sum.Validators); got != want || sum.Validators.Severity != api.High {
			t.Errorf("%q in a fork: %s, %s; want %s", text, got, sum.Validators.Severity, want)
		}
	}
	s := says("Meta", "Changes", "A lamp is lit at night.")
	s.Fork, s.Bundled = new(argand()), []*mip.Proposal{says("Core", "Backwards Compatibility",
		"Existing contracts are unaffected.").Proposal}
	s.Fork.MetaMIP, s.Bundled[0].ID.Number = &s.Proposal.Number, 12
	sum := Extract(s)
	if got, _ := answered(sum.Developers); got != silent {
		t.Errorf("a fork says %s for what it bundles", got)
	}
}

// A group that the text does not mention has no finding.
func TestNotStated(t *testing.T) {
	sum := Extract(says("Core", "Backwards Compatibility", "Validators must migrate their keys."))
	for a, x := range axes(&sum) {
		if want := axis(a) == validators; x.Stated != want || want != (len(x.Evidence) > 0) {
			t.Errorf("%s: stated %t with %d quotes, want %t", axis(a), x.Stated, len(x.Evidence),
				want)
		}
	}
}

// TestAcceptActions checks that the rules do not read a model's claim that a group has to act. Its
// quotes must be in the text, and a claim needs one of them.
func TestAcceptActions(t *testing.T) {
	const (
		must    = "Tools that parse headers have to be updated."
		idle    = "Users are unaffected."
		partial = "Validators are unaffected unless they keep archives."
		dim     = "Validators can see the lamp."
	)
	s := says("Core", "Backwards Compatibility", must+"\n\n"+idle+"\n\n"+partial+" "+dim)
	for _, tt := range []struct {
		a            axis
		claims       bool
		quote, named string
		answer, by   string
	}{
		{developers, true, must, must, yes, must},
		{developers, true, must, "", yes, must},
		{developers, true, must, "Invented by nobody.", yes, must},
		{developers, false, must, "", silent, ""},
		{users, false, idle, idle, no, idle},
		{users, false, idle, " Users are\nunaffected. ", no, idle},
		{users, false, idle, "", silent, ""},
		{users, false, idle, "Invented by nobody.", silent, ""},
		{users, true, idle, idle, yes, idle},
		{validators, false, partial, partial, no, partial},
		{validators, true, dim, dim, yes, dim},
		{foundation, true, "Invented by nobody.", "Invented by nobody.", silent, ""},
	} {
		sum := Extract(s)
		x := axes(&sum)[tt.a]
		*x = api.Axis{Impact: "As it is.", Severity: api.High, ActionRequired: tt.claims,
			Evidence: []api.Evidence{{Section: "s-more", Quote: tt.quote}}}
		if tt.named != "" {
			x.ActionEvidence = &api.Evidence{Section: "s-more", Quote: tt.named}
		}
		if err := Accept(&sum, s); err != nil {
			t.Errorf("%q for %s: %v", tt.quote, tt.a, err)
		}
		if answer, quote := answered(*x); answer != tt.answer || quote != tt.by {
			t.Errorf("%q for %s, claimed %t by %q: %s by %q, want %s by %q", tt.quote, tt.a,
				tt.claims, tt.named, answer, quote, tt.answer, tt.by)
		}
	}
}

// TestAnswersOfLongTexts checks that a text which is not read to its end reassures nobody, and that
// its read part counts.
func TestAnswersOfLongTexts(t *testing.T) {
	filler := strings.Repeat("A lamp is lit at night.\n\n", 10_000)
	for first, answer := range map[string]string{"Validators must migrate their keys.": yes,
		"Validators are not required to upgrade.": silent} {
		for text, want := range map[string]string{first + "\n\n" + filler: answer,
			filler + first: silent} {
			if got, _ := answered(Extract(says("Core", "Backwards Compatibility",
				text)).Validators); got != want {
				t.Errorf("%q in %d bytes: %s, want %s", first, len(text), got, want)
			}
		}
	}
}
