package object

import (
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/definition"
)

// Definition is the name of the CustomResourceDefinition of Objects.
func (f Flavour) Definition() string {
	group, _, _ := strings.Cut(f.APIVersion, "/")

	return "objects." + group
}

// IsServed says whether the API server serves Objects, as their CustomResourceDefinition has it; nil where there is none.
func (f Flavour) IsServed(crd *structpb.Struct) bool {
	_, version, _ := strings.Cut(f.APIVersion, "/")

	return definition.IsServed(crd, f.Definition(), version)
}
