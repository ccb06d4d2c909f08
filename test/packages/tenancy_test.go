package packages

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// onlyThePlatform chooses these fields of a claim's spec: the table that both engines have.
var onlyThePlatform = []string{
	"compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector", "resourceRef", "crossplane", "compositionUpdatePolicy",
}

// TestPoliciesAgree: what ValidatingAdmissionPolicies refuse, Kyverno refuses by the same expressions, of the same kinds; all kinds of claims are among them.
func TestPoliciesAgree(t *testing.T) {
	admission, kyverno := named(t, "admission.yaml"), named(t, "kyverno.yaml")

	expressions := func(of map[string]any, path ...string) (out []string) {
		all, _, err := unstructured.NestedSlice(of, path...)
		if err != nil {
			t.Fatal(err)
		}

		for _, v := range all {
			m, _ := v.(map[string]any)
			field, _, _ := strings.Cut(m["message"].(string), ":")
			out = append(out, field+" "+m["expression"].(string))
		}

		return out
	}

	want := expressions(admission["ValidatingAdmissionPolicy/machines-claim-fields"], "spec", "validations")
	got := expressions(rules(t, kyverno, "machines-claim-fields"), "validate", "cel", "expressions")

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("machines-claim-fields: -admission.yaml, +kyverno.yaml:\n%s", diff)
	}

	var fields []string

	for _, line := range want {
		field, expression, _ := strings.Cut(line, " ")
		name := strings.TrimPrefix(field, "spec.")
		fields = append(fields, name)

		if !strings.Contains(expression, "object.spec."+name) {
			t.Errorf("%s is judged by an expression without it: %s", field, expression)
		}
	}

	if diff := cmp.Diff(onlyThePlatform, fields); diff != "" {
		t.Errorf("fields: -table, +files:\n%s", diff)
	}

	for _, policy := range []string{"machines-claim-fields", "machines-platform-objects"} {
		of, is := resources(t, admission["ValidatingAdmissionPolicy/"+policy]), kinds(t, rules(t, kyverno, policy))
		if diff := cmp.Diff(of, is); diff != "" {
			t.Errorf("%s: -resources of admission.yaml, +kinds of kyverno.yaml:\n%s", policy, diff)
		}

		if _, bound := admission["ValidatingAdmissionPolicyBinding/"+policy]; !bound {
			t.Errorf("nothing binds %s", policy)
		}
	}

	judged := resources(t, admission["ValidatingAdmissionPolicy/machines-claim-fields"])
	for _, kind := range claim.Kinds() {
		if !slices.Contains(judged, "homelab.io/"+strings.ToLower(kind)+"s") {
			t.Errorf("no policy judges a %s", kind)
		}
	}
}

// TestPlatformMayPlan: the platform's role has every kind that the function renders, and may list what a plan reads beside them, of which one that nobody
// may read ends the plan.
func TestPlatformMayPlan(t *testing.T) {
	want := []string{
		"apiextensions.crossplane.io/usages", "apiextensions.k8s.io/customresourcedefinitions", "homelab.io/*", "kubernetes.crossplane.io/objects",
		"kubernetes.m.crossplane.io/objects", "protection.crossplane.io/clusterusages", "protection.crossplane.io/usages", "/nodes",
	}

	for _, f := range []proxmox.Flavour{proxmox.Cluster, proxmox.Namespaced} {
		for _, name := range f.Definitions() {
			_, group, _ := strings.Cut(name, ".")
			want = append(want, group+"/*")
		}
	}

	var got []string

	all, _, err := unstructured.NestedSlice(named(t, "rbac.yaml")["ClusterRole/machines-platform-all"], "rules")
	if err != nil {
		t.Fatal(err)
	}

	for _, v := range all {
		rule, _ := v.(map[string]any)
		groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
		names, _, _ := unstructured.NestedStringSlice(rule, "resources")
		verbs, _, _ := unstructured.NestedStringSlice(rule, "verbs")

		for _, g := range groups {
			for _, n := range names {
				if slices.Contains(verbs, "list") {
					got = append(got, g+"/"+n)
				}
			}

			// A kind that the function renders no more is nobody's any more.
			if strings.HasPrefix(g, "virtualenvironment") && !slices.Contains(want, g+"/*") {
				t.Errorf("machines-platform-all has %s, which the function does not render", g)
			}
		}
	}

	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("machines-platform-all may not list %s", w)
		}
	}
}

// named documents of a file of install/tenancy, by kind and name.
func named(t *testing.T, file string) map[string]map[string]any {
	t.Helper()

	out := map[string]map[string]any{}
	for _, d := range documents(t, filepath.Join(root, "install", "tenancy", file)) {
		o := unstructured.Unstructured{Object: d}
		out[o.GetKind()+"/"+o.GetName()] = d
	}

	return out
}

// rules of a ClusterPolicy with one rule.
func rules(t *testing.T, all map[string]map[string]any, policy string) map[string]any {
	t.Helper()

	found, _, err := unstructured.NestedSlice(all["ClusterPolicy/"+policy], "spec", "rules")
	if err != nil || len(found) != 1 {
		t.Fatalf("ClusterPolicy %s has %d rules: %v", policy, len(found), err)
	}

	out, _ := found[0].(map[string]any)

	return out
}

// resources of a ValidatingAdmissionPolicy with their groups, sorted.
func resources(t *testing.T, policy map[string]any) (out []string) {
	t.Helper()

	all, _, err := unstructured.NestedSlice(policy, "spec", "matchConstraints", "resourceRules")
	if err != nil || len(all) == 0 {
		t.Fatalf("a policy without resources: %v", err)
	}

	for _, v := range all {
		rule, _ := v.(map[string]any)
		groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
		names, _, _ := unstructured.NestedStringSlice(rule, "resources")

		for _, g := range groups {
			for _, n := range names {
				// The provider's namespaced API alone has such a kind.
				if g+"/"+n != "proxmoxbpg.crossplane.io/clusterproviderconfigs" {
					out = append(out, g+"/"+n)
				}
			}
		}
	}

	slices.Sort(out)

	return out
}

// kinds of a rule of Kyverno as resources with their groups, sorted.
func kinds(t *testing.T, rule map[string]any) (out []string) {
	t.Helper()

	all, _, err := unstructured.NestedSlice(rule, "match", "any")
	if err != nil || len(all) != 1 {
		t.Fatalf("a rule matches %d things: %v", len(all), err)
	}

	match, _ := all[0].(map[string]any)
	names, _, _ := unstructured.NestedStringSlice(match, "resources", "kinds")

	for _, n := range names {
		parts := strings.Split(strings.ToLower(n), "/")
		parts[2] += "s"
		out = append(out, strings.Join(append(parts[:1], parts[2:]...), "/"))
	}

	slices.Sort(out)

	return out
}
