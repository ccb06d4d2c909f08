package preview

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// plain is an object as it comes from the wire: its numbers are of one type.
func plain(o unstructured.Unstructured) (unstructured.Unstructured, error) {
	s, err := structpb.NewStruct(o.Object)

	return unstructured.Unstructured{Object: s.AsMap()}, errors.Wrapf(err, "cannot encode %s %s", o.GetKind(), o.GetName())
}

// structOf an object that is plain; nil where it is none.
func structOf(object any) *structpb.Struct {
	m, ok := object.(map[string]any)
	if !ok {
		return nil
	}

	s, err := structpb.NewStruct(m)
	if err != nil {
		return nil
	}

	return s
}

func addLabels(o *unstructured.Unstructured, labels map[string]string) {
	all := o.GetLabels()
	if all == nil {
		all = map[string]string{}
	}

	maps.Copy(all, labels)
	o.SetLabels(all)
}

// merged is an object with the values of another one in place of its own. Lists are replaced, by a list that has something in it.
func merged(object, over map[string]any) map[string]any {
	out := maps.Clone(object)

	for key, value := range over {
		was, there := out[key]
		a, isMap := was.(map[string]any)
		b, areMaps := value.(map[string]any)

		if list, ok := value.([]any); ok && len(list) == 0 && there {
			continue
		}

		if isMap && areMaps {
			value = merged(a, b)
		}

		out[key] = value
	}

	return out
}

// Objects are those that the function may ask for.
type objects []unstructured.Unstructured

// all that some selectors ask for, encoded. What is not there is asked for and not found.
func (c objects) all(asked map[string]*fnv1.ResourceSelector, encode func(object any) *structpb.Struct) map[string]*fnv1.Resources {
	out := make(map[string]*fnv1.Resources, len(asked))

	for name, sel := range asked {
		found := c.find(sel)

		if _, byName := sel.GetMatch().(*fnv1.ResourceSelector_MatchName); byName && len(found) == 0 {
			out[name] = nil
			continue
		}

		out[name] = &fnv1.Resources{}
		for _, o := range found {
			out[name].Items = append(out[name].Items, &fnv1.Resource{Resource: encode(o.Object)})
		}
	}

	return out
}

// find what a selector asks for, in the order of namespaces and names.
func (c objects) find(sel *fnv1.ResourceSelector) []unstructured.Unstructured {
	// Of two objects of one name the last one counts.
	found := map[string]unstructured.Unstructured{}

	for _, o := range c {
		if selects(sel, o) {
			found[o.GetNamespace()+"/"+o.GetName()] = o
		}
	}

	out := make([]unstructured.Unstructured, 0, len(found))
	for _, key := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[key])
	}

	return out
}

// selects says whether an object is one of those that the function asks for. An object by its name is in the namespace that is asked for;
// a list without a namespace is one of all namespaces.
func selects(sel *fnv1.ResourceSelector, o unstructured.Unstructured) bool {
	if o.GetAPIVersion() != sel.GetApiVersion() || o.GetKind() != sel.GetKind() {
		return false
	}

	if _, byName := sel.GetMatch().(*fnv1.ResourceSelector_MatchName); byName {
		return o.GetName() == sel.GetMatchName() && o.GetNamespace() == sel.GetNamespace()
	}

	if sel.GetNamespace() != "" && o.GetNamespace() != sel.GetNamespace() {
		return false
	}

	labels := o.GetLabels()
	for key, value := range sel.GetMatchLabels().GetLabels() {
		if v, ok := labels[key]; !ok || v != value {
			return false
		}
	}

	return true
}
