package provider

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inHA is a lab with an HA manager, in whose catalogue all datastores are shared, and a settled machine with some ha in its claim.
func inHA(t *testing.T, ha string) (*lab, *HAManager, *Control) {
	t.Helper()

	l, h, c := besideHA(t)
	edit(t, c, `{ha: `+ha+`}`)
	l.settle(t, c)

	return l, h, c
}

// besideHA is the same without ha in the claim.
func besideHA(t *testing.T) (*lab, *HAManager, *Control) {
	t.Helper()

	l := newLab(t)

	for _, s := range []string{"lab", "ranged"} {
		site := l.catalogue.Object["data"].(map[string]any)["sites"].(map[string]any)[s].(map[string]any)
		site["sharedDatastores"] = []any{"local", "local-lvm", "local-zfs", "tank"}
	}

	h := l.serveHA(t)
	c := l.machine(t, "app01", aMachine)

	return l, h, c
}

// TestHAOfBefore: an entry that somebody made before the claim had ha keeps what no claim says.
func TestHAOfBefore(t *testing.T) {
	t.Parallel()

	l, h, c := besideHA(t)
	l.settle(t, c)
	h.Add(160, map[string]string{"state": "started", "max_restart": "3", "comment": "the DNS of all", "group": "prefer-pve"})
	h.Writes()

	edit(t, c, `{ha: {enabled: true}}`)
	without(t, l.settle(t, c), "/")
	want(t, c, "HighlyAvailable", "True", "HAManaged")

	entry := map[string]string{"state": "started", "max_restart": "1", "max_relocate": "1", "comment": "the DNS of all", "group": "prefer-pve"}
	if diff := cmp.Diff(entry, h.Entry(160)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if w := h.Writes(); strings.Count(w, "\n") != 0 || strings.Contains(w, "delete=") {
		t.Errorf("want one change of the limits, got: %s", w)
	}

	// A restart, and a poll: nothing is taken away.
	edit(t, c, `{lifecycle: {reboot: "a"}}`)
	l.settle(t, c)
	l.poll(t, c)

	if diff := cmp.Diff(entry, h.Entry(160)); diff != "" {
		t.Errorf("after a restart: -want, +got:\n%s", diff)
	}
}

// serveHA puts an HA manager into a lab, with which the provider may not fight.
func (l *lab) serveHA(t *testing.T) *HAManager {
	t.Helper()

	h, err := l.ServeHA()
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}

		if fought := h.Fought(); len(fought) > 0 {
			t.Errorf("the provider stopped what the HA manager keeps running: %v", fought)
		}
	})

	return h
}

// TestHA follows the HA resource of a machine through its life, with the real plugin.
func TestHA(t *testing.T) {
	t.Parallel()

	l, h, c := inHA(t, `{enabled: true, maxRestart: 2}`)

	if e := h.Entry(160); e["state"] != "started" || e["max_restart"] != "2" || e["max_relocate"] != "1" || e["group"] != "" {
		t.Fatalf("entry: %v", e)
	}

	want(t, c, "HighlyAvailable", "True", "HAManaged")
	h.Writes()

	// A second plan is empty.
	without(t, l.poll(t, c), "/")

	if w := h.Writes(); w != "" {
		t.Errorf("a poll writes: %s", w)
	}

	// Edits are one change of the entry, and nothing happens to the VM.
	for _, e := range []struct{ patch, writes string }{
		{`{ha: {maxRestart: 3}}`, "max_restart=3"},
		{`{ha: {maxRelocate: 0}}`, "max_relocate=0"},
		{`{ha: {maxRestart: null, maxRelocate: null}}`, "max_relocate=1&max_restart=1"},
	} {
		edit(t, c, e.patch)
		without(t, l.settle(t, c), "/status/", "DELETE")

		if w := h.Writes(); strings.Count(w, "\n") != 0 || !strings.Contains(w, "PUT "+haPath+"/vm:160") || !strings.Contains(w, e.writes) {
			t.Errorf("%s: %s", e.patch, w)
		}
	}

	// A restart: the HA manager ignores the VM from before until after.
	edit(t, c, `{lifecycle: {reboot: "a"}}`)
	w := l.settle(t, c)

	if strings.Count(w, "/status/shutdown") != 1 || strings.Count(w, "/status/start") != 1 {
		t.Errorf("want one restart, got:\n%s", w)
	}

	if _, after, ok := strings.Cut(h.Writes(), "state=ignored"); !ok || !strings.Contains(after, "state=started") {
		t.Errorf("want the HA manager to ignore the VM, and to keep it running afterwards, got: %q", after)
	}

	// A stop, and a start.
	edit(t, c, `{power: Stopped}`)
	l.settle(t, c)

	if e := h.Entry(160); e["state"] != "stopped" || l.vm(t, 160).Status != "stopped" {
		t.Errorf("entry: %v", e)
	}

	edit(t, c, `{power: Running}`)
	l.settle(t, c)

	if e := h.Entry(160); e["state"] != "started" || l.vm(t, 160).Status != "running" {
		t.Errorf("entry: %v", e)
	}

	// Somebody takes it out by hand: the provider puts it back.
	h.Remove(160)
	h.Writes()
	l.poll(t, c)
	l.settle(t, c)

	if h.Entry(160)["state"] != "started" {
		t.Errorf("entry: %v, writes %s", h.Entry(160), h.Writes())
	}

	// Without ha, the entry goes, and nothing happens to the VM.
	edit(t, c, `{ha: null}`)
	without(t, l.settle(t, c), "/")

	if h.Entry(160) != nil || l.vm(t, 160).Status != "running" {
		t.Errorf("entry: %v", h.Entry(160))
	}
}

// TestHAMoves holds that a VM which the HA manager has moved stays there: the provider neither moves it back, nor stops it, nor makes it anew.
func TestHAMoves(t *testing.T) {
	t.Parallel()

	l, h, c := inHA(t, `{enabled: true}`)
	h.Writes()

	for _, to := range []string{"pve2", "pve", "pve2"} {
		since := l.seq(t)
		l.touch(t, 160, Touch{Node: to})

		if _, err := c.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}

		l.settle(t, c)
		without(t, l.writes(t, since), "/migrate", "/status/", "DELETE", "/qemu?", "/qemu ")

		if vm := l.vm(t, 160); vm.Node != to || vm.Status != "running" {
			t.Errorf("want it on %s, got: %s, %s", to, vm.Node, vm.Status)
		}

		without(t, l.poll(t, c), "/")
		want(t, c, "ReplacementRequired", "False", "NotRequired")

		if w := h.Writes(); w != "" {
			t.Errorf("writes: %s", w)
		}
	}

	// Edits go on to work there.
	edit(t, c, `{tags: [moved], size: {cores: 3}, lifecycle: {reboot: "a"}}`)
	l.settle(t, c)

	if vm := l.vm(t, 160); vm.Node != "pve2" || vm.Config["tags"] != "moved" || vm.Config["cores"] != "3" {
		t.Errorf("got: %v", vm)
	}
}

// TestHAMovesWhileItIsRead holds what becomes of a VM whose configuration the HA manager moves between two reads of the provider: the cluster still
// has it on the node that failed, and that node has no such file any more.
func TestHAMovesWhileItIsRead(t *testing.T) {
	t.Parallel()

	l, h, c := inHA(t, `{enabled: true}`)
	h.Writes()

	before := l.vm(t, 160)
	since := l.seq(t)

	fault := Fault{
		Method: "GET", Path: "/nodes/pve/qemu/160/config", Status: 500, Count: 1,
		Message: "Configuration file 'nodes/pve/qemu-server/160.conf' does not exist",
	}
	if err := l.Simulator.AddFault(t.Context(), fault); err != nil {
		t.Fatal(err)
	}

	// The provider takes it for gone and creates it again, which Proxmox refuses.
	if _, err := c.Poll(t.Context()); err != nil {
		t.Fatal(err)
	}

	l.touch(t, 160, Touch{Node: "pve2"})

	for range 3 {
		if _, err := c.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}

		if _, err := c.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	want(t, c, "MachineReady", "True", "Running")

	after := l.vm(t, 160)
	if after.Node != "pve2" || after.Status != "running" || after.Config["scsi0"] != before.Config["scsi0"] {
		t.Errorf("before %v, after %v", before, after)
	}

	without(t, l.writes(t, since), "/status/stop", "/status/shutdown", "DELETE", "/migrate")
}
