package main

import (
	"context"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// story is the world of an example, by its name.
func story(t *testing.T, name string) *world {
	t.Helper()

	for _, e := range examples(t) {
		if e.name == name {
			return e.world(installations[0])
		}
	}

	t.Fatalf("no example %s", name)

	return nil
}

// names of the composed resources that are desired, sorted.
func names(rsp *fnv1.RunFunctionResponse) []string {
	return slices.Sorted(maps.Keys(rsp.GetDesired().GetResources()))
}

// kinds of the composed resources that are desired: the names without their hashes, sorted.
func kinds(rsp *fnv1.RunFunctionResponse) []string {
	out := []string{}

	for _, n := range names(rsp) {
		if i := strings.LastIndex(n, "-"); i > 0 {
			n = n[:i]
		}

		out = append(out, n)
	}

	return out
}

func reason(rsp *fnv1.RunFunctionResponse, typ string) string {
	for _, c := range rsp.GetConditions() {
		if c.GetType() == typ {
			return c.GetReason()
		}
	}

	return ""
}

// policies of a managed resource, in one line.
func policies(d map[string]any) string {
	var out []string

	list, _ := object(d["spec"])["managementPolicies"].([]any)
	for _, p := range list {
		out = append(out, p.(string))
	}

	return strings.Join(out, ",")
}

func specOf(w *world) map[string]any { return object(w.composite["spec"]) }

// TestANewMachineWaits follows a new machine: first its files, then its VM.
func TestANewMachineWaits(t *testing.T) {
	w := story(t, "k3s-cluster/server-2")

	first := w.run(t)
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, kinds(first)); diff != "" {
		t.Errorf("first answer: -want, +got:\n%s", diff)
	}

	if r := first.GetDesired().GetResources()["vm"].GetReady(); r != fnv1.Ready_READY_FALSE {
		t.Errorf("a VM that is only looked at is said to be %v", r)
	}

	w.apply(first)

	// Its files are being made: nothing is known of them yet.
	if second := w.run(t); policies(vm(second)) != "Observe" {
		t.Errorf("the VM may be made before its files were found: %s", policies(vm(second)))
	}

	w.provide()

	third := w.run(t)
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, kinds(third)); diff != "" {
		t.Errorf("third answer: -want, +got:\n%s", diff)
	}

	// An old VM never waits again, whatever becomes of its files.
	w.apply(third)
	w.provide()

	for name, o := range w.observed {
		if name != "vm" {
			delete(o, "status")
		}
	}

	if fourth := w.run(t); vm(fourth) == nil {
		t.Error("the VM is dropped because its files are in doubt")
	}
}

// TestAnImageThatIsThereIsEnough, whoever brought it.
func TestAnImageThatIsThereIsEnough(t *testing.T) {
	w := story(t, "homelab-k3s/k3s-vm-pve")
	w.apply(w.run(t))

	for _, o := range w.observed {
		o["status"] = map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
			map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "create failed: async create failed: File already exists in the datastore, it was created outside of Terraform or is managed by another resource."},
		}}
	}

	if vm(w.run(t)) == nil {
		t.Error("the VM waits for an image that is on the node")
	}
}

// TestBootstrapIsFrozen holds what a living VM was made with against edits of its claim.
func TestBootstrapIsFrozen(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(w *world)
		want   string // Reason of BootstrapCurrent.
	}{
		"UserData": {
			reason: "New user-data would be a new file, and the VM cannot take another one.",
			edit: func(w *world) {
				specOf(w)["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}
			},
			want: "BootstrapChanged",
		},
		"Key": {
			reason: "Keys are in the user-data.",
			edit: func(w *world) {
				specOf(w)["bootstrap"] = map[string]any{"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam other@home"}}
			},
			want: "BootstrapChanged",
		},
		"K3sVersion": {
			reason: "K3s is set up once.",
			edit:   func(w *world) { object(specOf(w)["k3s"])["version"] = "v1.34.1+k3s1" },
			want:   "BootstrapChanged",
		},
		"CatalogueKey": {
			reason: "A change of the catalogue reaches new machines only.",
			edit: func(w *world) {
				w.catalog = object(runtimeCopy(w.catalog))
				object(object(w.catalog["data"])["defaults"])["adminUser"] = "root2"
			},
			want: "BootstrapChanged",
		},
		"TokenSecretGone": {
			reason: "The VM has its token; without the Secret nobody knows whether it is still the same.",
			edit:   func(w *world) { w.secrets = nil },
			want:   "TokenSecretMissing",
		},
		"Size": {
			reason: "The size is no bootstrap data.",
			edit:   func(w *world) { specOf(w)["size"] = map[string]any{"disk": "60Gi"} },
			want:   "Current",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := story(t, "k3s-cluster/server-2")
			before := w.settle(t)

			tc.edit(w)

			after := w.run(t)
			if msg := fatal(after); msg != "" {
				t.Fatalf("fatal result: %s", msg)
			}

			if diff := cmp.Diff(names(before), names(after)); diff != "" {
				t.Errorf("%s\ncomposed resources: -before, +after:\n%s", tc.reason, diff)
			}

			for name, r := range before.GetDesired().GetResources() {
				if name == "vm" {
					continue
				}

				if diff := cmp.Diff(r.GetResource(), after.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
					t.Errorf("%s\n%s changes: -before, +after:\n%s", tc.reason, name, diff)
				}
			}

			init := func(rsp *fnv1.RunFunctionResponse) map[string]any {
				return object(object(object(vm(rsp)["spec"])["forProvider"])["initialization"].([]any)[0])
			}
			for _, id := range []string{"userDataFileId", "metaDataFileId"} {
				if diff := cmp.Diff(init(before)[id], init(after)[id]); diff != "" {
					t.Errorf("%s\n%s changes: -before, +after:\n%s", tc.reason, id, diff)
				}
			}

			if got := reason(after, "BootstrapCurrent"); got != tc.want {
				t.Errorf("%s\nBootstrapCurrent: want reason %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestAnEditBeforeTheVMTakesEffect: a new file under a new name, and the old one goes.
func TestAnEditBeforeTheVMTakesEffect(t *testing.T) {
	w := story(t, "k3s-cluster/server-2")

	first := w.run(t)
	w.apply(first)

	specOf(w)["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}

	second := w.run(t)
	if diff := cmp.Diff(kinds(first), kinds(second)); diff != "" {
		t.Errorf("kinds: -first, +second:\n%s", diff)
	}

	if slices.Equal(names(first), names(second)) {
		t.Error("an edit changes a file in place")
	}

	same := 0

	for _, n := range names(second) {
		if slices.Contains(names(first), n) {
			same++
		}
	}

	if same != 3 {
		t.Errorf("%d resources stay, want image, meta-data and VM: %v, %v", same, names(first), names(second))
	}
}

// TestAVMThatCouldNotBeMadeMayBecomeAnother, or a typing error would hold for ever.
func TestAVMThatCouldNotBeMadeMayBecomeAnother(t *testing.T) {
	w := story(t, "k3s-cluster/server-2")
	specOf(w)["image"] = "local:import/typo.qcow2"
	w.settle(t)

	failed := object(w.observed["vm"]["status"])
	failed["atProvider"] = map[string]any{}
	failed["conditions"] = []any{
		map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
		map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "create failed"},
		map[string]any{"type": "LastAsyncOperation", "status": "False", "reason": "ApplyFailure", "message": "apply failed: unable to create VM 4501 - cannot import from 'local:import/typo.qcow2'"},
	}

	specOf(w)["image"] = "local:import/noble.qcow2"

	disk := object(object(object(vm(w.run(t))["spec"])["forProvider"])["disk"].([]any)[0])
	if disk["importFrom"] != "local:import/noble.qcow2" {
		t.Errorf("the VM still wants %v", disk["importFrom"])
	}

	// The same edit while a retry is under way would break the VM that comes of it.
	failed["conditions"] = append(failed["conditions"].([]any), map[string]any{"type": "AsyncOperation", "status": "False", "reason": "Ongoing"})

	rsp := w.run(t)

	disk = object(object(object(vm(rsp)["spec"])["forProvider"])["disk"].([]any)[0])
	if disk["importFrom"] != "local:import/typo.qcow2" {
		t.Errorf("the VM that is in the making was changed to %v", disk["importFrom"])
	}

	if got := reason(rsp, "ReplacementRequired"); got != "ImmutableFieldChanged" {
		t.Errorf("ReplacementRequired: want reason ImmutableFieldChanged, got %q", got)
	}
}

// TestFaultsLeaveEverythingAlone: bad input of any source is one fatal result that names the field.
func TestFaultsLeaveEverythingAlone(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(w *world)
		want   []string
	}{
		"Claim": {
			reason: "A wrong claim.",
			edit:   func(w *world) { specOf(w)["class"] = "smal" },
			want:   []string{"spec.class", "smal", "small"},
		},
		"SeveralAtOnce": {
			reason: "All faults come at once, whoever finds them.",
			edit: func(w *world) {
				specOf(w)["clas"] = "x"
				object(specOf(w)["proxmox"])["vlan"] = "abc"
				object(specOf(w)["network"])["ip"] = "192.168.4.999"
			},
			want: []string{"spec.clas", "spec.proxmox.vlan", "spec.network.ip"},
		},
		"NameThatTerraformRefuses": {
			reason: "The provider would print its SSH key into a condition.",
			edit:   func(w *world) { object(w.composite["metadata"])["name"] = "1web-x7f2k" },
			want:   []string{"metadata.name"},
		},
		"CatalogueGone": {
			reason: "Without its catalogue nobody knows the claim's class.",
			edit:   func(w *world) { w.catalog = nil },
			want:   []string{"spec.class", "server"},
		},
		"CatalogueBroken": {
			reason: "A typing error in the catalogue is named by its place there.",
			edit: func(w *world) {
				w.catalog = fromYAML(t, "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {classes: {server: {corez: 2}}}")
			},
			want: []string{"EnvironmentConfig machine-catalog", "data.classes.server.corez"},
		},
		"InputBroken": {
			reason: "No API server ever checks the Input.",
			edit:   func(w *world) { w.input["providerAPI"] = "newest" },
			want:   []string{"Input", "providerAPI", "newest"},
		},
		"InputUnknownField": {
			reason: "A typing error in the Input is no default.",
			edit:   func(w *world) { w.input["catalogue"] = map[string]any{} },
			want:   []string{"Input", "catalogue"},
		},
		"UserData": {
			reason: "The claim's own cloud-config cannot rename the node.",
			edit: func(w *world) {
				specOf(w)["bootstrap"] = map[string]any{"userData": "#cloud-config\nhostname: other\n"}
			},
			want: []string{"spec.bootstrap.userData", "hostname"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, settled := range []bool{false, true} {
				w := story(t, "k3s-cluster/server-2")
				if settled {
					w.settle(t)
				}

				tc.edit(w)

				rsp := w.run(t)

				msg := fatal(rsp)
				if msg == "" {
					t.Fatalf("%s\nno fatal result", tc.reason)
				}

				for _, part := range tc.want {
					if !strings.Contains(msg, part) {
						t.Errorf("%s\nthe message does not say %q: %s", tc.reason, part, msg)
					}
				}

				if n := len(rsp.GetDesired().GetResources()); n > 0 {
					t.Errorf("%s\na fatal result beside %d desired resources", tc.reason, n)
				}

				if c := rsp.GetConditions(); len(c) != 1 || c[0].GetType() != "SpecValid" || c[0].GetStatus() != fnv1.Status_STATUS_CONDITION_FALSE {
					t.Errorf("%s\nconditions: %v", tc.reason, c)
				}
			}
		})
	}
}

// TestTokens holds where a token may come from, and that no message ever has it.
func TestTokens(t *testing.T) {
	const (
		full  = "K10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::server:c0ffeec0ffeec0ffee"
		short = "c0ffeec0ffeec0ffeec0ffee"
	)

	secret := func(namespace, token string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Secret",
			"metadata": map[string]any{"name": "k3s-join-token", "namespace": namespace},
			"data":     map[string]any{"token": base64.StdEncoding.EncodeToString([]byte(token))},
		}
	}

	cases := map[string]struct {
		reason string
		secret map[string]any
		fatal  string
		wait   bool
	}{
		"Full":           {reason: "A server joins with a full token.", secret: secret("infra-machines", full)},
		"Short":          {reason: "A short one is not checked against the cluster's CA.", secret: secret("infra-machines", short), fatal: "spec.k3s.token.secretRef"},
		"Literal":        {reason: "A template that nobody filled in.", secret: secret("infra-machines", "<token>"), fatal: "spec.k3s.token.secretRef"},
		"TrailingLine":   {reason: "K3s would take the line end for a part of it.", secret: secret("infra-machines", full+"\n"), fatal: "spec.k3s.token.secretRef"},
		"OtherNamespace": {reason: "Nobody reads a Secret of another namespace through a claim.", secret: secret("other", full), wait: true},
		"Missing":        {reason: "It may come later.", wait: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := story(t, "k3s-cluster/server-2")
			w.secrets = nil

			if tc.secret != nil {
				w.secrets = []map[string]any{tc.secret}
			}

			rsp := w.run(t)

			if msg := fatal(rsp); (msg != "") != (tc.fatal != "") || !strings.Contains(msg, tc.fatal) {
				t.Errorf("%s\nfatal result: want %q, got %q", tc.reason, tc.fatal, msg)
			}

			if got := slices.Contains(kinds(rsp), "user-data"); tc.fatal == "" && got == tc.wait {
				t.Errorf("%s\nuser-data is rendered: %t", tc.reason, got)
			}

			if tc.wait && reason(rsp, "MachineReady") != "WaitingForToken" {
				t.Errorf("%s\nMachineReady: want reason WaitingForToken, got %s", tc.reason, reason(rsp, "MachineReady"))
			}

			for _, r := range rsp.GetResults() {
				noToken(t, r.GetMessage())
			}

			for _, c := range rsp.GetConditions() {
				noToken(t, c.GetMessage())
			}
		})
	}
}

func noToken(t *testing.T, text string) {
	t.Helper()

	if strings.Contains(text, "c0ffee") || strings.Contains(text, "K10a") {
		t.Errorf("a message holds the token: %s", text)
	}
}

// TestCrossplaneLooksForTheCatalogue: while it does, everything that exists is kept, and both generations answer.
func TestCrossplaneLooksForTheCatalogue(t *testing.T) {
	w := story(t, "k3s-cluster/server-2")
	settled := w.settle(t)

	req := w.request(t)
	answers := req.GetRequiredResources()
	req.RequiredResources = nil

	rsp, err := newFunction().RunFunction(t.Context(), req)
	if err != nil || fatal(rsp) != "" {
		t.Fatalf("RunFunction(): %v, %s", err, fatal(rsp))
	}

	for name, r := range settled.GetDesired().GetResources() {
		if diff := cmp.Diff(r.GetResource(), rsp.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
			t.Errorf("%s changes while Crossplane looks: -settled, +kept:\n%s", name, diff)
		}
	}

	want := &fnv1.ResourceSelector{ApiVersion: "apiextensions.crossplane.io/v1beta1", Kind: "EnvironmentConfig", Match: &fnv1.ResourceSelector_MatchName{MatchName: "machine-catalog"}}
	for generation, asked := range map[string]map[string]*fnv1.ResourceSelector{
		"2.x": rsp.GetRequirements().GetResources(), "1.20": rsp.GetRequirements().GetExtraResources(),
	} {
		if diff := cmp.Diff(want, asked["machine-catalog"], protocmp.Transform()); diff != "" {
			t.Errorf("Crossplane %s is not asked: -want, +got:\n%s", generation, diff)
		}
	}

	// Crossplane 1.20 answers in the old field only.
	req.ExtraResources = answers

	old, err := newFunction().RunFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(settled.GetDesired(), old.GetDesired(), protocmp.Transform()); diff != "" {
		t.Errorf("Crossplane 1.20 gets another answer: -2.x, +1.20:\n%s", diff)
	}
}

// TestNoSecretForOldCrossplanes: Crossplane 1.20 fails where it is asked for something in a namespace, so it is not asked, and
// the claim says what is to be done. What lives is kept.
func TestNoSecretForOldCrossplanes(t *testing.T) {
	w := story(t, "k3s-cluster/server-2")
	w.settle(t)

	for name, observed := range map[string]map[string]*fnv1.Resource{"New": nil, "Living": w.request(t).GetObserved().GetResources()} {
		t.Run(name, func(t *testing.T) {
			req := w.request(t)
			req.Observed.Resources = observed
			req.ExtraResources = map[string]*fnv1.Resources{"machine-catalog": req.GetRequiredResources()["machine-catalog"], neighboursRequirement: {}}
			req.RequiredResources = nil

			rsp, err := newFunction().RunFunction(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}

			for name, sel := range rsp.GetRequirements().GetExtraResources() {
				if sel.Namespace != nil {
					t.Errorf("Crossplane 1.20 is asked for %s in a namespace", name)
				}
			}

			want := "spec.k3s.token.secretRef: Forbidden: " + "this Crossplane (before 2.0) cannot hand a Secret to a function. Have a file on the node write the token"
			if c := rsp.GetConditions(); len(c) != 1 || c[0].GetReason() != "ValidationFailed" || !strings.Contains(c[0].GetMessage(), want) {
				t.Errorf("conditions: %v", c)
			}

			if fatal(rsp) == "" {
				t.Error("what exists would go: want a fatal result")
			}
		})
	}
}

// TestEarlierStepsAreKept: the function adds to a pipeline, it does not own it.
func TestEarlierStepsAreKept(t *testing.T) {
	w := story(t, "nixos/dns01")
	req := w.request(t)
	req.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: toStruct(t, map[string]any{"status": map[string]any{"other": "kept"}})},
		Resources: map[string]*fnv1.Resource{"other": {Resource: toStruct(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})}},
	}

	rsp, err := newFunction().RunFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}

	if _, ok := rsp.GetDesired().GetResources()["other"]; !ok {
		t.Error("a resource of an earlier step is gone")
	}

	status := object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"])
	if status["other"] != "kept" || status["class"] != "small" {
		t.Errorf("the status of an earlier step, or ours, is gone: %v", status)
	}
}

// TestLivingVMsKeepTheirKind: under another API group Crossplane would see another resource, and delete this one.
func TestLivingVMsKeepTheirKind(t *testing.T) {
	w := story(t, "nixos/dns01")
	before := w.settle(t)

	w.input["providerAPI"] = "legacy"

	after := w.run(t)
	for name, r := range before.GetDesired().GetResources() {
		want := r.GetResource().GetFields()["apiVersion"].GetStringValue()
		if got := after.GetDesired().GetResources()[name].GetResource().GetFields()["apiVersion"].GetStringValue(); got != want {
			t.Errorf("%s became a %s", name, got)
		}
	}
}

// TestDeletionPolicy is written as management policies, which the provider heeds, and the files go with their VM.
func TestDeletionPolicy(t *testing.T) {
	for policy, want := range map[string][]any{
		"Delete": {"Observe", "Create", "Update", "Delete"},
		"Orphan": {"Observe", "Create", "Update"},
	} {
		w := story(t, "nixos/dns01")
		specOf(w)["deletionPolicy"] = policy

		for name, r := range w.settle(t).GetDesired().GetResources() {
			got := object(r.GetResource().AsMap()["spec"])["managementPolicies"]
			if diff := cmp.Diff(any(want), got); diff != "" {
				t.Errorf("%s with %s: -want, +got:\n%s", name, policy, diff)
			}
		}
	}
}

// TestPower stops a VM, and takes it for ready when it is.
func TestPower(t *testing.T) {
	w := story(t, "nixos/dns01")
	w.settle(t)

	specOf(w)["power"] = "Stopped"

	rsp := w.settle(t)
	if started := object(object(vm(rsp)["spec"])["forProvider"])["started"]; started != false {
		t.Errorf("started is %v", started)
	}

	if got := reason(rsp, "MachineReady"); got != "Stopped" {
		t.Errorf("MachineReady: want reason Stopped, got %s", got)
	}
}

// TestPrecedence: the claim comes first, then the EnvironmentConfig, then the Input, then what is built in.
func TestPrecedence(t *testing.T) {
	class := func(cores int) map[string]any {
		return map[string]any{"cores": cores, "memory": "2Gi", "disk": "20Gi"}
	}

	cases := map[string]struct {
		reason string
		claim  map[string]any
		named  map[string]any
		inline map[string]any
		want   float64
	}{
		"BuiltIn":   {reason: "Nobody says anything.", want: 4},
		"Input":     {reason: "The Input replaces what is built in.", inline: class(5), want: 5},
		"Catalogue": {reason: "The EnvironmentConfig replaces the Input.", named: class(6), inline: class(5), want: 6},
		"Claim":     {reason: "The claim has the last word.", claim: map[string]any{"cores": 7}, named: class(6), inline: class(5), want: 7},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := story(t, "plain-debian/files01")
			if tc.claim != nil {
				specOf(w)["size"] = tc.claim
			}

			if tc.named != nil {
				w.catalog = map[string]any{
					"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
					"data": map[string]any{"classes": map[string]any{"medium": tc.named}},
				}
			}

			if tc.inline != nil {
				w.input["catalog"] = map[string]any{"inline": map[string]any{"classes": map[string]any{"medium": tc.inline}}}
			}

			cpu := object(object(object(vm(w.settle(t))["spec"])["forProvider"])["cpu"].([]any)[0])
			if cpu["cores"] != tc.want {
				t.Errorf("%s\nwant %v cores, got %v", tc.reason, tc.want, cpu["cores"])
			}
		})
	}
}

// TestTheInputNamesTheCatalogue, so that two Compositions can have two.
func TestTheInputNamesTheCatalogue(t *testing.T) {
	w := story(t, "nixos/dns01")
	w.input["catalog"] = map[string]any{"name": "lab"}

	if got := w.run(t).GetRequirements().GetResources()["machine-catalog"].GetMatchName(); got != "lab" {
		t.Errorf("asked for EnvironmentConfig %q", got)
	}
}

// TestANumberFromProxmoxStays: a VM that got the next free number keeps it, also when the catalogue gets a range later.
func TestANumberFromProxmoxStays(t *testing.T) {
	w := story(t, "plain-debian/files01")
	delete(object(specOf(w)["proxmox"]), "vmId")

	first := w.run(t)
	w.apply(first)
	w.provide()

	if id := object(object(vm(w.run(t))["spec"])["forProvider"])["vmId"]; id != nil {
		t.Fatalf("a new VM has number %v, which nobody chose", id)
	}

	w.settle(t)

	w.catalog = fromYAML(t, "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n"+
		"data: {defaults: {site: home}, sites: {home: {vmIds: {from: 5000, to: 5100}, nodes: {pve: {}}}}}")

	rsp := w.settle(t)
	if id := object(object(vm(rsp)["spec"])["forProvider"])["vmId"]; id != 101.0 {
		t.Errorf("the VM's number became %v", id)
	}

	if got := reason(rsp, "ReplacementRequired"); got != "NotRequired" {
		t.Errorf("ReplacementRequired: %s", got)
	}
}

// TestAFaultOfOursIsAnAnswer: a panic is a fatal result of one composite, not the end of the process.
func TestAFaultOfOursIsAnAnswer(t *testing.T) {
	f := newFunction()
	f.answer = func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { panic("a fault of this program") }

	rsp, err := f.RunFunction(t.Context(), &fnv1.RunFunctionRequest{})
	if err != nil || fatal(rsp) != errPanic.Error() {
		t.Errorf("RunFunction(): want the fatal result %q, got %q, error %v", errPanic, fatal(rsp), err)
	}
}

// TestACallThatNobodyWaitsFor: a call whose context ends before it had its turn does no work.
func TestACallThatNobodyWaitsFor(t *testing.T) {
	f := newFunction()
	f.answer = func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		t.Error("the call was answered")
		return nil
	}

	for range cap(f.slots) {
		f.slots <- struct{}{}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if _, err := f.RunFunction(ctx, &fnv1.RunFunctionRequest{}); status.Code(err) != codes.Canceled {
		t.Errorf("RunFunction(): want an error with code Canceled, got %v", err)
	}
}

// TestAnEmptyStatusOfAnEarlierStep is an object without fields, which is no map at all on arrival.
func TestAnEmptyStatusOfAnEarlierStep(t *testing.T) {
	req := story(t, "nixos/dns01").request(t)
	req.Desired = earlierSteps(t)
	req.Desired.Composite.Resource.Fields["status"].GetStructValue().Fields = nil

	rsp, err := newFunction().RunFunction(t.Context(), req)
	if err != nil || fatal(rsp) != "" {
		t.Fatalf("RunFunction(): %v, %s", err, fatal(rsp))
	}

	if status := object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]); status["class"] != "small" {
		t.Errorf("the status is %v", status)
	}
}
