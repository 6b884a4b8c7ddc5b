package assistant

import (
	"github.com/mipwatch/mipwatch/internal/ai"
)

// Environment makes the part of a [Config] that says which model is asked and how much; see [ai.Environment].
// What keeps a model that is wanted from being used is in Unusable.
func Environment(lookup func(string) (string, bool)) (Config, []error) {
	stats := &Stats{}
	e, errs := ai.Environment(lookup, "mipwatch-sidecar", &stats.Model)
	if e.Model == nil {
		return Config{}, errs
	}
	return Config{Model: e.Model, Name: e.Name, Unusable: e.Unusable, Stats: stats, Budget: e.Model}, errs
}
