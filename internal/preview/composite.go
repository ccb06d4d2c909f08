package preview

import (
	"crypto/sha256"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Labels by which a composite names its claim and a composed resource its composite, and the namespace that kubectl
// would choose.
const (
	labelComposite      = "crossplane.io/composite"
	labelClaimName      = "crossplane.io/claim-name"
	labelClaimNamespace = "crossplane.io/claim-namespace"
	defaultNamespace    = "default"
)

// suffixAlphabet are the letters of Kubernetes' generated names: no vowels and none that look alike.
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789"

const (
	suffixLength = 5
	// Kubernetes cuts a generated name's base so that the whole fits a label.
	maxGeneratedBase = 63 - suffixLength
)

// machinery are the fields of a claim's spec that Crossplane never copies to the composite: they belong to the claim
// (CompositeResourceClaimSpecProps of crossplane-runtime's pkg/xcrd) or to the composite's own controller.
func machinery() []string {
	return []string{
		"claimRef", "compositeDeletePolicy", "compositionRevisionRef", "crossplane", "environmentConfigRefs",
		"publishConnectionDetailsTo", "resourceRef", "resourceRefs", "writeConnectionSecretToRef",
	}
}

// compositeOf is the composite resource that Crossplane would make of the object. A composite stays as it is but for
// its namespace. A claim becomes a cluster-scoped composite of the definition's kind, the way Crossplane's claim
// controller does it (ServerSideCompositeSyncer in its internal/controller/apiextensions/claim).
func compositeOf(object unstructured.Unstructured, d definition) unstructured.Unstructured {
	object = *object.DeepCopy()

	switch {
	case d.claimable(object.GetKind()):
		if object.GetNamespace() == "" {
			object.SetNamespace(defaultNamespace)
		}

		return compositeOfClaim(object, d.Spec.Names.Kind)
	case d.Spec.ClaimNames != nil: // A composite of a claims package is cluster scoped.
		return object
	case object.GetNamespace() == "":
		object.SetNamespace(defaultNamespace)
	}

	return object
}

func compositeOfClaim(c unstructured.Unstructured, kind string) unstructured.Unstructured {
	xr := unstructured.Unstructured{Object: map[string]any{}}
	xr.SetAPIVersion(c.GetAPIVersion())
	xr.SetKind(kind)
	xr.SetName(generatedName(c.GetNamespace(), c.GetName()))
	xr.SetAnnotations(withoutReserved(c.GetAnnotations()))

	labels := withoutReserved(c.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}

	labels[labelClaimName] = c.GetName()
	labels[labelClaimNamespace] = c.GetNamespace()
	xr.SetLabels(labels)

	spec, ok := c.Object["spec"].(map[string]any)
	if !ok {
		spec = map[string]any{}
	}

	for _, field := range machinery() {
		delete(spec, field)
	}

	spec["claimRef"] = map[string]any{
		"apiVersion": c.GetAPIVersion(),
		"kind":       c.GetKind(),
		"name":       c.GetName(),
		"namespace":  c.GetNamespace(),
	}
	xr.Object["spec"] = spec

	// A claim that was read from a cluster carries what its composite has reported.
	if status, ok := c.Object["status"]; ok {
		xr.Object["status"] = status
	}

	return xr
}

// generatedName is a name like those that Crossplane generates for composites, but the same at each run: the random
// suffix is replaced by one that is drawn from the claim's namespace and name.
func generatedName(namespace, name string) string {
	base := name + "-"
	if len(base) > maxGeneratedBase {
		base = base[:maxGeneratedBase]
	}

	sum := sha256.Sum256([]byte(namespace + "/" + name))
	suffix := make([]byte, suffixLength)

	for i := range suffix {
		suffix[i] = suffixAlphabet[int(sum[i])%len(suffixAlphabet)]
	}

	return base + string(suffix)
}

// withoutReserved drops the entries that Kubernetes and its tools keep for themselves, as Crossplane does.
func withoutReserved(in map[string]string) map[string]string {
	out := maps.Clone(in)
	maps.DeleteFunc(out, func(key, _ string) bool {
		domain, _, _ := strings.Cut(key, "/")

		return strings.HasSuffix(domain, "kubernetes.io") || strings.HasSuffix(domain, "k8s.io")
	})

	return out
}
