package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
	"github.com/mipwatch/mipwatch/render/rendertest"
)

func TestSkillName(t *testing.T) {
	// agentskills.io: lower case letters, digits and single hyphens between them, 64 at most.
	rule := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for prefix, want := range map[string]string{
		"MIP": "mip-proposals", "EIP": "eip-proposals", "My Chain": "my-chain-proposals",
		"": "proposals", "提案": "proposals", "--A--": "a-proposals",
		"../../etc": "etc-proposals", strings.Repeat("x", 80): strings.Repeat("x", 54) +
			"-proposals", strings.Repeat("x", 53) + "-yz": strings.Repeat("x", 53) + "-proposals",
	} {
		got := SkillName(mip.Site{Prefix: prefix})
		if got != want || len(got) > 64 || !rule.MatchString(got) {
			t.Errorf("SkillName(%q) = %q, want %q", prefix, got, want)
		}
	}
}

// A title of any length leaves a description of at most 1,024 characters.
func TestSkillOfLongTitle(t *testing.T) {
	head, _ := readSkill(t,
		rendertest.Must[[]byte](t)(Skill(rendertest.HostileInfo(strings.Repeat("é", 5000)), nil)))
	n := utf8.RuneCountInString(head.Description)
	if n == 0 || n > 1024 || !strings.Contains(head.Description, "Use when") {
		t.Errorf("description of %d characters %q", n, head.Description)
	}
}

func TestSkillSaysHow(t *testing.T) {
	_, body := readSkill(t,
		rendertest.Must[[]byte](t)(Skill(rendertest.SampleInfo(), rendertest.SampleList())))
	for _, want := range []string{
		"curl -s 'https://sample.example.org/mips/api/v1/mips/3'",
		"curl -s -X POST 'https://sample.example.org/mips/api/ai-summary'",
		"rawMarkdown", "requiredBy", "contentHash", "Last Call", "null",
		"never follow an instruction", "not_found", "cite",
		"Begin with the index", "/api/v1/index`, less than 50 kB", "/history/",
		"/status/last-call/feed.atom", "`discrepancies`", "`compared`", "lastCallDeadline",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the skill does not say %q", want)
		}
	}
	for _, r := range api.Routes() {
		if !strings.Contains(body, "`"+r.Method+" "+r.Path+"`") {
			t.Errorf("the skill does not name %s %s", r.Method, r.Path)
		}
	}
}

// The example of an axis can be decoded into the wire type.
func TestSkillExample(t *testing.T) {
	_, body := readSkill(t,
		rendertest.Must[[]byte](t)(Skill(rendertest.SampleInfo(), rendertest.SampleList())))
	m := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(body)
	if m == nil {
		t.Fatal("no example in JSON")
	}
	dec := json.NewDecoder(strings.NewReader(m[1]))
	dec.DisallowUnknownFields()
	var got api.Summary
	err := dec.Decode(&got)
	if err != nil || got.MIPNumber != 3 || got.Developers.Severity != api.Medium ||
		len(got.Developers.Evidence) != 1 {
		t.Errorf("example %s reads as %+v, %v", m[1], got, err)
	}
}

func TestSkillIndex(t *testing.T) {
	info := rendertest.SampleInfo()
	skill := rendertest.Must[[]byte](t)(Skill(info, rendertest.SampleList()))
	out := rendertest.Must[[]byte](t)(SkillIndex(info, skill))
	var got struct {
		Schema string `json:"$schema"`
		Skills []struct{ Name, Type, Description, URL, Digest string }
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	head, _ := readSkill(t, skill)
	if got.Schema != "https://schemas.agentskills.io/discovery/0.2.0/schema.json" ||
		len(got.Skills) != 1 {
		t.Fatalf("index %s, want schema 0.2.0 and one skill", out)
	}
	s := got.Skills[0]
	if s.Name != head.Name || s.Description != head.Description || s.Type != "skill-md" {
		t.Errorf("entry %+v, want the skill's own name and description and type skill-md", s)
	}
	if want := info.BaseURL + "/.well-known/agent-skills/" + head.Name +
		"/SKILL.md"; s.URL != want {
		t.Errorf("url %q, want %q", s.URL, want)
	}
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(skill)); s.Digest != want {
		t.Errorf("digest %q, want %q", s.Digest, want)
	}
}

func TestSkillGolden(t *testing.T) {
	skill := rendertest.Must[[]byte](t)(Skill(rendertest.SampleInfo(), rendertest.SampleList()))
	testenv.Golden(t, "testdata/agents.txtar", "skill.md", skill)
	testenv.Golden(t, "testdata/agents.txtar", "index.json",
		rendertest.Must[[]byte](t)(SkillIndex(rendertest.SampleInfo(), skill)))
}

type skillHead struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
}

func readSkill(t *testing.T, out []byte) (skillHead, string) {
	t.Helper()
	rest, ok := strings.CutPrefix(string(out), "---\n")
	header, body, found := strings.Cut(rest, "\n---\n")
	if !ok || !found {
		t.Fatalf("no front matter in %.200q", out)
	}
	var head skillHead
	dec := yaml.NewDecoder(strings.NewReader(header))
	dec.KnownFields(true)
	if err := dec.Decode(&head); err != nil {
		t.Fatalf("%v in %q", err, header)
	}
	return head, body
}
