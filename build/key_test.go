package build

import (
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
