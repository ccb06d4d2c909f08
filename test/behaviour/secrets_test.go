package behaviour

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// registry gives the machine another Secret registry; no data drops the Secret.
func (m *machine) registry(namespace string, data map[string]string) {
	var out []map[string]any

	for _, s := range m.Secrets {
		if world.Object(s["metadata"])["name"] != "registry" {
			out = append(out, s)
		}
	}

	encoded := map[string]any{}
	for k, v := range data {
		encoded[k] = base64.StdEncoding.EncodeToString([]byte(v))
	}

	if data != nil {
		out = append(out, map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "registry", "namespace": namespace}, "data": encoded,
		})
	}

	m.Secrets = out
}

// TestSecretsOfNewMachines: a VM is not created before its files from Secrets are there, and only the snippet has their content.
func TestSecretsOfNewMachines(t *testing.T) {
	const (
		namespace = "infra-machines"
		value     = "auth: correct-horse-battery"
	)

	cases := map[string]struct {
		reason    string
		namespace string
		data      map[string]string
		says      string // Of MachineReady; empty where the file is written.
	}{
		"There":          {"It is written.", namespace, map[string]string{"registries.yaml": value}, ""},
		"Missing":        {"It may come later.", namespace, nil, "Secret registry in the claim's namespace, with the key `registries.yaml`"},
		"OtherNamespace": {"Nobody reads a Secret of another namespace through a claim.", "other", map[string]string{"registries.yaml": value}, "Secret registry in the claim's namespace"},
		"OtherKey":       {"Its keys are named.", namespace, map[string]string{"config": value}, "Its keys are `config`: add the key, or name the right one in spec.bootstrap.secrets[0].secretRef.key."},
		"Empty":          {"An empty file is nobody's wish.", namespace, map[string]string{"registries.yaml": ""}, "is empty."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "k3s-cluster/agent-1")
			m.registry(tc.namespace, tc.data)

			rsp := m.Call()
			if msg := world.Fatal(rsp); msg != "" {
				t.Fatal(msg)
			}

			snippet := ""

			for name, r := range rsp.GetDesired().GetResources() {
				text := protojson.Format(r)
				if strings.HasPrefix(name, "user-data-") {
					snippet = text
				} else if strings.Contains(text, value) {
					t.Errorf("%s\n%s has the content", tc.reason, name)
				}
			}

			if strings.Contains(snippet, value) != (tc.says == "") {
				t.Errorf("%s\nuser-data: %s", tc.reason, snippet)
			}

			ready := world.Message(rsp, "MachineReady")
			if waits := world.Reason(rsp, "MachineReady") == "WaitingForSecret"; waits != (tc.says != "") || !strings.Contains(ready, tc.says) {
				t.Errorf("%s\nMachineReady: %s", tc.reason, ready)
			}

			if said := fmt.Sprint(rsp.GetConditions(), rsp.GetResults(), rsp.GetDesired().GetComposite()); strings.Contains(said, "correct-horse") {
				t.Errorf("%s\na message shows the content: %s", tc.reason, said)
			}
		})
	}
}

// TestSecretsOfExistingMachines: a Secret that changes, goes or breaks changes nothing and asks for nothing.
func TestSecretsOfExistingMachines(t *testing.T) {
	const namespace = "infra-machines"

	cases := map[string]struct {
		reason string
		data   map[string]string
		want   string
		status string
	}{
		"Rotated": {"New VMs get it.", map[string]string{"registries.yaml": "other-value"}, "SecretChanged", "STATUS_CONDITION_TRUE"},
		"Gone":    {"Nobody can tell.", nil, "SecretMissing", "STATUS_CONDITION_UNKNOWN"},
		"Broken":  {"What cannot be written is as good as gone, and no fault of the claim.", map[string]string{"registries.yaml": "\xff"}, "SecretMissing", "STATUS_CONDITION_UNKNOWN"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "k3s-cluster/agent-1")
			m.Rest()

			before := m.Call()
			m.registry(namespace, tc.data)

			after := m.Call()
			if msg := world.Fatal(after); msg != "" {
				t.Fatal(msg)
			}

			if b, a := protojson.Format(before.GetDesired().GetResources()["vm"]), protojson.Format(after.GetDesired().GetResources()["vm"]); normal(b) != normal(a) {
				t.Errorf("%s\nthe VM changes: %s\nto %s", tc.reason, b, a)
			}

			for name := range before.GetDesired().GetResources() {
				if after.GetDesired().GetResources()[name] == nil {
					t.Errorf("%s\n%s is gone", tc.reason, name)
				}
			}

			if got := world.Reason(after, "BootstrapCurrent"); got != tc.want {
				t.Errorf("%s\nBootstrapCurrent: %s: %s", tc.reason, got, world.Message(after, "BootstrapCurrent"))
			}

			for _, c := range after.GetConditions() {
				if c.GetType() == "BootstrapCurrent" && c.GetStatus().String() != tc.status {
					t.Errorf("%s\nBootstrapCurrent is %s", tc.reason, c.GetStatus())
				}
			}

			if got := world.Reason(after, "ReplacementRequired"); got != "NotRequired" {
				t.Errorf("%s\nReplacementRequired: %s", tc.reason, got)
			}
		})
	}
}

// normal drops the spaces that protojson varies on purpose.
func normal(s string) string { return strings.Join(strings.Fields(s), "") }

// TestDiskAddedToAnExistingMachine: the provider attaches it, and a person is told what to do in the guest; nothing restarts.
func TestDiskAddedToAnExistingMachine(t *testing.T) {
	m := example(t, "k3s-cluster/agent-1")
	m.Rest()

	disks, _ := m.Spec()["disks"].([]any)
	m.Spec()["disks"] = append(disks, map[string]any{"name": "more", "size": "10Gi", "filesystem": "xfs", "mountPath": "/srv/more"})

	rsp := m.Call()
	if msg := world.Fatal(rsp); msg != "" {
		t.Fatal(msg)
	}

	if vm := protojson.Format(rsp.GetDesired().GetResources()["vm"]); !strings.Contains(normal(vm), `"serial":"more"`) {
		t.Errorf("the disk is not attached: %s", vm)
	}

	says := world.Message(rsp, "BootstrapCurrent")
	for _, part := range []string{"echo 'more xfs /srv/more' >>/etc/data-disks/table", "systemctl restart data-disks.service", "do not replace the VM"} {
		if world.Reason(rsp, "BootstrapCurrent") != "DataDisksChanged" || !strings.Contains(says, part) {
			t.Errorf("%q is missing: %s", part, says)
		}
	}

	if got := world.Reason(rsp, "ReplacementRequired") + " " + world.Reason(rsp, "RebootPending"); got != "NotRequired NothingPending" {
		t.Errorf("it asks for more: %s", got)
	}
}
