package survey

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// stages maps each stage to the words of real processes.
var stages = map[mip.Stage][]string{
	mip.StageDraft: {"draft", "idea", "open", "new", "raw", "stub", "wip", "work in progress",
		"in progress", "in discussion", "discussion", "pre-draft"},
	mip.StageReview: {"review", "in review", "peer review", "proposed", "candidate", "voting",
		"vote pending", "council review", "accepted", "approved"},
	mip.StageLastCall: {"last call", "last-call", "council approved", "final comment period"},
	mip.StageFinal: {"final", "implemented", "deployed", "adopted", "complete", "completed",
		"solved", "done", "mainnet"},
	mip.StageLiving: {"living", "active", "continuous"},
	mip.StageStopped: {"stagnant", "withdrawn", "rejected", "abandoned", "inactive", "superseded",
		"replaced", "obsolete", "deferred", "closed", "deprecated", "dormant", "cancelled",
		"failed", "moved", "postponed", "on hold"},
}

// stageOf returns the stage of a word, empty if it is unknown.
func stageOf(word string) mip.Stage {
	for stage, words := range stages {
		if slices.Contains(words, normal(word)) {
			return stage
		}
	}
	return ""
}

// varied are words of which processes mean different stages.
var varied = []string{"active", "open"}

// process finds the statuses of the process. If all are EIP-1's, none is listed.
func (s *Survey) process(all []*corpus.Proposal) {
	words, usual := map[string]int{}, true
	kinds, by := map[string]int{}, map[string]map[string]int{} // by the slug of a status
	for _, p := range all {
		if p.Status != "" {
			words[p.Status.String()]++
			slug := p.Status.Slug()
			if by[slug] == nil {
				by[slug] = map[string]int{}
			}
			by[slug][p.ID.Kind]++
			kinds[p.ID.Kind]++
			usual = usual && p.Stage != ""
		}
	}
	if usual {
		return
	}
	seen := map[string]bool{}
	for _, c := range counts(words) {
		// Letter case and separators of words are ignored.
		if key := mip.Slug(strings.ReplaceAll(c.Word, "_", " ")); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		of := Status{Standing: mip.Standing{Status: mip.Status(c.Word), Stage: stageOf(c.Word)},
			Texts: c.Texts, Guessed: slices.Contains(varied, normal(c.Word))}
		if own := by[of.Status.Slug()]; len(own) < len(kinds) && of.Stage != mip.StageStopped {
			of.Kinds = counts(own)
		}
		// A rare word that differs from another by one letter is a misspelling of it.
		meant := func(other Status) bool {
			return other.Texts > of.Texts && near(string(other.Status), c.Word)
		}
		if i := slices.IndexFunc(s.Statuses, meant); of.Stage == "" && i >= 0 {
			s.Statuses[i].Aliases = append(s.Statuses[i].Aliases, c)
			continue
		}
		if of.Stage == "" {
			of.Stage, of.Guessed = mip.StageReview, true
		}
		s.Statuses = append(s.Statuses, of)
	}
	// Accepted is the final status if no other word is.
	if !slices.ContainsFunc(s.Statuses, func(of Status) bool { return of.Settled() }) {
		for i, of := range s.Statuses {
			word := strings.ToLower(string(of.Status))
			if word == "accepted" || word == "approved" {
				s.Statuses[i].Stage = mip.StageFinal
			}
		}
	}
	slices.SortStableFunc(s.Statuses, func(a, b Status) int {
		return cmp.Or(cmp.Compare(slices.Index(mip.Stages(), a.Stage),
			slices.Index(mip.Stages(), b.Stage)), cmp.Compare(rank(a), rank(b)))
	})
}

// rank returns the index of a word in the list of its stage. An unknown word comes last.
func rank(of Status) int {
	i := slices.Index(stages[of.Stage], normal(string(of.Status)))
	if i < 0 {
		return len(stages[of.Stage])
	}
	return i
}

// near reports whether two words differ by one letter.
func near(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	differ := 0
	for i := range len(a) {
		if a[i] != b[i] {
			differ++
		}
	}
	return differ == 1
}

// normal returns a word in lower case with single blanks.
func normal(word string) string {
	words := strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '_' })
	return strings.ToLower(strings.Join(words, " "))
}

// keys finds rare header keys in place of usual ones that few headers have.
func (s *Survey) keys(all []*corpus.Proposal) {
	for _, f := range mip.Fields {
		usual, words := 0, map[string]int{}
		for _, p := range all {
			if f.Text(&p.Metadata) != "" && !slices.Contains(p.Inferred, f.Name) {
				usual++
				continue
			}
			for key := range p.Frontmatter {
				if slices.Contains(f.Rare, strings.ReplaceAll(strings.ToLower(key), " ", "-")) {
					words[key]++
				}
			}
		}
		for _, c := range counts(words) {
			if 10*c.Texts >= len(all) && c.Texts > usual/10 {
				s.Keys[f.Key()] = append(s.Keys[f.Key()], c)
			}
		}
	}
}

// show finds the unknown keys, in lower case, that have values in at least a tenth of the headers.
// A key with one value in nine of ten of them is left out.
func (s *Survey) show(all []*corpus.Proposal, unknown map[string]bool) {
	keys, values := map[string]int{}, map[string]map[string]int{}
	for _, p := range all {
		for key, value := range p.Frontmatter {
			key = strings.ToLower(key)
			if text := fmt.Sprint(value); unknown[key] && value != nil && text != "" {
				if values[key] == nil {
					values[key] = map[string]int{}
				}
				keys[key]++
				values[key][text]++
			}
		}
	}
	for _, c := range counts(keys) {
		most := counts(values[c.Word])[0].Texts
		if 10*c.Texts >= len(all) && 10*most < 9*c.Texts && refusal("show", c.Word) == nil {
			s.Show = append(s.Show, c)
		}
	}
}

// known are the addresses of proposals of other networks.
var known = mip.References{
	"EIP":  "https://eips.ethereum.org/EIPS/eip-{n}",
	"ERC":  "https://ercs.ethereum.org/ERCS/erc-{n}",
	"CAIP": "https://standards.chainagnostic.org/CAIPs/caip-{n}",
}

// others returns the known ones that are not of this site.
func others(kinds []Kind) mip.References {
	out := maps.Clone(known)
	for _, k := range kinds {
		delete(out, k.Prefix)
	}
	return out
}

// sites counts the texts whose header or text names a proposal of another site.
func (s *Survey) sites(all []*corpus.Proposal, sites mip.References) {
	words := map[string]int{}
	for _, p := range all {
		named := map[string]bool{}
		for _, id := range p.Mentions {
			named[id.Kind] = true
		}
		for _, e := range p.External {
			if id, err := mip.ParseID(e.Text); err == nil {
				named[id.Kind] = true
			}
		}
		for prefix := range named {
			if sites[prefix] != "" {
				words[prefix]++
			}
		}
	}
	s.References = counts(words)
}

// forum finds the forum to which most headers lead: Discourse hosts have their topics below /t/.
func (s *Survey) forum(all []*corpus.Proposal) {
	words := map[string]int{}
	for _, p := range all {
		for _, address := range p.Discussions {
			if u, err := url.Parse(address); err == nil && strings.HasPrefix(u.Path, "/t/") {
				words["https://"+u.Host]++
			}
		}
	}
	if of := counts(words); len(of) > 0 && 10*of[0].Texts >= len(all) {
		s.Forum, s.Discussed = of[0].Word, of[0].Texts
	}
}
