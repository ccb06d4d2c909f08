package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// composed is one composed resource: what is desired, and what Terraform made of it.
type composed struct {
	manifest   unstructured.Unstructured
	resource   Resource
	workspace  *Workspace
	outcome    Outcome
	conditions []any
	// unsettled is true while the provider would try again by itself.
	unsettled bool
	// made is true once the provider has made it, or found it made.
	made       bool
	generation int64
	created    time.Time
	// began is when the provider last began to create it; empty where it never did.
	began string
}

// managed says whether the resource is the provider's. Others are stored and nothing else.
func (d *composed) managed() bool {
	_, ok := kinds()[d.manifest.GetKind()]

	return ok
}

// write writes one desired resource as Crossplane does. changed tells whether it is new or other than before, work
// whether that is the provider's business.
func (c *Control) write(name string, manifest map[string]any) (changed, work bool, err error) {
	u := unstructured.Unstructured{Object: manifest}
	if u.GetName() == "" {
		u.SetName(c.Composite.GetName() + "-" + digest(name)[:12])
	}

	// What Crossplane adds.
	if ns := c.Composite.GetNamespace(); ns != "" && u.GetNamespace() == "" {
		u.SetNamespace(ns)
	}

	labels := map[string]string{"crossplane.io/composite": c.Composite.GetName()}
	maps.Copy(labels, u.GetLabels())
	u.SetLabels(labels)

	old, ok := c.composed[name]
	if ok && old.manifest.GetAPIVersion()+old.manifest.GetKind() != u.GetAPIVersion()+u.GetKind() {
		return false, false, fmt.Errorf("%s moves to another API: Crossplane would delete the old one", name)
	}

	d := &composed{manifest: u, generation: 1}

	if d.managed() {
		if d.resource, err = asResource(u); err != nil {
			return false, false, fmt.Errorf("cannot read %s: %w", name, err)
		}
	}

	if c.composed == nil {
		c.composed = map[string]*composed{}
	}

	if !ok {
		d.created = c.now()
		c.composed[name] = d

		return true, true, nil
	}

	if reflect.DeepEqual(old.manifest.Object, u.Object) {
		return false, false, nil
	}

	work = !equal(old.resource, d.resource)

	if !reflect.DeepEqual(old.manifest.Object["spec"], u.Object["spec"]) {
		old.generation++
	}

	old.manifest, old.resource = u, d.resource

	return true, work, nil
}

// now is a clock of the API server that goes on a second with every object. All controls of one bench share it.
func (c *Control) now() time.Time {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if c.Bench == nil {
		return start
	}

	c.Bench.objects++

	return start.Add(time.Duration(c.Bench.objects) * time.Second)
}

// equal compares two manifests as far as the provider reads them.
func equal(a, b Resource) bool {
	return reflect.DeepEqual(a.Spec, b.Spec) && a.ExternalName() == b.ExternalName() && a.Paused() == b.Paused()
}

func asResource(u unstructured.Unstructured) (Resource, error) {
	r := Resource{}

	b, err := json.Marshal(u.Object)
	if err != nil {
		return r, fmt.Errorf("cannot marshal a manifest: %w", err)
	}

	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("cannot read a manifest: %w", err)
	}

	_, err = r.Flavour()

	return r, err
}

// observed is the resource as it is in the cluster after the provider was at it.
func (d *composed) observed() map[string]any {
	u := d.manifest.DeepCopy()
	u.SetUID(types.UID(digest(u.GetNamespace(), u.GetName(), u.GetKind())[:36]))
	_ = unstructured.SetNestedField(u.Object, d.created.Format(time.RFC3339), "metadata", "creationTimestamp") // It has metadata.
	u.SetGeneration(d.generation)

	if !d.managed() {
		return u.Object
	}

	annotations := map[string]string{}
	maps.Copy(annotations, u.GetAnnotations())

	// The provider writes the external name of what it created, but not of what it only observes.
	if id, ok := d.outcome.Attributes["id"].(string); ok && !d.resource.OnlyLooks() && annotations[annotationExternalName] == "" {
		annotations[annotationExternalName] = id
	}

	if d.began != "" {
		annotations[annotationCreatePending] = d.began
	}

	u.SetAnnotations(annotations)

	status := map[string]any{"conditions": slices.Clone(d.conditions)}
	if at, ok := camelCase(withoutSecrets(d.outcome.Attributes)).(map[string]any); ok && len(at) > 0 {
		status["atProvider"] = at
	}

	u.Object["status"] = status

	return u.Object
}

// set sets a condition; those of other types stay as they are.
func (d *composed) set(typ, status, reason, message string, generation int64) {
	d.conditions = slices.DeleteFunc(d.conditions, func(c any) bool {
		m, _ := c.(map[string]any)

		return m["type"] == typ
	})
	d.conditions = append(d.conditions, condition(typ, status, reason, message, generation))
}

// condition of a resource. A generation of 0 is none.
func condition(typ, status, reason, message string, generation int64) map[string]any {
	out := map[string]any{
		"type": typ, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z",
	}
	if generation > 0 {
		out["observedGeneration"] = generation
	}

	return out
}

// withoutSecrets are attributes without what the CRD keeps out of the status.
func withoutSecrets(attributes map[string]any) map[string]any {
	out := maps.Clone(attributes)

	blocks, ok := out["initialization"].([]any)
	if !ok || len(blocks) == 0 {
		return out
	}

	block, ok := blocks[0].(map[string]any)
	if !ok {
		return out
	}

	block = maps.Clone(block)
	out["initialization"] = []any{block}

	accounts, _ := block["user_account"].([]any)
	if len(accounts) > 0 {
		account, _ := accounts[0].(map[string]any)
		account = maps.Clone(account)
		delete(account, "password")
		block["user_account"] = []any{account}
	}

	return out
}

// camelCase turns attributes of the plugin into status.atProvider, as a Go type with omitempty writes it: without what is
// null, and without empty lists.
func camelCase(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}

		for k, e := range v {
			if l, ok := e.([]any); e == nil || ok && len(l) == 0 {
				continue
			}

			words := strings.Split(k, "_")
			for i, w := range words[1:] {
				words[i+1] = strings.ToUpper(w[:1]) + w[1:]
			}

			out[strings.Join(words, "")] = camelCase(e)
		}

		return out
	case []any:
		out := make([]any, len(v))

		for i, e := range v {
			if out[i] = camelCase(e); out[i] == nil {
				out[i] = map[string]any{}
			}
		}

		return out
	default:
		return v
	}
}
