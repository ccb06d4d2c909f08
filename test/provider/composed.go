package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// apply lets the provider make one composed resource, and tells whether it is new or changed.
func (c *Control) apply(ctx context.Context, name string, manifest map[string]any) (bool, error) {
	d := &composed{manifest: unstructured.Unstructured{Object: manifest}}
	if d.manifest.GetName() == "" {
		d.manifest.SetName(c.Composite.GetName() + "-" + digest(name)[:12])
	}

	if ns := c.Composite.GetNamespace(); ns != "" {
		d.manifest.SetNamespace(ns)
	}

	var err error
	if d.resource, err = asResource(d.manifest); err != nil {
		return false, fmt.Errorf("cannot read %s: %w", name, err)
	}

	old, ok := c.composed[name]
	if ok && old.failure == nil && equal(old.resource, d.resource) {
		return false, nil
	}

	if ok && old.resource.APIVersion != d.resource.APIVersion {
		return false, fmt.Errorf("%s moves to another API: Crossplane would delete the old one", name)
	}

	if ok {
		d.workspace = old.workspace
	}

	if c.composed == nil {
		c.composed = map[string]*composed{}
	}

	c.composed[name] = d

	if err := c.reconcile(ctx, d); err != nil {
		d.failure = err

		if ok {
			d.outcome.Attributes = old.outcome.Attributes
		}

		return false, fmt.Errorf("cannot reconcile %s: %w", name, err)
	}

	return true, nil
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

// reconcile lets Terraform make d, or takes what it made of the same text before.
func (c *Control) reconcile(ctx context.Context, d *composed) error {
	if o, ok := c.Replay.find(d.resource); ok {
		d.outcome = o

		return nil
	}

	var err error

	first := d.workspace == nil
	if first {
		d.workspace, err = c.Bench.Open(ctx, d.resource)
	} else {
		err = c.Bench.Update(d.workspace, d.resource)
	}

	if err != nil {
		return err
	}

	d.outcome, err = c.Bench.Reconcile(ctx, d.workspace)

	switch {
	case err != nil:
		return err
	case d.outcome.Drift != "":
		return fmt.Errorf("%s never comes to rest, its second plan is:\n%s", d.resource.Kind, d.outcome.Drift)
	case len(d.outcome.PlanWrites) > 0:
		return fmt.Errorf("%s writes while it is only looked at: %v", d.resource.Kind, d.outcome.PlanWrites)
	}

	if first {
		if err := c.restart(ctx, d); err != nil {
			return err
		}
	}

	return c.Replay.add(d.resource, d.outcome)
}

// restart checks that a restart of the provider's pod changes nothing. The status of a VM may not be filled yet when it
// happens; a file has no external name before it has a status.
func (c *Control) restart(ctx context.Context, d *composed) error {
	id, _ := d.outcome.Attributes["id"].(string)
	status := d.outcome.Attributes

	if d.resource.ExternalName() != "" {
		status = nil
	}

	drift, err := c.Bench.Restart(ctx, d.workspace, id, status)
	if err != nil {
		return fmt.Errorf("after a restart of the provider: %w", err)
	}

	if drift != "" {
		return fmt.Errorf("after a restart of the provider, %s wants:\n%s", d.resource.Kind, drift)
	}

	return nil
}

// observed is the managed resource as it is in the cluster after the provider was at it.
func (d *composed) observed() map[string]any {
	u := d.manifest.DeepCopy()
	annotations := map[string]string{}
	maps.Copy(annotations, u.GetAnnotations())

	if id, ok := d.outcome.Attributes["id"].(string); ok {
		annotations[annotationExternalName] = id
	}

	u.SetAnnotations(annotations)

	synced := condition("Synced", "True", "ReconcileSuccess", "")
	if d.failure != nil {
		synced = condition("Synced", "False", "ReconcileError", "update failed: "+d.failure.Error())
	}

	u.Object["status"] = map[string]any{
		"atProvider": camelCase(d.outcome.Attributes),
		"conditions": []any{condition("Ready", "True", "Available", ""), synced, condition("LastAsyncOperation", "True", "Success", "")},
	}

	return u.Object
}

func condition(typ, status, reason, message string) map[string]any {
	return map[string]any{
		"type": typ, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z",
	}
}

// camelCase turns attributes of the plugin into status.atProvider, without what is null.
func camelCase(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}

		for k, e := range v {
			if e == nil {
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
			out[i] = camelCase(e)
		}

		return out
	default:
		return v
	}
}

// A Replay remembers what Terraform made of a resource, by its text. All flavours of the provider's API hand the same
// text to Terraform where forProvider is the same.
type Replay struct {
	mu       sync.Mutex
	outcomes map[string]Outcome
	// Hits is how often an outcome was found.
	Hits int
}

// key is everything that Terraform gets to see but for the label of the resource.
func (*Replay) key(r Resource) (string, error) {
	b, err := json.Marshal([]any{r.TerraformType(), r.ExternalName(), arguments(r.Spec.ForProvider)})
	if err != nil {
		return "", fmt.Errorf("cannot marshal the arguments of %s: %w", r.Metadata.Name, err)
	}

	return string(b), nil
}

func (p *Replay) find(r Resource) (Outcome, bool) {
	if p == nil {
		return Outcome{}, false
	}

	k, err := p.key(r)
	if err != nil {
		return Outcome{}, false
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	o, ok := p.outcomes[k]
	if ok {
		p.Hits++
	}

	return o, ok
}

func (p *Replay) add(r Resource, o Outcome) error {
	if p == nil {
		return nil
	}

	k, err := p.key(r)
	if err != nil {
		return err
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if p.outcomes == nil {
		p.outcomes = map[string]Outcome{}
	}

	p.outcomes[k] = o

	return nil
}
