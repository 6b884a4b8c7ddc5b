package mip

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseStatus(t *testing.T) {
	for in, want := range map[string]struct {
		status Status
		known  bool
		slug   string
		text   string
		json   string
	}{
		"Draft":        {Draft, true, "draft", "Draft", `"Draft"`},
		" last call ":  {LastCall, true, "last-call", "Last Call", `"Last Call"`},
		"LastCall":     {LastCall, true, "last-call", "Last Call", `"Last Call"`},
		"Last_Call":    {LastCall, true, "last-call", "Last Call", `"Last Call"`},
		"Fi nal":       {"Fi nal", false, "fi-nal", "Fi nal", `"Fi nal"`},
		"(Final)":      {"(Final)", false, "final", "(Final)", `"(Final)"`},
		"Draft?":       {"Draft?", false, "draft", "Draft?", `"Draft?"`},
		"LAST-CALL":    {LastCall, true, "last-call", "Last Call", `"Last Call"`},
		"Peer  Review": {"Peer  Review", false, "peer-review", "Peer  Review", `"Peer  Review"`},
		"Finallize":    {"Finallize", false, "finallize", "Finallize", `"Finallize"`},
		"保留":           {"保留", false, "保留", "保留", `"保留"`},
		"***":          {"***", false, "other", "***", `"***"`},
		"":             {"", false, "none", "No status", `null`},
	} {
		standing := Process(nil).Parse(in)
		s, known := standing.Status, standing.Stage != ""
		b, err := json.Marshal(s)
		if s != want.status || known != want.known || s.Slug() != want.slug ||
			s.String() != want.text || string(b) != want.json || err != nil {
			t.Errorf("Parse(%q) = %q, known %t, slug %q, text %q, JSON %s, %v; want %+v", in, s,
				known, s.Slug(), s, b, err, want)
		}
		var back Status
		if err := json.Unmarshal(b, &back); err != nil || back != s {
			t.Errorf("%q came back from JSON as %q, %v", s, back, err)
		}
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Standards Track": "standards-track", "C/C++ & <x>": "c-c-x", "MONAD_NINE": "monad_nine",
		"--a--": "a", "../../etc": "etc", "Ångström": "angstrom", "": "other", "🚀": "other",
		"ERC": "erc", "Hegotá": "hegota", "Hegota\u0301": "hegota", "Ελλάς": "ελλάς",
		"がん": "がん", "か\u3099ん": "がん", "हिन्दी": "हिन्दी", "\xff": "other",
	} {
		if got := Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAuthorSlug(t *testing.T) {
	if got := (Author{}).Slug(); got != "" {
		t.Errorf("without a login: %q, want none", got)
	}
	for login, want := range map[string]string{"Lantern-Ida": "lantern-ida", "a--b": "a--b",
		"X_corp": "x_corp", "../é <x>": "e-x"} {
		if got := (Author{GitHub: &login}).Slug(); got != want {
			t.Errorf("Slug of the login %q = %q, want %q", login, got, want)
		}
	}
}

func TestDate(t *testing.T) {
	for _, c := range []struct {
		y    int
		m    time.Month
		d    int
		want string
	}{
		{2026, 11, 21, "2026-11-21"}, {2024, 2, 29, "2024-02-29"}, {1, 1, 1, "0001-01-01"},
		{2023, 2, 29, ""}, {2026, 13, 1, ""}, {2026, 6, 31, ""}, {0, 1, 1, ""}, {10000, 1, 1, ""},
		{2026, 1, 0, ""},
	} {
		d, ok := NewDate(c.y, c.m, c.d)
		if d.String() != c.want || ok != (c.want != "") || d.IsZero() == ok {
			t.Errorf("NewDate(%d, %d, %d) = %q, %t; want %q", c.y, c.m, c.d, d, ok, c.want)
		}
		b, err := json.Marshal(d)
		var back Date
		if err != nil || json.Unmarshal(b, &back) != nil || back != d {
			t.Errorf("%v became %s (%v) and came back as %v", d, b, err, back)
		}
	}
	for _, bad := range []string{`"2026-1-1"`, `"x"`, `5`, `"2026-02-30"`} {
		if err := new(Date).UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("UnmarshalJSON(%s) took it for a date", bad)
		}
	}
}

func TestTimeIsUTCSeconds(t *testing.T) {
	in := time.Date(2026, 11, 21, 1, 30, 5, 999_999_999, time.FixedZone("", 5*3600+45*60))
	got := NewTime(in)
	if got.String() != "2026-11-20T19:45:05Z" || got.Date().String() != "2026-11-20" {
		t.Errorf("NewTime(%v) = %v on %v", in, got, got.Date())
	}
	b, err := json.Marshal(got)
	var back Time
	if err != nil || json.Unmarshal(b, &back) != nil || !back.UTC().Equal(got.UTC()) {
		t.Errorf("%v became %s (%v) and came back as %v", got, b, err, back)
	}
	if err := new(Time).UnmarshalJSON([]byte(`"yesterday"`)); err == nil {
		t.Error(`UnmarshalJSON took "yesterday" for a time`)
	}
}

func TestHardForkStatusAt(t *testing.T) {
	at := func(seconds int64) Activation { return Activation{Timestamp: &seconds} }
	two := []Network{{ID: "mainnet"}, {ID: "testnet"}}
	for _, c := range []struct {
		name       string
		networks   []Network
		activation map[string]Activation
		want       string
	}{
		{"no network", nil, nil, "planned"},
		{"no time", two, map[string]Activation{"mainnet": {}, "testnet": {}}, "planned"},
		{"to come", two, map[string]Activation{"mainnet": {}, "testnet": at(2000)}, "scheduled"},
		{"one switched, the other has no time", two,
			map[string]Activation{"mainnet": {}, "testnet": at(500)}, "active on testnet"},
		{"one switched, the other will", two,
			map[string]Activation{"mainnet": at(2000), "testnet": at(500)}, "active on testnet"},
		{"this very second", two, map[string]Activation{"mainnet": at(1000), "testnet": at(1000)},
			"active"},
		{"from the first block", two, map[string]Activation{"mainnet": at(0), "testnet": at(0)},
			"active"},
		{"only one of two is named", two, map[string]Activation{"testnet": at(0)},
			"active on testnet"},
	} {
		h := HardFork{Activation: c.activation}
		if got := h.StatusAt(c.networks, func(string) time.Time {
			return time.Unix(1000, 0)
		}); got != c.want {
			t.Errorf("%s: StatusAt = %q, want %q", c.name, got, c.want)
		}
	}
	if !at(0).Reached(time.Time{}) {
		t.Error("the first block is not reached before any moment is known")
	}
	ahead := HardFork{Activation: map[string]Activation{"mainnet": at(1000), "testnet": at(1000)}}
	if got := ahead.StatusAt(two, func(id string) time.Time {
		return time.Unix(int64(len(id))*142, 0)
	}); got != "scheduled" {
		t.Errorf("StatusAt with both clocks behind = %q, want scheduled", got)
	}
	if got := ahead.StatusAt(two, func(id string) time.Time {
		if id == "testnet" {
			return time.Unix(1000, 0)
		}
		return time.Unix(999, 0)
	}); got != "active on testnet" {
		t.Errorf("StatusAt with one clock behind = %q, want active on testnet", got)
	}
	h := HardFork{Activation: map[string]Activation{"zeta": {}, "testnet": {}, "alpha": {},
		"mainnet": {}}}
	d := cmp.Diff([]string{"mainnet", "testnet", "alpha", "zeta"}, h.SortedNetworks(two))
	if d != "" {
		t.Errorf("SortedNetworks (-want +got):\n%s", d)
	}
}

// A fork without a time on a network is followed there by the first later one that has a time; it
// counts as passed once that one is active.
func TestFollow(t *testing.T) {
	at := func(seconds int64) Activation {
		return Activation{Timestamp: &seconds, Time: new(NewTime(time.Unix(seconds, 0)))}
	}
	networks := []Network{{ID: "m"}, {ID: "t"}}
	forks := []HardFork{
		{Name: "A", Activation: map[string]Activation{"m": {}, "t": {}}},
		{Name: "B", Activation: map[string]Activation{"m": {}, "t": at(0)}},
		{Name: "C", Activation: map[string]Activation{"m": {}, "t": {}}},
		{Name: "D", Activation: map[string]Activation{"m": at(1000), "t": at(2000)}},
		{Name: "E", Activation: map[string]Activation{"m": at(900), "t": {}}}, // out of order
	}
	Follow(forks)
	var got []string
	for _, f := range forks {
		var line strings.Builder
		line.WriteString(f.Name)
		for _, n := range networks {
			if a := f.Activation[n.ID]; a.FollowedBy != nil {
				line.WriteString(" " + n.ID + ":" + a.FollowedBy.HardFork)
			}
		}
		for _, now := range []int64{899, 1500, 2000} {
			line.WriteString(", " + f.StatusAt(networks, func(string) time.Time {
				return time.Unix(now, 0)
			}))
		}
		for _, a := range f.Activations(networks) {
			fmt.Fprintf(&line, ", %s %d by %s", a.Network, a.Timestamp, a.HardFork)
		}
		got = append(got, line.String())
	}
	want := []string{
		"A m:E t:B, planned, not on its own, not on its own, m 900 by E, t 0 by B",
		"B m:E, active on t, active on t, active on t, m 900 by E, t 0 by B",
		"C m:E t:D, planned, planned, not on its own, m 900 by E, t 2000 by D",
		"D, scheduled, active on m, active, m 1000 by D, t 2000 by D",
		"E, scheduled, active on m, active on m, m 900 by E",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("followers and states (-want +got):\n%s", d)
	}
}

func TestProblems(t *testing.T) {
	ps := SortProblems([]Problem{
		{File: "b.md", Line: 1, Code: "x"}, {File: "a.md", Line: 7, Code: "x", Message: "seven"},
		{File: "a.md", Line: 0, Code: "y", Message: "whole"},
		{File: "a.md", Line: 7, Code: "x", Message: "seven"}, {File: "a.md", Line: 7, Code: "w"},
	})
	var got []string
	for _, p := range ps {
		got = append(got, p.String())
	}
	d := cmp.Diff([]string{"a.md: y: whole", "a.md:7: w: ", "a.md:7: x: seven", "b.md:1: x: "}, got)
	if d != "" {
		t.Errorf("sorted problems (-want +got):\n%s", d)
	}
}

// Slugs are file names: at most 80 bytes of whole characters, and two long ones remain distinct.
func TestSlugIsBounded(t *testing.T) {
	long := strings.Repeat("提", 86)
	seen := map[string]string{}
	for _, s := range []string{
		strings.Repeat("a", 80), strings.Repeat("a", 81), strings.Repeat("a", 64<<10), long,
		long + "a", long + "b", "a" + long, "aa" + long,
		strings.Repeat("a ", 300), strings.Repeat("e\u0301", 300), strings.Repeat("İ", 60),
	} {
		for _, slug := range []string{Slug(s), Status(s).Slug(), Author{GitHub: &s}.Slug()} {
			if len(slug) > 80 || !utf8.ValidString(slug) || strings.Trim(slug, "-") != slug {
				t.Errorf("slug of %.20q and %d bytes: %q, of %d bytes", s, len(s), slug, len(slug))
			}
			if other, taken := seen[slug]; taken && other != s {
				t.Errorf("slug %q is that of two values of %d and %d bytes", slug, len(other),
					len(s))
			}
			seen[slug] = s
		}
	}
	if got, want := Slug(strings.Repeat("a", 80)), strings.Repeat("a", 80); got != want {
		t.Errorf("slug of 80 bytes: %q, want it as it is", got)
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "abc…"}, {"提提提", 9, "提提提"}, {"提提提提", 9, "提提…"},
		{"提提提提", 8, "提…"}} {
		if got := Shorten(c.s, c.most); got != c.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.s, c.most, got, c.want)
		}
	}
}

// TestChanged checks that a creation date in place of an unknown change is not a change.
func TestChanged(t *testing.T) {
	day, _ := NewDate(2026, 1, 2)
	midnight, later := NewTime(day.Time()), NewTime(day.Time().Add(time.Hour))
	for _, c := range []struct {
		name string
		in   Metadata
		want *Time
	}{
		{"no date", Metadata{}, nil},
		{"created, and git does not know it", Metadata{Created: day, Updated: &midnight}, nil},
		{"committed on the day of its creation", Metadata{Created: day, Updated: &later}, &later},
		{"committed, without a date", Metadata{Updated: &midnight}, &midnight},
	} {
		if got := c.in.Changed(); got != c.want {
			t.Errorf("%s: Changed = %v, want %v", c.name, got, c.want)
		}
	}
}
