package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/render/agent"
)

// API renders the reference of every endpoint, from the same values as the OpenAPI document.
func (p *Pages) API(a *agent.API) ([]byte, error) {
	return p.page("api", head{
		Section: "/api/", Title: "API", Route: "/api/", Script: textScript,
		Description: "Every endpoint of " + p.info.Title +
			": addresses, parameters, answers and errors.",
	}, struct {
		*agent.API
		Version string
		Codes   []api.CodeInfo
	}{a, agent.Version, api.Codes()})
}

// curl is a command for an operation, with the examples of its required parameters and its body.
// People copy it, so it must work as it is.
func (p *Pages) curl(op agent.Operation) (string, error) {
	address, query := op.Path, url.Values{}
	for _, prm := range op.Parameters {
		switch example := inAddress(prm.Example); {
		case prm.In == "path":
			address = strings.ReplaceAll(address, "{"+prm.Name+"}", url.PathEscape(example))
		case prm.Required:
			query.Set(prm.Name, example)
		}
	}
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	// Only a body needs a method and a media type.
	address = shellQuote(p.info.BaseURL + address)
	if op.Body == nil {
		return "curl -s " + address, nil
	}
	media, body, err := exampleOf(op.Body.Content)
	return fmt.Sprintf("curl -s -X %s -H %s -d %s %s",
		op.Method, shellQuote("Content-Type: "+media), shellQuote(string(body)), address), err
}

// example is an example of an operation's answer, or "" if there is none. A long one is cut. It is
// indented, unlike the answer itself.
func example(op agent.Operation) (string, error) {
	const most = 40 // lines
	_, body, err := exampleOf(op.Responses["200"].Content)
	if body == nil || err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = json.Indent(&b, body, "", "  ")
	lines := strings.SplitAfter(b.String(), "\n")
	if len(lines) > most {
		return strings.Join(lines[:most], "") + fmt.Sprintf("… and %d more lines",
			len(lines)-most), err
	}
	return b.String(), err
}

// exampleOf returns the example of a body in its encoded form, with its media type. It is nil if
// there is no example.
func exampleOf(c agent.Content) (media string, body []byte, err error) {
	for media, m := range c {
		e, ok := m.Examples["example"]
		if !ok {
			return media, nil, nil
		}
		b, err := api.JSON(e.Value)
		return media, bytes.TrimSpace(b), err
	}
	return "", nil, nil
}

// inAddress is a parameter's value in an address: a list is separated by commas.
func inAddress(v any) string {
	if list, ok := v.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v)
}

// shellQuote quotes a text as one word of a POSIX shell. In single quotes only the quote itself has
// a meaning.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
