package provider

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// A Flavour is one of the three APIs in which provider-proxmox-bpg offers the same Terraform resources.
type Flavour string

// The flavours, by what follows the short group of a kind in its API group.
const (
	FlavourLegacy     Flavour = "crossplane.io"
	FlavourCluster    Flavour = "proxmoxbpg.crossplane.io"
	FlavourNamespaced Flavour = "proxmoxbpg.m.crossplane.io"
)

// Kinds of managed resources that the function renders.
const (
	KindFile         = "EnvironmentFile"
	KindDownloadFile = "EnvironmentDownloadFile"
	KindVM           = "EnvironmentVM"
	KindContainer    = "EnvironmentContainer"
	KindHAResource   = "EnvironmentHaresource"

	KindFirewallOptions = "EnvironmentFirewallOptions"
	KindFirewallRules   = "EnvironmentFirewallRules"

	KindBridge = "EnvironmentNetworkLinuxBridge"
	KindVLAN   = "EnvironmentNetworkLinuxVlan"
	KindPool   = "EnvironmentPool"
)

// KindContainerClaim is the kind of a claim for a container.
const KindContainerClaim = "Container"

// Annotations that the provider heeds: the Terraform id of a managed resource, and whether to leave it alone.
const (
	annotationExternalName = "crossplane.io/external-name"
	// The reconciler marks a resource so before it creates what it stands for.
	annotationCreatePending = "crossplane.io/external-create-pending"
	annotationPaused        = "crossplane.io/paused"
)

// kind says how a kind of managed resource maps to Terraform.
type kind struct {
	// group is the first label of the API group, the same in every flavour.
	group string
	// terraformType is the resource type of the plugin.
	terraformType string
	// order is the rank in which the function lets them come to be: a VM waits for its files.
	order int
}

// kinds is the part of the provider's config/*/config.go that concerns us.
func kinds() map[string]kind {
	return map[string]kind{
		KindFile:         {group: "virtualenvironmentfile", terraformType: "proxmox_virtual_environment_file", order: 0},
		KindDownloadFile: {group: "virtualenvironmentdownloadfile", terraformType: "proxmox_virtual_environment_download_file", order: 1},
		KindVM:           {group: "virtualenvironmentvm", terraformType: "proxmox_virtual_environment_vm", order: 2},
		KindContainer:    {group: "virtualenvironmentcontainer", terraformType: "proxmox_virtual_environment_container", order: 2},
		KindHAResource:   {group: "virtualenvironmentharesource", terraformType: "proxmox_virtual_environment_haresource", order: 3},

		KindFirewallRules:   {group: "virtualenvironmentfirewallrules", terraformType: "proxmox_virtual_environment_firewall_rules", order: 3},
		KindFirewallOptions: {group: "virtualenvironmentfirewalloptions", terraformType: "proxmox_virtual_environment_firewall_options", order: 4},

		KindBridge: {group: "virtualenvironmentnetworklinuxbridge", terraformType: "proxmox_virtual_environment_network_linux_bridge", order: 0},
		KindVLAN:   {group: "virtualenvironmentnetworklinuxvlan", terraformType: "proxmox_virtual_environment_network_linux_vlan", order: 1},
		KindPool:   {group: "virtualenvironmentpool", terraformType: "proxmox_virtual_environment_pool", order: 0},
	}
}

// A Resource is one rendered managed resource, as far as Upjet reads it when it writes a workspace.
type Resource struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

// Metadata of a managed resource. Name becomes the label of the Terraform resource.
type Metadata struct {
	Name         string            `json:"name"`
	GenerateName string            `json:"generateName"`
	Namespace    string            `json:"namespace"`
	Annotations  map[string]string `json:"annotations"`
	Labels       map[string]string `json:"labels"`
}

// Spec of a managed resource. InitProvider is not read: the provider ignores it in every release.
type Spec struct {
	ForProvider        map[string]any `json:"forProvider"`
	ManagementPolicies []string       `json:"managementPolicies"`
}

// Flavour tells the API flavour of r, or an error if its group is none of the provider's.
func (r Resource) Flavour() (Flavour, error) {
	group, _, _ := strings.Cut(r.APIVersion, "/")
	k, ok := kinds()[r.Kind]
	if !ok {
		return "", fmt.Errorf("%s is not a kind of managed resource that is rendered", r.Kind)
	}
	suffix, ok := strings.CutPrefix(group, k.group+".")
	f := Flavour(suffix)
	if !ok || !slices.Contains([]Flavour{FlavourLegacy, FlavourCluster, FlavourNamespaced}, f) {
		return "", fmt.Errorf("%s is not an API group of %s", group, r.Kind)
	}
	return f, nil
}

// TerraformType is the resource type of the plugin that r becomes.
func (r Resource) TerraformType() string { return kinds()[r.Kind].terraformType }

// ExternalName is the Terraform id that r carries from its first render on, or empty.
func (r Resource) ExternalName() string { return r.Metadata.Annotations[annotationExternalName] }

// May says whether the policies of r let the provider do something: Create, Update or Delete. A resource without policies
// has all of them, as the API server defaults it.
func (r Resource) May(what string) bool {
	p := r.Spec.ManagementPolicies

	return len(p) == 0 || slices.Contains(p, what) || slices.Contains(p, "*")
}

// OnlyLooks says whether the provider may do no more with r than read it: then it imports the external name each time.
func (r Resource) OnlyLooks() bool { return !r.May("Create") && !r.May("Update") }

// Paused says whether the provider is to leave r alone.
func (r Resource) Paused() bool { return r.Metadata.Annotations[annotationPaused] == "true" }

// ReadResources reads the managed resources from a stream of YAML documents, in the order in which they come to be:
// files, images, VMs. Documents of other kinds are left out. An error says which document is wrong.
func ReadResources(from io.Reader) ([]Resource, error) {
	dec := yaml.NewYAMLOrJSONDecoder(from, 4096)
	var out []Resource
	for i := 1; ; i++ {
		r := Resource{}
		switch err := dec.Decode(&r); {
		case err == io.EOF: //nolint:errorlint // The decoder returns io.EOF as it is.
			sortByOrder(out)
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("cannot read document %d: %w", i, err)
		}
		if _, ok := kinds()[r.Kind]; !ok {
			continue
		}
		if _, err := r.Flavour(); err != nil {
			return nil, fmt.Errorf("cannot use document %d: %w", i, err)
		}
		out = append(out, r)
	}
}

func sortByOrder(rs []Resource) {
	slices.SortStableFunc(rs, func(a, b Resource) int {
		if d := kinds()[a.Kind].order - kinds()[b.Kind].order; d != 0 {
			return d
		}
		return strings.Compare(a.Metadata.Name, b.Metadata.Name)
	})
}

// stringAt follows keys into forProvider and returns the string there, or empty. Lists of one are stepped into.
func stringAt(v any, keys ...string) string {
	for _, k := range keys {
		if l, ok := v.([]any); ok && len(l) > 0 {
			v = l[0]
		}
		m, ok := v.(map[string]any)
		if !ok {
			return ""
		}
		v = m[k]
	}
	s, _ := v.(string)
	return s
}

// Nodes are the names of all nodes that rs mention, sorted.
func Nodes(rs []Resource) []string {
	set := map[string]bool{}
	for _, r := range rs {
		for _, n := range []string{stringAt(r.Spec.ForProvider, "nodeName"), stringAt(r.Spec.ForProvider, "clone", "nodeName")} {
			if n != "" {
				set[n] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Datastores are the names of all datastores that rs mention by a field datastoreId, sorted.
func Datastores(rs []Resource) []string {
	set := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if s, ok := v["datastoreId"].(string); ok && s != "" {
				set[s] = true
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	for _, r := range rs {
		walk(r.Spec.ForProvider)
	}
	return slices.Sorted(maps.Keys(set))
}
