// Package catalog models the catalogue: sizing classes, images, sites and K3s clusters, and the built-in entries.
//
// The data has the same format in an EnvironmentConfig and in the Composition's Input:
//
//	data:
//	  apiVersion: catalogue.homelab.io/v1alpha1
//	  defaults: {class: small, image: ubuntu-24.04, site: home, adminUser: ops}
//	  classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}
//	  images: {nixos-25.05: {template: 9000, os: nixos}}
//	  sites: {home: {nodes: {pve: {bridges: [vmbr0]}}}}
//	  clusters: {home: {server: "https://192.168.4.210:6443", version: v1.36.5+k3s1}}
package catalog

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/spelling"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// A Catalog has all entries that claims can name. The zero value is empty; [Merge] combines two catalogues.
//
// Every entry has its origin in From, so that a fault in the entry is reported with the right path. What people write is in the types of
// apis/catalogue.
type Catalog struct {
	Defaults Defaults
	Classes  map[string]Class
	Images   map[string]Image
	Sites    map[string]Site
	Clusters map[string]Cluster
	// Tenancy is nil where the catalogue has none.
	Tenancy *Tenancy
	// Reader is the tenant whose claim is resolved: messages tell it no names beyond its own lists. Nil for everybody else.
	Reader *Tenant

	// Faults by part, for those who use the part. Nil in a catalogue without faults.
	Faults map[Part]field.ErrorList
	// Formers are the former spellings that the catalogue has. What they say is in the catalogue in today's spelling.
	Formers []spelling.Former
	// Valueless are the paths of entries that have a name and no value, which are not among the entries.
	Valueless []strict.Valueless
	// Absent is the EnvironmentConfig that was not found, as "EnvironmentConfig machine-catalog was not found"; empty where the
	// catalogue is there.
	Absent string
	// Hash identifies all that the catalogue was read from; empty where nobody asked for it.
	Hash string
}

// Defaults apply to fields that a claim leaves out.
type Defaults struct {
	v1alpha1.Defaults

	// From is the origin of each field, by its JSON name.
	From map[string]string
}

// A Class is a named size.
type Class struct {
	v1alpha1.Class

	From string
}

// An Image is the source of a boot disk.
type Image struct {
	v1alpha1.Image

	From string
}

// A Site is one Proxmox VE cluster, or one standalone node.
type Site struct {
	v1alpha1.Site

	From string
	// Sound says that nothing is wrong with the site and its nodes, as validate.Sound found. False where nobody looked.
	Sound bool
}

// A Cluster has the settings of all nodes of a K3s cluster.
type Cluster struct {
	v1alpha1.Cluster

	From string
	// Sound says that nothing is wrong with the cluster, as validate.Sound found. False where nobody looked.
	Sound bool
}

// A Tenancy says what the claims of namespaces may reach.
type Tenancy struct {
	v1alpha1.Tenancy

	From string
}

// DefaultReserve is the reserve of a node that has memory and no reserve: what Proxmox VE itself needs, by its documentation's system
// requirements.
const DefaultReserve = "2Gi"
