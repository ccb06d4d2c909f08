package k3s

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed config-keys.yaml
var keyTable []byte

// A configKey describes one key of K3s's config.yaml.
type configKey struct {
	// Roles are server and agent; a first server is a server.
	Roles []Role `yaml:"roles"`
	// Type is string, bool, int, duration or list.
	Type string `yaml:"type"`
	// Critical keys must be equal on all servers of a cluster.
	Critical bool `yaml:"critical"`
	// Secret keys contain secrets.
	Secret bool `yaml:"secret"`
}

// keySupervisor is the port of the supervisor beside that of the API, which the list of keys lacks: k3s-io/k3s issues 2317 and 8030.
const keySupervisor = "supervisor-port"

// configKeys parses the embedded table once. A test checks that it parses.
var configKeys = sync.OnceValue(func() map[string]configKey { //nolint:gochecknoglobals // A constant that has to be read from a file.
	keys := map[string]configKey{}
	if err := yaml.Unmarshal(keyTable, &keys); err != nil {
		panic(err)
	}

	keys[keySupervisor] = configKey{Roles: []Role{RoleServer}, Type: "int"}

	return keys
})

// appliesTo reports whether K3s reads the key in a role.
func (k configKey) appliesTo(role Role) bool {
	if role == RoleInit {
		role = RoleServer
	}

	return slices.Contains(k.Roles, role)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
