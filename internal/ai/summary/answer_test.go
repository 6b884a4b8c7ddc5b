package summary

import "testing"

// TestAnswers holds what a sentence answers a group that asks whether it has to do something.
func TestAnswers(t *testing.T) {
	words := map[answer]string{unsaid: "unsaid", none: "none", look: "look", asked: "needed", needed: "needed"}
	for _, tt := range []struct {
		a    axis
		want answer
		text string
	}{
		// Duties.
		{validators, needed, "Validators must upgrade their nodes before activation."},
		{validators, needed, "Node operators have to restart with the new flag."},
		{validators, needed, "Operators of nodes are required to upgrade."},
		{validators, needed, "Potentially concurrency limits for RPC nodes should be adjusted to prevent running out of memory."},
		{validators, needed, "Every node needs to be updated before the first block of the fork."},
		{validators, needed, "This change requires node operators to migrate their databases."},
		{validators, needed, "A node upgrade is required before the date."},
		{validators, needed, "It is mandatory for all validators to upgrade in time."},
		{validators, needed, "Upgrade all nodes before Tuesday."},
		{validators, needed, "A validator that has not updated stops following the chain at the first block that its rules reject."},
		{validators, needed, "Nodes older than Wick 3.0 stop at the first block of GLOW."},
		{validators, needed, "Non-upgraded nodes will be forked off the network."},
		{validators, needed, "Validators will need more memory to hold the two trees."},
		{validators, needed, "Wallet developers and node operators MUST update gas estimation handling."},
		{developers, needed, "Wallet developers and node operators MUST update gas estimation handling."},
		{validators, needed, "The header gains a field, so every client and every tool that hashes headers changes."},
		{developers, needed, "The header gains a field, so every client and every tool that hashes headers changes."},
		{developers, needed, "However, contracts that allocate more than 8 MB of memory will now revert."},
		{developers, needed, "Contracts that assume 64 blocks break."},
		{developers, needed, "Wallets must show the fee."},
		{developers, needed, "Wallets and tools that cache it must forget it."},
		{developers, needed, "Wallets, explorers and bridges should be updated."},
		{developers, needed, "Wallets and oracles that compare the time with their own clock need to allow for the drift."},
		{developers, needed, "Libraries which parse the old field will cease to work."},
		{developers, needed, "The new cost may cause existing contracts to run out of gas."},
		{developers, needed, "This change breaks contracts that hard-code the price of a call."},
		{developers, needed, "It requires an update of all libraries that decode receipts."},
		{developers, needed, "Contracts and services that verify proofs (bridges, light clients) require coordinated upgrades."},
		{developers, needed, "Tooling that assumes a root in the first slot must be updated."},
		{developers, needed, "The polling intervals of indexers should be lowered."},
		{developers, needed, "An indexer which reads logs by position has to be rewritten."},
		{users, needed, "Users have to sign again."},
		{users, needed, "Holders who have approved need to approve again."},
		{users, needed, "Token holders should migrate their balances within a year."},
		{users, needed, "After the fork, users must move funds out of the old vault."},
		{foundation, needed, "An editor must merge it."},
		{foundation, needed, "The foundation has to announce the date four weeks ahead."},

		// Nothing to do, and said so.
		{users, none, "Users do not have to act."},
		{users, none, "No action is required from users."},
		{users, none, "Users don't need to do anything."},
		{users, none, "The upgrade requires no action by users or wallets."},
		{developers, none, "Existing contracts are unaffected."},
		{developers, none, "All deployed contracts and wallets remain unchanged."},
		{developers, none, "No changes to existing contracts are needed."},
		{developers, none, "Existing contracts will not be affected."},
		{developers, none, "Existing contracts continue to work without modification."},
		{developers, none, "This proposal adds a new precompile and does not modify existing behavior."},
		{developers, none, "The change does not break existing contracts."},
		{developers, none, "No existing contract is affected."},
		{developers, none, "Wallets need no change."},
		{validators, none, "Validators are not required to upgrade."},
		{validators, none, "Node operators need not change their configuration."},
		{validators, none, "It does not require validators to do anything."},
		{validators, none, "No action is required."},

		// A no that is none.
		{users, look, "Users are not affected unless they hold more than one key."},
		{developers, unsaid, "Wallets which read the length from a node are unaffected."},
		{developers, unsaid, "ERC-20 contracts are unaffected."},
		{developers, look, "Most existing contracts are unaffected."},
		{developers, unsaid, "Existing contracts should be unaffected."},
		{validators, unsaid, "Validators do not need to upgrade until the second fork."},
		{validators, unsaid, "Validators do not need to upgrade their disks."},
		{users, unsaid, "Users do not need to pay a second fee."},
		{users, unsaid, "Users are unaffected, except those of hardware wallets."},
		{developers, needed, "Existing contracts are unaffected; wallets, however, must be updated."},
		{developers, unsaid, "Bridges no longer need to keep a committee."},

		// A yes that is none.
		{validators, look, "A node MUST answer with an error."},
		{validators, unsaid, "A validator MUST NOT vote for such a block."},
		{users, unsaid, "The user's balance must suffice."},
		{users, unsaid, "Users need no new wallet."},
		{users, unsaid, "Wallets must show the fee."},
		{users, unsaid, "Users should be able to choose a language."},
		{developers, unsaid, "`contract` must be set."},
		{developers, unsaid, "Wallets that want to show the name must ask the registry."},
		{developers, unsaid, "To use the new field, contracts must call the precompile."},
		{developers, unsaid, "Currently, contracts must poll for the result."},
		{developers, unsaid, "The contract must return 32 bytes."},
		{developers, look, "The size of contracts must exceed zero."},
		{developers, unsaid, "The header has four fields."},
		{foundation, unsaid, "The date is not known yet."},
	} {
		if got := answerOf(tt.text, tt.a); words[got] != words[tt.want] {
			t.Errorf("answerOf(%q, %s) = %s, want %s", tt.text, tt.a, words[got], words[tt.want])
		}
	}
}
