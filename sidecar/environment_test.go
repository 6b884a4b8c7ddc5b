package sidecar

import (
	"io"
	"log/slog"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// variables is a lookup function of an environment.
func variables(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := m[name]
		return value, ok
	}
}

func TestEnvironment(t *testing.T) {
	prefix := func(s string) netip.Prefix { return netip.MustParsePrefix(s) }
	tests := []struct {
		name  string
		in    map[string]string
		want  Config
		level slog.Level
		errs  []string
	}{
		{"nothing", nil, Config{}, 0, nil},
		{"empty", map[string]string{"REQUESTS_PER_MINUTE": " ", "LOG_LEVEL": "",
			"TRUSTED_PROXIES": ""}, Config{}, 0, nil},
		{"levels", map[string]string{"LOG_LEVEL": "WARN"}, Config{}, slog.LevelWarn, nil},
		{"proxies", map[string]string{
			"TRUSTED_PROXIES": "10.1.2.3/8, 192.0.2.1,2001:db8::1,2001:db8::/32," +
				"::ffff:192.0.2.7,::ffff:10.0.0.0/104",
		}, Config{Proxies: []netip.Prefix{
			prefix("10.0.0.0/8"), prefix("192.0.2.1/32"), prefix("2001:db8::1/128"),
			prefix("2001:db8::/32"), prefix("192.0.2.7/32"), prefix("10.0.0.0/8"),
		}}, 0, nil},
		{"everything wrong", map[string]string{"TRUSTED_PROXIES": "10.0.0.0/33", "LOG_LEVEL": "3"},
			Config{}, 0, []string{
				`TRUSTED_PROXIES: "10.0.0.0/33" is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1`,
				`LOG_LEVEL: want debug, info, warn or error, got "3"`}},
		{"more requests", map[string]string{"REQUESTS_PER_MINUTE": "600"},
			Config{RequestsPerMinute: 600}, 0, nil},
		{"no requests", map[string]string{"REQUESTS_PER_MINUTE": "0"}, Config{}, 0,
			[]string{`REQUESTS_PER_MINUTE: want a number from 1 to 1000000000, got "0"`}},
		{"empty part", map[string]string{"TRUSTED_PROXIES": "10.0.0.1,"}, Config{}, 0,
			[]string{`TRUSTED_PROXIES: "" is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1`}},
		{"zone", map[string]string{"TRUSTED_PROXIES": "fe80::1%eth0"}, Config{}, 0,
			[]string{`TRUSTED_PROXIES: "fe80::1%eth0" is neither an address nor a prefix; want such as 10.0.0.0/8,192.0.2.1`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := Environment(variables(tt.in), io.Discard)
			samePrefix := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Config{}, "Log"),
				samePrefix); diff != "" {
				t.Errorf("Environment(%v) (-want +got):\n%s", tt.in, diff)
			}
			if !got.Log.Enabled(t.Context(), tt.level) || got.Log.Enabled(t.Context(), tt.level-1) {
				t.Errorf("Environment(%v) has a log of another level than %v", tt.in, tt.level)
			}
			if diff := cmp.Diff(tt.errs, texts(errs)); diff != "" {
				t.Errorf("errors of Environment(%v) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func texts(errs []error) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}
	return out
}
