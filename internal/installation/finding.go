package installation

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A State says how something is.
type State string

// The states of findings.
const (
	OK      State = "ok"
	Warning State = "warning" // Works in part, or was not tried together.
	Fault   State = "fault"   // New machines do not work, or a machine needs a person.
	Unknown State = "unknown" // Nobody could read it.
)

// A Finding is what one check has found.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Says  string `json:"says"`
	Fix   string `json:"fix,omitempty"` // A command, or what a person has to do.
}

// A Cluster is what was read of one.
type Cluster struct {
	Kubernetes string // As the API server says it, such as v1.35.3; empty where nobody knows.
	Program    string // The release of this program; unreleased for a checkout.
	Namespace  string // Only the machines of this one are judged; empty for all.

	// Objects are Deployments of Crossplane, packages with what configures them, XRDs, the definitions of the provider's kinds, the provider's configurations,
	// the catalogue, claims and namespaced composites. Others are passed over.
	Objects []unstructured.Unstructured

	// Unread are resources that this person may not list, as kubectl names them.
	Unread map[string]bool

	// Secret is a Secret; nil where there is none. An error means that nobody knows.
	Secret func(namespace, name string) (*unstructured.Unstructured, error)

	// Proxmox is asked with the credentials of each configuration; nil where it is not to be asked.
	Proxmox Asker
	// SSH tries to write snippets as the provider would; nil where Proxmox is not to be asked.
	SSH SSH
}

// Judge a cluster: a finding for each check, in the order in which one thing needs the other.
func Judge(c Cluster) []Finding {
	out := slices.Concat(c.versions(), c.runtime(), c.definitions(), c.activation(), c.catalogue(), c.credentials(), c.machines())

	// What nobody may list may be there.
	for i, f := range out {
		for _, resource := range resourcesOf[f.Check] {
			if f.State != OK && c.Unread[resource] {
				out[i] = Finding{f.Check, Unknown, "you may not list " + resource, "check again as somebody who may"}
			}
		}
	}

	return slices.CompactFunc(out, func(a, b Finding) bool { return a == b })
}

// resourcesOf a check are what it reads.
var resourcesOf = map[string][]string{ //nolint:gochecknoglobals // A constant table.
	checkCrossplane:    {"deployments.apps"},
	checkProvider:      {"providers.pkg.crossplane.io"},
	checkRuntime:       {"providers.pkg.crossplane.io", "deploymentruntimeconfigs.pkg.crossplane.io", "imageconfigs.pkg.crossplane.io"},
	checkConfiguration: {"configurations.pkg.crossplane.io"},
	checkFunction:      {"functions.pkg.crossplane.io"},
	checkKinds:         {"compositeresourcedefinitions.apiextensions.crossplane.io"},
	checkCatalogue:     {"environmentconfigs.apiextensions.crossplane.io"},
	checkCredentials: {
		"clusterproviderconfigs.proxmoxbpg.m.crossplane.io", "providerconfigs.proxmoxbpg.m.crossplane.io", "providerconfigs.proxmoxbpg.crossplane.io",
	},
}

// The names of the checks.
const (
	checkKubernetes    = "kubernetes"
	checkCrossplane    = "crossplane"
	checkProvider      = "provider"
	checkRuntime       = "runtime"
	checkConfiguration = "configuration"
	checkFunction      = "function"
	checkKinds         = "kinds"
	checkCatalogue     = "catalogue"
	checkCredentials   = "credentials"
	checkProxmox       = "proxmox"
	checkMachines      = "machines"
)

// of a kind are the objects that belong to an API group.
func (c Cluster) of(group, kind string) []unstructured.Unstructured {
	var out []unstructured.Unstructured

	for _, o := range c.Objects {
		if gvk := o.GroupVersionKind(); gvk.Group == group && gvk.Kind == kind {
			out = append(out, o)
		}
	}

	return out
}

// is the status of a condition; empty where the object has none of that type.
func is(o unstructured.Unstructured, conditionType string) string {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")

	for _, c := range conditions {
		m, _ := c.(map[string]any)
		if m["type"] == conditionType {
			status, _ := m["status"].(string)

			return status
		}
	}

	return ""
}
