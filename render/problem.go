package render

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/mip"
	"github.com/mipwatch/mipwatch/sidecar/api"
)

// ProblemType is the URI that names a kind of problem: a heading of the API page, so that whoever
// follows it reads what the code means. It is the type member of every problem of that code.
func ProblemType(info mip.SiteInfo, code api.Code) string {
	return info.BaseURL + "/api/#" + ProblemAnchor(code)
}

// ProblemAnchor is the fragment of [ProblemType]: problem- and the code with hyphens.
func ProblemAnchor(code api.Code) string {
	return "problem-" + strings.ReplaceAll(string(code), "_", "-")
}

// NotFoundProblem is the static answer to everything below /api that is not there: the body of
// api-404.json. It is one file for every path, so instance and requestId are empty.
func NotFoundProblem(info mip.SiteInfo) ([]byte, error) {
	return JSON(newProblem(info, api.NotFound, "", notFoundDetail(info)))
}

func notFoundDetail(info mip.SiteInfo) string {
	return "Nothing is published at this address. " + info.BaseURL + "/api/v1/mips lists the proposals that exist; " +
		info.BaseURL + "/openapi.json describes every endpoint. Live endpoints are answered only where the site runs its sidecar."
}

func newProblem(info mip.SiteInfo, code api.Code, instance, detail string) api.Problem {
	return api.Problem{
		Type: ProblemType(info, code), Title: problemTitle(code), Status: httpStatus(code),
		Detail: detail, Instance: instance, Code: code,
	}
}

// httpStatus is 500 for a code that the table does not hold.
func httpStatus(code api.Code) int {
	for _, c := range api.Codes() {
		if c.Code == code {
			return c.Status
		}
	}
	return 500
}

// problemTitle turns not_found into "Not found" and ai_failed into "AI failed".
func problemTitle(code api.Code) string {
	words := strings.ReplaceAll(string(code), "_", " ")
	if rest, ok := strings.CutPrefix(words, "ai "); ok {
		return "AI " + rest
	}
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}

// problemDetail is what a problem of that code may say in the examples of the documentation.
func problemDetail(code api.Code) string {
	switch code {
	case api.BadRequest:
		return "A value of the request is missing or cannot be read."
	case api.NotFound:
		return "There is no such topic or proposal, or this site runs no sidecar."
	case api.MethodNotAllowed:
		return "The Allow header names the methods that this address answers."
	case api.TooLarge:
		return "The body is larger than this address reads."
	case api.UnsupportedMediaType:
		return "The body has to be application/json."
	case api.RateLimited:
		return "Too many requests; wait for as long as Retry-After says."
	case api.AIFailed:
		return "The model gave no usable answer."
	case api.UpstreamUnavailable:
		return "The service behind this answer failed, and no earlier answer is kept."
	case api.AIDisabled:
		return "This site has no model for the request."
	case api.UpstreamTimeout:
		return "The service behind this answer took too long, and no earlier answer is kept."
	}
	return "Something failed on our side; the requestId finds it in the log."
}
