package controlplane

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// madeByHand is a VM that somebody made in Proxmox, as the provider reports it.
func madeByHand(id int, name string) standin.VM {
	config := map[string]any{
		"name": name, "description": "Made by hand in 2021.", "bios": "seabios", "scsiHardware": "virtio-scsi-single", "onBoot": true,
		"cpu":             []any{map[string]any{"cores": int64(2), "sockets": int64(1), "type": "host"}},
		"memory":          []any{map[string]any{"dedicated": int64(4096)}},
		"operatingSystem": []any{map[string]any{"type": "l26"}},
		"agent":           []any{map[string]any{"enabled": true, "type": "virtio"}},
		"bootOrder":       []any{"scsi0"},
		"disk": []any{map[string]any{
			"interface": "scsi0", "datastoreId": "local-lvm", "size": int64(32), "fileFormat": "raw",
			"pathInDatastore": fmt.Sprintf("vm-%d-disk-0", id), "cache": "none", "backup": true, "replicate": true,
		}},
		"networkDevice": []any{map[string]any{"bridge": "vmbr0", "model": "virtio", "macAddress": "BC:24:11:00:51:08", "enabled": true}},
	}

	return standin.VM{ID: id, Node: "pve2", Config: config, Running: config, Started: true, Agent: true}
}

// adopts is a claim that takes a VM over.
func adopts(name string, id int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": machines},
		"spec": map[string]any{
			"adopt": map[string]any{"vmId": id}, "proxmox": map[string]any{"node": "pve2"}, "deletionPolicy": "Orphan",
			"tags": []any{"storage"}, "size": map[string]any{"memory": "8Gi", "disk": "20Gi"},
		},
	}}
}

// approval of the plan that a claim's status shows.
func approval(now *unstructured.Unstructured) map[string]any {
	plan, _, _ := unstructured.NestedString(now.Object, "status", "adoption", "plan")

	return map[string]any{"adopt.approve": plan}
}

// adopted is the life of a VM that was there before its claim.
func adopted() life {
	const id = 5030

	asked := map[string]string{"Ready": "False", "MachineReady": "False WaitingForApproval", "VMIDInUse": "False NumberAdopted"}

	return life{
		reason: "A VM is taken over in two steps, and is not touched before the second; nothing happens to it when it is let go again.",
		claim:  adopts("life-adopted", id), ids: []int{id},
		hand: func(w *standin.World) { w.AddVM(madeByHand(id, "omv")) },
		steps: []step{
			{
				does: "the claim names the VM", says: asked, made: []string{kindVM}, vm: runs,
				status: map[string]string{"phase": "Adopting", "adoption.name": "omv", "adoption.node": "pve2"},
			},
			{
				does: "somebody approves another plan", edit: map[string]any{"adopt.approve": "a0a0a0a0a0"}, vm: runs,
				says: map[string]string{"Ready": "False", "MachineReady": "False AdoptionPlanChanged"},
			},
			{
				does: "the plan is approved", editAs: approval, vm: runs,
				says: map[string]string{
					"MachineReady": "True Running", "RebootPending": "True ChangesPending", "ReplacementRequired": "True ImmutableFieldChanged",
					"BootstrapCurrent": "True Adopted",
				},
				status:  map[string]string{"vmId": fmt.Sprint(id), "node": "pve2", "phase": "Running"},
				written: []string{"change VM 5030"},
			},
			{
				does: "adopt taken out", edit: map[string]any{"adopt": nil}, vm: runs,
				says: map[string]string{"MachineReady": "True Running", "BootstrapCurrent": "True Adopted"},
			},
			{does: "the claim is deleted", remove: true, gone: []string{kindVM}, vm: runs},
		},
	}
}

// adoptedFirewall is the life of a VM whose firewall somebody set up before its claim.
func adoptedFirewall() life {
	const id = 5045

	rule := func(port, comment string) any {
		return map[string]any{"type": "in", "action": "ACCEPT", "proto": "tcp", "dport": port, "comment": comment, "enabled": true}
	}
	accepts := map[string]any{"enabled": true, "inputPolicy": "ACCEPT"}
	gui, rpc := rule("8006", "GUI"), rule("111", "portmapper")

	claim := edited(adopts("life-adopted-firewall", id), map[string]any{
		"size": nil, "firewall": map[string]any{"preset": "ssh", "allow": []any{map[string]any{"port": int64(8006), "comment": "GUI"}}},
	})

	return life{
		reason: "The plan of an adoption lists the rules that there are; what the claim does not have is never replaced, and the claim's come before the firewall drops the rest.",
		claim:  claim, ids: []int{id}, kinds: []string{kindFirewallOptions, kindFirewallRules},
		hand: func(w *standin.World) {
			vm := madeByHand(id, "nas")
			vm.Config["networkDevice"].([]any)[0].(map[string]any)["firewall"] = true
			w.AddVM(vm)
			standin.SetFirewall(w, id, accepts, gui, rpc)
		},
		steps: []step{
			{
				does: "the claim names the VM", made: []string{kindVM, kindFirewallRules}, vm: runs, check: plans(id,
					"option firewall: as set in Proxmox to enable=1,policy_in=DROP", "rule 0: IN ACCEPT -p tcp -dport 8006 # GUI to stay",
					"rule 1: IN ACCEPT -p tcp -dport 111 # portmapper to be deleted first, by hand"),
				says: map[string]string{"Ready": "False", "MachineReady": "False WaitingForApproval", "VMIDInUse": "False NumberAdopted"},
			},
			{
				does: "the plan is approved", editAs: approval, vm: runs, written: []string{"change VM 5045"}, check: filters(id, false, 2),
				says: map[string]string{"Ready": "False", "MachineReady": "True Running", "FirewallApplied": "False FirewallHasRules"},
			},
			{
				does: "somebody deletes the rule that the claim does not have", hand: func(w *standin.World) { standin.SetFirewall(w, id, accepts, gui) },
				says: map[string]string{"MachineReady": "True Running", "FirewallApplied": "True Filtering", "ProviderHealthy": "True NoError"}, vm: runs,
				made: []string{kindFirewallOptions}, check: filters(id, true, 3),
				written: []string{"write VM 5045 firewall: rules ping 22 8006", "write VM 5045 firewall: options"},
			},
			{
				does: "the claim is deleted", remove: true, gone: []string{kindVM, kindFirewallOptions, kindFirewallRules}, vm: runs, check: filters(id, true, 3),
			},
		},
	}
}

// plans looks for words in the plan of an adoption, and whether the firewall of the VM is as somebody set it up.
func plans(id int, words ...string) func(context.Context, *biography) string {
	return func(ctx context.Context, b *biography) string {
		now, err := b.now(ctx, b.claim)
		if err != nil {
			return err.Error()
		}

		changes, _, _ := unstructured.NestedStringSlice(now.Object, "status", "adoption", "changes")
		for _, w := range words {
			if !strings.Contains(strings.Join(changes, "\n"), w) {
				return fmt.Sprintf("the plan does not say %q: %v", w, changes)
			}
		}

		return filters(id, false, 2)(ctx, b)
	}
}
