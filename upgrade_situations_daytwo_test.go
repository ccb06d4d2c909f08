package main

import "testing"

// dayTwoSituations need what v0.1.0 had not, and are in the stores of later releases.
var dayTwoSituations = []situation{
	{name: "number-looked-at", example: "appliance/haos", arrange: func(t *testing.T, w *world) {
		w.apply(w.run(t))
	}},
	{name: "number-taken", example: "appliance/haos", arrange: func(t *testing.T, w *world) {
		w.foreign = map[int]map[string]any{116: foreignVM(t, 116)}
		w.settle(t)
	}},
	{name: "adoption-planned", example: adoptingMachine, arrange: func(t *testing.T, w *world) {
		w.foreign = map[int]map[string]any{170: foreignVM(t, 170)}
		w.settle(t)
	}},
	{name: "adopted", example: adoptingMachine, arrange: func(t *testing.T, w *world) {
		w.foreign = map[int]map[string]any{170: foreignVM(t, 170)}
		w.settle(t)
		approve(w)
		w.settle(t)
	}},
	{name: "nothing-to-adopt", example: adoptingMachine, arrange: func(t *testing.T, w *world) { w.settle(t) }},
	{name: "replacing", example: "plain-debian/files01", arrange: func(t *testing.T, w *world) {
		w.settle(t)
		merge(specOf(w), fromYAML(t, `{lifecycle: {replace: again}, proxmox: {vmId: null}}`))
		w.apply(w.run(t))
		w.provide()
	}},
	{name: "replaced", example: "nixos/docker01", arrange: func(t *testing.T, w *world) {
		w.settle(t)
		merge(specOf(w), fromYAML(t, `{lifecycle: {replace: again}, proxmox: {vmId: null}}`))
		w.settle(t)
		w.settle(t)
	}},
	{name: "replacement-blocked", example: "nixos/dns01", arrange: settledWith(`{lifecycle: {replace: again}}`)},
	{name: "reboot-pending", example: "plain-debian/files01", arrange: func(t *testing.T, w *world) {
		settledWith(`{size: {cores: 6}}`)(t, w)
		w.settle(t)
	}},
	{name: "rebooting", example: "plain-debian/files01", arrange: settledWith(`{size: {cores: 6}, lifecycle: {reboot: now}}`)},
	{name: "unmanaged", example: "nixos/dns01", arrange: func(t *testing.T, w *world) {
		settledWith(`{power: Unmanaged}`)(t, w)
		w.settle(t)
	}},
	{name: "migrating", example: "k3s-cluster/server-3", arrange: settledWith(`{proxmox: {node: pve1, migrate: true}}`)},
	{name: "protected", example: "appliance/haos", arrange: settledWith(`{protection: true}`)},
	{name: "paused", example: "nixos/docker01", arrange: func(t *testing.T, w *world) {
		settledAnd(func(vm, _ map[string]any) {
			reports(vm, "True", "False", "False", "update failed: async update failed: cannot schedule native Terraform provider process: Instance cannot be destroyed")
		})(t, w)
		w.apply(w.run(t))
	}},
}

const adoptingMachine = "spec: {class: small, image: debian-13, proxmox: {node: pve}, adopt: {vmId: 170}}"
