package picture

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// maxElements bounds the elements that a drawing draws. An element that shows another one again
// counts as all that it shows: a few lines of such elements within each other draw billions.
const maxElements = 200_000

// repeated counts the elements of a drawing by the ids that others can refer to.
type repeated struct {
	// open are the ids of the open elements: an element without an id has its parent's.
	open []string
	// own counts the elements of an id without those in others. shows are the ids in it, and the
	// ids that it refers to.
	own   map[string]int
	shows map[string][]string
	total map[string]float64 // of all that an id shows
}

// newRepeated returns the counts of a drawing without elements.
func newRepeated() *repeated {
	return &repeated{[]string{""}, map[string]int{}, map[string][]string{}, map[string]float64{}}
}

// begin adds an element.
func (r *repeated) begin(e xml.StartElement) {
	in, id := r.open[len(r.open)-1], ""
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space == "" && a.Value != "" {
			id = a.Value
		}
	}
	if id != "" {
		r.shows[in] = append(r.shows[in], id)
		in = id
	}
	r.own[in]++
	for _, a := range e.Attr {
		if a.Name.Local == "href" && e.Name.Local == "use" {
			to := strings.TrimPrefix(strings.TrimSpace(a.Value), "#")
			r.shows[in] = append(r.shows[in], to)
		}
	}
	r.open = append(r.open, in)
}

// end ends the newest open element.
func (r *repeated) end() { r.open = r.open[:len(r.open)-1] }

// check refuses a drawing of too many elements.
func (r *repeated) check() error {
	if n := r.of(""); n > maxElements {
		return fmt.Errorf("want an SVG of at most %d elements, counted as often as they are "+
			"shown, got %.0f", maxElements, n)
	}
	return nil
}

// of counts what an id shows. An id that shows itself has no end.
func (r *repeated) of(id string) float64 {
	if n, known := r.total[id]; known {
		return n
	}
	r.total[id] = math.Inf(1)
	n := float64(r.own[id])
	for _, shown := range r.shows[id] {
		n += r.of(shown)
	}
	r.total[id] = n
	return n
}
