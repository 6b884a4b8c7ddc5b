package picture

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
)

// action is the treatment of an element of a drawing.
type action int

const (
	keep action = iota
	// unwrap removes the tags and keeps what is between them.
	unwrap
	// remove removes the whole element.
	remove
)

var (
	// tagName and tagAttribute match the parts of a start tag.
	tagName      = regexp.MustCompile(`^<[^\s/>]+`)
	tagAttribute = regexp.MustCompile(`\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*')`)
	// idle matches the comments of a style sheet, and its rules for fonts, other sheets and
	// movements.
	idle = regexp.MustCompile(`(?s)/\*.*?\*/|@font-face\s*\{[^}]*\}|@import[^;]*;|` +
		`@(?:-webkit-)?keyframes[^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}`)
)

// clean returns a drawing without the parts that do more than draw, if it looks alike without them:
// scripts, handlers, links, fonts, and HTML that has an alternative. The result is checked like any
// other drawing. A broken drawing has none.
func clean(data []byte) []byte {
	var out bytes.Buffer
	var open []action
	var names []string // of the open elements
	removed, style := 0, ""
	d := newDecoder(data)
	for {
		from := d.InputOffset()
		token, err := d.Token()
		if err == io.EOF {
			return out.Bytes()
		} else if err != nil {
			return nil
		}
		part := data[from:d.InputOffset()]
		switch token := token.(type) {
		case xml.StartElement:
			todo := actionOf(token, names)
			open, names, style = append(open, todo), append(names, token.Name.Local), ""
			if todo == remove {
				removed++
			} else if todo == keep && removed == 0 {
				out.Write(withoutAttributes(part, token))
			}
		case xml.EndElement:
			last := len(open) - 1
			todo, name := open[last], names[last]
			open, names = open[:last], names[:last]
			if todo == remove {
				removed--
				continue
			}
			if removed == 0 && name == "style" {
				xml.EscapeText(&out, []byte(idle.ReplaceAllString(style, "")))
			}
			if removed == 0 && todo == keep {
				out.Write(part)
			}
		case xml.CharData:
			if len(names) > 0 && names[len(names)-1] == "style" {
				style += string(token)
			} else if removed == 0 {
				out.Write(part)
			}
		case xml.ProcInst:
			if token.Target == "xml" {
				out.Write(part)
			}
		}
	}
}

// actionOf returns what becomes of an element in open ones. Text in HTML that has no alternative
// would be missing, so that such a drawing stays as it is.
func actionOf(e xml.StartElement, open []string) action {
	inSwitch := len(open) > 0 && open[len(open)-1] == "switch"
	switch e := (xml.StartElement{Name: e.Name}); {
	case e.Name.Local == "a" && e.Name.Space == svgSpace:
		return unwrap
	case checkElement(e) == nil, e.Name.Local == "foreignObject" && !inSwitch:
		return keep
	}
	return remove
}

// withoutAttributes returns a start tag without the attributes that do not draw. References stay,
// since a part would be missing without them.
func withoutAttributes(tag []byte, e xml.StartElement) []byte {
	name := tagName.Find(tag)
	found := tagAttribute.FindAll(tag[len(name):], -1)
	if len(found) != len(e.Attr) {
		return tag
	}
	out := bytes.Clone(name)
	for i, a := range e.Attr {
		if a.Name.Local == "href" || checkAttribute(e.Name.Local, a) == nil {
			out = append(out, found[i]...)
		}
	}
	if bytes.HasSuffix(tag, []byte("/>")) {
		return append(out, "/>"...)
	}
	return append(out, '>')
}
