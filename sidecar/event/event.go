// Package event lets an http.Handler answer the events by which a gateway hands HTTP requests to a
// function: proxy events of version 1 of the Amazon API Gateway, as Netlify sends them too, and of version
// 2, as Lambda function URLs send them. It does not know what is answered, nor how an event gets here.
package event

import (
	"encoding/json"
	"errors"
	"fmt"
)

// event is either version, told apart by where the method stands. Members that no answer needs are not
// named. Netlify's events have no address and no host, and only some gateways send all forms of a query.
type event struct {
	HTTPMethod   string              `json:"httpMethod"` // version 1
	Path         string              `json:"path"`       // version 1: as the client asked, before any rewrite
	RawQuery     string              `json:"rawQuery"`   // Netlify: as the client wrote it
	MultiQuery   map[string][]string `json:"multiValueQueryStringParameters"`
	Query        map[string]string   `json:"queryStringParameters"`
	MultiHeaders map[string][]string `json:"multiValueHeaders"`

	RawPath        string   `json:"rawPath"`        // version 2
	RawQueryString string   `json:"rawQueryString"` // version 2
	Cookies        []string `json:"cookies"`        // version 2, where they are not among Headers

	Headers         map[string]string `json:"headers"` // version 2: several values with commas between them
	Body            string            `json:"body"`
	IsBase64Encoded bool              `json:"isBase64Encoded"`

	RequestContext struct {
		Identity struct {
			SourceIP string `json:"sourceIp"` // version 1
		} `json:"identity"`
		HTTP struct {
			Method   string `json:"method"` // version 2
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
		DomainName string `json:"domainName"`
	} `json:"requestContext"`
}

// second reports whether the event is of version 2.
func (e *event) second() bool { return e.RequestContext.HTTP.Method != "" }

var errNoRequest = errors.New("the event is no HTTP request: want httpMethod (API Gateway proxy event, version 1) or requestContext.http.method (version 2)")

// read reads an event, or says why it is none.
func (e *event) read(payload []byte) error {
	if err := json.Unmarshal(payload, e); err != nil {
		return fmt.Errorf("the event is no HTTP request: %w", err)
	}
	if !e.second() && e.HTTPMethod == "" {
		return errNoRequest
	}
	return nil
}
