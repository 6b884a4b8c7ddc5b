package corpus

import (
	"testing"

	"github.com/mipwatch/mipwatch/internal/mip"
)

func TestStatusOf(t *testing.T) {
	for text, want := range map[string]mip.Status{
		"---\nmip: 1\nstatus: last-call\n---\n\nstatus: Final\n": mip.LastCall,
		"---\nmip: 1\nStatus: 'Final' # at last\n---\n":          mip.Final,
		"---\nmip: 1\nstatus: Moved\n---\n":                      "Moved",
		"---\nmip: 1\nstatus:\n---\n":                            "",
		"---\nmip: 1\nstatus: [Draft\n":                          "",
		"---\nmip: 1\n---\n":                                     "",
		"status: Draft\n":                                        "",
		"":                                                       "",
	} {
		if got := StatusOf([]byte(text)); got != want {
			t.Errorf("StatusOf(%q) = %q, want %q", text, got, want)
		}
	}
}
