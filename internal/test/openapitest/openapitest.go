// Package openapitest compares answers of a service with its OpenAPI 3.1 document. It is for tests
// and does not know how an answer was obtained.
package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// location names the document for the schema compiler. Nothing is fetched from it.
const location = "https://openapi.invalid/openapi.json"

// Document is an OpenAPI document. It is safe for concurrent use.
type Document struct {
	paths map[string]map[string]operation

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by pointer
}

type operation struct {
	Responses map[string]struct {
		Headers map[string]any
		Content map[string]struct{}
	}
}

// Read parses a document.
func Read(document []byte) (*Document, error) {
	var parsed struct {
		Paths map[string]map[string]operation
	}
	if err := json.Unmarshal(document, &parsed); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	d := &Document{paths: parsed.Paths, compiler: jsonschema.NewCompiler(),
		schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(location, resource); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return d, nil
}

// Check reports what the document does not allow in an answer: its status, its media type, a
// missing header field or one that CORS hides, or its body. HEAD is compared with GET, without the
// body. 304 and 204 have none.
func (d *Document) Check(method, path string, status int, header http.Header, body []byte) error {
	name := strings.ToLower(method)
	if method == http.MethodHead {
		name = "get"
	}
	op, ok := d.paths[path][name]
	if !ok {
		return fmt.Errorf("%s %s: the document has no such operation", method, path)
	}
	key := strconv.Itoa(status)
	response, ok := op.Responses[key]
	if !ok {
		return fmt.Errorf("%s %s: the document does not know status %d", method, path, status)
	}
	exposed := strings.Split(header.Get("Access-Control-Expose-Headers"), ", ")
	for field := range response.Headers {
		if header.Get(field) == "" {
			return fmt.Errorf("%s %s: an answer %d lacks the field %s", method, path, status, field)
		}
		if !slices.Contains(exposed, field) {
			return fmt.Errorf("%s %s: pages of other sites cannot read the field %s of an "+
				"answer %d", method, path, field, status)
		}
	}
	if len(response.Content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("%s %s: an answer %d has a body, which the document does not know",
				method, path, status)
		}
		return nil
	}
	given := header.Get("Content-Type")
	mediaType := ""
	for documented := range response.Content {
		if sameType(documented, given) {
			mediaType = documented
		}
	}
	if mediaType == "" {
		return fmt.Errorf("%s %s: an answer %d has the type %q, which the document does not know",
			method, path, status, given)
	}
	if method == http.MethodHead {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: the body of an answer %d: %w", method, path, status, err)
	}
	schema, err := d.schema("#/paths/" + escape(path) + "/" + name + "/responses/" + key +
		"/content/" + escape(mediaType) + "/schema")
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s %s: an answer %d: %w in %.600s", method, path, status, err, body)
	}
	return nil
}

func (d *Document) schema(pointer string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[pointer]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(location + pointer)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", pointer, err)
	}
	d.schemas[pointer] = s
	return s, nil
}

func sameType(a, b string) bool {
	x, _, err := mime.ParseMediaType(a)
	y, _, err2 := mime.ParseMediaType(b)
	return err == nil && err2 == nil && x == y
}

// escape escapes a key for a JSON pointer in a URI fragment.
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B", ";", "%3B",
		" ", "%20", "=", "%3D").Replace(key)
}
