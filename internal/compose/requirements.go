package compose

import (
	"encoding/base64"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/definition"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Names of the resources that the function asks Crossplane for.
const (
	catalogRequirement = "machine-catalog"
	tokenRequirement   = "k3s-token"
	// The name of a Secret follows.
	secretRequirement = "bootstrap-secret-"
)

// generation of the field with which Crossplane is asked for resources.
type generation int

const (
	// eitherGeneration of the two: it has answered nothing yet, and does not say what it can.
	eitherGeneration generation = iota
	// currentGeneration, of Crossplane 2.0 and later, which can fetch from a namespace.
	currentGeneration
	// oldGeneration, the only one of Crossplane 1.20, which fails where a namespace is named.
	oldGeneration
)

// generationOf a Crossplane, by what it says that it can (2.2 and later), else by the generation in which it answered the first question of every call.
func generationOf(req *fnv1.RunFunctionRequest) generation {
	if _, answered := req.GetRequiredResources()[catalogRequirement]; answered || can(req, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES) {
		return currentGeneration
	}

	if _, answered := req.GetExtraResources()[catalogRequirement]; answered {
		return oldGeneration
	}

	return eitherGeneration
}

// require asks for resources and returns those that Crossplane found. fetched is false while Crossplane has not fetched them yet:
// it calls again with the answer.
//
// Both generations of the field are set only until it is known which one this Crossplane answers. Crossplane 1.20 keeps the new one as bytes that it does
// not know, in which the entries of a map come in any order, and it calls until two answers are the same to the byte, six times at most. Crossplane 2.4
// answers with the first call what the call before asked for, and calls once if that is all: but only in the new generation.
func require(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, name string, sel *fnv1.ResourceSelector) (items []*fnv1.Resource, fetched bool) {
	asked, g := requirements(rsp), generationOf(req)

	if g != oldGeneration {
		asked.Resources[name] = sel
	}

	if g != currentGeneration && sel.Namespace == nil {
		asked.ExtraResources[name] = sel
	}

	for _, answers := range []map[string]*fnv1.Resources{req.GetRequiredResources(), req.GetExtraResources()} {
		answer, ok := answers[name]
		fetched = fetched || ok

		if len(answer.GetItems()) > 0 {
			return answer.GetItems(), true
		}
	}

	return nil, fetched
}

// byLabels selects managed resources of the provider by label, in all namespaces.
func byLabels(apiVersion, kind string, labels map[string]string) *fnv1.ResourceSelector {
	return &fnv1.ResourceSelector{
		ApiVersion: apiVersion,
		Kind:       proxmox.WrittenKind(apiVersion, kind),
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: labels}},
	}
}

// requireByLabels asks for resources by label, in all namespaces, and reads each.
func requireByLabels[T any](
	c *call, name, apiVersion, kind string, labels map[string]string, read func(*structpb.Struct) (T, error),
) (out []T, fetched bool, err error) {
	items, fetched := require(c.req, c.rsp, name, byLabels(apiVersion, kind, labels))

	for _, item := range items {
		one, err := read(item.GetResource())
		if err != nil {
			return nil, true, errors.Wrapf(err, "cannot read %s %q", kind, nameOf(item.GetResource()))
		}

		out = append(out, one)
	}

	return out, fetched, nil
}

// isMissing finds out whether the API server does not serve a version of a kind that somebody else installs; known is false while Crossplane has not
// fetched the answer. What is asked for is the CustomResourceDefinition and not the kind's schema, since Crossplane 2.4 can keep an old answer about
// schemas until any definition changes, and Crossplane before 2.2 has none.
func isMissing(c *call, requirement, name, version string) (missing, known bool) {
	items, known := require(c.req, c.rsp, requirement, &fnv1.ResourceSelector{
		ApiVersion: definition.APIVersion,
		Kind:       definition.Kind,
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: name},
	})

	return known && !definition.IsServed(first(items), name, version), known
}

// requirements of a response, to be added to.
func requirements(rsp *fnv1.RunFunctionResponse) *fnv1.Requirements {
	if rsp.GetRequirements() == nil {
		rsp.Requirements = &fnv1.Requirements{
			Resources:      map[string]*fnv1.ResourceSelector{},
			ExtraResources: map[string]*fnv1.ResourceSelector{},
		}
	}

	return rsp.GetRequirements()
}

// can says whether Crossplane says that it has a capability. Those before 2.2 say nothing.
func can(req *fnv1.RunFunctionRequest, c fnv1.Capability) bool {
	return slices.Contains(req.GetMeta().GetCapabilities(), c)
}

// first of the resources that were found; nil where none was.
func first(items []*fnv1.Resource) *structpb.Struct {
	if len(items) == 0 {
		return nil
	}

	return items[0].GetResource()
}

// fetchesFromNamespaces says whether Crossplane can fetch resources from a namespace, as far as it is known. Who hands over a Secret can.
func fetchesFromNamespaces(req *fnv1.RunFunctionRequest) bool {
	_, handed := req.GetExtraResources()[tokenRequirement]

	return handed || generationOf(req) != oldGeneration
}

// noSecrets is the fault of a token in a Secret if Crossplane fetches no resources from namespaces.
const noSecrets = "this Crossplane (before 2.0) cannot hand a Secret to a function. Have a file on the node write the token " +
	"(token.file, here or under clusters.<cluster> in the catalogue, with spec.bootstrap.snippets.vendorData), or run Crossplane 2"

// noSecretFiles is the fault of files from Secrets then.
const noSecretFiles = "this Crossplane (before 2.0) cannot hand a Secret to a function. Write the files with a snippet on the node " +
	"(spec.bootstrap.snippets.vendorData), or run Crossplane 2"

// checkSecrets returns the check of a machine's Secrets: a fault for each that this Crossplane cannot hand to a function.
func checkSecrets(req *fnv1.RunFunctionRequest) func(*machine.Machine) field.ErrorList {
	if fetchesFromNamespaces(req) {
		return func(*machine.Machine) field.ErrorList { return nil }
	}

	return func(m *machine.Machine) (errs field.ErrorList) {
		if readsSecret(m) {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "k3s", "token", "secretRef"), noSecrets))
		}

		if len(m.Secrets) > 0 {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "bootstrap", "secrets"), noSecretFiles))
		}

		return errs
	}
}

// readsSecret says whether the machine's token is to be read from a Secret.
func readsSecret(m *machine.Machine) bool {
	return m.K3s != nil && m.K3s.TokenSecret != nil && m.Snippets.UserData == ""
}

// k3sToken reads the Secret that a machine names. The function asks for Secrets of the claim's namespace alone.
func k3sToken(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, m *machine.Machine) (token bootstrap.Content, fetched bool) {
	if !readsSecret(m) || !fetchesFromNamespaces(req) {
		return bootstrap.Content{}, true
	}

	return requireSecret(req, rsp, tokenRequirement, *m.K3s.TokenSecret, m.Identity.Namespace)
}

// secretFiles reads the Secrets of the files that a machine names, in their order, each Secret once.
func secretFiles(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, m *machine.Machine) (out []bootstrap.Content, fetched bool) {
	if !fetchesFromNamespaces(req) {
		return nil, true
	}

	fetched = true

	for _, f := range m.Secrets {
		content, have := requireSecret(req, rsp, secretRequirement+f.Secret, v1alpha1.SecretKeyRef{Name: f.Secret, Key: f.Key}, m.Identity.Namespace)
		out, fetched = append(out, content), fetched && have
	}

	return out, fetched
}

// requireSecret asks for a Secret of a namespace and reads one of its keys.
func requireSecret(
	req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, name string, ref v1alpha1.SecretKeyRef, namespace string,
) (content bootstrap.Content, fetched bool) {
	items, fetched := require(req, rsp, name, &fnv1.ResourceSelector{
		ApiVersion: "v1",
		Kind:       "Secret",
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: ref.Name},
		Namespace:  &namespace,
	})

	return readSecret(first(items), ref, namespace), fetched
}

func nameOf(object *structpb.Struct) string { return metadataOf(object)["name"].GetStringValue() }

func namespaceOf(object *structpb.Struct) string {
	return metadataOf(object)["namespace"].GetStringValue()
}

func metadataOf(object *structpb.Struct) map[string]*structpb.Value {
	return object.GetFields()["metadata"].GetStructValue().GetFields()
}

// readSecret reads one key of a Secret, and the names of all. It checks namespace and name again, so that a Secret of another
// namespace is never used even if Crossplane returned one.
func readSecret(secret *structpb.Struct, ref v1alpha1.SecretKeyRef, namespace string) bootstrap.Content {
	if namespaceOf(secret) != namespace || nameOf(secret) != ref.Name {
		return bootstrap.Content{}
	}

	data := secret.GetFields()["data"].GetStructValue().GetFields()
	// An API server turns stringData into data; a manifest of a preview still has stringData.
	text := secret.GetFields()["stringData"].GetStructValue().GetFields()

	out := bootstrap.Content{Keys: slices.AppendSeq(slices.AppendSeq([]string{}, maps.Keys(data)), maps.Keys(text))}
	slices.Sort(out.Keys)
	out.Keys = slices.Compact(out.Keys)

	if v, ok := data[ref.Key]; ok {
		if b, err := base64.StdEncoding.DecodeString(v.GetStringValue()); err == nil {
			out.Value = new(string(b))
		}

		return out
	}

	if v, ok := text[ref.Key]; ok {
		out.Value = new(v.GetStringValue())
	}

	return out
}
