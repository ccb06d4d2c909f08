package k3s

import (
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// Files that the user-data of a node has.
const (
	envPath    = "/etc/k3s-bootstrap/env"
	configPath = "/etc/rancher/k3s/config.yaml"
	dropIns    = configPath + ".d/"
)

// An install is what a guest's user-data says of K3s.
type install struct {
	name    string
	server  bool
	first   bool // It starts a cluster if there is none.
	release string
	labels  map[string]string
}

// installOf a guest; false for a guest without K3s.
func installOf(g standin.Guest) (install, bool) {
	var data struct {
		Files []struct {
			Path    string `json:"path"`
			Content string `json:"content"`
		} `json:"write_files"`
	}

	if err := yaml.Unmarshal([]byte(g.UserData), &data); err != nil {
		return install{}, false
	}

	files := map[string]string{}
	for _, f := range data.Files {
		files[f.Path] = f.Content
	}

	env := map[string]string{}

	for line := range strings.Lines(files[envPath]) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			env[key] = value
		}
	}

	return install{
		name: env["NODE_NAME"], server: env["NODE_ROLE"] != "agent", first: env["NODE_ROLE"] == "init", release: env["RELEASE"], labels: labels(files),
	}, env["NODE_NAME"] != ""
}

// labels of a node: those of config.yaml, then those of the files beside it in the order of their names. A list whose key ends with a
// plus is appended to what was read before, and any other one replaces it (k3s, pkg/configfilearg, readConfigFile).
func labels(files map[string]string) map[string]string {
	var paths []string

	for path := range files {
		if strings.HasPrefix(path, dropIns) {
			paths = append(paths, path)
		}
	}

	slices.Sort(paths)

	var all []string

	for _, path := range append([]string{configPath}, paths...) {
		var config struct {
			Labels []string `json:"node-label"`
			More   []string `json:"node-label+"`
		}

		if err := yaml.Unmarshal([]byte(files[path]), &config); err != nil {
			continue
		}

		if config.Labels != nil {
			all = config.Labels
		}

		all = append(all, config.More...)
	}

	out := map[string]string{}

	for _, l := range all {
		key, value, _ := strings.Cut(l, "=")
		out[key] = value
	}

	return out
}
