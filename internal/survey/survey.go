// Package survey examines a repository of proposals and suggests its site.yaml: the files and their
// kinds, the statuses of the process, and the keys of headers. Each guess comes with the count that
// supports it. The package writes nothing and uses no network.
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

// ErrNone reports that no file has the name of a proposal.
var ErrNone = errors.New("no proposals were found; want Markdown files with a number " +
	"in their name or in that of their folder, " +
	"such as MIP-7.md or MIP-0007/README.md")

// Survey is the result.
type Survey struct {
	// Title is the first heading of the README, else made from the main kind's prefix.
	Title string
	// Remote is the address of the repository's origin, without credentials; empty if there is
	// none.
	Remote string
	// Kinds are the kinds of proposals, the main one first: improvement proposals, or else the kind
	// with most texts. There is at least one.
	Kinds []Kind
	// Left lists texts that no site.yaml can name, each with the reason.
	Left []string
	// Ignore lists patterns of templates.
	Ignore []Count
	// Statuses lists the statuses of the process in its order; empty if EIP-1 has them all.
	Statuses []Status
	// Keys maps fields to further header keys that seem to mean them.
	Keys map[string][]Count
	// Show lists header keys without a meaning here that the pages of proposals can show.
	Show []Count
	// References are other sites by the prefix of their proposals.
	References []Count
	// Locales are the languages of translations next to their originals.
	Locales []Count
	// Forum is the address of the forum to which most headers lead, empty for none; Discussed is
	// the number of these headers.
	Forum     string
	Discussed int
	// Upgrades are the names of the network upgrades that texts define. Listed are the headings in
	// these texts that name no known stage.
	Upgrades []string
	Listed   []Listed
	// Texts is the number of files that would be published, and Errors the number of files that
	// would not.
	Texts, Errors int
}

// Kind is a kind of proposals.
type Kind struct {
	Prefix string
	// Places are folders, and patterns of files that have their own folders, with the number of
	// their texts.
	Places []Count
}

// Count is the number of occurrences of a word.
type Count struct {
	Word  string
	Texts int
}

// Status is a status of the process.
type Status struct {
	mip.Standing
	Texts int
	// Guessed reports that the stage of the word is not known, or differs between processes.
	Guessed bool
	// Kinds are the only kinds with the status, if others have statuses too.
	Kinds []Count
	// Aliases are misspellings.
	Aliases []Count
}

// Look surveys a folder, preferably the top of a repository. The error is [ErrNone], the context's,
// or from reading the folder.
func Look(ctx context.Context, dir string) (*Survey, error) {
	s := &Survey{Keys: map[string][]Count{}}
	// A query may contain a key, and base_url accepts none.
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
			o.Sources = append(o.Sources,
				filename.Source{Folder: at, Pattern: pattern, Kind: k.Prefix})
		}
	}
	c, err := corpus.Load(ctx, o)
	if err != nil {
		return nil, err
	}
	// The process can be read once its key is known.
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
	failed, languages, unknown := map[string]bool{}, map[string]int{}, map[string]bool{}
	for _, p := range c.Problems {
		if p.Code == "unknown-locale" && p.Cause != "" {
			languages[p.Cause]++
		}
		if p.Code == "unknown-key" {
			unknown[strings.ToLower(strings.Trim(p.Cause, `"`))] = true
		}
		if p.Level == mip.Error && !failed[p.File] {
			failed[p.File] = true
			s.Errors++
		}
	}
	s.Locales = counts(languages)
	s.show(c.Proposals, unknown)
	s.process(c.Proposals)
	s.sites(c.Proposals, o.References)
	s.forum(c.Proposals)
	s.upgrades(c.Proposals, o.References)
	return s, nil
}

// none returns [ErrNone] with the texts that were left out.
func (s *Survey) none() error {
	if len(s.Left) == 0 {
		return ErrNone
	}
	return fmt.Errorf("%w; left out: %s", ErrNone, strings.Join(s.Left, "; "))
}

// counts returns words by their number of occurrences, most frequent first.
func counts(words map[string]int) []Count {
	var out []Count
	for _, w := range slices.Sorted(maps.Keys(words)) {
		out = append(out, Count{w, words[w]})
	}
	slices.SortStableFunc(out, func(a, b Count) int { return b.Texts - a.Texts })
	return out
}
