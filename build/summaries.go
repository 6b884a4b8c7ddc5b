package build

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/ai"
	"github.com/mipwatch/mipwatch/internal/ai/summary"
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/site"
)

// summaries completes the corpus's summaries with the fields that follow from the site.
func summaries(c *corpus.Corpus, s *site.Site) []mip.Summary {
	// A fork bundles proposals by number, all of the site's main kind. The first fork that bundles a proposal has it,
	// unless another fork names it as its meta proposal.
	main := mip.ID{Kind: s.Prefix}
	forkOf := map[mip.ID]string{}
	for _, f := range s.HardForks {
		for _, id := range main.Siblings(f.BundledMIPs) {
			if _, ok := forkOf[id]; !ok {
				forkOf[id] = f.Name
			}
		}
		if f.MetaMIP != nil {
			forkOf[main.Sibling(*f.MetaMIP)] = f.Name
		}
	}
	all := make([]mip.Summary, len(c.Proposals))
	for i, p := range c.Proposals {
		m := p.Summary
		m.URL = s.URL(m.ID.Page())
		m.APIURL = s.URL(routeOf(apiRoute, m.ID))
		m.MarkdownURL = s.URL(routeOf(markdownRoute, m.ID))
		if link, ok := sourceLink(s, p, p.RepoPath); ok {
			m.SourceURL = &link
		}
		if name, ok := forkOf[m.ID]; ok {
			m.Hardfork = &name
		}
		if foreignTopic(s, m) {
			m.ForumTopicID = nil
		}
		// An override of site.yaml wins over the header; a new link brings its own topic.
		if o, ok := s.Overrides[m.ID]; ok {
			if o.DiscussionsTo != nil {
				m.DiscussionsTo, m.ForumTopicID = o.DiscussionsTo, corpus.Topic(*o.DiscussionsTo)
			}
			m.ForumTopicID = cmp.Or(o.ForumTopicID, m.ForumTopicID)
			m.Hardfork = cmp.Or(o.Hardfork, m.Hardfork)
		}
		all[i] = m
	}
	return all
}

// foreignTopic reports whether the topic number was read from a link to another forum than the site's.
func foreignTopic(s *site.Site, m mip.Summary) bool {
	if s.Forum == "" || m.ForumTopicID == nil || m.DiscussionsTo == nil {
		return false
	}
	linked := corpus.Topic(*m.DiscussionsTo)
	return linked != nil && *linked == *m.ForumTopicID && !strings.HasPrefix(strings.ToLower(*m.DiscussionsTo), strings.ToLower(s.Forum)+"/")
}

// sourceLink is the address of a file of the repository as of the commit that last changed the
// proposal, so that another proposal's commit does not change it.
func sourceLink(s *site.Site, p *corpus.Proposal, repoPath string) (string, bool) {
	return sourceLinkAt(s, p, cmp.Or(p.Commit, "HEAD"), repoPath)
}

// sourceLinkAt is the address of a file of the proposal's repository as of a commit. Where texts are synced,
// source_url leads to the upstream, which does not hold the others.
func sourceLinkAt(s *site.Site, p *corpus.Proposal, commit, repoPath string) (string, bool) {
	if s.SourceURL == "" || p.Local || repoPath == ".." || strings.HasPrefix(repoPath, "../") {
		return "", false
	}
	// A file name may hold any character; the slashes between its parts stay.
	segments := strings.Split(repoPath, "/")
	for i, seg := range segments {
		segments[i] = url.PathEscape(seg)
	}
	// An escaped path holds no brace.
	return strings.ReplaceAll(strings.ReplaceAll(s.SourceURL, "{path}", strings.Join(segments, "/")), "{commit}", commit), true
}

// siteInfo is the document of /api/v1/site. It holds no RPC address: those may carry keys.
func siteInfo(c *corpus.Corpus, s *site.Site, all []mip.Summary) mip.SiteInfo {
	info := mip.SiteInfo{
		Title: s.Title, Description: s.Description, Prefix: s.Prefix, BaseURL: s.BaseURL,
		Networks: s.PublicNetworks(), Locales: slices.Clone(s.Locales), History: c.History,
		Counts: mip.SiteCounts{Total: len(all), ByStatus: map[string]int{}, ByCategory: map[string]int{}},
	}
	if info.Locales == nil {
		info.Locales = []string{}
	}
	if s.Forum != "" {
		info.Forum = &s.Forum
	}
	if c.Commit != "" {
		info.Commit, info.CommittedAt = &c.Commit, c.Committed
	}
	for _, m := range all {
		info.Counts.ByStatus[string(m.Status)]++
		info.Counts.ByCategory[word(m.Category)]++
	}
	return info
}

// hardForks judges the configured forks by the newest change of a proposal: the last moment of which
// the input speaks.
func hardForks(s *site.Site, all []mip.Summary) []mip.HardFork {
	newest := updatedAt(all)
	forks := make([]mip.HardFork, len(s.HardForks))
	for i, f := range s.HardForks {
		// The site's values are shared by plans, so the fork's maps and slices are copied before they change.
		f.Activation = maps.Clone(f.Activation)
		f.BundledMIPs = append([]int{}, f.BundledMIPs...)
		for id, o := range s.Overrides {
			if o.Hardfork != nil && *o.Hardfork == f.Name && !slices.Contains(f.BundledMIPs, id.Number) && (f.MetaMIP == nil || *f.MetaMIP != id.Number) {
				f.BundledMIPs = append(f.BundledMIPs, id.Number)
			}
		}
		slices.Sort(f.BundledMIPs)
		if f.Activation == nil {
			f.Activation = map[string]mip.Activation{}
		}
		f.Status = f.StatusAt(s.PublicNetworks(), func(string) time.Time { return newest.UTC() })
		forks[i] = f
	}
	return forks
}

// updatedAt is the newest change, zero when no proposal has a date.
func updatedAt(all []mip.Summary) mip.Time {
	var newest mip.Time
	for _, m := range all {
		if m.Updated != nil && m.Updated.UTC().After(newest.UTC()) {
			newest = *m.Updated
		}
	}
	return newest
}

// word is a value that a header may lack; without one it is empty.
func word(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// publicProblems are the corpus's problems as they are published: a file is named by its folder's last name
// and its own, since the path before them belongs to the machine.
func (p *planner) publicProblems() []mip.Problem {
	var pairs []string
	for _, dir := range p.Folders {
		dir = filepath.ToSlash(filepath.Clean(dir))
		pairs = append(pairs, dir+"/", path.Base(dir)+"/")
		if dir != "." {
			pairs = append(pairs, dir, path.Base(dir))
		}
	}
	public := strings.NewReplacer(pairs...)
	out := append([]mip.Problem{}, p.Problems...)
	for i := range out {
		out[i].File, out[i].Message = public.Replace(out[i].File), public.Replace(out[i].Message)
	}
	return mip.SortProblems(out)
}

// Subjects are the proposals as summaries speak of them.
type Subjects struct {
	Corpus    *corpus.Corpus
	Summaries []mip.Summary  // of the corpus's proposals, in their order, completed by the site
	Forks     []mip.HardFork // with their status
}

// Subject is the input for a summary of the i-th proposal: the proposal with its sections, its fork and, for a
// fork's meta proposal, the proposals that the fork bundles. Now is not set.
func (s *Subjects) Subject(i int) summary.Subject {
	p := s.read(i)
	fork, bundled := summary.Context(p.Summary, s.Summaries, s.Forks)
	out := summary.Subject{Proposal: p, Fork: fork}
	for _, m := range bundled {
		k, _ := mip.Search(s.Summaries, m.ID)
		out.Bundled = append(out.Bundled, s.read(k))
	}
	return out
}

// read parses the i-th proposal's text into sections.
func (s *Subjects) read(i int) *mip.Proposal {
	p := s.Corpus.Proposals[i]
	return &mip.Proposal{Summary: s.Summaries[i], Translations: []mip.Translation{}, RawMarkdown: p.Raw, Sections: s.Corpus.Read(p).Sections}
}

// Check compares a summary with the text of the i-th proposal, as [summary.Check] does.
func (s *Subjects) Check(sum *api.Summary, i int) error { return summary.Check(*sum, s.Subject(i)) }

// Outdated are the committed summaries to make: those that are missing, of an older text or refused, and with
// the name of a model those of another source. A proposal for whose place several files compete is left out: the
// problem was found when they were read.
func (s *Subjects) Outdated(committed *corpus.Committed, model string) []ai.Outdated {
	var out []ai.Outdated
	for i, p := range s.Corpus.Proposals {
		if sum := committed.Summary(p.ID); sum != nil && !sum.Stale && (model == "" || sum.Source == model) {
			continue
		}
		if dir, name, ok := committed.SummaryFile(p); ok {
			out = append(out, ai.Outdated{File: p.File, Dir: dir, Name: name, Subject: func() summary.Subject { return s.Subject(i) }})
		}
	}
	return out
}
