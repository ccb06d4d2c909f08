package k3s

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ManifestsPath is the folder from which a server deploys manifests: https://docs.k3s.io/installation/packaged-components.
const ManifestsPath = "/var/lib/rancher/k3s/server/manifests/"

const systemNamespace = "kube-system"

// ownManifests are the files that K3s writes into the folder whenever it starts, and the component that each deploys; empty for those that nobody disables.
var ownManifests = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"ccm.yaml": "", "coredns.yaml": "coredns", "local-storage.yaml": "local-storage", "rolebindings.yaml": "",
	"runtimes.yaml": "runtimes", "traefik.yaml": "traefik",
}

// A chartConfig is what counts of a HelmChartConfig.
type chartConfig struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name      string `yaml:"name"`
		Namespace string `yaml:"namespace"`
	} `yaml:"metadata"`
	Spec struct {
		ValuesContent string `yaml:"valuesContent"`
	} `yaml:"spec"`
}

// withTraefik3 is the first minor release with Traefik 3: https://docs.k3s.io/networking/networking-services.
const withTraefik3 = 32

// formerTraefik is why Traefik 3 does not take an object that was written for Traefik 2; none where it does.
func (c chartConfig) formerTraefik(release string) []string {
	if minor, known := MinorOf(release); !known || minor < withTraefik3 {
		return nil
	}

	var values struct {
		Ports map[string]struct {
			RedirectTo *yaml.Node `yaml:"redirectTo"`
		} `yaml:"ports"`
	}

	group, _, _ := strings.Cut(c.APIVersion, "/")

	switch {
	case group == "traefik.containo.us":
		// k3s-io/k3s pull request 11694.
		return []string{fmt.Sprintf("%s of traefik.containo.us: Traefik 3, which K3s has since v1.%d, knows the group traefik.io only: write apiVersion: traefik.io/v1alpha1", c.Kind, withTraefik3)}
	case c.Kind != "HelmChartConfig" || c.Metadata.Name != "traefik" || yaml.Unmarshal([]byte(c.Spec.ValuesContent), &values) != nil:
		return nil
	}

	for _, port := range slices.Sorted(maps.Keys(values.Ports)) {
		// traefik/traefik-helm-chart release v34.0.0, mysticaltech/terraform-hcloud-kube-hetzner issues 1614 and 1634.
		if values.Ports[port].RedirectTo != nil {
			return []string{fmt.Sprintf("ports.%s.redirectTo: the chart of Traefik 3, which K3s has since v1.%d, ends at it, and there is no Traefik: write "+
				"redirections: {entryPoint: {to: websecure, scheme: https, permanent: true}}, which later charts have below http", port, withTraefik3)}
		}
	}

	return nil
}

// ManifestDoubts are why a manifest of a new node has no effect, or works against K3s' own components. release is the
// node's, and disabled what it does not deploy.
func ManifestDoubts(file, content string, role Role, release string, disabled []string) []string {
	name, inside := strings.CutPrefix(path.Clean(file), ManifestsPath)

	switch {
	case !inside && meantForManifests(file):
		return []string{"K3s takes manifests from " + ManifestsPath + " only"}
	case !inside:
		return nil
	case role == RoleAgent:
		return []string{"an agent deploys no manifests: write it on a server, or apply it in the cluster"}
	}

	var out []string

	// k3s-io/k3s issues 1254 and 1815, rancher/k3os issue 424.
	if component, own := ownManifests[name]; own {
		text := "K3s writes this file anew whenever it starts, and what was in it is gone: take another name"
		if component == "traefik" {
			text += ", such as traefik-config.yaml with a HelmChartConfig"
		}

		out = append(out, text)
	}

	out = append(out, chartDoubts(content, release, disabled)...)

	// kube-vip/kube-vip issues 1288 and 1016.
	if servesServices(content) && !slices.Contains(disabled, servicelb) {
		out = append(out, "kube-vip announces the addresses of Services (svc_enable), and K3s' ServiceLB gives Services those of the nodes: one node takes the addresses of all others, and they are reached no more. "+
			"Set disable: [servicelb] on all servers, or svc_enable to false")
	}

	// k3s-io/k3s issues 269 and 1969.
	for _, a := range AnnouncedBy(content) {
		if a.For == ForServices && !slices.Contains(disabled, servicelb) {
			return append(out, a.Kind+" gives Services of type LoadBalancer their addresses, and so does K3s' ServiceLB, which takes the port of each on all nodes: set disable: [servicelb] on all servers")
		}
	}

	return out
}

// meantForManifests says whether somebody meant a file for K3s' folder, and wrote another one.
func meantForManifests(file string) bool {
	others := []string{"/etc/rancher/k3s/manifests/", "/var/lib/rancher/k3s/manifests/", "/var/lib/rancher/k3s/server/manifest/"}

	return slices.ContainsFunc(others, func(folder string) bool { return strings.HasPrefix(file, folder) })
}

// chartDoubts are about the settings of Traefik's chart, which K3s deploys in kube-system: a HelmChartConfig counts with the name and the namespace of
// its chart (https://docs.k3s.io/helm).
func chartDoubts(content, release string, disabled []string) []string {
	var out []string

	decoder := yaml.NewDecoder(strings.NewReader(content))

	for range mostAnnounced {
		var c chartConfig
		if decoder.Decode(&c) != nil { // The end, or no manifest.
			return out
		}

		off := slices.Contains(disabled, "traefik")

		switch ofChart := c.Kind == "HelmChartConfig" && c.Metadata.Name == "traefik"; {
		case ofChart && off:
			out = append(out, "HelmChartConfig traefik has no effect: traefik is in disable")
		case off: // Somebody's own Traefik has a release of its own.
		case ofChart && c.Metadata.Namespace != "" && c.Metadata.Namespace != systemNamespace:
			out = append(out, fmt.Sprintf("HelmChartConfig traefik has no effect in another namespace than that of its chart: set metadata.namespace: %s", systemNamespace))
		default:
			out = append(out, c.formerTraefik(release)...)
		}
	}

	return out
}
