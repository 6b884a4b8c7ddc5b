package calendar

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

// sample is a calendar of last calls and activations, with a title for each hostile text.
func sample() Calendar {
	all := rendertest.SampleList() // none is in last call
	call := func(m *mip.Metadata) {
		m.Standing, m.LastCallDeadline = mip.LastCall.Usual(),
			mip.Date{Year: 2026, Month: time.February, Day: 28}
	}
	for i, h := range rendertest.HostileTexts() {
		all = append(all, rendertest.SampleMetadata(100+i, h.In, func(m *mip.Metadata) {
			call(m)
			m.Description = new(h.In)
		}))
	}
	all = append(all,
		rendertest.SampleMetadata(200, "Without a deadline", func(m *mip.Metadata) {
			m.Standing = mip.LastCall.Usual()
		}),
		rendertest.SampleMetadata(201,
			"Long "+strings.Repeat("слово, ", 60), func(m *mip.Metadata) {
				call(m)
				m.Updated, m.Description = nil, nil
			}))
	forks := rendertest.SampleForks()
	day, moment := new("2026-03-12"), new("2026-03-12T15:00:00Z")
	forks[0].Releases = []mip.Release{
		{Client: "Wick; \"A\",\n:", Version: "2", Networks: []string{"testnet"}, RequiredBy: day},
		{Client: "Wick: A", Version: "3", Networks: []string{"testnet"}},
		{Client: "wick-a", Version: "4", Networks: []string{"mainnet"}, RequiredBy: moment},
		{Client: "Flint", Version: "5", URL: new("https://x.example/5"), RequiredBy: day},
	}
	return Calendar{Title: "Sample; calendar", Description: "Deadlines, and activations.", All: all,
		Forks: forks}
}

// event is an event as parsed by a calendar program.
type event struct{ UID, Summary, Start, End, Stamp, URL, Description string }

// events are the events of the sample.
func events() (out []event) {
	for _, m := range sample().All {
		if m.Number < 100 || m.Number == 200 {
			continue
		}
		e := event{
			UID: strings.ToLower(m.ID.String()) + "-last-call@sample.example.org",
			Summary: "Last day for comments on " + m.ID.String() + ": " +
				strings.TrimSpace(wants()[m.Title]),
			Start: "2026-02-28", End: "2026-03-01", Stamp: "1970-01-01T00:00:00+00:00", URL: m.URL,
		}
		if m.Updated != nil {
			e.Stamp = m.Updated.UTC().Format("2006-01-02T15:04:05+00:00")
			e.Description = wants()[m.Title]
		}
		out = append(out, e)
	}
	const wick = "Run Wick; \"A\", : 2 or later by 12 Mar 2026 on testnet.\n"
	return append(out, event{
		"upgrade-MONAD_NINE-testnet@sample.example.org", "MONAD_NINE activates on Sample Testnet",
		"2026-03-19T14:30:00+00:00", "",
		"1970-01-01T00:00:00+00:00", "https://sample.example.org/mips/upgrade/monad_nine/",
		"Activates MIP-3, MIP-4.\n" + wick + "Run Wick: A 3 or later on testnet.\n" +
			"Run Flint 5 or later by 12 Mar 2026.",
	}, event{
		"release-MONAD_NINE-wick-a-1@sample.example.org",
		"MONAD_NINE requires Wick; \"A\", : 2, Flint 5 or later",
		"2026-03-12", "2026-03-13",
		"1970-01-01T00:00:00+00:00", "https://sample.example.org/mips/upgrade/monad_nine/#run",
		wick + "Run Flint 5 or later by 12 Mar 2026.",
	}, event{
		"release-MONAD_NINE-wick-a-3@sample.example.org",
		"MONAD_NINE requires wick-a 4 or later on mainnet", "2026-03-12T15:00:00+00:00", "",
		"1970-01-01T00:00:00+00:00", "https://sample.example.org/mips/upgrade/monad_nine/#run",
		"Run wick-a 4 or later by 12 Mar 2026, 15:00 UTC on mainnet.",
	})
}

// wants are the visible titles, without the marks of code spans.
func wants() map[string]string {
	out := map[string]string{}
	for _, m := range sample().All {
		out[m.Title] = strings.TrimSpace(m.Title)
	}
	for _, h := range rendertest.HostileTexts() {
		out[h.In] = h.Want
	}
	out["`code` and ``two ` in`` and a lone `"] = "code and two ` in and a lone `"
	out["`a]` (b) [c](d)"] = "a] (b) [c](d)"
	return out
}

// contentLine matches an unfolded content line of RFC 5545, section 3.1.
var contentLine = regexp.MustCompile(`^[A-Z-]+(;[A-Z-]+=[^;:,"]+)*:[^\x00-\x08\x0a-\x1f\x7f]*$`)

// TestForm checks the rules of RFC 5545 for lines and required properties.
func TestForm(t *testing.T) {
	out := string(Write(rendertest.SampleInfo(), sample()))
	if !strings.HasSuffix(out, "\r\n") || strings.Count(out, "\n") != strings.Count(out, "\r\n") {
		t.Error("a line does not end with CR LF")
	}
	for line := range strings.SplitSeq(out, "\r\n") {
		if len(line) > 75 || strings.ToValidUTF8(line, "") != line {
			t.Errorf("%d bytes, or half a character: %q", len(line), line)
		}
	}
	begun := map[string]int{}
	ids := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(out, "\r\n ", ""),
		"\r\n"), "\r\n") {
		if !contentLine.MatchString(line) {
			t.Errorf("no content line: %q", line)
		}
		name, value, _ := strings.Cut(line, ":")
		begun[name]++
		if name == "UID" && ids[value] {
			t.Errorf("UID %s twice", value)
		}
		ids[value] = true
	}
	want := len(events())
	for name, n := range map[string]int{"VERSION": 1, "PRODID": 1, "UID": want, "DTSTAMP": want,
		"SUMMARY": want, "DTSTART": 2, "DTSTART;VALUE=DATE": want - 2} {
		if begun[name] != n {
			t.Errorf("%d of %s, want %d", begun[name], name, n)
		}
	}
	if again := string(Write(rendertest.SampleInfo(), sample())); again != out {
		t.Error("the same calendar has other bytes")
	}
}

// TestReadByIcalendar parses the sample with the parser of most Python programs.
func TestReadByIcalendar(t *testing.T) {
	testenv.Long(t, "icalendar")
	const script = `import sys, json, icalendar
text = lambda e, k: str(e[k]) if k in e else ""
at = lambda e, k: e[k].dt.isoformat() if k in e else ""
c = icalendar.Calendar.from_ical(sys.stdin.buffer.read())
print(json.dumps([dict(UID=text(e, "UID"), Summary=text(e, "SUMMARY"), Start=at(e, "DTSTART"), End=at(e, "DTEND"), Stamp=at(e, "DTSTAMP"), URL=text(e, "URL"),
    Description=text(e, "DESCRIPTION")) for e in c.walk("VEVENT")]))`
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import icalendar").Run() == nil {
			python = name
		}
	}
	if python == "" {
		testenv.Missing(t, "icalendar", "no python3 with icalendar (Debian: python3-icalendar)")
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", script)
	cmd.Stdin = bytes.NewReader(Write(rendertest.SampleInfo(), sample()))
	cmd.Stderr = t.Output()
	var got []event
	if err := json.Unmarshal(rendertest.Must[[]byte](t)(cmd.Output()), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(events(), got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEmpty(t *testing.T) {
	out := string(Write(mip.Site{BaseURL: "https://example.org"},
		Calendar{Title: "T", Description: "D"}))
	if !strings.HasPrefix(out, "BEGIN:VCALENDAR\r\n") ||
		!strings.HasSuffix(out, "END:VCALENDAR\r\n") || strings.Contains(out, "VEVENT") {
		t.Errorf("%q", out)
	}
}
