package behaviour

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestANewMachineWaits follows a new machine: first its files, then its VM.
func TestANewMachineWaits(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")

	first := m.Call()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, world.Stems(first)); diff != "" {
		t.Errorf("first answer: -want, +got:\n%s", diff)
	}

	if r := first.GetDesired().GetResources()["vm"].GetReady(); r != fnv1.Ready_READY_FALSE {
		t.Errorf("a VM that is only looked at is said to be %v", r)
	}

	m.Apply(first)

	// Its files are being made: nothing is known of them yet.
	if second := m.Call(); world.Policies(world.Desired(second, "vm")) != "Observe" {
		t.Errorf("the VM may be made before its files were found: %s", world.Policies(world.Desired(second, "vm")))
	}

	m.Provide()

	third := m.Call()
	if diff := cmp.Diff([]string{"image", "meta-data", "user-data", "vm"}, world.Stems(third)); diff != "" {
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

	if fourth := m.Call(); world.Desired(fourth, "vm") == nil {
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

	if world.Desired(m.Call(), "vm") == nil {
		t.Error("the VM waits for an image that is on the node")
	}
}

// TestAnEditBeforeTheVMTakesEffect: a new file under a new name, and the old one goes.
func TestAnEditBeforeTheVMTakesEffect(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")

	first := m.Call()
	m.Apply(first)

	m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}

	second := m.Call()
	if diff := cmp.Diff(world.Stems(first), world.Stems(second)); diff != "" {
		t.Errorf("kinds: -first, +second:\n%s", diff)
	}

	if slices.Equal(world.Names(first), world.Names(second)) {
		t.Error("an edit changes a file in place")
	}

	same := 0

	for _, n := range world.Names(second) {
		if slices.Contains(world.Names(first), n) {
			same++
		}
	}

	if same != 3 {
		t.Errorf("%d resources stay, want image, meta-data and VM: %v, %v", same, world.Names(first), world.Names(second))
	}
}

// TestAVMThatCouldNotBeMadeMayBecomeAnother, or a typing error would hold for ever.
func TestAVMThatCouldNotBeMadeMayBecomeAnother(t *testing.T) {
	m := example(t, "k3s-cluster/server-2")
	m.Spec()["image"] = "local:import/typo.qcow2"
	m.Settle()

	failed := world.Object(m.Observed["vm"]["status"])
	failed["atProvider"] = map[string]any{}
	failed["conditions"] = []any{
		map[string]any{"type": "Ready", "status": "False", "reason": "Creating"},
		map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "create failed"},
		map[string]any{"type": "LastAsyncOperation", "status": "False", "reason": "ApplyFailure", "message": "apply failed: unable to create VM 4501 - cannot import from 'local:import/typo.qcow2'"},
	}

	m.Spec()["image"] = "local:import/noble.qcow2"

	disk := world.Object(world.Object(world.Object(world.Desired(m.Call(), "vm")["spec"])["forProvider"])["disk"].([]any)[0])
	if disk["importFrom"] != "local:import/noble.qcow2" {
		t.Errorf("the VM still wants %v", disk["importFrom"])
	}

	// The same edit while a retry is under way would break the VM that comes of it.
	failed["conditions"] = append(failed["conditions"].([]any), map[string]any{"type": "AsyncOperation", "status": "False", "reason": "Ongoing"})

	rsp := m.Call()

	disk = world.Object(world.Object(world.Object(world.Desired(rsp, "vm")["spec"])["forProvider"])["disk"].([]any)[0])
	if disk["importFrom"] != "local:import/typo.qcow2" {
		t.Errorf("the VM that is in the making was changed to %v", disk["importFrom"])
	}

	if got := world.Reason(rsp, "ReplacementRequired"); got != "ImmutableFieldChanged" {
		t.Errorf("ReplacementRequired: want reason ImmutableFieldChanged, got %q", got)
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

			if msg := world.Fatal(rsp); (msg != "") != (tc.fatal != "") || !strings.Contains(msg, tc.fatal) {
				t.Errorf("%s\nfatal result: want %q, got %q", tc.reason, tc.fatal, msg)
			}

			if got := slices.Contains(world.Stems(rsp), "user-data"); tc.fatal == "" && got == tc.wait {
				t.Errorf("%s\nuser-data is rendered: %t", tc.reason, got)
			}

			if tc.wait && world.Reason(rsp, "MachineReady") != "WaitingForToken" {
				t.Errorf("%s\nMachineReady: want reason WaitingForToken, got %s", tc.reason, world.Reason(rsp, "MachineReady"))
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
