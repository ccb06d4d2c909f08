package boot

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
	"github.com/homelab-io/function-proxmox-machine/test/boot/sandbox"
)

const k3sConfigFile = "/etc/rancher/k3s/config.yaml"

// k3sKey is what K3s knows of a key of its config.yaml.
type k3sKey struct {
	Roles    []string `json:"roles"`
	Type     string   `json:"type"`
	Critical bool     `json:"critical"`
	Secret   bool     `json:"secret"`
}

func k3sKeys() (map[string]k3sKey, error) {
	b, err := os.ReadFile(filepath.Join(repository, "internal", "k3s", "config-keys.yaml"))
	keys := map[string]k3sKey{}

	return keys, errors.Join(err, yaml.Unmarshal(b, &keys))
}

// k3sConfig holds the config.yaml that is in the guest against the table of K3s' keys.
func k3sConfig(_ want, g *sandbox.Guest) []string {
	f := faults{}

	file, ok := g.Files[k3sConfigFile]
	if !ok {
		return nil
	}

	f.equal("the mode of "+k3sConfigFile, file.Mode.String(), "-rw-------")

	config := map[string]any{}

	keys, err := k3sKeys()
	if err = errors.Join(err, yaml.Unmarshal([]byte(file.Content), &config)); err != nil {
		f.add("cannot read config.yaml: %v", err)
	}

	role := "server"
	if strings.Contains(g.Files["/etc/k3s-bootstrap/env"].Content, "NODE_ROLE=agent") {
		role = "agent"
	}

	for name, value := range config {
		key, known := keys[strings.TrimSuffix(name, "+")]

		switch {
		case !known:
			f.add("%s is no key of K3s", name)
		case !slices.Contains(key.Roles, role):
			f.add("%s is no key of an %s", name, role)
		case key.Secret:
			f.add("%s is a secret, and belongs into a file of its own", name)
		case !fits(key.Type, value):
			f.add("%s is a %s; K3s wants a %s", name, reflect.TypeOf(value), key.Type)
		}
	}

	return f
}

func fits(kind string, value any) bool {
	switch value.(type) {
	case bool:
		return kind == "bool"
	case []any:
		return kind == "list"
	case float64:
		return kind == "int"
	case string:
		return kind == "string" || kind == "duration" || kind == "list"
	}

	return false
}

// TestServersAgree: with another value of a critical key K3s refuses to join ("critical configuration value mismatch").
func TestServersAgree(t *testing.T) {
	keys, err := k3sKeys()
	if err != nil {
		t.Fatal(err)
	}

	clusters := map[string]map[string]any{}

	for _, m := range machines {
		drive, err := m.Drive()
		if err != nil || documents.Text(m.Claim, "spec", "k3s", "role") != "server" {
			continue
		}

		w := wantOf(t, m, drive)
		i := slices.IndexFunc(w.files, func(f writtenFile) bool { return f.Path == k3sConfigFile })

		config := map[string]any{}
		if err := yaml.Unmarshal([]byte(w.files[i].Content), &config); err != nil {
			t.Fatal(err)
		}

		critical := map[string]any{}

		for name, value := range config {
			if keys[name].Critical {
				critical[name] = value
			}
		}

		cluster := filepath.Base(m.Folder) + "/" + documents.Text(m.Claim, "spec", "k3s", "cluster")
		if first, ok := clusters[cluster]; ok && !reflect.DeepEqual(first, critical) {
			t.Errorf("%s has the critical values %v; another server of the cluster has %v", m.Name, critical, first)
		}

		clusters[cluster] = critical
	}

	if len(clusters) == 0 && *claims == "" {
		t.Error("no server was found")
	}
}
