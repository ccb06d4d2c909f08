package controlplane

import (
	"fmt"

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
