package usage

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// Owners of the four kinds that there are.
var (
	claimed = Owner{
		APIVersion: "homelab.io/v1alpha1", Kind: "Machine", Name: "dns01", Namespace: "infra", Composite: "dns01-x7f2k", CompositeKind: "XMachine",
	}
	namespaced = Owner{
		APIVersion: "homelab.io/v1alpha1", Kind: "K3sNode", Name: "server-1", Namespace: "infra", Composite: "server-1", CompositeKind: "K3sNode",
	}
	alone = Owner{APIVersion: "homelab.io/v1alpha1", Kind: "Machine", Name: "dns01", Composite: "dns01", CompositeKind: "XMachine"}
)

// of is what a Usage says it keeps.
func of(kind, name string) map[string]any {
	why := "this machine is protected, because its VM would be destroyed with all of its disks. To delete it takes two commits: " +
		"the first one sets spec.deletionProtection: false (or deletionPolicy: Orphan, to keep the VM), and when that has arrived, the second one removes the claim"
	if kind == "K3sNode" {
		why += ". Drain the node and remove it from its cluster before"
	}

	return map[string]any{
		"of":     map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": kind, "resourceRef": map[string]any{"name": name}},
		"reason": why,
	}
}

func TestNew(t *testing.T) {
	definitions := crossplaneCRDs(t)

	cases := map[string]struct {
		reason string
		owner  Owner
		api    API
		name   string
		want   map[string]any
	}{
		"Claim": {
			reason: "From 2.2 on the claim itself is kept, in its own namespace, where the webhook looks.", owner: claimed, api: APIProtection, name: "protects-claim",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{"namespace": "infra"}, "spec": of("Machine", "dns01"),
			},
		},
		"ClaimOfOld": {
			reason: "Before, only a cluster scoped resource can be kept: the composite.", owner: claimed, api: APIExtensions, name: "protects-composite",
			want: map[string]any{
				"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{}, "spec": of("XMachine", "dns01-x7f2k"),
			},
		},
		"Namespaced": {
			reason: "A namespaced composite is what a person deletes.", owner: namespaced, api: APIProtection, name: "protects-claim",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{"namespace": "infra"}, "spec": of("K3sNode", "server-1"),
			},
		},
		"NamespacedOfOld": {
			reason: "Whoever has namespaced composites has Crossplane 2, and so the group, whether it says so or not.", owner: namespaced, api: APIExtensions, name: "protects-claim",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{"namespace": "infra"}, "spec": of("K3sNode", "server-1"),
			},
		},
		"Cluster": {
			reason: "Without a namespace there is none to put a Usage into.", owner: alone, api: APIProtection, name: "protects-composite",
			want: map[string]any{
				"apiVersion": "protection.crossplane.io/v1beta1", "kind": "ClusterUsage", "metadata": map[string]any{}, "spec": of("XMachine", "dns01"),
			},
		},
		"ClusterOfOld": {
			reason: "The Usage of old is cluster scoped.", owner: alone, api: APIExtensions, name: "protects-composite",
			want: map[string]any{
				"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "Usage", "metadata": map[string]any{}, "spec": of("XMachine", "dns01"),
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			composed, u := New(tc.owner, tc.api)

			m, err := Manifest(u)
			if err != nil {
				t.Fatalf("%s\nManifest(): %v", tc.reason, err)
			}

			if diff := cmp.Diff(tc.want, m.AsMap()); diff != "" {
				t.Errorf("%s\nNew(): -want, +got:\n%s", tc.reason, diff)
			}

			if composed != tc.name || !Is(composed) {
				t.Errorf("%s\nNew() names it %s, want %s; Is() says %t", tc.reason, composed, tc.name, Is(composed))
			}

			if errs := definitions.Check(m.AsMap()); len(errs) > 0 {
				t.Errorf("%s\nCrossplane refuses it: %v", tc.reason, errs.ToAggregate())
			}
		})
	}
}

// TestCrossplaneRefusesOthers, so that the definitions above are known to be looked at.
func TestCrossplaneRefusesOthers(t *testing.T) {
	definitions := crossplaneCRDs(t)

	cases := map[string]struct {
		reason string
		edit   func(u *Usage)
	}{
		"NoReason":  {reason: "Nothing uses it, and nobody says why it is kept.", edit: func(u *Usage) { u.Spec.Reason = "" }},
		"OtherKind": {reason: "There is no such kind.", edit: func(u *Usage) { u.Kind = "Usages" }},
		"OtherAPI":  {reason: "There is no such version.", edit: func(u *Usage) { u.APIVersion = "protection.crossplane.io/v1" }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, u := New(claimed, APIProtection)
			tc.edit(&u)

			m, err := Manifest(u)
			if err != nil {
				t.Fatal(err)
			}

			object := m.AsMap()
			if u.Spec.Reason == "" {
				delete(object["spec"].(map[string]any), "reason")
			}

			if errs := definitions.Check(object); len(errs) == 0 {
				t.Errorf("%s\nNobody minds", tc.reason)
			}
		})
	}
}

// TestCrossplaneAcceptsUsagesOfVMs in each of its APIs, and they stay as they were written while Crossplane looks things up.
func TestCrossplaneAcceptsUsagesOfVMs(t *testing.T) {
	set := crossplaneCRDs(t)
	vm := Resource{APIVersion: "virtualenvironmentvm.crossplane.io/v1alpha1", Kind: "EnvironmentVM", ResourceRef: Ref{"server-1-vm"}}
	object := Resource{APIVersion: "kubernetes.crossplane.io/v1alpha2", Kind: "Object", ResourceRef: Ref{"server-1-node"}}

	for _, u := range []Usage{ForNode(vm, object, "", APIProtection), ForNode(vm, object, "", APIExtensions), ForNode(vm, object, "infra", APIProtection)} {
		m, err := Manifest(u)
		if err != nil {
			t.Fatal(err)
		}

		if errs := set.Check(m.AsMap()); len(errs) > 0 {
			t.Errorf("%s %s: %v", u.APIVersion, u.Kind, errs.ToAggregate())
		}

		kept, err := Kept(m)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(m, kept, protocmp.Transform()); diff != "" {
			t.Errorf("Kept(%s %s): -want, +got:\n%s", u.APIVersion, u.Kind, diff)
		}
	}
}

// TestKept: while Crossplane looks things up, a Usage stays as it was written, without what the API server and Crossplane
// added.
func TestKept(t *testing.T) {
	for _, api := range []API{APIProtection, APIExtensions} {
		for _, owner := range []Owner{claimed, namespaced, alone} {
			_, u := New(owner, api)

			want, err := Manifest(u)
			if err != nil {
				t.Fatal(err)
			}

			o := want.AsMap()
			meta := o["metadata"].(map[string]any)
			meta["name"], meta["uid"], meta["generation"] = "dns01-x7f2k-abcde", "1", 1
			meta["annotations"] = map[string]any{"crossplane.io/composition-resource-name": "protects-claim"}
			o["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}

			observed, err := structpb.NewStruct(o)
			if err != nil {
				t.Fatal(err)
			}

			got, err := Kept(observed)
			if err != nil {
				t.Fatalf("Kept(): %v", err)
			}

			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("Kept(%s %s): -want, +got:\n%s", u.APIVersion, u.Kind, diff)
			}
		}
	}
}

// TestKeptUnreadable: what is not understood is told, not guessed.
func TestKeptUnreadable(t *testing.T) {
	observed, err := structpb.NewStruct(map[string]any{"spec": map[string]any{"of": "everything"}})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := Kept(observed); err == nil || !strings.Contains(err.Error(), "cannot read observed Usage") {
		t.Errorf("Kept(): want an error that says so, got %v", err)
	}
}

// TestNamesOfUsages: the Usage of a VM, of a claim, and of a server that its cluster needs are told apart.
func TestNamesOfUsages(t *testing.T) {
	quorum, _ := ForQuorum(claimed, APIProtection, "why")

	for name, want := range map[string]struct {
		vm     string
		quorum bool
	}{
		OfVM("vm"): {vm: "vm"}, OfVM("vm-0123456789"): {vm: "vm-0123456789"}, OfClaim: {}, OfComposite: {}, quorum: {quorum: true}, "vm": {},
	} {
		if VMOf(name) != want.vm || IsOfQuorum(name) != want.quorum {
			t.Errorf("%s: want %v, got %q and %t", name, want, VMOf(name), IsOfQuorum(name))
		}
	}
}

func TestIs(t *testing.T) {
	for name, want := range map[string]bool{
		OfClaim: true, OfComposite: true, "vm": false, "vm-0123456789": false, "user-data-0123456789": false, "image-0123456789": false, "": false,
	} {
		if got := Is(name); got != want {
			t.Errorf("Is(%q): want %t, got %t", name, want, got)
		}
	}
}

// crossplaneCRDs are the definitions of the Crossplane release that the tools are pinned to.
func crossplaneCRDs(t *testing.T) crds.Set {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/crossplane/crossplane/v2")
	cmd.Dir = filepath.Join("..", "..", "tools", "cluster")

	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr

	out, err := cmd.Output()
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		set, err := crds.Load(filepath.Join(dir, "cluster", "crds"))
		if err != nil {
			t.Fatal(err)
		}

		return set
	}

	if os.Getenv("CI") == "true" {
		t.Fatalf("Crossplane's own definitions are not here: %v %s", err, stderr)
	}

	t.Skip("without Crossplane's own definitions; `make tool-crossplane` brings them")

	return nil
}
