package behaviour

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestANewMachineWaits follows a new machine: first its files, then its VM.
func TestANewMachineWaits(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")

	first := m.Call()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, fake.Stems(first)); diff != "" {
		t.Errorf("first answer: -want, +got:\n%s", diff)
	}

	if r := first.GetDesired().GetResources()["vm"].GetReady(); r != fnv1.Ready_READY_FALSE {
		t.Errorf("a VM that is only looked at is said to be %v", r)
	}

	m.Apply(first)

	// Its files are being made: nothing is known of them yet.
	if second := m.Call(); fake.Policies(fake.Desired(second, "vm")) != "Observe" {
		t.Errorf("the VM may be made before its files were found: %s", fake.Policies(fake.Desired(second, "vm")))
	}

	m.Provide()

	third := m.Call()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, fake.Stems(third)); diff != "" {
		t.Errorf("third answer: -want, +got:\n%s", diff)
	}

	// An old VM never waits again, whatever becomes of its files.
	m.Apply(third)
	m.Provide()

	for name, o := range m.Observed {
		if name != "vm" {
			delete(o, "status")
		}
	}

	if fourth := m.Call(); fake.Desired(fourth, "vm") == nil {
		t.Error("the VM is dropped because its files are in doubt")
	}
}

// TestAnImageThatIsThereIsEnough, whoever brought it.
func TestAnImageThatIsThereIsEnough(t *testing.T) {
	m := example(t, "homelab-k3s/k3s-vm-pve")
	m.Apply(m.Call())

	for _, o := range m.Observed {
		o["status"] = map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
			map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "create failed: async create failed: File already exists in the datastore, it was created outside of Terraform or is managed by another resource."},
		}}
	}

	if fake.Desired(m.Call(), "vm") == nil {
		t.Error("the VM waits for an image that is on the node")
	}
}

// TestBootstrapIsFrozen holds what a living VM was made with against edits of its claim.
func TestBootstrapIsFrozen(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(m *machine)
		want   string // Reason of BootstrapCurrent.
	}{
		"UserData": {
			reason: "New user-data would be a new file, and the VM cannot take another one.",
			edit: func(m *machine) {
				m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}
			},
			want: "BootstrapChanged",
		},
		"Key": {
			reason: "Keys are in the user-data.",
			edit: func(m *machine) {
				m.Spec()["bootstrap"] = map[string]any{"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam other@home"}}
			},
			want: "BootstrapChanged",
		},
		"K3sVersion": {
			reason: "K3s is set up once.",
			edit:   func(m *machine) { fake.Object(m.Spec()["k3s"])["version"] = "v1.34.1+k3s1" },
			want:   "BootstrapChanged",
		},
		"CatalogueKey": {
			reason: "A change of the catalogue reaches new machines only.",
			edit: func(m *machine) {
				m.Catalogue = fake.Object(fake.Copy(m.Catalogue))
				fake.Object(fake.Object(m.Catalogue["data"])["defaults"])["adminUser"] = "root2"
			},
			want: "BootstrapChanged",
		},
		"TokenSecretGone": {
			reason: "The VM has its token; without the Secret nobody knows whether it is still the same.",
			edit:   func(m *machine) { m.Secrets = nil },
			want:   "TokenSecretMissing",
		},
		"Size": {
			reason: "The size is no bootstrap data.",
			edit:   func(m *machine) { m.Spec()["size"] = map[string]any{"disk": "60Gi"} },
			want:   "Current",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "k3s-cluster/server-2")
			before := m.Settle()

			tc.edit(m)

			after := m.Call()
			if msg := fake.Fatal(after); msg != "" {
				t.Fatalf("fatal result: %s", msg)
			}

			if diff := cmp.Diff(fake.Names(before), fake.Names(after)); diff != "" {
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
				return fake.Object(fake.Object(fake.Object(fake.Desired(rsp, "vm")["spec"])["forProvider"])["initialization"].([]any)[0])
			}
			for _, id := range []string{"userDataFileId", "metaDataFileId"} {
				if diff := cmp.Diff(init(before)[id], init(after)[id]); diff != "" {
					t.Errorf("%s\n%s changes: -before, +after:\n%s", tc.reason, id, diff)
				}
			}

			if got := fake.Reason(after, "BootstrapCurrent"); got != tc.want {
				t.Errorf("%s\nBootstrapCurrent: want reason %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestAnEditBeforeTheVMTakesEffect: a new file under a new name, and the old one goes.
func TestAnEditBeforeTheVMTakesEffect(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")

	first := m.Call()
	m.Apply(first)

	m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}

	second := m.Call()
	if diff := cmp.Diff(fake.Stems(first), fake.Stems(second)); diff != "" {
		t.Errorf("kinds: -first, +second:\n%s", diff)
	}

	if slices.Equal(fake.Names(first), fake.Names(second)) {
		t.Error("an edit changes a file in place")
	}

	same := 0

	for _, n := range fake.Names(second) {
		if slices.Contains(fake.Names(first), n) {
			same++
		}
	}

	if same != 3 {
		t.Errorf("%d resources stay, want image, meta-data and VM: %v, %v", same, fake.Names(first), fake.Names(second))
	}
}

// TestAVMThatCouldNotBeMadeMayBecomeAnother, or a typing error would hold for ever.
func TestAVMThatCouldNotBeMadeMayBecomeAnother(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")
	m.Spec()["image"] = "local:import/typo.qcow2"
	m.Settle()

	failed := fake.Object(m.Observed["vm"]["status"])
	failed["atProvider"] = map[string]any{}
	failed["conditions"] = []any{
		map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
		map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "create failed"},
		map[string]any{"type": "LastAsyncOperation", "status": "False", "reason": "ApplyFailure", "message": "apply failed: unable to create VM 4501 - cannot import from 'local:import/typo.qcow2'"},
	}

	m.Spec()["image"] = "local:import/noble.qcow2"

	disk := fake.Object(fake.Object(fake.Object(fake.Desired(m.Call(), "vm")["spec"])["forProvider"])["disk"].([]any)[0])
	if disk["importFrom"] != "local:import/noble.qcow2" {
		t.Errorf("the VM still wants %v", disk["importFrom"])
	}

	// The same edit while a retry is under way would break the VM that comes of it.
	failed["conditions"] = append(failed["conditions"].([]any), map[string]any{"type": "AsyncOperation", "status": "False", "reason": "Ongoing"})

	rsp := m.Call()

	disk = fake.Object(fake.Object(fake.Object(fake.Desired(rsp, "vm")["spec"])["forProvider"])["disk"].([]any)[0])
	if disk["importFrom"] != "local:import/typo.qcow2" {
		t.Errorf("the VM that is in the making was changed to %v", disk["importFrom"])
	}

	if got := fake.Reason(rsp, "ReplacementRequired"); got != "ImmutableFieldChanged" {
		t.Errorf("ReplacementRequired: want reason ImmutableFieldChanged, got %q", got)
	}
}

// TestFaultsLeaveEverythingAlone: bad input of any source is one fatal result that names the field.
func TestFaultsLeaveEverythingAlone(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(m *machine)
		want   []string
	}{
		"Claim": {
			reason: "A wrong claim.",
			edit:   func(m *machine) { m.Spec()["class"] = "smal" },
			want:   []string{"spec.class", "smal", "small"},
		},
		"SeveralAtOnce": {
			reason: "All faults come at once, whoever finds them.",
			edit: func(m *machine) {
				m.Spec()["clas"] = "x"
				fake.Object(m.Spec()["proxmox"])["vlan"] = "abc"
				fake.Object(m.Spec()["network"])["ip"] = "192.168.4.999"
			},
			want: []string{"spec.clas", "spec.proxmox.vlan", "spec.network.ip"},
		},
		"NameThatTerraformRefuses": {
			reason: "The provider would print its SSH key into a condition.",
			edit:   func(m *machine) { fake.Object(m.Composite["metadata"])["name"] = "1web-x7f2k" },
			want:   []string{"metadata.name"},
		},
		"CatalogueGone": {
			reason: "Without its catalogue nobody knows the claim's class.",
			edit:   func(m *machine) { m.Catalogue = nil },
			want:   []string{"spec.class", "server"},
		},
		"CatalogueBroken": {
			reason: "A typing error in the catalogue is named by its place there.",
			edit: func(m *machine) {
				m.Catalogue = fake.FromYAML(t, "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {classes: {server: {corez: 2}}}")
			},
			want: []string{"EnvironmentConfig machine-catalog", "data.classes.server.corez"},
		},
		"InputBroken": {
			reason: "No API server ever checks the Input.",
			edit:   func(m *machine) { m.Input["providerAPI"] = "newest" },
			want:   []string{"Input", "providerAPI", "newest"},
		},
		"InputUnknownField": {
			reason: "A typing error in the Input is no default.",
			edit:   func(m *machine) { m.Input["catalogue"] = map[string]any{} },
			want:   []string{"Input", "catalogue"},
		},
		"UserData": {
			reason: "The claim's own cloud-config cannot rename the node.",
			edit: func(m *machine) {
				m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\nhostname: other\n"}
			},
			want: []string{"spec.bootstrap.userData", "hostname"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, settled := range []bool{false, true} {
				m := example(t, "k3s-cluster/server-2")
				if settled {
					m.Settle()
				}

				tc.edit(m)

				rsp := m.Call()

				msg := fake.Fatal(rsp)
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
			m := example(t, "k3s-cluster/server-2")
			m.Secrets = nil

			if tc.secret != nil {
				m.Secrets = []map[string]any{tc.secret}
			}

			rsp := m.Call()

			if msg := fake.Fatal(rsp); (msg != "") != (tc.fatal != "") || !strings.Contains(msg, tc.fatal) {
				t.Errorf("%s\nfatal result: want %q, got %q", tc.reason, tc.fatal, msg)
			}

			if got := slices.Contains(fake.Stems(rsp), "user-data"); tc.fatal == "" && got == tc.wait {
				t.Errorf("%s\nuser-data is rendered: %t", tc.reason, got)
			}

			if tc.wait && fake.Reason(rsp, "MachineReady") != "WaitingForToken" {
				t.Errorf("%s\nMachineReady: want reason WaitingForToken, got %s", tc.reason, fake.Reason(rsp, "MachineReady"))
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
	m := example(t, "k3s-cluster/server-2")
	settled := m.Settle()

	req := m.Request()
	answers := req.GetRequiredResources()
	req.RequiredResources = nil

	rsp := m.ask(req)
	if fake.Fatal(rsp) != "" {
		t.Fatalf("fatal result: %s", fake.Fatal(rsp))
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

	old := m.ask(req)

	if diff := cmp.Diff(settled.GetDesired(), old.GetDesired(), protocmp.Transform()); diff != "" {
		t.Errorf("Crossplane 1.20 gets another answer: -2.x, +1.20:\n%s", diff)
	}
}

// TestNoSecretForOldCrossplanes: Crossplane 1.20 fails where it is asked for something in a namespace, so it is not asked, and
// the claim says what is to be done. What lives is kept.
func TestNoSecretForOldCrossplanes(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")
	m.Settle()

	for name, observed := range map[string]map[string]*fnv1.Resource{"New": nil, "Living": m.Request().GetObserved().GetResources()} {
		t.Run(name, func(t *testing.T) {
			req := m.Request()
			req.Observed.Resources = observed
			req.ExtraResources = map[string]*fnv1.Resources{"machine-catalog": req.GetRequiredResources()["machine-catalog"], fake.NeighboursRequirement: {}}
			req.RequiredResources = nil

			rsp := m.ask(req)

			for name, sel := range rsp.GetRequirements().GetExtraResources() {
				if sel.Namespace != nil {
					t.Errorf("Crossplane 1.20 is asked for %s in a namespace", name)
				}
			}

			want := "spec.k3s.token.secretRef: Forbidden: " + "this Crossplane (before 2.0) cannot hand a Secret to a function. Have a file on the node write the token"
			if c := rsp.GetConditions(); len(c) != 1 || c[0].GetReason() != "ValidationFailed" || !strings.Contains(c[0].GetMessage(), want) {
				t.Errorf("conditions: %v", c)
			}

			if fake.Fatal(rsp) == "" {
				t.Error("what exists would go: want a fatal result")
			}
		})
	}
}

// TestEarlierStepsAreKept: the function adds to a pipeline, it does not own it.
func TestEarlierStepsAreKept(t *testing.T) {
	m := example(t, "nixos/dns01")
	req := m.Request()
	req.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: fake.Struct(t, map[string]any{"status": map[string]any{"other": "kept"}})},
		Resources: map[string]*fnv1.Resource{"other": {Resource: fake.Struct(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})}},
	}

	rsp := m.ask(req)

	if _, ok := rsp.GetDesired().GetResources()["other"]; !ok {
		t.Error("a resource of an earlier step is gone")
	}

	status := fake.Object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"])
	if status["other"] != "kept" || status["class"] != "small" {
		t.Errorf("the status of an earlier step, or ours, is gone: %v", status)
	}
}

// TestLivingVMsKeepTheirKind: under another API group Crossplane would see another resource, and delete this one.
func TestLivingVMsKeepTheirKind(t *testing.T) {
	m := example(t, "nixos/dns01")
	before := m.Settle()

	m.Input["providerAPI"] = "legacy"

	after := m.Call()
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
		m := example(t, "nixos/dns01")
		m.Spec()["deletionPolicy"] = policy

		for name, r := range m.Settle().GetDesired().GetResources() {
			got := fake.Object(r.GetResource().AsMap()["spec"])["managementPolicies"]
			if diff := cmp.Diff(any(want), got); diff != "" {
				t.Errorf("%s with %s: -want, +got:\n%s", name, policy, diff)
			}
		}
	}
}

// TestPower stops a VM, and takes it for ready when it is.
func TestPower(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Settle()

	m.Spec()["power"] = "Stopped"

	rsp := m.Settle()
	if started := fake.Object(fake.Object(fake.Desired(rsp, "vm")["spec"])["forProvider"])["started"]; started != false {
		t.Errorf("started is %v", started)
	}

	if got := fake.Reason(rsp, "MachineReady"); got != "Stopped" {
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
			m := example(t, "plain-debian/files01")
			if tc.claim != nil {
				m.Spec()["size"] = tc.claim
			}

			if tc.named != nil {
				m.Catalogue = map[string]any{
					"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "machine-catalog"},
					"data": map[string]any{"classes": map[string]any{"medium": tc.named}},
				}
			}

			if tc.inline != nil {
				m.Input["catalog"] = map[string]any{"inline": map[string]any{"classes": map[string]any{"medium": tc.inline}}}
			}

			cpu := fake.Object(fake.Object(fake.Object(fake.Desired(m.Settle(), "vm")["spec"])["forProvider"])["cpu"].([]any)[0])
			if cpu["cores"] != tc.want {
				t.Errorf("%s\nwant %v cores, got %v", tc.reason, tc.want, cpu["cores"])
			}
		})
	}
}

// TestTheInputNamesTheCatalogue, so that two Compositions can have two.
func TestTheInputNamesTheCatalogue(t *testing.T) {
	m := example(t, "nixos/dns01")
	m.Input["catalog"] = map[string]any{"name": "lab"}

	if got := m.Call().GetRequirements().GetResources()["machine-catalog"].GetMatchName(); got != "lab" {
		t.Errorf("asked for EnvironmentConfig %q", got)
	}
}

// TestANumberFromProxmoxStays: a VM that got the next free number keeps it, also when the catalogue gets a range later.
func TestANumberFromProxmoxStays(t *testing.T) {
	m := example(t, "plain-debian/files01")
	delete(fake.Object(m.Spec()["proxmox"]), "vmId")

	first := m.Call()
	m.Apply(first)
	m.Provide()

	if id := fake.Object(fake.Object(fake.Desired(m.Call(), "vm")["spec"])["forProvider"])["vmId"]; id != nil {
		t.Fatalf("a new VM has number %v, which nobody chose", id)
	}

	m.Settle()

	m.Catalogue = fake.FromYAML(t, "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n"+
		"data: {defaults: {site: home}, sites: {home: {vmIds: {from: 5000, to: 5100}, nodes: {pve: {}}}}}")

	rsp := m.Settle()
	if id := fake.Object(fake.Object(fake.Desired(rsp, "vm")["spec"])["forProvider"])["vmId"]; id != 100.0 {
		t.Errorf("the VM's number became %v", id)
	}

	if got := fake.Reason(rsp, "ReplacementRequired"); got != "NotRequired" {
		t.Errorf("ReplacementRequired: %s", got)
	}
}

// TestAnEmptyStatusOfAnEarlierStep is an object without fields, which is no map at all on arrival.
func TestAnEmptyStatusOfAnEarlierStep(t *testing.T) {
	m := example(t, "nixos/dns01")
	req := m.Request()
	req.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: fake.Struct(t, map[string]any{"status": map[string]any{}})},
		Resources: map[string]*fnv1.Resource{"other": {Resource: fake.Struct(t, map[string]any{"apiVersion": "v1", "kind": "ConfigMap"})}},
	}
	req.Desired.Composite.Resource.Fields["status"].GetStructValue().Fields = nil

	rsp := m.ask(req)
	if fake.Fatal(rsp) != "" {
		t.Fatalf("fatal result: %s", fake.Fatal(rsp))
	}

	if status := fake.Object(rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]); status["class"] != "small" {
		t.Errorf("the status is %v", status)
	}
}
