package header

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// date reads a date in any form that means exactly one day. 12/01/2023 is a day in January to some
// and in December to others: it is left open until the order of its folder is known. Everything
// else is no date, with a warning. The last of several dates counts.
func (f *fields) date(meaning string) mip.Date {
	v := f.of(meaning)
	if v.v == nil {
		return mip.Date{}
	}
	text := v.text()
	r := day.Read(strings.Trim(text, "<>")) // as a template had it
	if r == (day.Reading{}) {
		list := strings.TrimRight(text, ", ")
		r = day.Read(list[strings.LastIndexByte(list, ',')+1:])
	}
	d := r.In("")
	switch {
	case r == (day.Reading{}) && (!isPlaceholder(text) || strings.HasPrefix(text, "<")):
		f.r.Add(v.line, "bad-date", mip.Quote(text), mip.Quote(v.key))
	case d.IsZero() && r != (day.Reading{}):
		f.Dates.Open = append(f.Dates.Open, OpenDate{r, meaning, v})
	case r.Order() != "":
		f.Dates.Orders = append(f.Dates.Orders, r.Order())
	}
	return d
}
