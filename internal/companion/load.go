package companion

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// job is everything beside one proposal.
type job struct {
	index int // of the proposal
	items []item

	summary      *api.Summary
	translations []Translation
	problems     []mip.Problem
}

// Load reads what is beside the proposals of the corpus's folders. The error is non-nil only when a
// folder cannot be read any more, or ctx ends; what concerns a companion is in Problems.
func Load(ctx context.Context, ps Proposals) (*Set, error) {
	l := &lister{prefix: ps.Prefix, locales: ps.Locales}
	for _, dir := range ps.Corpus.Folders {
		if err := l.folder(dir); err != nil {
			return nil, err
		}
	}
	s := &Set{Proposals: ps, summaries: map[int]*api.Summary{}, translations: map[int][]Translation{}, places: map[int]place{}}
	alone, doubled := l.unique()
	s.settle(alone, false)
	s.settle(append(doubled, l.clashes...), true)
	jobs := s.jobs(alone, l)
	s.Problems = l.problems
	if err := s.work(ctx, jobs); err != nil {
		return nil, fmt.Errorf("load what is beside the proposals: %w", err)
	}
	for _, j := range jobs {
		n := ps.Summaries[j.index].Number
		s.Problems = append(s.Problems, j.problems...)
		if j.summary != nil {
			s.summaries[n] = j.summary
		}
		if j.translations != nil {
			s.translations[n] = j.translations
		}
	}
	s.Problems = mip.SortProblems(s.Problems)
	slices.Sort(s.Files)
	return s, nil
}

// settle notes where summaries stand.
func (s *Set) settle(items []item, taken bool) {
	for _, it := range items {
		s.Files = append(s.Files, it.file.Path)
		if it.locale == "" {
			s.places[it.number] = place{it.file, taken}
		}
	}
}

// jobs sorts the items by proposal. One without a proposal is not published either.
func (s *Set) jobs(items []item, l *lister) []*job {
	byIndex := map[int]*job{}
	for _, it := range items {
		i, ok := s.Proposals.index(it.number)
		if !ok {
			l.add(mip.Warning, it.file.Path, it.kind()+"-unpublished", "%s-%d is not published, so this %s is not either; remove it if the proposal is gone", l.prefix, it.number, it.kind())
			continue
		}
		if byIndex[i] == nil {
			byIndex[i] = &job{index: i}
		}
		byIndex[i].items = append(byIndex[i].items, it)
	}
	out := make([]*job, 0, len(byIndex))
	for _, j := range byIndex {
		out = append(out, j)
	}
	slices.SortFunc(out, func(a, b *job) int { return cmp.Compare(a.index, b.index) })
	return out
}

// index is the position of a published proposal.
func (ps *Proposals) index(number int) (int, bool) {
	return slices.BinarySearchFunc(ps.Summaries, number, func(m mip.Summary, n int) int { return cmp.Compare(m.Number, n) })
}

// work does the jobs on as many workers as there are processors.
func (s *Set) work(ctx context.Context, jobs []*job) error {
	roots := map[string]*os.Root{}
	defer func() {
		for _, root := range roots {
			root.Close()
		}
	}()
	for _, j := range jobs {
		for _, it := range j.items {
			if roots[it.file.Folder] == nil {
				root, err := os.OpenRoot(it.file.Folder)
				if err != nil {
					return err
				}
				roots[it.file.Folder] = root
			}
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(jobs) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				s.do(jobs[i], roots)
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// do reads what is beside one proposal, and the proposal itself once.
func (s *Set) do(j *job, roots map[string]*os.Root) {
	subject := s.Proposals.Subject(j.index)
	for _, it := range j.items {
		raw, err := it.file.Read(roots[it.file.Folder])
		if err != nil {
			code, message := it.file.Refusal(err)
			j.warn(it, 0, code, "%s", message)
			continue
		}
		if it.locale == "" {
			j.readSummary(it, raw, subject)
		} else {
			j.readTranslation(it, raw, subject.Proposal, &s.Proposals)
		}
	}
	slices.SortFunc(j.translations, func(a, b Translation) int { return cmp.Compare(a.Locale, b.Locale) })
}

func (j *job) warn(it item, line int, code, format string, args ...any) {
	j.problems = append(j.problems, mip.Problem{Level: mip.Warning, Code: code, File: it.file.Path, Line: line, Message: fmt.Sprintf(format, args...)})
}
