package crds

import (
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/judge"
)

// A Definition is one version of a kind.
type Definition = judge.Definition

// NewDefinition compiles a version of a CRD. It returns an error where an API server would not serve its schema.
func NewDefinition(v extv1.CustomResourceDefinitionVersion) (*Definition, error) {
	return judge.NewDefinition(v)
}
