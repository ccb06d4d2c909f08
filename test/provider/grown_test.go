package provider

import (
	"net/url"
	"strings"
	"testing"
)

// grow a disk as somebody does in Proxmox.
func (l *lab) grow(t *testing.T, id, disk, size string) {
	t.Helper()

	if err := l.Simulator.api(t.Context(), "PUT", "nodes/pve/qemu/"+id+"/resize", url.Values{"disk": {disk}, "size": {size}}, nil); err != nil {
		t.Fatal(err)
	}
}

// TestGrown holds that disks which somebody grew in Proxmox stay as large as they are, and that the machine goes on.
func TestGrown(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aMachine)
	c.Hasty = true
	edit(t, c, `{size: {disk: 20Gi}, disks: [{name: data, size: 5Gi}]}`)
	l.settle(t, c)

	l.grow(t, "160", "scsi0", "32G")
	l.grow(t, "160", "scsi1", "+3G")

	// The provider finds it out at its next poll, and fails with what is still written.
	since := l.seq(t)

	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}

	for range 3 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	l.settle(t, c)
	without(t, l.writes(t, since), "/resize", "/status/", "DELETE")
	want(t, c, "ProviderHealthy", "True", "NoError")
	want(t, c, "ReplacementRequired", "True", "ImmutableFieldChanged", "spec.size.disk (the VM has `32Gi`, the claim has `20Gi`)",
		"spec.disks[data].size (the VM has `8Gi`, the claim has `5Gi`)")
	without(t, l.poll(t, c), "/")

	// All else goes on: edits, power, growth.
	edit(t, c, `{tags: [grown], power: Stopped}`)
	l.settle(t, c)

	if vm := l.vm(t, 160); vm.Config["tags"] != "grown" || vm.Status != "stopped" {
		t.Errorf("want it stopped with its tag, got: %s, %q", vm.Status, vm.Config["tags"])
	}

	edit(t, c, `{power: Running, size: {disk: 40Gi}, disks: [{name: data, size: 8Gi}]}`)
	l.settleHealing(t, c)
	want(t, c, "ReplacementRequired", "False", "NotRequired")

	if vm := l.vm(t, 160); !strings.Contains(vm.Config["scsi0"], "size=40G") || !strings.Contains(vm.Config["scsi1"], "size=8G") {
		t.Errorf("disks: %s, %s", vm.Config["scsi0"], vm.Config["scsi1"])
	}

	without(t, l.poll(t, c), "/")
}
