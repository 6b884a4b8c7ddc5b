package card

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

var update = flag.Bool("update", false, "write the lengths into code.go")

// TestLengths holds the code to one that is made for samples of what cards show.
func TestLengths(t *testing.T) {
	counts := counted(t)
	got := huffman(counts)
	if *update {
		text, err := os.ReadFile("code.go")
		if err != nil {
			t.Fatal(err)
		}
		var list strings.Builder
		list.WriteString(`const lengths = ""`)
		for row := range slices.Chunk([]byte(got), 96) {
			list.WriteString(" +\n\t\"" + string(row) + `"`)
		}
		text = regexp.MustCompile(`const lengths = ""( \+\n\t".*")+`).ReplaceAll(text, []byte(list.String()))
		if err := os.WriteFile("code.go", text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	room := 0 // of 2^15: a code is complete when it takes all (Kraft)
	size := func(lengths string) (n int) {
		for i := range lengths {
			n += counts[i] * digit(lengths[i])
		}
		return n
	}
	for i := range lengths {
		room += 1 << (15 - digit(lengths[i]))
	}
	if room != 1<<15 {
		t.Errorf("the code takes %d of %d", room, 1<<15)
	}
	// Letters may be drawn a little differently by another version of the font library.
	if have, best := size(lengths), size(got); have > best+best/50 {
		t.Errorf("the samples take %d bits, and %d with a code made for them: run this test with -update", have, best)
	}
}

// counted is how often each symbol occurs in the samples.
func counted(t *testing.T) []int {
	p := NewPainter()
	if p.load(); p.err != nil {
		t.Fatal(p.err)
	}
	counts := make([]int, len(lengths))
	b := new(board)
	for i, title := range []string{
		"A process for proposals", "Reserve balance and the price of storage", "Precompile for the verification of passkeys (RFC 9381)",
		"Hard fork meta: EMBER", "Block time of 500 ms, and what else follows from it for those who run validators",
		"Non-fungible token standard", "`SELFDESTRUCT` without refunds", "JSON-RPC method `eth_getLogs` with pages", "Quotas, juries & Xenon: 1234567890",
		"Account abstraction", "Increase the limit of code size", "Deprecate the old transaction type 2", "Fee market change", "Multi-vault extension of tokens",
	} {
		s := mip.Statuses()[i%len(mip.Statuses())]
		b.clear()
		c := Card{Site: "Network Improvement Proposals", ID: "MIP-" + strings.Repeat("7", i%5), Title: title, Status: &s, Kind: "Standards Track, Core"}
		p.drawHead(b, c)
		p.drawTitle(b, c)
		p.drawFoot(b, c)
		count(b, counts)
	}
	return counts
}

// count adds the symbols of a board.
func count(b *board, counts []int) {
	zeros := 0
	flush := func() {
		if zeros == 0 {
			return
		}
		counts[0]++
		for zeros--; zeros > maxMatch; zeros -= maxMatch {
			counts[lastLength]++
		}
		if zeros < minMatch {
			counts[0] += zeros
		} else {
			counts[lengthSymbol(zeros)]++
		}
		zeros = 0
	}
	for _, v := range filtered(b) {
		if v == 0 {
			zeros++
			continue
		}
		flush()
		counts[v]++
	}
	flush()
	counts[endOfBlock]++
}

// filtered is what rows hands on, the slow way.
func filtered(b *board) []byte {
	var out []byte
	for y := range Height {
		if b.reach[y] == 0 {
			out = append(out, make([]byte, 1+stride)...)
			continue
		}
		out = append(out, filterUp)
		for x, v := range b.row(y) {
			if y > 0 {
				v -= b.row(y - 1)[x]
			}
			out = append(out, v)
		}
	}
	return out
}

// lengthSymbol is the symbol of a match (RFC 1951, 3.2.5, the table).
func lengthSymbol(n int) int {
	if n == maxMatch {
		return lastLength
	}
	from := []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227}
	i, found := slices.BinarySearch(from, n)
	if !found {
		i--
	}
	return firstLength + i
}

// huffman is the lengths of a code for symbols that occur so often, as digits. None counts as so seldom
// that it would need more than 15 bits.
func huffman(counts []int) string {
	type node struct {
		weight  int
		symbols []int
	}
	all := 0
	for _, n := range counts {
		all += n
	}
	var nodes []node
	for i, n := range counts {
		nodes = append(nodes, node{max(n, all>>13), []int{i}})
	}
	depth := make([]int, len(counts))
	for len(nodes) > 1 {
		slices.SortStableFunc(nodes, func(a, b node) int { return a.weight - b.weight })
		a, b := nodes[0], nodes[1]
		both := slices.Concat(a.symbols, b.symbols)
		for _, i := range both {
			depth[i]++
		}
		nodes = append(nodes[2:], node{a.weight + b.weight, both})
	}
	var out []byte
	for _, d := range depth {
		out = append(out, "0123456789abcdef"[d])
	}
	return string(out)
}
