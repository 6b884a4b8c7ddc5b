package header

import (
	"strings"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// date parses a date in any form that means exactly one day. 12/01/2023 may be in January or in
// December: it is left open until the order of its folder is known. Anything else gives no date,
// and a warning. The last of several dates counts.
func (f *fields) date(meaning string) mip.Date {
	v := f.of(meaning)
	if v.v == nil {
		return mip.Date{}
	}
	text := v.text()
	r := day.Read(strings.Trim(text, "<>")) // brackets come from templates
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
