package assistant

import (
	"github.com/mipwatch/mipwatch/sidecar/assist/budget"
	"github.com/mipwatch/mipwatch/sidecar/assist/model"
)

// Environment makes the part of a [Config] that says which model is asked and how much, from the AI_*
// variables and the provider's key, by lookup, which is like [os.LookupEnv]; see [model.Environment] and
// [budget.Environment]. Nothing is asked, and no client is made yet. What keeps a model that is wanted
// from being used is in Unusable; the errors are those of values that nobody can mean.
func Environment(lookup func(string) (string, bool)) (Config, []error) {
	wanted, asked, errs := model.Environment(lookup)
	most, more := budget.Environment(lookup)
	errs = append(errs, more...)
	if !asked {
		return Config{}, errs
	}
	wanted.UserAgent = "mipwatch-sidecar"
	stats := &Stats{}
	wanted.Stats = &stats.Model
	lazy := model.NewLazy(wanted)
	bounded := budget.New(lazy, most)
	return Config{Model: bounded, Name: lazy.Name(), Unusable: lazy.Err(), Stats: stats, Budget: bounded}, errs
}
