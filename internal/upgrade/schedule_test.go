package upgrade_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/markdown"
	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/upgrade"
)

// TestStated checks the activation times in texts.
func TestStated(t *testing.T) {
	networks := []mip.Network{{ID: "mainnet", Name: "Lantern"},
		{ID: "testnet", Name: "Lantern Testnet"}, {ID: "glow", Name: "Glow"}}
	for _, tt := range []struct{ name, body, want string }{
		{"open", "### Activation\n\n| Network | Activation Timestamp |\n|---|---|\n" +
			"| Lantern Testnet | TBD |\n| Lantern Mainnet | TBD |\n",
			`testnet "TBD", mainnet "TBD"`},
		{"seconds before the day",
			"## Activation\n\n| Network | Unix time | UTC |\n|:--|--:|:--|\n" +
				"| testnet | `1776178800` | 14 April 2026, 15:00 |\n| **mainnet** | not set | |\n",
			`testnet "1776178800" 1776178800, mainnet "not set"`},
		{"epochs and other chains",
			"## Spec\n\n| Network Name | Activation Epoch | Activation Timestamp |\n|-|-|-|\n" +
				"| Holesky | 115968 | 1740434112 |\n| Glow | 364032 | 1,746,612,311 |\n",
			`glow "1,746,612,311" 1746612311`},
		{"days", "# Schedule\n\n|Network|When|\n|-|-|\n" +
			"|mainnet|March 19th, 2026 at 14:30 UTC|\n|testnet|2026-03-10T14:30:00Z|\n" +
			"|glow|Dec 01, 2023|\n",
			`mainnet "March 19th, 2026 at 14:30 UTC" 2026-03-19, testnet "2026-03-10T14:30:00Z" 2026-03-10, glow "Dec 01, 2023" 2023-12-01`},
		{"list", "## Activation\n\n- Testnet: 1776178800 (14 April)\n" +
			"- **Mainnet** – to be announced\n- Glow: block 12,345\n- Clients: two\n",
			`testnet "1776178800 (14 April)" 1776178800, mainnet "to be announced"`},
		{"list elsewhere", "## Clients\n\n- Testnet: TBD\n", ""},
		{"table of something else",
			"## Gas\n\n| Network | Gas limit |\n|-|-|\n| mainnet | 200000000 |\n" +
				"| testnet | TBD |\n", ""},
		{"heights", "## Activation\n\n| Network | Block |\n|-|-|\n| mainnet | 12345678 |\n" +
			"| testnet | after block 1 |\n", ""},
		{"the first counts", "## Activation\n\n- mainnet: 1700000000\n- mainnet: 1800000000\n",
			`mainnet "1700000000" 1700000000`},
		{"two names",
			"## Activation\n\n- mainnet and testnet: 1700000000\n- Lanternfish: 1700000001\n", ""},
		{"accents", "## Activation\n\n- Glöw: 1700000000\n- Te\u0301stnet: 1700000001\n",
			`glow "1700000000" 1700000000, testnet "1700000001" 1700000001`},
		{"empty cells", "## Activation\n\n| Network | Time |\n|-|-|\n| mainnet | |\n| testnet |\n",
			`mainnet "", testnet ""`},
		{"items below a label", "## Details\n\n- Activation:\n  - For Glow - `1700000000`\n" +
			"  - ~~Mainnet: 1700000001~~\n- Testnet: 1700000002\n", `glow "1700000000" 1700000000`},
		{"a paragraph before", "It takes the following blocks:\n\n" +
			"- `TBD` on Lantern mainnet\n- `100000000` on Glow (May 1st, 2026)\n",
			`mainnet "TBD", glow "May 1st, 2026" 2026-05-01`},
		{"other test networks", "## Activation\n\n- Ember testnet: 1700000000\n" +
			"- Glow (public network): 1700000001\n", ""},
		{"code", "## Activation\n\n```\n| mainnet | 1700000000 |\n```\n\n1. a\n2.\n", ""},
	} {
		var got []string
		for _, s := range upgrade.Stated(markdown.Parse(tt.body), networks) {
			words := fmt.Sprintf("%s %q", s.Network, s.Text)
			if s.Timestamp != nil {
				words += fmt.Sprint(" ", *s.Timestamp)
			}
			got = append(got, strings.TrimSpace(words+" "+s.Date.String()))
		}
		if g := strings.Join(got, ", "); g != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, g, tt.want)
		}
	}
}
