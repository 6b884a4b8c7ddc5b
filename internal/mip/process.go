package mip

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Status is the status in a proposal's header. The zero value means that the header has none and
// encodes as null. Words outside the [Process] are kept as written: no list may lose a proposal
// because of its status.
type Status string

// The statuses of EIP-1.
const (
	Draft     Status = "Draft"
	Review    Status = "Review"
	LastCall  Status = "Last Call"
	Final     Status = "Final"
	Living    Status = "Living"
	Stagnant  Status = "Stagnant"
	Withdrawn Status = "Withdrawn"
)

// Stage is the meaning of a status, independent of a site's words. The zero value stands for an
// unknown or missing status and encodes as null.
type Stage string

// The stages, in the order of a proposal's life.
const (
	StageDraft    Stage = "draft"
	StageReview   Stage = "review"
	StageLastCall Stage = "last-call"
	StageFinal    Stage = "final"   // accepted, and immutable
	StageLiving   Stage = "living"  // in force, and kept up to date
	StageStopped  Stage = "stopped" // not pursued, or no longer in force
)

// Stages returns the stages in the order of a proposal's life.
func Stages() []Stage {
	return []Stage{StageDraft, StageReview, StageLastCall, StageFinal, StageLiving, StageStopped}
}

// Standing is a status and its stage.
type Standing struct {
	Status Status `json:"status" doc:"A word of the process, see statuses of getSite, or any other as written."`
	Stage  Stage  `json:"stage" doc:"The meaning of the status, whatever its name; null for a word outside the process."`
}

// Open reports whether the proposal is still to be decided.
func (s Standing) Open() bool {
	return s.Stage == StageDraft || s.Stage == StageReview || s.Stage == StageLastCall
}

// Settled reports whether the proposal was accepted and is in force.
func (s Standing) Settled() bool { return s.Stage == StageFinal || s.Stage == StageLiving }

// ProcessStatus is a status of a process.
type ProcessStatus struct {
	Name    Status   `yaml:"name" json:"name" doc:"As every answer has it."`
	Stage   Stage    `yaml:"stage" json:"stage" doc:"What it means."`
	Aliases []string `yaml:"aliases" json:"aliases" doc:"Other words of headers for it."`
	Kinds   []string `yaml:"kinds" json:"kinds" doc:"Prefixes of the kinds whose life it belongs to; empty: of all."`
}

// Process lists the statuses of a site in the order of a proposal's life. Empty means the process
// of EIP-1.
type Process []ProcessStatus

// eip1 is the process of EIP-1.
var eip1 = Process{
	{Name: Draft, Stage: StageDraft}, {Name: Review, Stage: StageReview},
	{Name: LastCall, Stage: StageLastCall}, {Name: Final, Stage: StageFinal},
	{Name: Living, Stage: StageLiving}, {Name: Stagnant, Stage: StageStopped},
	{Name: Withdrawn, Stage: StageStopped},
}

// statuses returns the statuses of the process, or of EIP-1.
func (p Process) statuses() Process {
	if len(p) == 0 {
		return eip1
	}
	return p
}

// String returns the names of the statuses, separated by commas.
func (p Process) String() string {
	var names []string
	for _, s := range p.statuses() {
		names = append(names, string(s.Name))
	}
	return strings.Join(names, ", ")
}

// Parse parses a header's status: a name or an alias of the process, in any case and with any run
// of blanks, hyphens or underscores, or nothing, between its words. Any other text is kept as
// written, with outer blanks removed.
func (p Process) Parse(text string) Standing {
	text = strings.TrimSpace(text)
	key := FoldStatus(text)
	same := func(word string) bool {
		word = FoldStatus(word)
		return word == key || strings.ReplaceAll(word, " ", "") == key
	}
	for _, s := range p.statuses() {
		if same(string(s.Name)) || slices.ContainsFunc(s.Aliases, same) {
			return Standing{s.Name, s.Stage}
		}
	}
	return Standing{Status: Status(text)}
}

// Usual returns the status with its stage in EIP-1.
func (s Status) Usual() Standing { return Process(nil).Parse(string(s)) }

// FoldStatus normalizes the spelling of a status: words in lower case with one blank between them.
func FoldStatus(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '-' || r == '_'
	}), " "))
}

// Known returns the statuses of the process, or of EIP-1, in their order.
func (p Process) Known() (out []Standing) {
	for _, s := range p.statuses() {
		out = append(out, Standing{s.Name, s.Stage})
	}
	return out
}

// Way returns the lifecycle of a kind: its statuses from draft to final in their order or, if none
// is final, to living.
func (p Process) Way(kind string) []Standing {
	own := slices.DeleteFunc(slices.Clone(p.statuses()), func(s ProcessStatus) bool {
		return len(s.Kinds) > 0 && !slices.Contains(s.Kinds, kind)
	}).Known()
	final := slices.ContainsFunc(own, func(s Standing) bool { return s.Stage == StageFinal })
	return slices.DeleteFunc(own, func(s Standing) bool {
		return s.Stage == StageStopped || s.Stage == StageLiving && final
	})
}

// maxNamed bounds the listed statuses outside the process.
const maxNamed = 20

// Named returns the statuses to list for readers: the statuses of the process or, if a site defines
// none, of the proposals. EIP-1's statuses come first, in its order, then the most frequent other
// words by name. Without any it returns the statuses of EIP-1.
func (p Process) Named(all []Metadata) []Standing {
	count := map[Standing]int{}
	for _, m := range all {
		count[m.Standing]++
	}
	delete(count, Standing{})
	if len(p) > 0 || len(count) == 0 {
		return p.Known()
	}
	known := slices.DeleteFunc(p.Known(), func(s Standing) bool { return count[s] == 0 })
	maps.DeleteFunc(count, func(s Standing, _ int) bool { return s.Stage != "" })
	words := slices.SortedFunc(maps.Keys(count), func(a, b Standing) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.Status, b.Status))
	})
	words = words[:min(len(words), maxNamed)]
	slices.SortFunc(words, func(a, b Standing) int { return cmp.Compare(a.Status, b.Status) })
	return append(known, words...)
}

// Superseded reports whether the status itself is a word for superseded.
func (s Status) Superseded() bool {
	return slices.Contains([]string{"superseded", "replaced", "obsolete", "obsoleted"},
		strings.ToLower(string(s)))
}

// Slug returns the status in an address: /status/last-call/. The zero Status has the slug "none".
func (s Status) Slug() string {
	if s == "" {
		return "none"
	}
	return Slug(string(s))
}

// String returns the status for readers.
func (s Status) String() string {
	if s == "" {
		return "No status"
	}
	return string(s)
}

// MarshalJSON encodes the zero Status as null.
func (s Status) MarshalJSON() ([]byte, error) { return nullable(string(s)) }

// MarshalJSON encodes the zero Stage as null.
func (s Stage) MarshalJSON() ([]byte, error) { return nullable(string(s)) }

// nullable encodes a text, the empty one as null.
func nullable(s string) ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	return json.Marshal(s)
}
