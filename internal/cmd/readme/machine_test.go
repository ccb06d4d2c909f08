package main

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// newMachine of a claim, as a namespaced composite, in a cluster with a catalogue. Its calls explain themselves.
func newMachine(t *testing.T, claim, catalogue string) *world.Machine {
	t.Helper()

	m := world.NewMachine(world.FromYAML(t, claim), world.Installation{Namespaced: true})
	m.Catalogue = world.FromYAML(t, catalogue)
	m.Input["explain"] = true

	return fake.NewCluster(t, compose.Answer).Add(m)
}

// existing is such a machine once its VM is there.
func existing(t *testing.T, claim, catalogue string) *world.Machine {
	t.Helper()

	m := newMachine(t, claim, catalogue)
	m.Settle()

	if vm := m.Observed["vm"]; world.Policies(vm) == "Observe" || world.Object(vm["status"])["atProvider"] == nil {
		t.Fatalf("no VM was created: %v", vm)
	}

	return m
}

// list reads a list.
func list(text string) []any {
	var out []any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}

	return out
}
