package build

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mipwatch/mipwatch/internal/site"
)

// What a body returns is its caller's: writing over it changes no other body, nor what is made next, however
// the bytes are made.
func TestBodiesShareNothing(t *testing.T) {
	s, err := site.Load("../site.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Site: s, Folders: []string{"../proposals"}}
	c, err := Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(c, o)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]byte{}
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		b, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		want[a.File] = bytes.Clone(b)
		for k := range b[:cap(b)] {
			b[:cap(b)][k] = '!'
		}
	}
	for i := range p.Artifacts {
		a := &p.Artifacts[i]
		for _, room := range []int{0, 1 << 20} {
			got := want[a.File]
			if a.Stream == nil {
				if got, err = a.Body(make([]byte, 0, room)); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got, want[a.File]) {
				t.Errorf("%s is not what it was: %.80q", a.File, got)
			}
			clear(got)
		}
	}
}

// A record is read as it was written, whichever way its names have to be read, and garbage is none.
func TestManifest(t *testing.T) {
	for _, files := range []map[string]entry{
		{},
		{"index.html": {Sum: "1-00", Key: "ab"}},
		{"a": {}, "mip/1/index.html": {Sum: "12-0123"}, "mip/1.md": {Sum: "3-ff", Key: "k"}, "z": {}},
		{"a \"quoted\" \\ name\n": {Sum: "1-00", Key: "ab"}, "b": {}},
		{"灯台/index.html": {Sum: "1-00"}, "a,\nb": {Sum: "2-00", Key: "k"}},
	} {
		b, err := manifest{files}.encode()
		if err != nil {
			t.Fatal(err)
		}
		var plain manifest
		if err := json.Unmarshal(b, &plain); err != nil {
			t.Errorf("%v is no JSON: %v", files, err)
		}
		got, ok := decodeManifest(b)
		if diff := cmp.Diff(files, got.Files); !ok || diff != "" {
			t.Errorf("%t (-want +got):\n%s", ok, diff)
		}
		if diff := cmp.Diff(files, plain.Files); diff != "" {
			t.Errorf("as JSON (-want +got):\n%s", diff)
		}
		if _, ok := decodeManifest(b[:len(b)-2]); ok {
			t.Errorf("%q is a whole record", b[:len(b)-2])
		}
	}
}
