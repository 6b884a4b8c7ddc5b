// Command panics is a function whose handler panics at /panic and otherwise says where it was asked.
package main

import (
	"io"
	"log/slog"
	"net/http"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/mipwatch/mipwatch/sidecar/event"
)

func main() {
	lambda.Start(&event.Handler{Log: slog.Default(), HTTP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("as asked")
		}
		io.WriteString(w, r.URL.Path)
	})})
}
