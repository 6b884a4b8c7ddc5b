package ai

import (
	"slices"
	"strings"
	"unicode"
)

// axis is one of the four groups that a summary speaks to.
type axis int

const (
	developers axis = iota
	users
	validators
	foundation
)

// vocabulary are the words of the field by which a sentence is seen to speak of a group, in the
// singular and in lower case, as [words] makes them. A phrase is found as a whole.
type vocabulary struct {
	group []string // the people themselves, or what they alone work with
	field []string // what they care about, and others too
}

// vocabularies returns the words of each axis.
func vocabularies() [4]vocabulary {
	return [...]vocabulary{
		developers: {
			group: list("developer, contract, smart contract, dapp, compiler, sdk, library, tooling, tool, toolchain, solidity, vyper, yul, bytecode, abi, precompile, precompiled contract, opcode, json-rpc, rpc, indexer, explorer, " +
				"integrator, implementer, implementor, application, app, interface, oracle, bridge, rollup, debugger, static analysis, program, syscall, instruction, deployer, websocket"),
			field: list("gas, function, method, event, code, call, storage, memory, selector, evm, api, subscription, endpoint, stack, revert, address, signature, encoding, library, token, standard, backward compatible, callback, parameter, hash"),
		},
		users: {
			group: list("user, wallet, holder, owner, sender, recipient, trader, account holder, people, person, customer, consumer, exchange, spender, payer, buyer, seller, delegator, hardware wallet, end user, end-user"),
			field: list("fee, gas price, transaction, balance, transfer, allowance, approval, account, pay, payment, sign, nonce, swap, token, cost, price, fund, private key, seed phrase, name, address, bidding, privacy, deposit, withdrawal, raise, lower, cheaper, expensive, percent"),
		},
		validators: {
			group: list("validator, node, full node, node operator, operator, miner, proposer, staker, attester, builder, block producer, leader, peer, archive node, light client, sequencer, client, client implementation, execution client, consensus client"),
			field: list("block, epoch, header, vote, consensus, hardware, bandwidth, sync, mempool, transaction pool, txpool, chain, gossip, disk, database, snapshot, finality, slot, state, stake, network, certificate, datagram, p2p, latency, cpu, memory, " +
				"fork, reorg, reorganisation, propagation, slashing, slashed"),
		},
		foundation: {
			group: list("foundation, governance, treasury, steward, coordination, coordinate, core developer, working group, council, dao, maintainer, organisation, organization, activation time, activation date, testnet date, mainnet date"),
			field: list("hard fork, hardfork, upgrade, activation, activate, testnet, mainnet, deployment, deploy, release, roadmap, timeline, schedule, date, announcement, ecosystem, adoption, issuance, inflation, supply, reward, staking, budget, grant, " +
				"committee, process, community, status, standardization, standardisation, audit, migration, rollout, registry, incident, decision, draft, review, last call, final"),
		},
	}
}

func list(s string) []string { return strings.Split(s, ", ") }

// words is a text as the vocabularies see it: lower case, words in the singular, one blank around each.
func words(text string) string {
	text = uncoded(text)
	var b strings.Builder
	b.WriteByte(' ')
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' && c != '/'
	}) {
		b.WriteString(singular(w))
		b.WriteByte(' ')
	}
	return b.String()
}

// uncoded is a text with its code left out: a parameter named owner speaks of nobody.
func uncoded(text string) string {
	if !strings.Contains(text, "`") {
		return text
	}
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// singular takes the s from a word's end where that makes a singular or a verb's stem.
func singular(w string) string {
	switch {
	case len(w) <= 3 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches"):
		return w[:len(w)-2]
	}
	return w[:len(w)-1]
}

// mentions counts the different terms of a vocabulary in a text made by [words], and says whether one
// of the group is named in the first half of the text, where a sentence has its subject.
func (v vocabulary) mentions(text string) (group, field int, subject bool) {
	for _, t := range v.group {
		if i := strings.Index(text, " "+t+" "); i >= 0 {
			group++
			subject = subject || strings.Count(text[:i], " ") <= 4
		}
	}
	for _, t := range v.field {
		if strings.Contains(text, " "+t+" ") {
			field++
		}
	}
	return group, field, subject
}

// hasAny reports whether a text made by [words] holds one of the terms.
func hasAny(text string, terms ...string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return strings.Contains(text, " "+t+" ") })
}

// vocabulariesOf fits the words of the axes to a kind of proposal: where it is about what talks to a
// node, a client is no node; where it is about the process, authors and editors are its stewards.
func vocabulariesOf(k kind) [4]vocabulary {
	v := vocabularies()
	drop := func(a axis, terms ...string) {
		v[a].group = slices.DeleteFunc(v[a].group, func(t string) bool { return slices.Contains(terms, t) })
	}
	switch k {
	case interfaces, convention:
		v[developers].group = append(v[developers].group, "client", "subscription", "request")
		v[foundation].field = nil
		drop(validators, "client")
	case networking:
		drop(users, "sender", "recipient", "owner") // of packets
	case process:
		v[foundation].group = append(v[foundation].group, "editor", "author", "reviewer", "pull request", "champion", "committee", "process", "community")
	}
	return v
}
