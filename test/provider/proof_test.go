package provider

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// anew is what is asked of the provider for a new machine of this claim; nil if the claim is refused.
func (r *row) anew(t *testing.T) map[string]any {
	t.Helper()

	c := *r.c
	c.Composite = *r.c.Composite.DeepCopy()
	delete(c.Composite.Object, "status")

	c.composed = nil

	rsp, err := c.call(t.Context())
	if err != nil {
		return nil
	}

	u := unstructured.Unstructured{Object: rsp.GetDesired().GetResources()["vm"].GetResource().AsMap()}
	p, _, _ := unstructured.NestedMap(u.Object, "spec", "forProvider")

	return p
}

// prove sends what the claim wants, and the function holds back, to the plugin.
func (r *row) prove(t *testing.T) {
	t.Helper()

	wanted := r.anew(t)
	raw := maps.Clone(r.c.composed["vm"].resource.Spec.ForProvider)
	sent := map[string]any{}

	for k := range merged(r.fresh, wanted) {
		if reflect.DeepEqual(r.fresh[k], wanted[k]) || reflect.DeepEqual(raw[k], wanted[k]) {
			continue
		}

		sent[k] = wanted[k]
		raw[k] = wanted[k]

		if _, ok := wanted[k]; !ok {
			delete(raw, k)
		}
	}

	key, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}

	if r.proven[string(key)] {
		return
	}

	r.proven[string(key)] = true
	what := r.verdictOf(t, raw)
	r.proofs[what]++

	// The plugin does not know the guest, which has these from its first boot: provider-lab.md has nothing of it, and docs/day-two.md has the reasons.
	forGuest := regexp.MustCompile(`^spec\.(network|nics\[\d+\])\.(mac|ip|ipv6|cidr|gateway|dhcp)`)
	refused, _, _ := unstructured.NestedStringSlice(r.c.Composite.Object, "status", "refused")
	machines := slices.DeleteFunc(refused, forGuest.MatchString)

	if what == "goes through" && len(machines) > 0 {
		t.Errorf("the plugin does without harm what is held back (%s): %s", key, r.c.Conditions["ReplacementRequired"].GetMessage())
	}
}

// verdictOf is what becomes of a VM if the plugin is given these parameters. The row is as before then, but for its condition.
func (r *row) verdictOf(t *testing.T, forProvider map[string]any) string {
	t.Helper()

	before, err := r.c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	d := r.c.composed["vm"]
	res := d.resource
	res.Spec.ForProvider = forProvider
	res.Spec.ManagementPolicies = []string{"Observe", "Create", "Update"}

	if err := r.Update(d.workspace, res); err != nil {
		t.Fatal(err)
	}

	was := r.mine(t)
	o, failure := r.quick(t.Context(), d.workspace)
	is := r.mine(t)

	if err := r.c.Restore(t.Context(), before); err != nil {
		t.Fatal(err)
	}

	lines := requestLines(o.ApplyWrites)
	verdict, _ := verdict(o, failure)

	switch {
	case verdict != "converges":
		return verdict
	case strings.Contains(lines, "delete=scsi"):
		return "detaches a disk"
	case strings.Contains(lines, "efidisk0=") || strings.Contains(lines, "bios=") || strings.Contains(lines, "machine="):
		return "changes what the guest boots from"
	case strings.Contains(lines, "/migrate"):
		return "migrates"
	case reflect.DeepEqual(was.Config, is.Config):
		return "has no effect"
	}

	return "goes through"
}
