package build

import (
	"path"
	"reflect"
	"slices"
	"testing"

	"github.com/mipwatch/mipwatch/render"
)

// TestPageKeyKnowsEveryField fails when a page gets a field that the key of its artifact may not
// cover: a later build would then keep a page that speaks of something else.
func TestPageKeyKnowsEveryField(t *testing.T) {
	covered := []string{
		"Summary", "Sections", "Body", // by the summary's key, which holds the hash of the file
		"Requires", "RequiredBy", "Replaces", "SupersededBy", "Previous", "Next", "Fork",
		"Impact", "History", "Translations", "Heat",
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[render.ProposalPage]()) {
		if !slices.Contains(covered, f.Name) {
			t.Errorf("ProposalPage.%s: add it to the key in proposals.go, then here", f.Name)
		}
	}
}

// TestShelfOf holds that no folder of a proposal is held open for its page, feed or card: a site has thousands.
func TestShelfOf(t *testing.T) {
	for file, want := range map[string]string{
		"mip/1/index.html": "mip", "mip/1/og.0123abcd.png": "mip", "mip/1/feed.xml": "mip", "mip/1.md": "mip", "index.html": ".", "og.0123abcd.png": ".",
		"api/v1/mips/1.json": "api/v1/mips",
	} {
		if shelf, name := shelfOf(file); shelf != want || path.Join(shelf, name) != file {
			t.Errorf("%s: %s in %s, want it in %s", file, name, shelf, want)
		}
	}
}
