package webtest

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// parseCodes reads status codes with commas between them.
func parseCodes(list string) ([]int, error) {
	var codes []int
	for text := range strings.SplitSeq(list, ",") {
		code, err := parseCode(text)
		if err != nil {
			return nil, err
		}
		codes = append(codes, code)
	}
	return codes, nil
}

func parseCode(text string) (int, error) {
	code, err := strconv.Atoi(text)
	if err != nil || code < 100 || code > 599 {
		return 0, fmt.Errorf("want a status code from 100 to 599, got %q", text)
	}
	return code, nil
}

// parsePart reads what follows the word that names the kind of part, and returns the rest.
func parsePart(word, rest string) (part, string, error) {
	p := part{kind: partKind(word)}
	switch p.kind {
	case codePart, bodyPart:
	case headerPart:
		p.name, rest = cutWord(rest)
		if !fieldName.MatchString(p.name) {
			return p, "", fmt.Errorf("want the name of a header field, got %q", p.name)
		}
	case jsonPart:
		var err error
		if p.path, rest, err = parsePath(rest); err != nil {
			return p, "", err
		}
	default:
		return p, "", fmt.Errorf("unknown word %q; want a method in capitals, if, with, send, on, keep, code, header, body or json", word)
	}
	return p, strings.TrimLeft(rest, " \t"), nil
}

func parseComparison(text string) (operator, string, error) {
	word, want := cutWord(text)
	op := operator(word)
	switch op {
	case equals, differs:
	case matches, unlike, contains:
		if want == "" {
			return op, "", fmt.Errorf("nothing after %s", op)
		}
	case isThere, isMissing:
		if want != "" {
			return op, "", fmt.Errorf("%q after %s, which ends a line", want, op)
		}
	default:
		return op, "", fmt.Errorf("unknown comparison %q; want ==, !=, ~, !~, contains, exists or absent", word)
	}
	return op, want, nil
}

// sensible refuses a check that could not hold, or could not fail, whatever the answer.
func (c *check) sensible() error {
	if c.op.pattern() {
		return checkPattern(c.want)
	}
	if c.part.kind != codePart {
		if c.part.kind == bodyPart && c.op.unary() {
			return errors.New("a body always exists; want body == or body !=")
		}
		return nil
	}
	if c.op != equals && c.op != differs {
		return fmt.Errorf("a code is compared by ==, !=, ~ or !~, not by %s", c.op)
	}
	_, err := parseCode(c.want)
	return err
}

// checkPattern compiles an expression as if each kept value were a letter.
func checkPattern(text string) error {
	_, err := regexp.Compile(reference.ReplaceAllLiteralString(text, "x"))
	return err
}

// cutWord returns the first word and what follows it.
func cutWord(text string) (word, rest string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeft(text[i:], " \t")
}
