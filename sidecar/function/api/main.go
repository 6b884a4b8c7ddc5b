// Command api is the live part of a site as a function: on Netlify, which deploys every folder beside this
// one as a function of its name, or on AWS Lambda behind a function URL or an API Gateway. It puts the
// handler together from the environment and from what it carries of the site; the answers are made by
// package sidecar, and package event turns events into requests.
package main

import (
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/sidecar/environment"
	"github.com/mipwatch/mipwatch/sidecar/event"
)

// carried is the site as of the deployment; see snapshot/README.md.
//
//go:embed snapshot
var carried embed.FS

func main() {
	env, errs := environment.Read(os.LookupEnv)
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{Level: env.Level}))
	snapshot, err := fs.Sub(carried, "snapshot")
	if err != nil {
		errs = append(errs, err) // the name is right, so there is none
	}
	lambda.Start(&event.Handler{HTTP: secure(newHandler(env, errs, snapshot, log)), Log: log})
}

// secure keeps browsers to TLS, as netlify.toml does for the files: a function is reached by nothing else.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

// unusable is the handler of a function that is not configured well. A function that ended instead would be
// started again and again, and nobody would be told why.
func unusable(errs []error, log *slog.Logger) http.Handler {
	for _, err := range errs {
		log.Error("configuration", "error", err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.Error("request refused", "reason", "the configuration is wrong, as the log says from the start of this process")
		event.Problem(w, r, api.Internal, "This function is not configured well; its log says what is wrong.")
	})
}
