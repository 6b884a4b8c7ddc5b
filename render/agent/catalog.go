// Package agent describes a site to programs: llms.txt, the Agent Skill, the OpenAPI document, the API catalog and
// the problems that static addresses answer. It knows every route's meaning and none of the files behind it.
package agent

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// APICatalog is the linkset of /.well-known/api-catalog (RFC 9727, in the JSON of RFC 9264): the
// catalog's items are the addresses that can be asked without a parameter, and the API as a whole
// has the OpenAPI document as its description for programs and the API page as that for people.
func APICatalog(info mip.SiteInfo) ([]byte, error) {
	type link struct {
		Href  string `json:"href"`
		Type  string `json:"type,omitempty"`
		Title string `json:"title,omitempty"`
	}
	type context struct {
		Anchor      string `json:"anchor"`
		Item        []link `json:"item,omitempty"`
		ServiceDesc []link `json:"service-desc,omitempty"`
		ServiceDoc  []link `json:"service-doc,omitempty"`
	}
	root := info.BaseURL + "/api/"
	items := []link{{Href: root, Title: "The API as a whole"}}
	for _, r := range StaticRoutes(info.Prefix) {
		if strings.HasPrefix(r.Pattern, "/api/") && !strings.Contains(r.Pattern, "{") {
			items = append(items, link{Href: info.BaseURL + r.Pattern, Type: r.Type, Title: r.Summary})
		}
	}
	return api.JSON(struct {
		Linkset []context `json:"linkset"`
	}{[]context{
		{Anchor: info.BaseURL + "/.well-known/api-catalog", Item: items},
		{
			Anchor:      root,
			ServiceDesc: []link{{Href: info.BaseURL + "/openapi.json", Type: typeJSON, Title: "OpenAPI 3.1"}},
			ServiceDoc:  []link{{Href: root, Type: typeHTML, Title: "Documentation for people"}},
		},
	}})
}
