package attachment_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mipwatch/mipwatch/internal/attachment"
	"github.com/mipwatch/mipwatch/internal/picture"
)

// TestSetLimits names no picture, as many as each limit allows, one more, and many.
func TestSetLimits(t *testing.T) {
	dir := t.TempDir()
	const size = 100 // bytes after the pixels of each file, which make the files differ
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	pixels := b.Bytes()
	made := map[string]bool{}
	named := func(name string) attachment.Named {
		if !made[name] {
			data := fmt.Appendf(pixels[:len(pixels):len(pixels)], "%*s", size, name)
			name := filepath.Join(dir, name)
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		made[name] = true
		return attachment.Named{Dest: name, Folder: dir, Name: name}
	}
	one := len(pixels) + size
	for _, c := range []struct {
		name string
		// texts is the number of texts, and each the number of pictures that only one text names.
		// shared adds a picture that all texts name.
		texts, each   int
		shared        bool
		limits        picture.Limits
		files, failed int
		refused       string // a part of each reason
	}{
		{"no text", 0, 0, false, picture.Limits{Text: 1, Site: 1, Bytes: one}, 0, 0, ""},
		{"no picture", 1, 0, false, picture.Limits{}, 0, 0, ""},
		{"nothing is allowed", 1, 1, false, picture.Limits{}, 0, 1,
			"want at most 0 pictures and files in a text"},
		{"most of a text", 1, 3, false, picture.Limits{Text: 3, Site: 3, Bytes: 3 * one}, 3, 0, ""},
		{"one more in a text", 1, 4, false, picture.Limits{Text: 3, Site: 9, Bytes: 9 * one}, 3, 1,
			"want at most 3 pictures and files in a text"},
		{"10,000 in a text", 1, 10_000, false, picture.Limits{Text: 3, Site: 9, Bytes: 9 * one}, 3,
			9_997, "want at most 3 pictures and files in a text"},
		{"most of a site", 2, 2, false, picture.Limits{Text: 9, Site: 4, Bytes: 9 * one}, 4, 0, ""},
		{"one more in a site", 5, 1, false, picture.Limits{Text: 9, Site: 4, Bytes: 9 * one}, 4, 1,
			"want at most 4 pictures and files in the site"},
		{"many in a site", 50, 2, false, picture.Limits{Text: 9, Site: 4, Bytes: 9 * one}, 4, 96,
			"want at most 4 pictures and files in the site"},
		{"most bytes", 2, 2, false, picture.Limits{Text: 9, Site: 9, Bytes: 4 * one}, 4, 0, ""},
		{"one byte too many", 2, 2, false, picture.Limits{Text: 9, Site: 9, Bytes: 4*one - 1}, 3, 1,
			fmt.Sprintf("want at most %d bytes of pictures and files in the site, and this would "+
				"make it %d",
				4*one-1, 4*one)},
		{"one picture in 1,000 texts", 1_000, 0, true, picture.Limits{Text: 1, Site: 1, Bytes: one},
			1, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := attachment.NewSet(&attachment.Cache{})
			set.Limits = c.limits
			failed := 0
			for i := range c.texts {
				var names []attachment.Named
				for k := range c.each {
					names = append(names, named(fmt.Sprintf("%d-%d.png", i, k)))
				}
				if c.shared {
					names = append(names, named("shared.png"))
				}
				text := fmt.Sprint(i)
				set.Add(text, names)
				for _, n := range names {
					switch e := set.Entries(text)[n.Dest]; {
					case e.Refused == "" && e.File.Hash == "":
						t.Fatalf("nothing became of %s", n.Dest)
					case e.Refused != "":
						failed++
						if !strings.Contains(e.Refused, c.refused) || c.refused == "" {
							t.Fatalf("%s, want %q", e.Refused, c.refused)
						}
					}
				}
			}
			if len(set.Files) != c.files || failed != c.failed {
				t.Errorf("%d files, %d refused, want %d and %d", len(set.Files), failed, c.files,
					c.failed)
			}
			if n := len(set.Paths); n > c.texts*c.limits.Text {
				t.Errorf("%d files were looked for, want at most %d in a text", n, c.limits.Text)
			}
		})
	}
}
