package corpus

import (
	"path"

	"github.com/mipwatch/mipwatch/internal/day"
	"github.com/mipwatch/mipwatch/internal/mip"
)

// resolveDates decides the order of ambiguous dates: the order of the site, else the order of nine
// in ten of the folder's unambiguous dates.
func (c *Corpus) resolveDates(order string) {
	const majority = 9 // tenths
	counts := map[string]map[string]int{}
	for _, e := range c.texts {
		if e.proposal == nil {
			continue
		}
		dir := path.Dir(e.Path)
		for _, o := range e.proposal.dates.Orders {
			if counts[dir] == nil {
				counts[dir] = map[string]int{}
			}
			counts[dir][o]++
		}
	}
	for _, e := range c.texts {
		if e.proposal == nil {
			continue
		}
		settled, seen := order, counts[path.Dir(e.Path)]
		for o, n := range seen {
			if order == "" && n*10 >= (seen[day.DayFirst]+seen[day.MonthFirst])*majority {
				settled = o
			}
		}
		for _, d := range e.proposal.dates.Open {
			switch day, of := d.In(settled, &e.report), mip.FieldOf(d.Meaning); {
			case day.IsZero():
			case of.In == nil:
				e.proposal.LastUpdate = day
			default:
				*of.In(&e.proposal.Metadata).(*mip.Date) = day
			}
		}
	}
}
