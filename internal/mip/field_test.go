package mip

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// notOfHeader are the fields of Metadata that have other sources than the header, or further ones.
var notOfHeader = strings.Fields("number id stage updated requiredBy replacedBy external " +
	"hardfork activations statedActivations discussions forumTopicId url apiUrl markdownUrl " +
	"sourceUrl " +
	"contentHash frontmatter inferred")

// TestFieldsOfMetadata compares Metadata with the table of header fields.
func TestFieldsOfMetadata(t *testing.T) {
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Metadata]()) {
		if name := f.Tag.Get("json"); name != "" {
			names[name] = true
		}
	}
	led := map[string]bool{}
	meant := map[string]string{}
	for _, f := range Fields {
		if !names[f.Name] {
			t.Errorf("Fields has %s, which Metadata lacks", f.Name)
		}
		led[f.Name] = f.In != nil
		if f.Kind == FieldNumbers && !slices.Contains(relationTypes, RelationType(f.Name)) {
			t.Errorf("%s names proposals and is no RelationType", f.Name)
		}
		for _, key := range slices.Concat(f.Keys, f.Rare) {
			if meant[key] != "" {
				t.Errorf("the key %s is one of %s and of %s", key, meant[key], f.Name)
			}
			meant[key] = f.Name
		}
	}
	for name := range names {
		switch other := slices.Contains(notOfHeader, name); {
		case !led[name] && !other:
			t.Errorf("Metadata has %s, to which no line of Fields leads (In)", name)
		case led[name] && other:
			t.Errorf("%s is a field of the header, and this test takes it for another", name)
		}
	}
}

// TestEntryOfFields compares an entry of a list with its proposal, for each header field that both
// have.
func TestEntryOfFields(t *testing.T) {
	var m Metadata
	for _, f := range Fields {
		if f.In == nil {
			continue
		}
		switch v := f.In(&m).(type) {
		case *string:
			*v = f.Name
		case **string:
			*v = new(f.Name)
		case *Status:
			*v = Status(f.Name)
		case *Date:
			*v = Date{Year: 2026, Month: 1, Day: 1}
		case *[]Author:
			*v = []Author{{Name: new(f.Name)}}
		case *[]string:
			*v = []string{f.Name}
		case *[]int:
			*v = []int{1}
		}
		if f.Text(&m) == "" {
			t.Errorf("%s has the type %T, which no kind of field has", f.Name, f.In(&m))
		}
	}
	of := func(v any) (out map[string]json.RawMessage) {
		text, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	whole, entry := of(m), of(NewEntry(m, nil, nil))
	for _, f := range Fields {
		got, ok := entry[f.Name]
		if ok && f.Kind != FieldPeople && string(got) != string(whole[f.Name]) {
			t.Errorf("NewEntry has %s for %s, want %s", got, f.Name, whole[f.Name])
		}
	}
}
