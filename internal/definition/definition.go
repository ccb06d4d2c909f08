// Package definition reads CustomResourceDefinitions: whether an API server serves a kind that somebody else installs. Crossplane could apply
// nothing of an answer with a kind that is not served.
package definition

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// The kind that says which kinds an API server has.
const (
	APIVersion = "apiextensions.k8s.io/v1"
	Kind       = "CustomResourceDefinition"
)

// A definition is what counts of a CustomResourceDefinition.
type definition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
	Status struct {
		Conditions proxmox.Conditions `json:"conditions"`
	} `json:"status"`
}

// IsServed says whether the API server serves a version of a kind, by the kind's CustomResourceDefinition, which is nil where there is none. name
// is the definition's, for instance ipaddressclaims.ipam.cluster.x-k8s.io; version is one like v1beta1.
func IsServed(crd *structpb.Struct, name, version string) bool {
	var d definition
	if err := structcodec.Decode(crd, &d, structcodec.Text{}); err != nil || d.Metadata.Name != name {
		return false
	}

	for _, v := range d.Spec.Versions {
		if v.Name == version && v.Served {
			return d.Status.Conditions.Of("Established").IsTrue()
		}
	}

	return false
}
