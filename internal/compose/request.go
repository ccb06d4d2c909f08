package compose

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/json"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// defaultCatalogName is the EnvironmentConfig that is the catalogue where the Input names none.
const defaultCatalogName = "machine-catalog"

// readInput reads the step's Input strictly, since no API server ever checks it. A step without an Input gets the defaults.
func readInput(req *fnv1.RunFunctionRequest) (*v1beta1.Input, error) {
	in := &v1beta1.Input{}

	if s := req.GetInput(); s != nil {
		b, err := s.MarshalJSON()
		if err != nil {
			return nil, errors.Wrap(err, "cannot read Input")
		}

		strict, err := json.UnmarshalStrict(b, in)
		if err != nil {
			return nil, errors.Wrap(err, "the Composition's Input is invalid")
		}

		if len(strict) > 0 {
			return nil, errors.Wrap(errors.Join(strict...), "the Composition's Input is invalid")
		}
	}

	switch in.ProviderAPI {
	case "":
		in.ProviderAPI = v1beta1.ProviderAPICluster
	case v1beta1.ProviderAPICluster, v1beta1.ProviderAPILegacy:
	default:
		return nil, errors.Wrap(field.NotSupported(field.NewPath("providerAPI"), in.ProviderAPI,
			[]v1beta1.ProviderAPI{v1beta1.ProviderAPICluster, v1beta1.ProviderAPILegacy}), "the Composition's Input is invalid")
	}

	if in.Catalog.Name == "" {
		in.Catalog.Name = defaultCatalogName
	}

	return in, nil
}

// readState reads the observed composed resources.
func readState(req *fnv1.RunFunctionRequest) (proxmox.State, error) {
	observed := make(map[string]*structpb.Struct, len(req.GetObserved().GetResources()))
	for name, r := range req.GetObserved().GetResources() {
		observed[name] = r.GetResource()
	}

	s, err := proxmox.ReadState(observed)

	return s, errors.Wrap(err, "cannot read observed composed resources")
}

// flavour of the provider's API. A namespaced composite can own namespaced resources only.
func flavour(in *v1beta1.Input, composite map[string]any) proxmox.Flavour {
	if _, namespace := ownName(composite); namespace != "" {
		return proxmox.Namespaced
	}

	if in.ProviderAPI == v1beta1.ProviderAPILegacy {
		return proxmox.Legacy
	}

	return proxmox.Cluster
}

// previousStatus is the status that the composite has now. It only tells transitions apart and remembers addresses, so
// one that cannot be read counts as none.
func previousStatus(composite map[string]any) v1alpha1.Status {
	var s v1alpha1.Status

	content, ok := composite["status"].(map[string]any)
	if !ok {
		return s
	}

	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &s); err != nil {
		return v1alpha1.Status{}
	}

	return s
}

// appliedClaim is the claim that the machine was last ready with, as the composite's status has it; nil if that is not known.
func appliedClaim(composite map[string]any) *claim.Claim {
	status, _ := composite["status"].(map[string]any)

	spec, ok := status["appliedSpec"].(map[string]any)
	if !ok {
		return nil
	}

	applied := maps.Clone(composite)
	applied["spec"] = spec

	if c := claim.Decode(applied); len(c.Faults) == 0 {
		return &c
	}

	return nil
}

// ownName is the composite's name and, where it has one, its namespace.
func ownName(composite map[string]any) (name, namespace string) {
	meta, _ := composite["metadata"].(map[string]any)
	name, _ = meta["name"].(string)
	namespace, _ = meta["namespace"].(string)

	return name, namespace
}
