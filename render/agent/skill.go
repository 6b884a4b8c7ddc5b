package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/render/plain"
)

// Limits of the Agent Skills format (agentskills.io), in characters.
const (
	skillNameLimit        = 64
	skillDescriptionLimit = 1024
	skillTitleLimit       = 300 // ours: what the site's title may take of the description
)

// SkillName is the skill's name and the name of its folder: the prefix in lower case and
// "-proposals", such as mip-proposals; a prefix without a letter or digit of ASCII gives "proposals".
func SkillName(info mip.SiteInfo) string {
	const suffix = "proposals"
	words := strings.FieldsFunc(strings.ToLower(info.Prefix), func(r rune) bool { return !plain.IsAlphanumeric(r) })
	if len(words) == 0 {
		return suffix
	}
	stem := strings.Join(words, "-")
	stem = stem[:min(len(stem), skillNameLimit-len(suffix)-1)]
	return strings.TrimRight(stem, "-") + "-" + suffix
}

func skillDescription(info mip.SiteInfo) string {
	prefix := plain.OneLine(info.Prefix)
	text := fmt.Sprintf("Answers questions about the improvement proposals (%ss) of %s: what a proposal says, where it stands, what it depends on, which hard fork "+
		"activates it and whom it affects. Use when somebody asks about one (%s) by number or by topic, about the status or the changes of proposals, about upgrades of the network, "+
		"or wants a proposal summarised or quoted with its source.", prefix, cut(plain.SiteTitle(info), skillTitleLimit), prefix)
	return cut(text, skillDescriptionLimit)
}

// cut keeps the first n characters.
func cut(s string, n int) string {
	r := []rune(s)
	return string(r[:min(len(r), n)])
}

// Skill is the site as an Agent Skill: front matter with name and description, then how to answer
// from this site. The commands in it work as they stand; the number in them is that of the first of all,
// so that a new proposal leaves them as they are.
func Skill(info mip.SiteInfo, all []mip.Summary) ([]byte, error) {
	number := 1
	if len(all) > 0 {
		number = all[0].Number
	}
	example, err := skillExample(number)
	if err != nil {
		return nil, err
	}
	known := make([]string, 0, len(mip.Statuses()))
	for _, s := range mip.Statuses() {
		known = append(known, string(s))
	}
	fill := strings.NewReplacer(
		"{{title}}", inline(plain.SiteTitle(info)), "{{base}}", info.BaseURL, "{{prefix}}", inline(info.Prefix),
		"{{number}}", strconv.Itoa(number), "{{statuses}}", strings.Join(known, ", "), "{{axes}}", example, "{{live}}", skillLive(),
	)
	// strconv.Quote writes a double-quoted scalar of YAML: printable characters stay, and every escape
	// that it uses is one of YAML's.
	head := "---\nname: " + SkillName(info) + "\ndescription: " + strconv.Quote(skillDescription(info)) + "\n---\n\n"
	return []byte(head + fill.Replace(skillBody)), nil
}

func skillLive() string {
	var b strings.Builder
	for _, r := range api.Routes() {
		fmt.Fprintf(&b, "- `%s %s`: %s\n", r.Method, r.Path, r.Summary)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// skillExample is an axis of a summary as the wire type encodes it.
func skillExample(number int) (string, error) {
	axis := api.Axis{
		Impact: "What changes for this group, in a sentence or two.", Severity: api.Medium, ActionRequired: true,
		Evidence: []api.Evidence{{Section: "s-specification", Quote: "A sentence of the text, letter by letter."}},
	}
	b, err := api.JSON(object{{"mipNumber", number}, {"developers", axis}})
	return strings.TrimSuffix(string(b), "\n"), err
}

// SkillIndex is the list of the site's skills for discovery (agent-skills discovery 0.2.0). skill is
// the file exactly as it is served: the digest is over its bytes.
func SkillIndex(info mip.SiteInfo, skill []byte) ([]byte, error) {
	sum := sha256.Sum256(skill)
	type entry struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Description string `json:"description"`
		URL         string `json:"url"`
		Digest      string `json:"digest"`
	}
	name := SkillName(info)
	return api.JSON(struct {
		Schema string  `json:"$schema"`
		Skills []entry `json:"skills"`
	}{
		"https://schemas.agentskills.io/discovery/0.2.0/schema.json",
		[]entry{{name, "skill-md", skillDescription(info), info.BaseURL + "/.well-known/agent-skills/" + name + "/SKILL.md", "sha256:" + hex.EncodeToString(sum[:])}},
	})
}
