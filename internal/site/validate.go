package site

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// validate adds a problem for each value that breaks a rule, alone or in combination with another.
// It normalizes addresses and folders. decode has checked that text is one line and that numbers
// are numbers.
func (f *file) validate(p *parser) {
	p.required("", "title", "base_url")
	f.BaseURL = p.baseURL("base_url", f.BaseURL)
	p.check("prefix", checkPrefix(f.Prefix))
	p.proposals("proposals", f.Proposals)
	f.validateKinds(p)
	f.setFromKinds()
	p.check("source_url", checkSource(f.SourceURL))
	const hosts = "rewrites, cloudflare for Cloudflare Pages, or plain for a host that knows no " +
		"rules, such as GitHub Pages"
	p.check("host", match(string(f.Host), `^(?:rewrites|plain|cloudflare)$`, hosts))
	if f.Upstream != nil {
		f.Upstream.validate(p)
	}
	p.required("forum", "base_url")
	f.Forum.BaseURL = p.baseURL("forum.base_url", f.Forum.BaseURL)
	f.validateNetworks(p)
	f.validateForks(p)
	f.validateOverrides(p)
	p.list("locales", f.Locales, checkLocale)
	p.list("redirects", f.Redirects, checkRedirect)
	p.list("ignore", f.Ignore, checkPattern)
	f.Brand.validate(p)
	f.validateStatuses(p)
	f.validateKeys(p)
	f.validateReferences(p)
	f.validateUpgrades(p)
}

// validateKinds checks the kinds of proposals. Kinds may share a folder: names and headers
// distinguish them.
func (f *file) validateKinds(p *parser) {
	if p.lines["kinds"] > 0 && len(f.Kinds) == 0 {
		p.check("kinds",
			errors.New("no kind; leave it out, or list such as {prefix: MIP, proposals: [MIPs]}"))
	}
	pages := map[string]string{}
	for i, k := range f.Kinds {
		name := item("kinds", i)
		p.required(name, "prefix", "proposals")
		p.check(name+".prefix", checkPrefix(k.Prefix))
		p.once(pages, name+".prefix", strings.ToLower(k.Prefix))
		p.proposals(name+".proposals", k.Proposals)
	}
	for _, key := range []string{"prefix", "proposals"} {
		if len(f.Kinds) > 0 {
			p.check(key, errors.New("kinds has those of every kind; remove one of the two"))
		}
	}
}

// validateStatuses checks the process. Each word stands for one status, and each address for one
// list.
func (f *file) validateStatuses(p *parser) {
	words, pages := map[string]string{}, map[string]string{}
	for i, s := range f.Statuses {
		name := item("statuses", i)
		p.required(name, "name", "stage")
		if !slices.Contains(mip.Stages(), s.Stage) {
			p.check(name+".stage", fmt.Errorf("want one of %s, got %s",
				stageNames(), mip.Quote(string(s.Stage))))
		}
		if none := mip.Status("").Slug(); s.Name.Slug() == none {
			p.check(name+".name",
				fmt.Errorf("/status/%s/ has the proposals without a status; want another word",
					none))
		}
		p.once(words, name+".name", mip.FoldStatus(string(s.Name)))
		p.once(pages, name+".name", s.Name.Slug())
		for j, alias := range s.Aliases {
			p.once(words, item(name+".aliases", j), mip.FoldStatus(alias))
		}
		p.list(name+".kinds", s.Kinds, f.checkKind)
	}
}

// checkKind checks that the site has a kind.
func (f *file) checkKind(prefix string) error {
	var known []string
	for _, k := range f.AllKinds() {
		known = append(known, k.Prefix)
	}
	if slices.Contains(known, prefix) {
		return nil
	}
	return fmt.Errorf("want one of %s, got %s", strings.Join(known, ", "), mip.Quote(prefix))
}

// stageNames returns the stages, separated by commas.
func stageNames() string {
	var names []string
	for _, s := range mip.Stages() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// validateKeys checks the settings about headers.
func (f *file) validateKeys(p *parser) {
	p.list("show", f.Show, checkKey)
	taken := map[string]string{} // meaning by key
	for _, meaning := range slices.Sorted(maps.Keys(f.Keys)) {
		name := below("keys", meaning)
		if known := mip.HeaderKeys(); !slices.Contains(known, meaning) {
			p.at(name, "unknown-key", meant(meaning, known))
		}
		p.list(name, f.Keys[meaning], checkKey)
		for i, key := range f.Keys[meaning] {
			if other := taken[strings.ToLower(key)]; other != "" && other != meaning {
				p.check(item(name, i),
					fmt.Errorf("want a key of one meaning, got %s, which keys.%s has",
						mip.Quote(key), other))
			}
			taken[strings.ToLower(key)] = meaning
		}
	}
	p.check("dates", match(f.Dates, `^(?:mdy|dmy)$`, "mdy or dmy"))
}

// validateReferences checks the addresses of proposals of other sites.
func (f *file) validateReferences(p *parser) {
	taken := map[string]string{}
	for _, prefix := range slices.Sorted(maps.Keys(f.References)) {
		name := below("references", prefix)
		err := match(prefix, `^[A-Za-z][A-Za-z0-9]{0,15}$`, "a prefix such as EIP")
		if f.Publishes(prefix) {
			err = fmt.Errorf("want the prefix of another site, got %s, which is this one's",
				mip.Quote(prefix))
		}
		p.check(name, cmp.Or(err, checkReference(f.References[prefix])))
		p.once(taken, name, strings.ToUpper(prefix))
	}
}

// validateUpgrades checks the words of headings. Each stands for one stage.
func (f *file) validateUpgrades(p *parser) {
	var known []string
	for _, stage := range mip.Inclusions() {
		known = append(known, string(stage))
	}
	taken := map[string]string{}
	for _, stage := range slices.Sorted(maps.Keys(f.Upgrades.Stages)) {
		name := below("upgrades.stages", stage)
		if !slices.Contains(known, stage) {
			p.at(name, "unknown-key", meant(stage, known))
		}
		for i, words := range f.Upgrades.Stages[stage] {
			if mip.Slug(words) == mip.Slug("") {
				p.check(item(name, i), errors.New("want the words of a heading"))
			}
			p.once(taken, item(name, i), mip.Slug(words))
		}
	}
}

func (u *Upstream) validate(p *parser) {
	p.required("upstream", "git")
	// The git program would take a leading hyphen for an option, and ext::sh for a command to run.
	p.check("upstream.git",
		match(u.Git, `^[^-:\s](:?[^:\s])*$`,
			"the address of a git repository, without a remote helper (::)"))
	// Refuse ranges (a..b) too.
	p.check("upstream.ref",
		match(u.Ref, `^\w((\.?[\w/+-])*\.?[\w+-])?$`, "a branch, tag or commit"))
	clean(u.Folders)
	p.list("upstream.folders", u.Folders, func(folder string) error {
		return cmp.Or(checkInside(folder, "a folder within the repository"), checkProposals(folder))
	})
}

func (f *file) validateNetworks(p *parser) {
	ids, chains := map[string]string{}, map[string]string{}
	for i, n := range f.Networks {
		name := item("networks", i)
		p.required(name, "id", "chain_id")
		p.check(name+".id",
			match(n.ID, `^[a-z0-9-]{1,64}$`, "small letters, digits and hyphens, such as mainnet"))
		p.once(ids, name+".id", n.ID)
		p.check(name+".chain_id", between("a number", n.ChainID, 1, maxChainID))
		p.once(chains, name+".chain_id", strconv.FormatInt(n.ChainID, 10))
		p.list(name+".rpc", n.RPC, checkAddress)
		_, err := blockTime(n.BlockTime)
		p.check(name+".block_time", err)
	}
}

func (f *file) validateForks(p *parser) {
	pages := map[string]string{}
	for i, h := range f.HardForks {
		name := item("hardforks", i)
		p.required(name, "name")
		p.once(pages, name+".name", mip.Slug(h.Name))
		for j, n := range h.MIPs {
			p.check(item(name+".mips", j), between("a number", int64(n), 0, mip.MaxNumber))
		}
		p.check(name+".meta", between("a number", int64(mip.Deref(h.Meta)), 0, mip.MaxNumber))
		for id, t := range h.Activation {
			at := below(name+".activation", id)
			if !slices.ContainsFunc(f.Networks, func(n network) bool { return n.ID == id }) {
				p.check(at, errors.New("networks has no such id"))
			}
			p.check(at, between("unix seconds", int64(mip.Deref(t)), 0, maxUnix))
		}
		p.check(name+".source", checkAddress(mip.Deref(h.Source)))
		for j, r := range h.Releases {
			f.validateRelease(p, item(name+".releases", j), r)
		}
	}
}

// validateRelease checks a release of a hard fork.
func (f *file) validateRelease(p *parser, name string, r mip.Release) {
	p.required(name, "client", "version")
	p.check(name+".url", checkAddress(mip.Deref(r.URL)))
	if !strings.HasPrefix(mip.Deref(r.URL), "https://") {
		p.check(name+".url", errors.New("want an address starting with https://"))
	}
	p.list(name+".networks", r.Networks, func(id string) error {
		if !slices.ContainsFunc(f.Networks, func(n network) bool { return n.ID == id }) {
			return errors.New("networks has no such id")
		}
		return nil
	})
	if _, _, ok := day.Due(mip.Deref(r.RequiredBy)); !ok {
		p.check(name+".requiredBy", fmt.Errorf("want a day such as 2027-01-19, or a time such as "+
			"2027-01-19T15:00:00Z, got %s", mip.Quote(mip.Deref(r.RequiredBy))))
	}
}

func (f *file) validateOverrides(p *parser) {
	taken := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(f.Overrides)) {
		o, name := f.Overrides[key], below("overrides", key)
		id, err := f.parseID(key)
		p.check(name, err)
		p.once(taken, name, id.String())
		topic := int64(mip.Deref(o.ForumTopicID))
		p.check(name+".forum_topic_id", between("a number", topic, 1, mip.MaxNumber))
		p.check(name+".discussions_to", checkAddress(mip.Deref(o.DiscussionsTo)))
		if !slices.ContainsFunc(f.HardForks, func(h fork) bool {
			return h.Name == mip.Deref(o.Hardfork)
		}) {
			p.check(name+".hardfork", fmt.Errorf("hardforks has no %s",
				mip.Quote(mip.Deref(o.Hardfork))))
		}
	}
}

// check adds the problem of a value if the file has the value. Only the first problem of a value is
// reported.
func (p *parser) check(name string, err error) {
	if err != nil && p.lines[name] > 0 && !p.wrong[name] {
		p.at(name, "bad-value", err.Error())
	}
}

// required adds a problem for each missing key of a mapping in the file.
func (p *parser) required(name string, keys ...string) {
	for _, key := range keys {
		if full := below(name, key); p.lines[name] > 0 && !p.wrong[name] && p.lines[full] == 0 {
			p.add(p.lines[name], "missing-key", "%s is required", full)
		}
	}
}

// once adds a problem if a value is already taken. It does not repeat an address, which may contain
// a key.
func (p *parser) once(taken map[string]string, name, value string) {
	if p.lines[name] == 0 || p.wrong[name] {
		return
	}
	if first, twice := taken[value]; twice {
		p.at(name, "duplicate-value",
			fmt.Sprintf("stands for the same as %s in line %d; want another, or remove one",
				first, p.lines[first]))
		return
	}
	taken[value] = name
}

// list checks the items of a list and that each occurs once.
func (p *parser) list(name string, items []string, check func(string) error) {
	taken := map[string]string{}
	for i, value := range items {
		p.check(item(name, i), check(value))
		p.once(taken, item(name, i), value)
	}
}

// proposals normalizes folders and patterns, and checks that there is at least one.
func (p *parser) proposals(name string, paths []string) {
	if len(paths) == 0 {
		p.check(name, errors.New("no folder"))
	}
	clean(paths)
	p.list(name, paths, checkProposals)
}

// clean replaces each path by its shortest form.
func clean(paths []string) {
	for i := range paths {
		paths[i] = path.Clean(paths[i])
	}
}

// baseURL is [ParseBaseURL] of a value.
func (p *parser) baseURL(name, address string) string {
	clean, err := ParseBaseURL(address)
	p.check(name, err)
	return clean
}
