package k3s

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed config-keys.yaml
var keyTable []byte

// A configKey is what K3s knows of one key of its config.yaml.
type configKey struct {
	// Roles are server and agent; a first server is a server.
	Roles []Role `yaml:"roles"`
	// Type is string, bool, int, duration or list.
	Type string `yaml:"type"`
	// Critical keys must be equal on all servers of a cluster.
	Critical bool `yaml:"critical"`
	// Secret keys hold secrets.
	Secret bool `yaml:"secret"`
}

// configKeys reads the table once. It is part of the program: that it can be read is a test's business.
var configKeys = sync.OnceValue(func() map[string]configKey { //nolint:gochecknoglobals // A constant that has to be read from a file.
	keys := map[string]configKey{}
	if err := yaml.Unmarshal(keyTable, &keys); err != nil {
		panic(err)
	}

	return keys
})

// appliesTo says whether K3s reads the key in a role.
func (k configKey) appliesTo(role Role) bool {
	if role == RoleInit {
		role = RoleServer
	}

	return slices.Contains(k.Roles, role)
}

// nearest returns up to three of the known names that a misspelt one may have meant, best first.
func nearest(name string, known []string) []string {
	const most, tolerance = 3, 3

	distance := make(map[string]int, len(known))
	for _, candidate := range known {
		distance[candidate] = editDistance(name, candidate)
	}

	near := slices.DeleteFunc(slices.Sorted(slices.Values(known)), func(candidate string) bool {
		// A part of a name is near, too: label for node-label.
		partial := len(name) > tolerance && strings.Contains(candidate, name)

		return !partial && distance[candidate] > min(tolerance, len(name)/2)
	})
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })

	return near[:min(most, len(near))]
}

// editDistance is Levenshtein's: how many letters have to be added, dropped or changed.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1

		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}

			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}

	return row[len(b)]
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
