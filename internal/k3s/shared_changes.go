package k3s

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const keyDisable = "disable"

// criticalDefaults are what K3s has for critical keys that nobody sets; those that are missing are switches, and off.
var criticalDefaults = map[string]any{ //nolint:gochecknoglobals // A constant table.
	keyPods: "10.42.0.0/16", keyServices: "10.43.0.0/16", keyDNS: "10.43.0.10", keyDomain: "cluster.local",
	keyBackend: "vxlan", "egress-selector-mode": "agent", "secrets-encryption-provider": "aescbc",
}

// A Shared is what a server's config.yaml says of the settings that all servers of a cluster have to have alike.
type Shared struct {
	Config  map[string]any
	Disable []string
}

// SharedOf a config.yaml as it is read, without what servers may have otherwise.
func SharedOf(config map[string]any) Shared {
	out := Shared{Config: maps.Clone(config)}
	maps.DeleteFunc(out.Config, func(name string, _ any) bool { return !configKeys()[name].Critical })

	if all, ok := asList(config[keyDisable]).([]string); ok {
		out.Disable = all
	}

	return out
}

// HasSecret says whether one of the settings is secret.
func (s Shared) HasSecret() bool {
	for name := range s.Config {
		if configKeys()[name].Secret {
			return true
		}
	}

	return false
}

// Changes are the keys in which another server's settings differ, sorted. K3s refuses a server that differs in one of them from its cluster
// ("critical configuration value mismatch", https://docs.k3s.io/cli/server#critical-configuration-values): what the cluster was made with stays.
func (s Shared) Changes(other Shared) []string {
	var out []string

	for _, name := range sortedKeys(configKeys()) {
		if configKeys()[name].Critical && !sameSetting(effective(s.Config, name), effective(other.Config, name)) {
			out = append(out, name)
		}
	}

	if slices.Contains(s.Disable, servicelb) != slices.Contains(other.Disable, servicelb) {
		out = append(out, keyDisable)
		slices.Sort(out)
	}

	return out
}

// Value of a critical key in words, as K3s has it where nobody sets it.
func (s Shared) Value(name string) string {
	value := effective(s.Config, name)

	switch list, is := asList(value).([]string); {
	case name == keyDisable && slices.Contains(s.Disable, servicelb):
		return "with " + servicelb
	case name == keyDisable:
		return "without " + servicelb
	case configKeys()[name].Secret:
		return "another value"
	case is:
		return strings.Join(list, ",")
	default:
		return fmt.Sprint(value)
	}
}

// effective value of a critical key.
func effective(config map[string]any, name string) any {
	if value, said := config[name]; said {
		return value
	}

	if value, known := criticalDefaults[name]; known {
		return value
	}

	return false
}
