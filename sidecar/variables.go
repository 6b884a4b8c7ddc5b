package sidecar

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mipwatch/mipwatch/internal/mip"
)

// Variables is an environment that records which variables were looked up. It is safe for
// concurrent use.
type Variables struct {
	values map[string]string
	names  []string

	mu    sync.Mutex
	asked map[string]bool
}

// NewVariables returns the environment that [os.Environ] lists.
func NewVariables(environ []string) *Variables {
	v := &Variables{values: map[string]string{}, asked: map[string]bool{}}
	for _, one := range environ {
		if name, value, ok := strings.Cut(one, "="); ok && name != "" {
			v.values[name], v.names = value, append(v.names, name)
		}
	}
	slices.Sort(v.names)
	return v
}

// Lookup is like [os.LookupEnv].
func (v *Variables) Lookup(name string) (value string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked[name] = true
	value, ok = v.values[name]
	return value, ok
}

// Names returns the names of all variables, sorted.
func (v *Variables) Names() []string { return v.names }

// Misspelled returns a warning for each variable that was not looked up and is probably a
// misspelling: its name begins with AI_, or differs by a letter or two from a variable that was
// looked up and is unset. It leaves out variables of networks: [catalog.Poller], which knows the
// networks, checks them.
func (v *Variables) Misspelled() (warnings []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var unset []string
	for name := range v.asked {
		if _, set := v.values[name]; !set {
			unset = append(unset, name)
		}
	}
	slices.Sort(unset)
	for _, name := range v.names {
		if v.asked[name] || strings.HasPrefix(name, "RPC_") {
			continue
		}
		switch meant := mip.Closest(name, unset); {
		case meant != "":
			warnings = append(warnings, fmt.Sprintf("%s is not read: did you mean %s?",
				name, meant))
		case strings.HasPrefix(name, "AI_"):
			warnings = append(warnings, name+" is not read: no variable has this name")
		}
	}
	return warnings
}
