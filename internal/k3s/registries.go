package k3s

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// registries are what K3s reads of registries.yaml: https://docs.k3s.io/installation/private-registry.
type registries struct {
	Mirrors map[string]yaml.Node `yaml:"mirrors"`
	Configs map[string]yaml.Node `yaml:"configs"`
	Auths   map[string]yaml.Node `yaml:"auths"`
	Others  map[string]yaml.Node `yaml:",inline"`
}

// RegistryDoubts are what of a registries.yaml has no effect, or keeps K3s from starting, in the order mirrors, configs. They show names and no values.
func RegistryDoubts(content string) []string {
	var all registries
	if err := yaml.Unmarshal([]byte(content), &all); err != nil {
		return []string{"is no YAML that K3s can read, so that K3s does not start: " + notYAML(err)}
	}

	var out []string

	for _, key := range sortedKeys(all.Others) {
		out = append(out, fmt.Sprintf("K3s has no key %s here; there are mirrors and configs", shown(key)))
	}

	hosts := map[string][]string{} // The hosts of a mirror's endpoints.

	for _, name := range sortedKeys(all.Mirrors) {
		faults, endpoints := mirrorDoubts(name, all.Mirrors[name])
		out, hosts[name] = append(out, faults...), endpoints
	}

	for _, name := range sortedKeys(all.Configs) {
		out = append(out, configDoubts(name, hosts)...)
	}

	return out
}

// RegistryFiles are the certificates and keys that a registries.yaml names, sorted. Without one of them, containerd fetches no image from that registry.
func RegistryFiles(content string) []string {
	var all struct {
		Configs map[string]struct {
			TLS struct {
				CA   string `yaml:"ca_file"`
				Cert string `yaml:"cert_file"`
				Key  string `yaml:"key_file"`
			} `yaml:"tls"`
		} `yaml:"configs"`
	}

	if err := yaml.Unmarshal([]byte(content), &all); err != nil {
		return nil // RegistryDoubts says so.
	}

	var out []string

	for _, c := range all.Configs {
		for _, file := range []string{c.TLS.CA, c.TLS.Cert, c.TLS.Key} {
			if isCleanPath(file) && !slices.Contains(out, file) && !slices.ContainsFunc(ofImages, func(at string) bool { return strings.HasPrefix(file, at) }) {
				out = append(out, file)
			}
		}
	}

	slices.Sort(out)

	return out
}

// notYAML is where YAML cannot be read, without the text.
func notYAML(err error) string {
	if _, ok := errors.AsType[*yaml.TypeError](err); ok {
		return "mirrors and configs must be objects with the names of registries"
	}

	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), ": ")

	return "see " + line
}

// mirrorDoubts are those of a mirror, with the hosts of its endpoints.
func mirrorDoubts(name string, node yaml.Node) (out, hosts []string) {
	at := fmt.Sprintf("mirrors[%s]", shown(name))

	if name == "configs" || name == "mirrors" || name == "endpoint" {
		return []string{fmt.Sprintf("%s is taken for a registry of that name: move %s to the left", at, name)}, nil
	}

	if strings.Contains(name, "://") || strings.Contains(name, "/") {
		out = append(out, at+": must be the registry as images name it, without https:// and without a path, such as "+hostOnly(name)+": K3s finds no image with another name")
	}

	var mirror struct {
		Endpoint yaml.Node            `yaml:"endpoint"`
		Rewrite  yaml.Node            `yaml:"rewrite"`
		Others   map[string]yaml.Node `yaml:",inline"`
	}

	if node.Decode(&mirror) != nil {
		return append(out, at+" must be an object with endpoint: a list of addresses"), nil
	}

	for _, key := range sortedKeys(mirror.Others) {
		what := fmt.Sprintf("%s: K3s has no key %s here; there are endpoint and rewrite", at, shown(key))
		if near := message.Meant(key, []string{"endpoint", "rewrite"}); near != "" {
			what += "; did you mean " + near + "?"
		}

		out = append(out, what)
	}

	var endpoints []string
	if mirror.Endpoint.Kind != 0 && mirror.Endpoint.Decode(&endpoints) != nil || mirror.Endpoint.Kind == yaml.ScalarNode && mirror.Endpoint.Value != "" {
		return append(out, at+".endpoint must be a list: write each address behind a hyphen"), nil
	}

	for _, e := range endpoints {
		if !strings.Contains(e, "://") {
			e = "https://" + e // As K3s completes it.
		}

		if u, err := url.Parse(e); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}

	return out, hosts
}

// configDoubts are those of the entry of configs for a registry. K3s looks an entry up by the host of an endpoint.
func configDoubts(name string, mirrors map[string][]string) []string {
	at := fmt.Sprintf("configs[%s]", shown(name))

	if strings.Contains(name, "://") || strings.Contains(name, "/") {
		return []string{at + ": must be the host of the registry with its port or none, such as " + hostOnly(name) + ": K3s does not use the entry otherwise"}
	}

	hosts := mirrors[name]
	if len(hosts) == 0 || slices.Contains(hosts, name) {
		return nil
	}

	return []string{fmt.Sprintf("%s is for %s itself and not for its mirror: for that one, name the entry %s", at, shown(name), shown(hosts[0]))}
}

// hostOnly is the host of an address, for an example.
func hostOnly(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}

	host, _, _ := strings.Cut(rest, "/")

	return shown(host)
}

// MeantForRegistries says whether a file is no registries.yaml that K3s reads although somebody wrote it for one. read is the path that K3s reads.
func MeantForRegistries(file, read string) bool {
	name := path.Base(file)
	return file != read && strings.HasPrefix(file, "/etc/") && (name == "registries.yaml" || name == "registries.yml" || name == "registry.yaml")
}
