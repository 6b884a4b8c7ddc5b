package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUpgradesOfTexts chooses proposals by an upgrade that a text alone defines, on a site with and
// without networks: the rows name it and state nothing about a network.
func TestUpgradesOfTexts(t *testing.T) {
	t.Parallel()
	start(t)
	texts := map[string]string{"MIP-1.md": "---\nmip: 1\ntitle: Hardfork Meta - PECTRA\n" +
		"status: Final\ntype: Meta\n---\n\n## Included MIPs\n\n- MIP-2\n- MIP-3\n"}
	for n := 2; n < 5; n++ {
		texts[fmt.Sprintf("MIP-%d.md", n)] = fmt.Sprintf(
			"---\nmip: %d\ntitle: Title %[1]d\nstatus: Final\n---\n\nWords.\n", n)
	}
	const networks = "networks: [{id: mainnet, chain_id: 1}]\n" +
		"hardforks: [{name: NINE, mips: [4]}]\n"
	for name, more := range map[string]string{"with networks": networks, "without": ""} {
		config := filepath.Join(t.TempDir(), "site.yaml")
		err := os.WriteFile(config, []byte("title: T\nbase_url: https://m.example\n"+more), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		r := setup{folders: []string{}, more: texts, config: config}.serve(t)
		tab := r.tab(t, View{})
		for _, path := range []string{"/", "/?upgrade=pectra"} {
			tab.Go(path)
			if path != "/" {
				shows(tab, []string{"MIP-3", "MIP-2", "MIP-1"})
			}
			got := Ask[[]string](tab, `[...document.querySelectorAll("#list tbody tr")].filter(`+
				`r => r.checkVisibility() && r.textContent.includes("PECTRA"))`+
				`.map(r => r.querySelector(".on").textContent.trim())`)
			if !slices.Equal(got, []string{"PECTRA", "PECTRA", "PECTRA"}) {
				t.Errorf("%s: %s: %q", name, path, got)
			}
		}
		if more != "" {
			tab.Go("/?chain=ahead")
			shows(tab, []string{"MIP-4"})
		}
	}
}

// TestFirstScreenOfAnUpgrade checks that a phone shows the ids of the proposals and the times of
// all networks without scrolling.
func TestFirstScreenOfAnUpgrade(t *testing.T) {
	t.Parallel()
	start(t)
	var text strings.Builder
	text.WriteString("---\nmip: 1\ntitle: Hardfork Meta - PECTRA\ndescription: " +
		"The proposals that are included in the upgrade.\nstatus: Final\n" +
		"type: Meta\n---\n\n## Included MIPs\n\n")
	texts := map[string]string{}
	for n := 7000; n < 7013; n++ {
		fmt.Fprintf(&text, "- MIP-%d\n", n)
		texts[fmt.Sprintf("MIP-%d.md", n)] = fmt.Sprintf(
			"---\nmip: %d\ntitle: Title\nstatus: Final\n---\n\nWords.\n", n)
	}
	text.WriteString("\n## Activation\n\n")
	for _, name := range []string{"Holesky", "Sepolia", "Hoodi", "Mainnet"} {
		fmt.Fprintf(&text, "- %s: epoch 165120, 24 Sep 2025, 08:48 UTC\n", name)
	}
	texts["MIP-1.md"] = text.String()
	config := filepath.Join(t.TempDir(), "site.yaml")
	err := os.WriteFile(config, []byte("title: T\nbase_url: https://m.example\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	r := setup{folders: []string{}, more: texts, config: config}.serve(t)
	tab := r.tab(t, View{Width: 390})
	tab.Go("/upgrade/pectra/")
	got := Ask[string](tab, `[...document.querySelectorAll("main :is(p, dd)")].filter(e => `+
		`e.getBoundingClientRect().bottom <= 844).map(e => e.innerText).join(" | ")`)
	if want := "24 Sep 2025, 08:48 UTC"; strings.Count(got, want) != 4 ||
		!strings.Contains(got, "MIP-7012") {
		t.Errorf("the first screen lacks MIP-7012, or %q four times: %s", want, got)
	}
}

// TestBoards checks the table and the board of upgrades whose texts have a history: each row has
// links to the proposal and to the commit below each other.
func TestBoards(t *testing.T) {
	t.Parallel()
	start(t)
	dir, texts := t.TempDir(), map[string]string{}
	lists := [4]string{}
	for n := 10; n < 34; n++ {
		texts[fmt.Sprintf("MIP-%d.md", n)] = fmt.Sprintf(
			"---\nmip: %d\ntitle: Price reads of state %[1]d\n"+
				"status: Draft\nauthor: Ada (@ada)\ncreated: 2025-01-01\n---\n\nWords.\n", n)
		lists[n%4] += fmt.Sprintf("- MIP-%d\n", n)
	}
	for month := range 3 {
		for i, name := range []string{"Reed", "Rush"} {
			at := func(stage int) string { return lists[(month+stage+i)%4] }
			texts[fmt.Sprintf("MIP-%d.md", i+1)] = fmt.Sprintf("---\nmip: %d\n"+
				"title: Hardfork Meta - %s\nstatus: Draft\nauthor: Ada (@ada)\ntype: Meta\n"+
				"created: 2025-01-01\n---\n\n### Scheduled\n\n%s\n### Considered\n\n%s\n"+
				"### Proposed\n\n%s\n### Declined\n\n%s", i+1, name, at(0), at(1), at(2), at(3))
		}
		commitTexts(t, dir, fmt.Sprintf("2026-%02d-01", month+1), texts)
	}
	v := setup{folders: []string{dir}}.serve(t)
	paths := []string{"/upgrade/", "/upgrade/reed/"}
	walk{"boards", v, paths, View{}, nil}.begin(t)
	narrow := View{Width: 390, Dark: true}
	walk{"boards", v, paths, narrow, []int{280, 390, 720, 1024, 1280}}.begin(t)
}
