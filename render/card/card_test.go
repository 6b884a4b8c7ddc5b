package card

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/internal/test/testenv"
)

// proposal is a card as most are.
func proposal(title string, s mip.Status) Card {
	mark := markOf(string(s))
	if s == "" {
		mark = "none"
	}
	return Card{Site: "Lantern Improvement Proposals", ID: "MIP-4", Title: title,
		Status: s.String(), Mark: mark, Kind: "Standards Track, Core"}
}

// markOf is the mark of a status that is drawn by its name.
func markOf(status string) string {
	slug := mip.Slug(status)
	if _, ok := styles[slug]; ok {
		return slug
	}
	return "other"
}

// words are the statuses of EIP-1.
func words() (out []mip.Status) {
	for _, s := range mip.Process(nil).Known() {
		out = append(out, s.Status)
	}
	return out
}

// drawn is the picture of a card, decoded by a decoder that is not ours.
func drawn(t *testing.T, c Card) *image.Paletted {
	t.Helper()
	b, err := PNG(c)
	if err != nil {
		t.Fatalf("%.200q: %v", c.Title, err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%.200q: decode: %v", c.Title, err)
	}
	out, ok := img.(*image.Paletted)
	if !ok || out.Bounds() != image.Rect(0, 0, Width, Height) {
		t.Fatalf("%.200q: a %T of %v", c.Title, img, img.Bounds())
	}
	return out
}

// inked counts the pixels of a part that are not ground.
func inked(m *image.Paletted, r image.Rectangle) int {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if m.ColorIndexAt(x, y) != 0 {
				n++
			}
		}
	}
	return n
}

// Parts of a card.
var (
	siteArea  = image.Rect(siteLeft, logoTop, right, logoTop+logoSide+8)
	idArea    = image.Rect(margin, idLine-labelSize, right, idLine+8)
	titleArea = image.Rect(margin, topLine-titleSize,
		right, topLine+(mostRows-1)*leading+titleSize/3)
	pillArea = image.Rect(margin, pillTop, margin+pillSide, pillTop+pillSide)
	kindArea = image.Rect(600, pillTop, right, pillTop+pillSide)
)

func TestPNG(t *testing.T) {
	whole := []image.Rectangle{siteArea, idArea, titleArea, pillArea}
	// The id takes the place of a title that cannot be drawn.
	untitled, id := []image.Rectangle{siteArea, titleArea, pillArea}, []image.Rectangle{idArea}
	long := strings.Repeat("words and more ", 20)
	for _, c := range []struct {
		name          string
		card          Card
		shown, hidden []image.Rectangle
	}{
		{"usual", proposal("Opcode pricing", mip.Review), append(whole, kindArea), nil},
		{"three hundred letters", proposal(long, mip.Draft), whole, nil},
		{"one long word", proposal(strings.Repeat("W", 300), mip.Draft), whole, nil},
		{"a million letters", proposal(strings.Repeat("lorem ipsum ", 80_000), mip.Draft),
			whole, nil},
		{"accents, Greek, Cyrillic", proposal("Größe → Ελλάδα, Україна…", mip.Final),
			whole, nil},
		{"markup", proposal(`</title><script>"&amp;' %s \x00`, mip.Living), whole, nil},
		{"blanks of all kinds", proposal("\u00a0 a\u2003b \u2028", mip.Stagnant), whole, nil},
		{"unknown status", proposal("Title", "Finallize"), whole, nil},
		{"no status", proposal("Title", ""), whole, nil},
		{"status that cannot be written", proposal("Title", "最終"), whole, nil},
		{"very long status", proposal("Title", mip.Status(long)), whole, nil},
		{"no title", proposal("", mip.Withdrawn), untitled, id},
		{"blank title", proposal(" \t", mip.Withdrawn), untitled, id},
		{"Chinese", proposal("提案 of gas", mip.Draft), untitled, id},
		{"Arabic", proposal("مقترح", mip.Draft), untitled, id},
		{"Hebrew after a long text", proposal(long+"הצעה", mip.Draft), untitled, id},
		{"emoji, joined", proposal("Gas 👩‍💻", mip.Draft), untitled, id},
		{"not UTF-8", proposal("a\xffb", mip.Draft), untitled, nil},
		{"a glyph without width", proposal(strings.Repeat("\x00", 1000), mip.Draft), untitled, id},
		{"site that cannot be written", Card{Site: "提案", ID: "MIP-1", Title: "Title"},
			[]image.Rectangle{idArea, titleArea}, []image.Rectangle{siteArea, pillArea}},
		{"nothing", Card{}, nil, append(whole, kindArea)},
	} {
		t.Run(c.name, func(t *testing.T) {
			img := drawn(t, c.card)
			for _, r := range c.shown {
				if inked(img, r) == 0 {
					t.Errorf("nothing stands in %v", r)
				}
			}
			for _, r := range c.hidden {
				if n := inked(img, r); n != 0 {
					t.Errorf("%d pixels stand in %v", n, r)
				}
			}
			for _, r := range []image.Rectangle{
				image.Rect(0, barEnd, margin-6, Height), image.Rect(right+6, barEnd, Width, Height),
				image.Rect(0, pillTop+pillSide, Width, Height),
				image.Rect(0, barEnd, Width, logoTop),
			} {
				if n := inked(img, r); n != 0 {
					t.Errorf("%d pixels stand in the margin %v", n, r)
				}
			}
		})
	}
}

// TestWhatIsShown holds that each field is seen: another value is another picture.
func TestWhatIsShown(t *testing.T) {
	usual := proposal("Opcode pricing", mip.Review)
	for name, other := range map[string]func(*Card){
		"site":   func(c *Card) { c.Site += "s" },
		"id":     func(c *Card) { c.ID = "MIP-5" },
		"title":  func(c *Card) { c.Title += "!" },
		"status": func(c *Card) { c.Status, c.Mark = "No status", "none" },
		"kind":   func(c *Card) { c.Kind = "" },
		"glyph":  func(c *Card) { c.NoGlyph = true },
	} {
		c := usual
		other(&c)
		if bytes.Equal(drawn(t, c).Pix, drawn(t, usual).Pix) {
			t.Errorf("another %s is the same picture", name)
		}
		if c.Hash() == usual.Hash() {
			t.Errorf("another %s is the same hash", name)
		}
	}
	// The accent is in the palette alone.
	c := usual
	c.Accent = "0a5c2e"
	green := color.Color(color.RGBA{0x0a, 0x5c, 0x2e, 0xff})
	if !slices.Contains(drawn(t, c).Palette, green) ||
		slices.Contains(drawn(t, usual).Palette, green) {
		t.Error("another accent is the same picture")
	}
	if c.Hash() == usual.Hash() {
		t.Error("another accent is the same hash")
	}
	seen := map[string]mip.Status{}
	for _, s := range append(words(), "") {
		img := drawn(t, proposal("Title", s))
		icon := img.SubImage(
			image.Rect(margin+pillSide/2, iconTop, margin+pillSide, iconTop+iconSide))
		sign := string(icon.(*image.Paletted).Pix[:iconSide*Width])
		if other, ok := seen[sign]; ok {
			t.Errorf("%q and %q have one sign", s, other)
		}
		seen[sign] = s
	}
}

// TestHash holds that values cannot be moved from one field to the next, and that no status is not
// an empty one.
func TestHash(t *testing.T) {
	seen := map[string]int{}
	for i, c := range []Card{
		{}, {Site: "a"}, {ID: "a"}, {Title: "a"}, {Kind: "a"},
		{Site: "a", ID: "b"}, {Site: "ab"}, {Site: `a" "b`},
		{Title: "none"}, {Mark: "none"}, {Status: `" "`, Mark: "other"},
		{Status: "Accepted", Mark: "other"}, {Status: "Accepted", Mark: "final"},
		{Status: "Final", Mark: "other"}, {Status: "Final", Mark: "final"},
		{Title: "a\xff"}, {Title: "a\ufffd"},
	} {
		if other, ok := seen[c.Hash()]; ok {
			t.Errorf("cards %d and %d have one hash", other, i)
		}
		seen[c.Hash()] = i
		if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(c.Hash()) {
			t.Errorf("card %d: hash %q", i, c.Hash())
		}
	}
}

// TestDesign holds that the drawing is as it was: the name of a card follows from what it shows and
// from the version of the drawing, and a card is not drawn again while its name stays.
func TestDesign(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		testenv.Missing(t, "amd64", "another processor may round the edges of shapes differently")
	}
	const version, want = 2, "4d8c252710dcc31d"
	h := sha256.New()
	for _, s := range append(words(), "") {
		title := "Größe of ΔΣ, Україна & 0123456789: " + strings.Repeat("the quick brown fox ", 9)
		m := drawn(t, proposal(title, s))
		h.Write(m.Pix)
		fmt.Fprint(h, m.Palette)
	}
	for _, c := range []Card{proposal("", mip.Draft), {Title: "Site", Kind: "All proposals."}} {
		h.Write(drawn(t, c).Pix)
	}
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want || design != version {
		t.Errorf("version %d of the drawing is %s, want %s of version %d: "+
			"raise design, then put both here", design, got, want, version)
	}
}

// TestSize holds that cards stay small: a site has one for each proposal.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		title string
		most  int
	}{
		{"", 8_000},
		{"Opcode pricing under the reserve balance", 14_000},
		{strings.Repeat("swag ", 40), 20_000},
	} {
		b, err := PNG(proposal(c.title, mip.LastCall))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > c.most {
			t.Errorf("%q: %d bytes, more than %d", c.title, len(b), c.most)
		}
	}
}

func FuzzPNG(f *testing.F) {
	f.Add("Lantern", "MIP-4", "Opcode pricing", "Draft", "Core")
	f.Add("", "", strings.Repeat("W ", 200), "最終", "\xff")
	f.Fuzz(func(t *testing.T, site, id, title, status, kind string) {
		drawn(t, Card{Site: site, ID: id, Title: title, Status: status, Mark: markOf(status),
			Kind: kind})
	})
}

func BenchmarkPNG(b *testing.B) {
	c := proposal("Opcode pricing under the reserve balance", mip.LastCall)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := PNG(c); err != nil {
			b.Fatal(err)
		}
	}
}
