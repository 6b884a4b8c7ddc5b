package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
