package main

import (
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// The types below are the part of a CompositeResourceDefinition that we set. Crossplane's own types marshal zero values
// (metadata.creationTimestamp, status), which do not belong into a package.
type xrd struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       xrdSpec  `json:"spec"`
}

type metadata struct {
	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations"`
}

// descriptions of kinds, for those who look through a registry's packages.
func descriptions() map[string]string {
	return map[string]string{
		"Machine":     "A VM on Proxmox VE: a NixOS machine that converges from a flake, a plain cloud-init machine, or an appliance.",
		"K3sNode":     "A VM on Proxmox VE that is a server or an agent of a K3s cluster.",
		"Container":   "An LXC container on Proxmox VE, created from a container template.",
		"ProxmoxSite": "Linux bridges, VLAN interfaces and resource pools of a Proxmox VE cluster, for the machines there.",
		"K3sCluster":  "A K3s cluster on Proxmox VE: its servers and agents, created, changed and upgraded one by one.",
	}
}

// named is the metadata of the XRD of a kind.
func named(name, kind string) metadata {
	return metadata{Name: name, Annotations: map[string]string{
		"meta.crossplane.io/maintainer":  "The function-proxmox-machine authors",
		"meta.crossplane.io/source":      "github.com/homelab-io/function-proxmox-machine",
		"meta.crossplane.io/license":     "Apache-2.0",
		"meta.crossplane.io/description": descriptions()[kind],
	}}
}

type xrdSpec struct {
	Scope      string       `json:"scope,omitempty"`
	Group      string       `json:"group"`
	Names      names        `json:"names"`
	ClaimNames *names       `json:"claimNames,omitempty"`
	Versions   []xrdVersion `json:"versions"`
}

type names struct {
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind,omitempty"`
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular,omitempty"`
	ShortNames []string `json:"shortNames,omitempty"`
	Categories []string `json:"categories,omitempty"`
}

type xrdVersion struct {
	Name                     string                                 `json:"name"`
	Served                   bool                                   `json:"served"`
	Referenceable            bool                                   `json:"referenceable"`
	AdditionalPrinterColumns []extv1.CustomResourceColumnDefinition `json:"additionalPrinterColumns,omitempty"`
	Schema                   *extv1.CustomResourceValidation        `json:"schema"`
}

// withClaims is the XRD for Crossplane 1.20 and 2.x: a cluster scoped composite with an X in front, and a claim.
func withClaims(d extv1.CustomResourceDefinition) xrd {
	n := d.Spec.Names

	return xrd{
		APIVersion: gvk("v1").GroupVersion().String(),
		Kind:       gvk("v1").Kind,
		Metadata:   named("x"+n.Plural+"."+d.Spec.Group, n.Kind),
		Spec: xrdSpec{
			Group: d.Spec.Group,
			Names: names{
				Kind: "X" + n.Kind, ListKind: "X" + n.Kind + "List",
				Plural: "x" + n.Plural, Singular: "x" + n.Singular, Categories: n.Categories,
			},
			ClaimNames: claimNames(n),
			Versions:   versions(d),
		},
	}
}

// namespaced is the XRD for Crossplane 2.x: the kind itself is the composite, in the user's namespace.
func namespaced(d extv1.CustomResourceDefinition) xrd {
	return xrd{
		APIVersion: gvk("v2").GroupVersion().String(),
		Kind:       gvk("v2").Kind,
		Metadata:   named(d.Spec.Names.Plural+"."+d.Spec.Group, d.Spec.Names.Kind),
		Spec: xrdSpec{
			Scope:    "Namespaced",
			Group:    d.Spec.Group,
			Names:    *claimNames(d.Spec.Names),
			Versions: versions(d),
		},
	}
}

func claimNames(n extv1.CustomResourceDefinitionNames) *names {
	return &names{Kind: n.Kind, ListKind: n.ListKind, Plural: n.Plural, Singular: n.Singular, ShortNames: n.ShortNames, Categories: n.Categories}
}

func versions(d extv1.CustomResourceDefinition) []xrdVersion {
	out := make([]xrdVersion, 0, len(d.Spec.Versions))

	for _, v := range d.Spec.Versions {
		s := v.Schema.DeepCopy()
		// Crossplane adds these itself, and refuses or overwrites ours.
		delete(s.OpenAPIV3Schema.Properties, "apiVersion")
		delete(s.OpenAPIV3Schema.Properties, "kind")
		delete(s.OpenAPIV3Schema.Properties, "metadata")

		if status, ok := s.OpenAPIV3Schema.Properties["status"]; ok {
			delete(status.Properties, "conditions")
			s.OpenAPIV3Schema.Properties["status"] = status
		}

		out = append(out, xrdVersion{
			Name: v.Name, Served: v.Served, Referenceable: v.Storage,
			AdditionalPrinterColumns: v.AdditionalPrinterColumns, Schema: s,
		})
	}

	return out
}
