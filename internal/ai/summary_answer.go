package ai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mipwatch/mipwatch/internal/api"
	"github.com/mipwatch/mipwatch/internal/strictjson"
)

// maxReply bounds the text that is read at all, in bytes. The largest valid summary has a third of it
// in the scripts that need most bytes.
const maxReply = 64 << 10

// draft is what a model says: a summary without what we know better.
type draft struct {
	tldr    string
	changes []string
	axes    [4]api.Axis
}

// decode reads a model's reply. It must be one JSON object, in one code fence or none, with exactly the
// members of the schema, each once, of the right type and size. Errors name the rule and the place and
// repeat nothing of the reply.
func decode(reply string) (draft, error) {
	var d draft
	if len(reply) > maxReply {
		return d, fmt.Errorf("the reply has %d bytes, more than %d", len(reply), maxReply)
	}
	if !utf8.ValidString(reply) {
		return d, errors.New("the reply is not UTF-8")
	}
	m, err := members([]byte(unfence(reply)), "tldr", "whatsChanging", "developers", "users", "validators", "foundation")
	if err != nil {
		return d, fmt.Errorf("the reply %w", err)
	}
	if d.tldr, err = decodeText(m["tldr"], maxTLDR); err != nil {
		return d, fmt.Errorf("tldr %w", err)
	}
	points, err := elements(m["whatsChanging"], minChanges, maxChanges)
	if err != nil {
		return d, fmt.Errorf("whatsChanging %w", err)
	}
	for i, raw := range points {
		line, err := decodeText(raw, maxChange)
		if err != nil {
			return d, fmt.Errorf("whatsChanging %d %w", i, err)
		}
		d.changes = append(d.changes, line)
	}
	for a := range d.axes {
		if d.axes[a], err = decodeAxis(m[axis(a).String()]); err != nil {
			return d, fmt.Errorf("%s: %w", axis(a), err)
		}
	}
	return d, nil
}

func decodeAxis(raw json.RawMessage) (api.Axis, error) {
	var x api.Axis
	m, err := members(raw, "impact", "severity", "actionRequired", "evidence")
	if err != nil {
		return x, fmt.Errorf("the axis %w", err)
	}
	if x.Impact, err = decodeText(m["impact"], maxImpact); err != nil {
		return x, fmt.Errorf("impact %w", err)
	}
	severity, err := strictjson.String(m["severity"])
	if err != nil || rank(api.Severity(severity)) == 0 {
		return x, errors.New("severity is none of low, medium and high")
	}
	x.Severity = api.Severity(severity)
	switch string(m["actionRequired"]) {
	case "true":
		x.ActionRequired = true
	case "false":
	default:
		return x, errors.New("actionRequired is neither true nor false")
	}
	quotes, err := elements(m["evidence"], 0, 2*maxEvidence) // some may not stand
	if err != nil {
		return x, fmt.Errorf("evidence %w", err)
	}
	for i, raw := range quotes {
		e, err := members(raw, "section", "quote")
		if err != nil {
			return x, fmt.Errorf("evidence %d %w", i, err)
		}
		section, err := strictjson.String(e["section"])
		if err != nil {
			return x, fmt.Errorf("evidence %d section %w", i, err)
		}
		quote, err := strictjson.String(e["quote"])
		if err != nil {
			return x, fmt.Errorf("evidence %d quote %w", i, err)
		}
		x.Evidence = append(x.Evidence, api.Evidence{Section: section, Quote: quote})
	}
	return x, nil
}

// unfence removes the one code fence that a model may put around its object.
func unfence(reply string) string {
	reply = strings.TrimSpace(reply)
	first, rest, ok := strings.Cut(reply, "\n")
	if !ok || !strings.EqualFold(strings.TrimSpace(first), "```json") && strings.TrimSpace(first) != "```" {
		return reply
	}
	if inner, ok := strings.CutSuffix(rest, "\n```"); ok {
		return inner
	}
	return reply
}

// members reads an object that has all the members that are named, and no other.
func members(raw []byte, names ...string) (map[string]json.RawMessage, error) {
	out, err := strictjson.Object(raw, names...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if out[name] == nil {
			return nil, fmt.Errorf("lacks the member %s", name)
		}
	}
	return out, nil
}

// elements reads an array of least to most elements.
func elements(raw json.RawMessage, least, most int) ([]json.RawMessage, error) {
	out, err := strictjson.Array(raw)
	if err == nil && (len(out) < least || len(out) > most) {
		err = fmt.Errorf("has %d elements, not %d to %d", len(out), least, most)
	}
	return out, err
}

// decodeText reads one of the summary's own texts; line breaks in it become blanks.
func decodeText(raw json.RawMessage, most int) (string, error) {
	s, err := strictjson.String(raw)
	if err != nil {
		return "", err
	}
	s = collapse(s)
	return s, checkText(s, most)
}
