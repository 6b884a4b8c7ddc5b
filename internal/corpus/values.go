package corpus

import (
	"strconv"
	"strings"
)

// index resolves duplicate keys.
func index(values []value, r *report) *decoded {
	d := &decoded{byName: make(map[string]*value, len(values))}
	for i := range values {
		v := &values[i]
		first, dup := d.byName[v.name]
		if !dup {
			d.byName[v.name] = v
			continue
		}
		r.warnf(v.line, "duplicate-key", "%s is stated a second time (first on line %d): the first value that is not empty counts", quoted(v.key), first.line)
		if first.v == nil && v.v != nil {
			d.byName[v.name] = v
		}
	}
	for i := range values {
		v := &values[i]
		if d.byName[v.name] == v {
			d.order = append(d.order, v)
		}
	}
	return d
}

// get returns the first of the named fields that has a value, or one that is empty, or nil.
func (d *decoded) get(names ...string) *value {
	var empty *value
	for _, name := range names {
		if v := d.byName[name]; v != nil {
			if v.v != nil {
				return v
			}
			empty = v
		}
	}
	return empty
}

// text returns the field as one line of text; lists are joined by commas.
func (v *value) text() string {
	if v == nil {
		return ""
	}
	return textOf(v.v)
}

func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = textOf(v[i])
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// quoted shortens s for a message and makes what cannot be seen visible.
func quoted(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}
