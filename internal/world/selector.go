package world

import fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

// A Selector of objects: those of a kind with a name, or with some labels, in a namespace or in all.
type Selector struct {
	APIVersion, Kind, Namespace, Name string
	Labels                            map[string]string
}

func selectorOf(sel *fnv1.ResourceSelector) Selector {
	return Selector{
		APIVersion: sel.GetApiVersion(), Kind: sel.GetKind(), Namespace: sel.GetNamespace(), Name: sel.GetMatchName(), Labels: sel.GetMatchLabels().GetLabels(),
	}
}

// Selects says whether an object is what is asked for.
func Selects(sel *fnv1.ResourceSelector, o map[string]any) bool {
	meta := Object(o["metadata"])
	if o["apiVersion"] != sel.GetApiVersion() || o["kind"] != sel.GetKind() || sel.Namespace != nil && meta["namespace"] != sel.GetNamespace() {
		return false
	}

	if sel.GetMatchName() != "" {
		return meta["name"] == sel.GetMatchName()
	}

	for k, v := range sel.GetMatchLabels().GetLabels() {
		if Object(meta["labels"])[k] != v {
			return false
		}
	}

	return true
}
