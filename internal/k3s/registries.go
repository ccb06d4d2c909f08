package k3s

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
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
		out = append(append(out, configDoubts(name, hosts)...), loginDoubts(name, all.Configs[name])...)
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

	switch {
	case dockerHub[name]:
		out = append(out, at+": images of Docker Hub are of docker.io, and K3s finds none of another name: write docker.io")
	case strings.Contains(name, "*") && name != everyRegistry:
		out = append(out, at+`: K3s knows "*" for all registries, and no part of a name: write one entry for each registry`)
	case strings.Contains(name, "://") || strings.Contains(name, "/"):
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

	hosts, faults := endpointDoubts(at, endpoints)

	return slices.Concat(out, faults, rewriteDoubts(at, mirror.Rewrite)), hosts
}

// everyRegistry is K3s' wildcard, and dockerHub are names of Docker Hub that no image has: containerd takes docker.io of each of them
// (distribution/reference).
const everyRegistry = "*"

//nolint:gochecknoglobals // A constant.
var dockerHub = map[string]bool{"index.docker.io": true, "registry-1.docker.io": true, "hub.docker.com": true, "registry.hub.docker.com": true}

// endpointDoubts are about addresses that K3s passes over with a line in its log (getHostConfigs of pkg/agent/containerd/config.go), with the
// hosts of the others.
func endpointDoubts(at string, endpoints []string) (hosts, out []string) {
	for i, e := range endpoints {
		if !strings.Contains(e, "://") {
			e = "https://" + e // As K3s completes it.
		}

		u, err := url.Parse(e)

		switch {
		case strings.ContainsAny(e, "${}"):
			out = append(out, fmt.Sprintf("%s.endpoint[%d] has a variable, and K3s fills in none: write the address", at, i))
		case err != nil || u.Host == "":
			out = append(out, fmt.Sprintf("%s.endpoint[%d] is no address, and K3s passes over it: write one such as https://registry.home.arpa:5000", at, i))
		case u.Scheme != "http" && u.Scheme != "https":
			out = append(out, fmt.Sprintf("%s.endpoint[%d] must begin with https:// or http://: containerd asks no other one", at, i))
		default:
			hosts = append(hosts, u.Host)
		}
	}

	return hosts, out
}

// rewriteDoubts are about patterns that containerd cannot read, so that it takes no image by the mirror.
func rewriteDoubts(at string, rewrite yaml.Node) []string {
	var all map[string]yaml.Node
	if rewrite.Kind == 0 || rewrite.Decode(&all) != nil {
		return nil
	}

	var out []string

	for _, pattern := range sortedKeys(all) {
		if _, err := regexp.Compile(pattern); err != nil {
			out = append(out, fmt.Sprintf("%s.rewrite[%s] is no regular expression of Go: no image comes by the mirror", at, shown(pattern)))
		}
	}

	return out
}

// configDoubts are those of the entry of configs for a registry. K3s looks an entry up by the host of an endpoint.
func configDoubts(name string, mirrors map[string][]string) []string {
	at := fmt.Sprintf("configs[%s]", shown(name))

	if strings.Contains(name, "://") || strings.Contains(name, "/") {
		return []string{at + ": must be the host of the registry with its port or none, such as " + hostOnly(name) + ": K3s does not use the entry otherwise"}
	}

	hosts := mirrors[name]

	switch {
	case name == everyRegistry && len(hosts) > 0:
		// k3s-io/k3s issue 11352: it is for what is asked without a mirror, and no endpoint of one is looked up by it.
		return []string{fmt.Sprintf("%s is for registries without an entry of their own, and K3s does not use it for a mirror: for that one, name the entry %s", at, shown(hosts[0]))}
	case strings.Contains(name, "*") && name != everyRegistry:
		return []string{at + `: K3s knows "*" for all registries, and no part of a name: write one entry for each host`}
	case len(hosts) == 0 || slices.Contains(hosts, name):
		return nil
	}

	return []string{fmt.Sprintf("%s is for %s itself and not for its mirror: for that one, name the entry %s", at, shown(name), shown(hosts[0]))}
}

// loginDoubts are about the login of a registry, in a file that everybody reads.
func loginDoubts(name string, node yaml.Node) []string {
	var entry struct {
		Auth map[string]string `yaml:"auth"`
	}

	if node.Decode(&entry) != nil {
		return nil
	}

	for _, key := range []string{"password", "auth", "identity_token"} {
		switch said := entry.Auth[key]; {
		case said == "":
		case strings.HasPrefix(said, "$"):
			return []string{fmt.Sprintf("configs[%s].auth.%s is a variable, and K3s fills in none: have the whole file written by spec.bootstrap.secrets, or fetched by spec.bootstrap.secretStore", shown(name), key)}
		default:
			return []string{fmt.Sprintf("configs[%s].auth.%s is a secret, and user-data are in plain text in Git, in the cluster and on the Proxmox node: have the whole file written by "+
				"spec.bootstrap.secrets, or fetched by spec.bootstrap.secretStore", shown(name), key)}
		}
	}

	return nil
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
