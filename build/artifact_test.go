package build

import (
	"bytes"
	"context"
	"testing"

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
