package lint

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// The API versions of what is checked.
const (
	group      = "homelab.io"
	apiVersion = group + "/v1alpha1"

	environmentGroup = "apiextensions.crossplane.io"
	environmentKind  = "EnvironmentConfig"
)

// environmentVersions are the API versions of EnvironmentConfigs. Crossplane 1.20 serves both; Crossplane 2 serves the newer one, and
// composites in namespaces need it.
func environmentVersions(f proxmox.Flavour) []string {
	versions := []string{environmentGroup + "/v1beta1"}
	if !f.InNamespaces() {
		versions = append(versions, environmentGroup+"/v1alpha1")
	}

	return versions
}

// sections of a catalogue.
var sections = []string{"defaults", "classes", "images", "sites", "clusters"} //nolint:gochecknoglobals // A constant list.

// claimKinds are the kinds of claims.
var claimKinds = []string{ //nolint:gochecknoglobals // A constant list.
	claim.KindMachine, claim.KindK3sNode, claim.KindK3sCluster, claim.KindContainer, claim.KindProxmoxSite,
}

func isClaim(o object) bool {
	g, _, _ := strings.Cut(text(o.value["apiVersion"]), "/")

	return g == group && ofClaimKind(o)
}

func ofClaimKind(o object) bool { return slices.Contains(claimKinds, o.kind()) }

func isCatalogue(o object) bool {
	g, _, _ := strings.Cut(text(o.value["apiVersion"]), "/")
	if g != environmentGroup || o.kind() != environmentKind {
		return false
	}

	// EnvironmentConfigs are for everybody; other people's have other keys.
	data, _ := o.value["data"].(map[string]any)
	for _, s := range sections {
		if _, ok := data[s]; ok {
			return true
		}
	}

	return o.name() == DefaultCatalogue
}

// inside is where a field of the wrong level belongs.
func inside(o object, name string) string {
	if isCatalogue(o) && slices.Contains(sections, name) {
		return "data." + name
	}

	if slices.Contains([]string{"name", "namespace", "labels", "annotations"}, name) {
		return "metadata." + name
	}

	if len(claim.KindsWith(name)) > 0 {
		return "spec." + name
	}

	return ""
}
