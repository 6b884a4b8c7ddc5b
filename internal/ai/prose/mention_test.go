package prose

import "testing"

// source has a few figures and addresses.
const source = "It costs 20,000 gas at 1.5 gwei, or 12345678 in two blocks; see `eip-1559.md`, " +
	"msg.sender and tx\\.origin. " +
	"Node.js is at github.com/lamps/lamp, with 10<sup>18</sup> and 0xDEAD00. Ask lamps@lamps.org " +
	"about the EVM and Solidity."

func TestHolds(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                    true,
		"No figure at all.":                   true,
		"20000 gas, 20.000 Gas or 20 000 gas": true,
		"2 blocks, ٢٠٠٠٠ and 1,5 Gwei":        true,
		"12 345 678 or 12\u00a0345\u00a0678":  true,
		"10^18 and 10¹⁸":                      true,
		"支持EVM。Solidity也支持。":                  true,
		"e.g. in the U.S., i.e. there":        true,
		"msg.sender, tx.origin, EIP-1559.md":  true,
		"at github.com/lamps/lamp.":           true,
		"0xdead00":                            true,
		"9999":                                false,
		"１８":                                  true,
		"15 gwei":                             false,
		"345":                                 false,
		"10⁹":                                 false,
		"½":                                   false,
		"evil.example":                        false,
		"evil。example":                        false,
		"请访问evil.example":                     false,
		"еvil.example":                        false,
		"github.com/evil":                     false,
		"evil.**example**":                    false,
		"evil&#46;example":                    false,
		"evil\u200d.example":                  false,
		"claim@evil":                          false,
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq": false,
		"l\u0301\u0301\u0301\u0301\u0301ight":        false,
		"Tie\u0302\u0301ng":                          true,
	} {
		if got := NewSource(source).Holds(text); got != want {
			t.Errorf("Holds(%q) = %t, want %t", text, got, want)
		}
	}
}

func TestSpeltNumbers(t *testing.T) {
	got := SpeltNumbers("Two blocks, twice in May; a dozen.")
	for n, want := range map[string]int{"2": 2, "5": 1, "1": 1, "12": 1, "7": 0} {
		if got[n] != want {
			t.Errorf("%s: %d times, want %d", n, got[n], want)
		}
	}
}
