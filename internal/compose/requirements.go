package compose

import (
	"encoding/base64"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// Names of the resources that we ask Crossplane for.
const (
	catalogRequirement = "machine-catalog"
	tokenRequirement   = "k3s-token"
)

// require asks for resources and returns what Crossplane found. looked is false while Crossplane has not looked yet: it
// calls again with the answer. Both generations of the field are set, since Crossplane 1.20 knows only the old one; that
// cannot look into a namespace, though, and fails where it is asked to.
func require(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, name string, sel *fnv1.ResourceSelector) (items []*fnv1.Resource, looked bool) {
	if rsp.GetRequirements() == nil {
		rsp.Requirements = &fnv1.Requirements{
			Resources:      map[string]*fnv1.ResourceSelector{},
			ExtraResources: map[string]*fnv1.ResourceSelector{},
		}
	}

	rsp.Requirements.Resources[name] = sel

	if sel.Namespace == nil {
		rsp.Requirements.ExtraResources[name] = sel
	}

	for _, answers := range []map[string]*fnv1.Resources{req.GetRequiredResources(), req.GetExtraResources()} {
		answer, ok := answers[name]
		looked = looked || ok

		if len(answer.GetItems()) > 0 {
			return answer.GetItems(), true
		}
	}

	return nil, looked
}

// first of the resources that were found; nil where none was.
func first(items []*fnv1.Resource) *structpb.Struct {
	if len(items) == 0 {
		return nil
	}

	return items[0].GetResource()
}

// builtIn is the part of the catalogue that never changes.
var builtIn = sync.OnceValue(catalog.BuiltIn) //nolint:gochecknoglobals // A constant that takes a while to write down.

// catalogue is what claims can name: what is built in, the Input's over it, and the EnvironmentConfig's over both. looked
// is false while Crossplane has not looked for the EnvironmentConfig yet.
func catalogue(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, in *v1beta1.Input) (c catalog.Catalog, looked bool, err error) {
	env, looked := require(req, rsp, catalogRequirement, &fnv1.ResourceSelector{
		ApiVersion: "apiextensions.crossplane.io/v1beta1",
		Kind:       "EnvironmentConfig",
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: in.Catalog.Name},
	})
	if !looked {
		return catalog.Catalog{}, false, nil
	}

	c = builtIn()

	if in.Catalog.Inline != nil {
		const at = "Input: catalog.inline"

		inline, faults := catalog.Decode(in.Catalog.Inline.Raw, at)
		c = catalog.Merge(c, inline.WithFaults(faults, at))
	}

	source := "EnvironmentConfig " + in.Catalog.Name

	switch data := first(env).GetFields()["data"]; {
	case len(env) == 0:
		c.Absent = source + " was not found"
	case data == nil:
		c.Absent = source + " has no data: the catalogue belongs under the key data"
	default:
		named, faults := catalog.FromValue(data.AsInterface(), source+": data")
		c = catalog.Merge(c, named.WithFaults(faults, source+": data"))
	}

	return c, true, nil
}

// looksIntoNamespaces says whether Crossplane can hand us what is in a namespace. Crossplane 1.20 answers the old generation of
// the field only, with which nobody can name one.
func looksIntoNamespaces(req *fnv1.RunFunctionRequest) bool {
	_, old := req.GetExtraResources()[catalogRequirement]
	_, current := req.GetRequiredResources()[catalogRequirement]
	_, can := req.GetExtraResources()[tokenRequirement]

	return current || can || !old
}

// noSecrets is what is wrong with a token in a Secret where Crossplane does not look into namespaces.
const noSecrets = "this Crossplane (before 2.0) cannot hand a Secret to a function. Have a file on the node write the token " +
	"(token.file, here or under clusters.<cluster> in the catalogue, with spec.bootstrap.snippets.vendorData), or run Crossplane 2"

// readsSecret says whether the machine's token is to be read from a Secret.
func readsSecret(m *machine.Machine) bool {
	return m.K3s != nil && m.K3s.TokenSecret != nil && m.Snippets.UserData == ""
}

// k3sToken is the token from the Secret that a machine names, nil where the Secret or its key is not there. The Secret is
// only ever looked for in the namespace that the claim is in.
func k3sToken(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, m *machine.Machine) (token *string, looked bool) {
	if !readsSecret(m) || !looksIntoNamespaces(req) {
		return nil, true
	}

	secret, looked := require(req, rsp, tokenRequirement, &fnv1.ResourceSelector{
		ApiVersion: "v1",
		Kind:       "Secret",
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: m.K3s.TokenSecret.Name},
		Namespace:  &m.Identity.Namespace,
	})

	return secretValue(first(secret), *m.K3s.TokenSecret, m.Identity.Namespace), looked
}

// secretValue reads one key of a Secret. Not to trust whoever fetched it, namespace and name are looked at again.
func secretValue(secret *structpb.Struct, ref v1alpha1.SecretKeyRef, namespace string) *string {
	meta := secret.GetFields()["metadata"].GetStructValue().GetFields()
	if meta["namespace"].GetStringValue() != namespace || meta["name"].GetStringValue() != ref.Name {
		return nil
	}

	if v, ok := secret.GetFields()["data"].GetStructValue().GetFields()[ref.Key]; ok {
		b, err := base64.StdEncoding.DecodeString(v.GetStringValue())
		if err != nil {
			return nil
		}

		s := string(b)

		return &s
	}

	// An API server turns stringData into data; a manifest that is previewed on a laptop still has it.
	if v, ok := secret.GetFields()["stringData"].GetStructValue().GetFields()[ref.Key]; ok {
		s := v.GetStringValue()
		return &s
	}

	return nil
}
