// Package metrics is how counted numbers are written for Prometheus, in its text format 0.0.4, and the one
// kind of number that an atomic integer is not: a histogram of durations. It does not know what is counted,
// nor who reads it.
package metrics

import (
	"math"
	"strconv"
	"strings"
)

// ContentType is the media type of what a [Writer] writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Kind is the type of a family, as the TYPE line has it.
type Kind string

// The kinds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Writer writes families of samples, one after the other. The zero value is empty and ready.
type Writer struct {
	text []byte
	name string // of the family
}

// Family begins a family, to which the samples that follow belong. Each family is begun once. name is its
// whole name with the unit and, of a counter, _total.
func (w *Writer) Family(kind Kind, name, help string) {
	w.name = name
	w.text = append(w.text, "# HELP "+name+" "...)
	w.text = append(w.text, escapeHelp.Replace(help)...)
	w.text = append(w.text, "\n# TYPE "+name+" "+string(kind)+"\n"...)
}

// Sample writes a sample. labels are names and values in turn; a label whose value is empty is left out,
// which means the same.
func (w *Writer) Sample(value float64, labels ...string) { w.sample("", value, labels) }

// Durations writes a histogram, in seconds.
func (w *Writer) Durations(d *Durations, labels ...string) {
	// The count is the sum of the buckets, so that both agree while others go on counting.
	n := uint64(0)
	with := append(labels[:len(labels):len(labels)], "le", "")
	for i := range d.buckets {
		n += d.buckets[i].Load()
		le := math.Inf(1)
		if i < len(bounds) {
			le = bounds[i].Seconds()
		}
		with[len(with)-1] = number(le)
		w.sample("_bucket", float64(n), with)
	}
	const nanoseconds = 1e9
	w.sample("_sum", float64(d.sum.Load())/nanoseconds, labels)
	w.sample("_count", float64(n), labels)
}

func (w *Writer) sample(suffix string, value float64, labels []string) {
	w.text = append(w.text, w.name+suffix...)
	before := byte('{')
	for i := 0; i+1 < len(labels); i += 2 {
		if labels[i+1] == "" {
			continue
		}
		w.text = append(w.text, before)
		w.text = append(w.text, labels[i]+`="`...)
		w.text = append(w.text, escapeLabel.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD"))...)
		w.text = append(w.text, '"')
		before = ','
	}
	if before == ',' {
		w.text = append(w.text, '}')
	}
	w.text = append(w.text, " "+number(value)+"\n"...)
}

// Bytes is what was written so far.
func (w *Writer) Bytes() []byte { return w.text }

// number writes whole numbers, which most are, without an exponent.
func number(v float64) string {
	const exact = 1 << 53
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case v == math.Trunc(v) && math.Abs(v) < exact:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
