package agent

import (
	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// NotFoundProblem is the static answer to everything below /api that is not there: the body of
// api-404.json. It is one file for every path, so instance and requestId are empty.
func NotFoundProblem(info mip.SiteInfo) ([]byte, error) {
	return api.JSON(api.NewProblem(info.BaseURL, api.NotFound, "", notFoundDetail(info)))
}

// MethodNotAllowed is the answer to a request that would change what can only be read.
func MethodNotAllowed(baseURL, instance string) ([]byte, error) {
	return api.JSON(api.NewProblem(baseURL, api.MethodNotAllowed, instance, "This address answers GET, HEAD and OPTIONS."))
}

func notFoundDetail(info mip.SiteInfo) string {
	return "Nothing is published at this address. " + info.BaseURL + "/api/v1/mips lists the proposals that exist; " +
		info.BaseURL + "/openapi.json describes every endpoint. Live endpoints are answered only where the site runs its sidecar."
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
	case api.NotReady:
		return "The sidecar has not read the site's proposals yet; ask again in a moment."
	case api.UpstreamTimeout:
		return "The service behind this answer took too long, and no earlier answer is kept."
	}
	return "Something failed on our side; the requestId finds it in the log."
}
