// Package survey looks at a repository of proposals and says what its site.yaml could be: which files are texts of which
// kind, which words the process has, and what headers call things. Each guess has the count that speaks for it. The package
// writes nothing and asks no network.
package survey

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mipwatch/mipwatch/internal/corpus"
	"github.com/mipwatch/mipwatch/internal/filename"
	"github.com/mipwatch/mipwatch/internal/folder"
	"github.com/mipwatch/mipwatch/internal/git"
	"github.com/mipwatch/mipwatch/internal/header"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// ErrNone means that no file has the name of a proposal.
var ErrNone = errors.New("no proposals were found; want Markdown files with a number in their name or in that of their folder, " +
	"such as MIP-7.md or MIP-0007/README.md")

// Survey is what was found.
type Survey struct {
	// Title is the first heading of the README, else made of the main kind's prefix.
	Title string
	// Remote is the address of the repository's origin, without credentials; empty when there is none.
	Remote string
	// Kinds are the kinds of proposals, the main one first: that of improvement proposals, or with most texts.
	// There is at least one.
	Kinds []Kind
	// Left are texts that no site.yaml can name, each with the reason.
	Left []string
	// Ignore are patterns of templates.
	Ignore []Count
	// Statuses are the words of the process in its order; empty where EIP-1 has them all.
	Statuses []Status
	// Keys are further keys of headers, by what they seem to mean.
	Keys map[string][]Count
	// References are other sites by the prefix of their proposals.
	References []Count
	// Locales are the languages of texts beside their originals.
	Locales []Count
	// Forum is the address of the forum to which most headers lead, and Discussed how many do; empty for none.
	Forum     string
	Discussed int
	// Texts is how many files would be published, and Errors how many would not.
	Texts, Errors int
}

// Kind is a kind of proposals.
type Kind struct {
	Prefix string
	// Places are folders, and patterns of files in folders of their own, with the number of their texts.
	Places []Count
}

// Count is how often a word was found.
type Count struct {
	Word  string
	Texts int
}

// Status is a word of the process.
type Status struct {
	mip.Standing
	Texts int
	// Guessed says that the word is none whose stage is known.
	Guessed bool
	// Aliases are slips of the pen.
	Aliases []Count
}

// Look surveys a folder, the top of a repository at best. The error is [ErrNone], ctx's, or that of reading the folder.
func Look(ctx context.Context, dir string) (*Survey, error) {
	s := &Survey{Keys: map[string][]Count{}}
	// A query may hold a key, and base_url takes none.
	if remote := git.Origin(ctx, dir); refusal("base_url", remote) == nil {
		s.Remote = remote
	}
	found, err := walk(ctx, dir)
	if err != nil {
		return nil, err
	}
	if s.Kinds, s.Left = kinds(dir, found); len(s.Kinds) == 0 {
		return nil, s.none()
	}
	s.Ignore = templates(found, s.Kinds)
	s.Title = title(dir, s.Kinds[0].Prefix)
	// Git would take longest, and nothing here depends on it.
	o := corpus.Options{
		Options: header.Options{
			Prefix: s.Kinds[0].Prefix, References: others(s.Kinds),
		},
		Epoch: new(time.Unix(0, 0)),
	}
	for _, i := range s.Ignore {
		o.Ignore = append(o.Ignore, i.Word)
	}
	for i, k := range s.Kinds {
		if i > 0 {
			o.Others = append(o.Others, k.Prefix)
		}
		for _, p := range k.Places {
			at, pattern := folder.Locate(dir, p.Word)
			o.Sources = append(o.Sources, filename.Source{Folder: at, Pattern: pattern, Kind: k.Prefix})
		}
	}
	c, err := corpus.Load(ctx, o)
	if err != nil {
		return nil, err
	}
	// What the process is called shows when its key is known.
	if s.keys(c.Proposals); len(s.Keys) > 0 {
		o.Keys = map[string][]string{}
		for meaning, names := range s.Keys {
			for _, name := range names {
				o.Keys[meaning] = append(o.Keys[meaning], name.Word)
			}
		}
		if c, err = corpus.Load(ctx, o); err != nil {
			return nil, err
		}
	}
	if s.Texts = len(c.Proposals); s.Texts == 0 && len(c.Problems) == 0 {
		return nil, s.none()
	}
	failed, languages := map[string]bool{}, map[string]int{}
	for _, p := range c.Problems {
		if p.Code == "unknown-locale" && p.Cause != "" {
			languages[p.Cause]++
		}
		if p.Level == mip.Error && !failed[p.File] {
			failed[p.File] = true
			s.Errors++
		}
	}
	s.Locales = counts(languages)
	s.process(c.Proposals)
	s.sites(c.Proposals, o.References)
	s.forum(c.Proposals)
	return s, nil
}

// none is [ErrNone] with what was left out.
func (s *Survey) none() error {
	if len(s.Left) == 0 {
		return ErrNone
	}
	return fmt.Errorf("%w; left out: %s", ErrNone, strings.Join(s.Left, "; "))
}

// counts are words by how often they occur, most often first.
func counts(words map[string]int) []Count {
	var out []Count
	for _, w := range slices.Sorted(maps.Keys(words)) {
		out = append(out, Count{w, words[w]})
	}
	slices.SortStableFunc(out, func(a, b Count) int { return b.Texts - a.Texts })
	return out
}
