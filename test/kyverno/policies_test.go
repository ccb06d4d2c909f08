// Package kyverno has the real Kyverno judge writes by the policies of install/tenancy.
package kyverno

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	policies = "../../install/tenancy/kyverno.yaml"
	tool     = "../../.tools/bin/kyverno"
)

// The operations of the API server.
const (
	created = "CREATE"
	updated = "UPDATE"
	deleted = "DELETE"
)

// A write that somebody tries.
type write struct {
	reason, operation, kind string
	// before and after are the object's spec; before is for updates.
	before, after string
	// tenant says whether a tenant may.
	tenant bool
}

// writes are what the policies are about: test/controlplane has those of the same rules in admission.yaml. The platform may all of them.
var writes = map[string]write{ //nolint:gochecknoglobals // A table.
	"claim":          {reason: "Claims are what a tenant writes.", operation: created, kind: "Machine", after: "{class: small}", tenant: true},
	"default":        {reason: "The API server's own value is nobody's choice.", operation: created, kind: "Machine", after: "{compositionUpdatePolicy: Automatic}", tenant: true},
	"composition":    {reason: "Another Composition can have another catalogue.", operation: created, kind: "Machine", after: "{compositionRef: {name: x}}"},
	"selector":       {reason: "So can one that is selected.", operation: created, kind: "K3sNode", after: "{compositionSelector: {matchLabels: {a: b}}}"},
	"revision":       {reason: "So can an earlier revision.", operation: created, kind: "Container", after: "{compositionRevisionRef: {name: x}}"},
	"revision-label": {reason: "Or one that is selected.", operation: created, kind: "K3sCluster", after: "{compositionRevisionSelector: {matchLabels: {a: b}}}"},
	"update-policy":  {reason: "Or one that stays.", operation: created, kind: "ProxmoxSite", after: "{compositionUpdatePolicy: Manual}"},
	"resource":       {reason: "Another composite is another claim's.", operation: created, kind: "Machine", after: "{resourceRef: {name: x}}"},
	"namespaced":     {reason: "The same in the namespaced installation.", operation: created, kind: "K3sCluster", after: "{crossplane: {compositionRef: {name: x}}}"},
	"composed": {
		reason: "What a namespaced composite has composed is taken from others by a list of it.", operation: created, kind: "Machine",
		after: "{crossplane: {resourceRefs: [{apiVersion: v1, kind: Secret, name: x}]}}",
	},

	"edit": {
		reason: "Edits leave what Crossplane wrote.", operation: updated, kind: "Machine", tenant: true,
		before: "{compositionRef: {name: x}, resourceRef: {name: y}, compositionUpdatePolicy: Automatic}",
		after:  "{class: small, compositionRef: {name: x}, resourceRef: {name: y}, compositionUpdatePolicy: Automatic}",
	},
	"edit-namespaced": {
		reason: "Also in the namespaced installation.", operation: updated, kind: "K3sNode", tenant: true,
		before: "{crossplane: {compositionRef: {name: x}}}", after: "{class: small, crossplane: {compositionRef: {name: x}}}",
	},
	"other-composition": {
		reason: "What breaks the rule already is no reason to break it otherwise.", operation: updated, kind: "Machine",
		before: "{compositionRef: {name: x}}", after: "{compositionRef: {name: y}}",
	},
	"other-revision": {
		reason: "An earlier revision is another Composition.", operation: updated, kind: "Machine",
		before: "{compositionRevisionRef: {name: x}}", after: "{compositionRevisionRef: {name: y}}",
	},
	"without-resource": {
		reason: "Without its composite a claim makes another one.", operation: updated, kind: "Container", before: "{resourceRef: {name: x}}", after: "{class: small}",
	},
	"stays": {reason: "An update policy is not chosen later.", operation: updated, kind: "Machine", before: "{compositionUpdatePolicy: Automatic}", after: "{compositionUpdatePolicy: Manual}"},
	// Kyverno's command line merges the object of before into that of after.
	"namespaced-later": {reason: "Nor is a Composition.", operation: updated, kind: "K3sNode", before: "{crossplane: null}", after: "{crossplane: {compositionSelector: {matchLabels: {a: b}}}}"},
	"other-composed": {
		reason: "Nor what is composed.", operation: updated, kind: "Machine", before: "{crossplane: {resourceRefs: [{kind: A, name: x}]}}", after: "{crossplane: {resourceRefs: [{kind: A, name: y}]}}",
	},

	"composite": {reason: "A composite with a claimRef reaches another namespace's Secrets.", operation: created, kind: "XMachine", after: "{claimRef: {namespace: infra, name: a}}"},
	"catalogue": {reason: "Who writes the catalogue decides what all VMs are made of.", operation: created, kind: "EnvironmentConfig", after: "{}"},
	"catalogue-edit": {
		reason: "A catalogue that is there is refused to be written already, and may not be changed for that.", operation: updated, kind: "EnvironmentConfig", before: "{a: b}", after: "{a: c}",
	},
	"composite-edit": {reason: "Nor may a composite.", operation: updated, kind: "XK3sNode", before: "{claimRef: {name: a}}", after: "{claimRef: {name: b}}"},
	"provider":       {reason: "A provider configuration of one's own is another token.", operation: created, kind: "ProviderConfig", after: "{}"},
	"provider-edit":  {reason: "So is another one in its place.", operation: updated, kind: "ProviderConfig", before: "{a: b}", after: "{a: c}"},
	"catalogue-gone": {reason: "Without the catalogue there are no rules.", operation: deleted, kind: "EnvironmentConfig", after: "{}"},
	"composite-gone": {reason: "Without its composite a claim makes another one.", operation: deleted, kind: "XContainer", after: "{}"},
	"claim-gone":     {reason: "A tenant deletes what is its own.", operation: deleted, kind: "Machine", after: "{compositionRef: {name: x}}", tenant: true},
}

// TestWrites has Kyverno judge each write of a tenant, of the platform, and of a service account that looks like Crossplane's.
func TestWrites(t *testing.T) {
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("make tool-kyverno builds it: ", err)
		}

		t.Skip("make tool-kyverno builds it: ", err)
	}

	people := map[string]struct {
		reason string
		groups []string
		all    bool // Whether everything may be written.
	}{
		"Tenant":      {reason: "A team.", groups: []string{"team-b", "system:authenticated"}},
		"Platform":    {reason: "The platform.", groups: []string{"machines-platform"}, all: true},
		"Crossplane":  {reason: "Crossplane and the provider.", groups: []string{"system:serviceaccounts", "system:serviceaccounts:crossplane-system"}, all: true},
		"OtherGroups": {reason: "Names that only begin or end alike are no group of the platform's.", groups: []string{"machines-platform-b", "x-machines-platform", "system:serviceaccounts", "system:serviceaccounts:crossplane-system-b"}},
	}

	for who, p := range people {
		for _, operation := range []string{created, updated, deleted} {
			t.Run(who+operation, func(t *testing.T) {
				refused := judge(t, p.groups, operation)

				for name, w := range writes {
					if w.operation != operation {
						continue
					}

					if may := w.tenant || p.all; may == refused[name] {
						t.Errorf("%s %s %s %s: refused: %t", p.reason, w.reason, operation, name, refused[name])
					}
				}
			})
		}
	}
}

var warnings = regexp.MustCompile(`(?m)^Warning: .*$`)

// judge all writes of an operation, and tell which are refused.
func judge(t *testing.T, groups []string, operation string) map[string]bool {
	t.Helper()

	dir := t.TempDir()

	file := func(name string, documents ...any) string {
		var text strings.Builder

		for _, d := range documents {
			b, err := yaml.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}

			fmt.Fprintf(&text, "---\n%s", b)
		}

		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}

		return path
	}

	var objects, before []any

	for _, name := range slices.Sorted(maps.Keys(writes)) {
		w := writes[name]
		if w.operation != operation {
			continue
		}

		objects = append(objects, object(t, name, w.kind, w.after))

		if operation == updated {
			before = append(before, map[string]any{"name": name, "values": map[string]any{"request.oldObject": object(t, name, w.kind, w.before)}})
		}
	}

	values := map[string]any{
		"apiVersion": "cli.kyverno.io/v1alpha1", "kind": "Values", "metadata": map[string]any{"name": "values"},
		"globalValues": map[string]any{"request.operation": operation},
		"policies": []any{
			map[string]any{"name": "machines-claim-fields", "resources": before}, map[string]any{"name": "machines-platform-objects", "resources": before},
		},
	}
	user := map[string]any{
		"apiVersion": "cli.kyverno.io/v1alpha1", "kind": "UserInfo", "metadata": map[string]any{"name": "user"},
		"userInfo": map[string]any{"username": "ann", "groups": groups},
	}

	var said strings.Builder

	//nolint:gosec // The program is pinned, and its arguments are the test's.
	command := exec.CommandContext(t.Context(), tool, "apply", policies, "--policy-report", "--remove-color",
		"--resource", file("objects.yaml", objects...), "--userinfo", file("user.yaml", user), "--values-file", file("values.yaml", values))
	command.Stderr = &said

	// It ends with 1 where something is refused.
	out, err := command.Output()

	var report struct {
		Results []struct {
			Result    string `json:"result"`
			Message   string `json:"message"`
			Resources []struct {
				Name string `json:"name"`
			} `json:"resources"`
		} `json:"results"`
		Summary map[string]int `json:"summary"`
	}

	// The report has warnings of policies that are out of date before it. It is empty where nothing concerns the person.
	text := warnings.ReplaceAll(out, nil)
	if unread := yaml.Unmarshal(text, &report); unread != nil || report.Summary["error"] > 0 || err != nil && report.Summary["fail"] == 0 {
		t.Fatalf("kyverno ends with %v and %v:\n%s\n%s", err, unread, out, said.String())
	}

	refused := map[string]bool{}

	for _, r := range report.Results {
		for _, o := range r.Resources {
			switch r.Result {
			case "fail":
				refused[o.Name] = true

				if !strings.Contains(r.Message, "only the platform") {
					t.Errorf("%s is refused for another reason: %s", o.Name, r.Message)
				}
			case "pass":
			default:
				t.Errorf("%s is not judged: %s: %s", o.Name, r.Result, r.Message)
			}
		}
	}

	return refused
}

// apiVersions of kinds that are not ours.
var apiVersions = map[string]string{ //nolint:gochecknoglobals // A table.
	"EnvironmentConfig": "apiextensions.crossplane.io/v1beta1", "ProviderConfig": "proxmoxbpg.m.crossplane.io/v1beta1",
}

// object of a kind with a spec.
func object(t *testing.T, name, kind, spec string) map[string]any {
	t.Helper()

	o := map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "team-b"}}
	if v := apiVersions[kind]; v != "" {
		o["apiVersion"] = v
	}

	var is any
	if err := yaml.Unmarshal([]byte(spec), &is); err != nil {
		t.Fatal(err)
	}

	o["spec"] = is

	return o
}
