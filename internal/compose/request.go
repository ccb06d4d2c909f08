package compose

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// defaultCatalogName is the EnvironmentConfig that is the catalogue where the Input names none.
const defaultCatalogName = "machine-catalog"

// readInput reads the step's Input strictly, since no API server ever checks it. A step without an Input gets the defaults.
func readInput(req *fnv1.RunFunctionRequest) (*v1beta1.Input, error) {
	in := &v1beta1.Input{}

	var errs field.ErrorList
	if s := req.GetInput(); s != nil {
		errs = strict.Decode(nil, s.AsMap(), in, nil)
	}

	if is := v1beta1.GroupVersion + " Input"; (in.APIVersion != "" || in.Kind != "") && in.APIVersion+" "+in.Kind != is {
		errs = append(errs, field.Invalid(field.NewPath("kind"), in.APIVersion+" "+in.Kind, "must be apiVersion "+v1beta1.GroupVersion+" and kind Input"))
	}

	switch in.ProviderAPI {
	case "":
		in.ProviderAPI = v1beta1.ProviderAPICluster
	case v1beta1.ProviderAPICluster, v1beta1.ProviderAPILegacy:
	default:
		if proxmox.FlavourOf(true, string(in.ProviderAPI)) != proxmox.Namespaced {
			break
		}

		errs = append(errs, field.NotSupported(field.NewPath("providerAPI"), in.ProviderAPI,
			[]v1beta1.ProviderAPI{v1beta1.ProviderAPICluster, v1beta1.ProviderAPILegacy}))
	}

	if len(errs) > 0 {
		return nil, errors.Wrap(errs.ToAggregate(), "the Composition's Input is invalid")
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

	return proxmox.ReadState(observed)
}

// flavour of the provider's API. A namespaced composite can own namespaced resources only.
func flavour(in *v1beta1.Input, composite map[string]any) proxmox.Flavour {
	_, namespace := ownName(composite)

	var name v1beta1.ProviderAPI
	if in != nil {
		name = in.ProviderAPI
	}

	return proxmox.FlavourOf(namespace != "", string(name))
}

// composite is the observed composite. Its status is read by [previousStatus] alone.
func composite(req *fnv1.RunFunctionRequest) map[string]any {
	fields := req.GetObserved().GetComposite().GetResource().GetFields()
	out := make(map[string]any, len(fields))

	for name, v := range fields {
		if name != "status" {
			out[name] = v.AsInterface()
		}
	}

	return out
}

// previousStatus is the status that the composite has now. It only shows transitions, and remembers addresses and the VMID, so
// a status that cannot be read counts as none.
func previousStatus(req *fnv1.RunFunctionRequest) (s v1alpha1.Status) {
	conditions, ok := readStatus(statusOf(req), &s)
	if !ok {
		return v1alpha1.Status{}
	}

	s.Conditions, s.AppliedSpec = conditions, appliedSpec(statusOf(req))

	return s
}

// readStatus reads the status of any kind, without two fields of types that the models do not have: a spec of any kind of machine, and its conditions, which
// are returned without their times. ok is false where it cannot be read.
func readStatus(content *structpb.Struct, into any) (conditions []metav1.Condition, ok bool) {
	fields := maps.Clone(content.GetFields())
	delete(fields, "conditions")
	delete(fields, "appliedSpec")

	var reported struct {
		Conditions []previousCondition `json:"conditions"`
	}

	err := errors.Join(
		structcodec.Decode(&structpb.Struct{Fields: fields}, into, structcodec.Text{}),
		structcodec.Decode(content, &reported, structcodec.Text{}))
	if err != nil {
		return nil, false
	}

	conditions = slices.Grow(conditions, len(reported.Conditions))

	for _, c := range reported.Conditions {
		if c.LastTransitionTime != nil {
			if _, err := time.Parse(time.RFC3339, *c.LastTransitionTime); err != nil {
				return nil, false
			}
		}

		conditions = append(conditions, metav1.Condition{Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message})
	}

	return conditions, true
}

// statusOf the composite, as it is observed; nil where it has none.
func statusOf(req *fnv1.RunFunctionRequest) *structpb.Struct {
	return req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue()
}

// appliedSpec is the spec that had arrived before this call, as a status has it; nil if that is not known.
func appliedSpec(status *structpb.Struct) v1alpha1.AppliedSpec {
	if applied := status.GetFields()["appliedSpec"].GetStructValue(); applied != nil {
		return applied.AsMap()
	}

	return nil
}

// respelled is a spec that had arrived, in the words of today's where both say the same: who only spells a claim anew has edited nothing.
func respelled(applied v1alpha1.AppliedSpec, written map[string]any) v1alpha1.AppliedSpec {
	if applied != nil && claim.SameIntent(applied, written) {
		return written
	}

	return applied
}

// appliedClaim is the claim that the machine was last ready with, as the composite's status has it; nil if that is not known.
func (c *call) appliedClaim() *claim.Claim {
	spec := map[string]any(c.previous.AppliedSpec)

	switch {
	case spec == nil:
		return nil
	case len(c.claim.Faults) == 0 && reflect.DeepEqual(spec, c.written):
		return &c.claim
	}

	fields := maps.Clone(spec)

	// Without its claim the composite would be another machine, in no namespace.
	if now, ok := c.composite["spec"].(map[string]any); ok && now["claimRef"] != nil {
		fields["claimRef"] = now["claimRef"]
	}

	applied := maps.Clone(c.composite)
	applied["spec"] = fields

	if before := claim.Decode(applied); len(before.Faults) == 0 {
		return &before
	}

	return nil
}

// A previousCondition is what counts of a condition that the composite has. Nobody asks when it changed, but a time that is
// none shows that somebody else wrote the status.
type previousCondition struct {
	Type    string                 `json:"type"`
	Status  metav1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason"`
	Message string                 `json:"message"`

	LastTransitionTime *string `json:"lastTransitionTime"`
}

// ownName is the composite's name and, where it has one, its namespace.
func ownName(composite map[string]any) (name, namespace string) {
	meta, _ := composite["metadata"].(map[string]any)
	name, _ = meta["name"].(string)
	namespace, _ = meta["namespace"].(string)

	return name, namespace
}

// rootName is the name of the composite from which all composites come, by Crossplane's own label; the composite's own where it has none.
func rootName(composite map[string]any) string {
	meta, _ := composite["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)

	if root, ok := labels[proxmox.CompositeLabel].(string); ok && root != "" {
		return root
	}

	name, _ := meta["name"].(string)

	return name
}
