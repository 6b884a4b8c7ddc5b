// Package webtest runs request scripts: text files with HTTP requests and conditions on their
// answers. It does not know what is requested: the same script tests a handler and, as a smoke
// test, a site that is deployed.
//
// # Scripts
//
// A script is a list of cases. A line with a method and a path starts one; the lines after it say
// what else is sent, and then what the answer must be:
//
//	# Lines that start with # are comments; blank lines and indents mean nothing.
//	GET /api/v1/mips
//	with Accept-Encoding: gzip
//	code == 200
//	header Content-Type == application/json; charset=utf-8
//	json mips.*.number ~ ^[1-9][0-9]*$
//	keep tag = header ETag
//	keep topic = json mips.*.forumTopicId
//
//	GET /api/v1/mips
//	with If-None-Match: {{tag}}
//	code == 304
//	body ==
//
//	GET /api/forum-activity?topicId={{topic}}
//	if topic
//	on 200 json topicId == {{topic}}
//	on 404 json code == not_found
//
// Lines of the request stand before those about its answer:
//
//	if NAME            leave the case out unless a value was kept under that name
//	with NAME: VALUE   a header field; may repeat
//	send TEXT          a line of the body; more of them are joined by line feeds
//
// A line about the answer names a part of it and what must be true of that part:
//
//	code, header NAME, body, json PATH
//
//	== TEXT, != TEXT, ~ REGEXP, !~ REGEXP, contains TEXT, exists, absent
//
// TEXT and REGEXP reach to the end of the line and may be empty after == and !=. Regular
// expressions are Go's and match anywhere. An absent part equals nothing and matches nothing.
// Fields of one name are joined by a comma and a blank. A body in gzip is decoded.
//
// A PATH is a sequence of keys and positions, joined by dots: mips.0.title. A key that holds a dot
// or a blank must be in double quotes: paths."/mip/{n}.md". An asterisk means each element of a
// list or member of an object: the check must then hold for every value, and holds for an empty
// list. A dot alone is the whole document. Strings compare by their characters, numbers as they are
// written, lists and objects as JSON without blanks.
//
//	on CODE,CODE CHECK     only for answers with one of these status codes
//	keep NAME = PART       remember the first value that is there and not null
//	keep NAME = PART ~ REGEXP
//	                       remember what the first group of the expression matched, or all of it
//
// A kept value is written {{NAME}} in any path, header field, body, TEXT or REGEXP, which takes it
// literally. Lines before the first request are true of every answer of the script.
//
// Redirects are not followed.
package webtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Run runs every script whose name matches glob, at least one. It reports each failed line as an
// error of t with its file and line, the request, the actual and the wanted value.
func Run(t testing.TB, glob string, target Target) {
	t.Helper()
	names, err := filepath.Glob(glob)
	if err != nil || len(names) == 0 {
		t.Fatalf("no request script at %s (%v)", glob, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parse(filepath.ToSlash(name), text)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		failures, skipped := s.run(t.Context(), target)
		for _, note := range skipped {
			t.Log(note)
		}
		for _, err := range failures {
			t.Errorf("%v", err)
		}
	}
}
