package standin

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
)

// agentOn is a VM made by hand that runs and has its guest agent switched on.
func agentOn(answers bool) VM {
	config := values{"name": "nas", "agent": []any{map[string]any{"enabled": true}}}

	return VM{ID: 100, Node: "pve2", Config: config, Running: config, Started: true, Agent: answers}
}

// TestLook has the provider look at a VM that it may not write.
func TestLook(t *testing.T) {
	const silent = "Synced=False ReconcileError: observe failed: cannot run import: proxmox_virtual_environment_vm.vm: Importing from ID \"pve/100\"...\n" +
		"proxmox_virtual_environment_vm.vm: Import prepared!\n  Prepared proxmox_virtual_environment_vm for import\n" +
		"proxmox_virtual_environment_vm.vm: Refreshing state... [id=100]\n: import failed"

	cases := map[string]struct {
		reason, external, fault string
		vm                      *VM
		want                    []string
		id, node                string
	}{
		"Free": {
			reason: "A number that is free is none of a VM.", external: "pve/100",
			want: []string{"Synced=False ReconcileError: observe failed: external resource does not exist", "Ready="},
		},
		"Taken": {
			reason: "A VM is found on whatever node.", external: "pve/100", vm: new(agentOn(true)), want: []string{ready, synced}, id: "100", node: "pve2",
		},
		"BareID": {
			reason: "Import wants a node.", external: "100", vm: new(agentOn(true)),
			want: []string{"Synced=False ReconcileError: Error: unexpected format of ID (), expected node/id: import failed"},
		},
		"DeadAgent": {reason: "A VM whose agent is dead is found, and cannot be read.", external: "pve/100", vm: new(agentOn(false)), want: []string{silent}},
		"Ended":     {reason: "So it is whenever Terraform is ended.", external: "pve/100", vm: new(agentOn(true)), fault: "agent", want: []string{silent}},
		"Network": {
			reason: "Any other error leaves the question open.", external: "pve/100", vm: new(agentOn(true)), fault: "network",
			want: []string{"Synced=False ReconcileError: observe failed: cannot run import: ", "Synced=False ReconcileError: Error: failed to get resources list"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := NewWorld("pve", "pve2")
			if tc.vm != nil {
				w.AddVM(*tc.vm)
			}

			if tc.fault != "" {
				w.Break(tc.fault, nil)
			}

			b := newBench(t, w)
			vm := b.create("vm", tc.external, asked(nil), observed)
			b.settle(vm)
			b.shows(vm, tc.reason, tc.want...)
			b.told("Nothing is written.")

			seen := vm.(*clusterScoped[vmKind]).Status.AtProvider
			if text(seen["id"]) != tc.id || text(seen["nodeName"]) != tc.node {
				t.Errorf("%s\nstatus: got VM %v on %v, want %q on %q", tc.reason, seen["id"], seen["nodeName"], tc.id, tc.node)
			}

			if got := meta.GetExternalName(vm); got != tc.external {
				t.Errorf("%s\nthe external name has become %q", tc.reason, got)
			}
		})
	}
}

// TestSwitchedOff has the agent's option switched off by hand, which lets the look end at once.
func TestSwitchedOff(t *testing.T) {
	w := NewWorld("pve", "pve2")
	w.AddVM(agentOn(false))
	w.Edit(func(vms map[int]*VM) { vms[100].Config = values{"name": "nas"} })

	b := newBench(t, w)
	vm := b.create("vm", "pve/100", asked(nil), observed)
	b.settle(vm)
	b.shows(vm, "An option that is off, though the VM was started with it.", ready, synced)
}

// TestSilentAgent has the agent of a VM that the provider manages die: there the lists of addresses are empty, and no more.
func TestSilentAgent(t *testing.T) {
	w := NewWorld("pve")
	b := newBench(t, w)
	vm := b.create("vm", "100", asked(values{"agent": []any{map[string]any{"enabled": true}}, "networkDevice": []any{map[string]any{"bridge": "vmbr0"}}}))
	addresses := func() int {
		b.read(vm)
		return len(items(vm.(*clusterScoped[vmKind]).Status.AtProvider["ipv4Addresses"]))
	}

	b.settle(vm)
	b.shows(vm, "An agent that answers.", ready, synced)

	if n := addresses(); n != 2 {
		t.Errorf("addresses of lo and eth0: got %d", n)
	}

	w.Edit(func(vms map[int]*VM) { vms[100].Agent = false })
	b.settle(vm)
	b.shows(vm, "An agent that does not.", ready, synced)

	if n := addresses(); n != 0 {
		t.Errorf("a silent agent has %d addresses", n)
	}

	w.Break("agent", nil)
	b.settle(vm)
	b.shows(vm, "A look that is ended has nothing to say.", ready, "Synced=False ReconcileError: observe failed: cannot run refresh: refresh failed: ")

	if c := vm.GetCondition("Synced"); c.Message != "observe failed: cannot run refresh: refresh failed: " {
		t.Errorf("the message goes on: %q", c.Message)
	}
}

// TestConnect has what stands between the provider and Proxmox wrong.
func TestConnect(t *testing.T) {
	cases := map[string]struct {
		reason, name string
		config       string // The ProviderConfig's name.
		noSecret     bool
		fields       values
		want         string
	}{
		"NoConfig": {
			reason: "A ProviderConfig that is not there.", name: "vm", config: "missing",
			want: `connect failed: cannot get terraform setup: cannot resolve provider config: cannot get referenced ProviderConfig: ProviderConfig.proxmoxbpg.crossplane.io "missing" not found`,
		},
		"NoSecret": {
			reason: "Credentials that are not there.", name: "vm", noSecret: true,
			want: `connect failed: cannot get terraform setup: cannot get credentials secret: Secret "credentials" not found`,
		},
		"Name": {
			reason: "A name that Terraform does not take shows a secret.", name: "1vm",
			want: "connect failed: cannot get a terraform workspace for resource: cannot init workspace: Invalid resource name: private_key",
		},
		"Template": {
			reason: "A text that is a template is evaluated.", name: "vm", fields: asked(values{"name": "${x}"}),
			want: "observe failed: cannot run refresh: refresh failed: Invalid reference: ",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, NewWorld("pve"))

			if tc.noSecret {
				s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "credentials", Namespace: "crossplane-system"}}
				if err := b.client.Delete(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}

			if tc.fields == nil {
				tc.fields = asked(nil)
			}

			vm := b.create(tc.name, "100", tc.fields)
			if tc.config != "" {
				b.edit(vm, func() { setConfig(vm, tc.config) })
			}

			b.settle(vm)
			b.shows(vm, tc.reason, "Synced=False ReconcileError: "+tc.want, "Ready=")
			b.told("Proxmox is not asked.")
		})
	}
}
