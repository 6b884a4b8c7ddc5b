package index

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// check holds the documents to what is true of every build, each by itself and each against the others, so that
// documents of different builds are not taken for one site:
//
//   - the site has an address, and networks with distinct ids;
//   - the list has as many proposals as it and the site say, ascending by number, and as many of every status and
//     category as the site says, with addresses below the site's;
//   - every hard fork has a name of its own and activates on networks of the site only;
//   - the endpoints, if there are any, are those of the site's networks;
//   - no list is null.
//
// Two builds that differ in nothing of this, such as by a title, pass. They are mixed until the next Load.
func (s *Source) check(x *Index) error {
	wrap := func(d document, err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("check %s: %w", s.store.name(d), err)
	}
	// The other checks compare with the site.
	if err := wrap(siteDocument, checkSite(x.Site)); err != nil {
		return err
	}
	return errors.Join(
		wrap(listDocument, checkList(x.List, x.Site)),
		wrap(hardForksDocument, checkHardForks(x.HardForks, x.Site.Networks)),
		wrap(configDocument, checkEndpoints(x.Endpoints, x.Site.Networks)),
	)
}

// checkSite looks only at what other parts of the sidecar rely on.
func checkSite(s mip.SiteInfo) error {
	if !strings.HasPrefix(s.BaseURL, "http://") && !strings.HasPrefix(s.BaseURL, "https://") {
		return fmt.Errorf("baseUrl is %q, want an http(s) address", s.BaseURL)
	}
	if s.Prefix == "" || s.Networks == nil || s.Locales == nil || s.Counts.ByStatus == nil || s.Counts.ByCategory == nil {
		return errors.New("prefix, networks, locales or counts are missing, want all of them")
	}
	ids := map[string]bool{}
	for _, n := range s.Networks {
		if n.ID == "" || ids[n.ID] {
			return fmt.Errorf("network id %q is empty or there twice", n.ID)
		}
		ids[n.ID] = true
	}
	return nil
}

// checkList compares the list with the counts of the site, which every build writes anew.
func checkList(l mip.List, s mip.SiteInfo) error {
	if l.MIPs == nil || l.Count != len(l.MIPs) || l.Count != s.Counts.Total {
		const text = "it holds %d proposals, its count is %d and the site's %d: want one number, of one build"
		return fmt.Errorf(text, len(l.MIPs), l.Count, s.Counts.Total)
	}
	// A proposal whose status has changed is the commonest difference between two builds.
	statuses, categories := map[string]int{}, map[string]int{}
	last := -1
	for _, m := range l.MIPs {
		if m.Number <= last {
			return fmt.Errorf("proposal %d stands after %d, want ascending numbers", m.Number, last)
		}
		last = m.Number
		if err := checkSummary(m, s); err != nil {
			return err
		}
		category := ""
		if m.Category != nil {
			category = *m.Category
		}
		statuses[string(m.Status)]++
		categories[category]++
	}
	if !maps.Equal(statuses, s.Counts.ByStatus) || !maps.Equal(categories, s.Counts.ByCategory) {
		return errors.New("statuses or categories are not those that the site counts: want documents of one build")
	}
	return nil
}

// checkSummary checks a proposal of the list.
func checkSummary(m mip.Summary, s mip.SiteInfo) error {
	if want := (mip.ID{Kind: s.Prefix, Number: m.Number}); m.ID != want {
		return fmt.Errorf("proposal %d has the id %s, want %s", m.Number, m.ID, want)
	}
	if m.ContentHash == "" {
		return fmt.Errorf("proposal %d has no contentHash", m.Number)
	}
	if !strings.HasPrefix(m.APIURL, s.BaseURL+"/") {
		return fmt.Errorf("the apiUrl of proposal %d is %q, want it below %s as the site says", m.Number, m.APIURL, s.BaseURL)
	}
	if m.Authors == nil || m.Requires == nil || m.RequiredBy == nil || m.Replaces == nil || m.SupersededBy == nil || m.Inferred == nil || m.Frontmatter == nil {
		return fmt.Errorf("proposal %d has null where a list or an object belongs", m.Number)
	}
	return nil
}

// checkHardForks checks the forks of hardforks.json against the networks of the site.
func checkHardForks(forks []mip.HardFork, networks []mip.Network) error {
	if forks == nil {
		return errors.New("hardforks is missing, want a list")
	}
	names := map[string]bool{}
	for _, f := range forks {
		if f.Name == "" || names[f.Name] {
			return fmt.Errorf("hard fork name %q is empty or there twice", f.Name)
		}
		names[f.Name] = true
		if f.BundledMIPs == nil || f.Activation == nil {
			return fmt.Errorf("hard fork %s has null where a list or an object belongs", f.Name)
		}
		for _, id := range slices.Sorted(maps.Keys(f.Activation)) {
			if !slices.ContainsFunc(networks, func(n mip.Network) bool { return n.ID == id }) {
				return fmt.Errorf("hard fork %s activates on %q, which is no network of the site: want documents of one build", f.Name, id)
			}
		}
	}
	return nil
}

// checkEndpoints shows no RPC address, which may hold a key.
func checkEndpoints(endpoints []mip.Endpoints, networks []mip.Network) error {
	if endpoints == nil {
		return nil
	}
	if !slices.EqualFunc(endpoints, networks, func(e mip.Endpoints, n mip.Network) bool { return e.Network == n }) {
		return errors.New("its networks are not those of the site: want documents of one build")
	}
	return nil
}
