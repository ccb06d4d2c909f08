package controlplane

import (
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// otherTemplate is a container template on node pve, beside template.
const otherTemplate = "local:vztmpl/debian-13-standard_13.0-1_amd64.tar.zst"

// replacedContainer goes when another one runs in its place, and not before.
func replacedContainer() life {
	const id = 5682

	return life{
		reason: "A new word in lifecycle.replace makes a new container beside the old one, which is stopped and goes when the new one runs.",
		claim:  containerClaim("life-container-replaced", id), ids: []int{id, id + 1},
		hand: func(w *standin.World) { w.AddVolume(standin.Volume{Node: "pve", ID: otherTemplate}) },
		steps: []step{
			bornContainer(id),
			{
				does: "another template", edit: map[string]any{"image": otherTemplate}, says: refused, check: container(id, goesOn),
			},
			{
				does: "a word, and the VMID that the old container has", edit: map[string]any{"lifecycle.replace": "one"}, check: container(id, goesOn),
				says: map[string]string{"ReplacementRequired": "True ReplacementBlocked", "MachineReady": "True Running"},
			},
			{
				does: "another VMID", edit: map[string]any{"proxmox.vmId": int64(id + 1)}, says: nothing, check: container(id+1, goesOn),
				status: map[string]string{"vmId": fmt.Sprint(id + 1), "phase": "Running", "appliedSpec.image": otherTemplate, "left": "<nil>"},
				made:   []string{kindContainer}, gone: []string{kindContainer},
				written: []string{
					"change container 5682: startOnBoot", "stop container 5682", "create container 5683 on pve", "start container 5683", "destroy container 5682",
				},
			},
			{does: "the word taken out", edit: map[string]any{"lifecycle.replace": nil}, says: nothing, check: container(id+1, goesOn)},
		},
	}
}

// replacedContainerOrphan stays in Proxmox.
func replacedContainerOrphan() life {
	const id = 5684

	return life{
		reason: "With Orphan the old container stays, stopped, and the status names it.",
		claim:  edited(containerClaim("life-container-successor", id), map[string]any{"deletionPolicy": "Orphan"}), ids: []int{id, id + 1},
		steps: []step{
			bornContainer(id),
			{
				does: "a word and another VMID", says: nothing,
				edit:   map[string]any{"lifecycle.replace": "one", "proxmox.vmId": int64(id + 1)},
				status: map[string]string{"vmId": fmt.Sprint(id + 1), "left": "[container 5684 on node pve]"},
				made:   []string{kindContainer}, gone: []string{kindContainer},
				written: []string{"change container 5684: startOnBoot", "stop container 5684", "create container 5685 on pve", "start container 5685"},
				check: container(id, func(c *standin.Container) string {
					return differs("the old container runs", c.Started, false)
				}),
			},
		},
	}
}

// replacedContainerBack is taken back while nothing can be made in its place.
func replacedContainerBack() life {
	const id = 5686

	return life{
		reason: "A new container that cannot be made leaves the old one there, stopped, and the edit taken back starts it again.",
		claim:  containerClaim("life-container-back", id), ids: []int{id, id + 1},
		steps: []step{
			bornContainer(id),
			{
				does: "a template that the node does not have",
				edit: map[string]any{"image": "local:vztmpl/none.tar.zst", "os": "debian", "lifecycle.replace": "one", "proxmox.vmId": int64(id + 1)},
				says: map[string]string{"Ready": "False"}, made: []string{kindContainer}, unforeseen: true,
				written: []string{"change container 5686: startOnBoot", "stop container 5686"},
				check:   mentions("ReplacementRequired", "5686"),
			},
			{
				does: "taken back", edit: map[string]any{"image": template, "os": nil, "lifecycle.replace": nil, "proxmox.vmId": int64(id)}, says: nothing,
				gone: []string{kindContainer}, check: container(id, goesOn), status: map[string]string{"vmId": "5686", "phase": "Running"},
				written: []string{"change container 5686: startOnBoot", "start container 5686"},
			},
		},
	}
}
