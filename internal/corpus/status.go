package corpus

import (
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// earlier decodes the headers of earlier texts, of which a page asks for several.
var earlier = sync.OnceValue(newDecoder)

// StatusOf is the status in the header of an earlier text, read as that of a proposal is; empty when there is
// none. Nothing is said of what is wrong with the text.
func StatusOf(text []byte) mip.Status {
	var r report
	h, ok := guard(text, &r)
	if !ok || h == nil {
		return ""
	}
	var only header
	for _, f := range h.fields {
		if f.name == "status" {
			only.fields = append(only.fields, f)
		}
	}
	if v := earlier().decode(&only, &r).get("status"); v != nil {
		return mip.ParseStatus(v.text())
	}
	return ""
}
