package provider

import (
	"strings"
	"testing"
)

// TestMoved holds that a VM which somebody moved stays where it is, has its snippets there, and moves only when its claim
// says so.
func TestMoved(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aMachine)
	c.Hasty = true
	l.settle(t, c)

	onNode := func(node string) (n int) {
		for _, d := range c.composed {
			if d.resource.Kind == KindFile && stringAt(d.resource.Spec.ForProvider, "nodeName") == node {
				n++
			}
		}

		return n
	}

	// High availability moves it.
	l.touch(t, 160, Touch{Node: "pve2"})

	// The provider finds it on another node than is written, and cannot plan that; the status tells where it is.
	r, err := c.Poll(t.Context())
	if err != nil || !strings.Contains(r.Err().Error(), "Instance cannot be destroyed") {
		t.Fatalf("want the provider to find it moved, got: %v, %v", err, r.Err())
	}

	since := l.seq(t)
	l.settle(t, c)
	without(t, l.writes(t, since), "/migrate", "/status/", "DELETE")

	if vm := l.vm(t, 160); vm.Node != "pve2" || onNode("pve2") != 2 || onNode("pve") != 2 {
		t.Errorf("want it on pve2, with two snippets there and two where it was, got: %s, %d, %d", vm.Node, onNode("pve2"), onNode("pve"))
	}

	without(t, l.poll(t, c), "/")

	// Edits go on to work.
	edit(t, c, `{tags: [moved]}`)
	l.settle(t, c)

	if vm := l.vm(t, 160); vm.Config["tags"] != "moved" {
		t.Errorf("want the tag, got: %q", vm.Config["tags"])
	}

	// It is pulled back when the claim says so, live.
	edit(t, c, `{proxmox: {migrate: true}}`)

	w := l.settle(t, c)
	if strings.Count(w, "/migrate") != 1 || l.vm(t, 160).Node != "pve" {
		t.Errorf("want one migration, got:\n%s", w)
	}

	without(t, w, "/status/", "DELETE")

	if !strings.Contains(w, "target=pve") || !strings.Contains(w, "online=1") || !strings.Contains(w, "with-local-disks=1") {
		t.Errorf("want a live migration with disks, got:\n%s", w)
	}

	without(t, l.poll(t, c), "/")

	// To a node of its own choice: its snippets are there before it is.
	edit(t, c, `{proxmox: {node: pve2}}`)

	if w = l.settle(t, c); strings.Count(w, "/migrate") != 1 || l.vm(t, 160).Node != "pve2" {
		t.Errorf("want one migration, got:\n%s", w)
	}

	if onNode("pve2") != 2 {
		t.Errorf("want two snippets on pve2, got %d", onNode("pve2"))
	}

	// Without the word it stays.
	edit(t, c, `{proxmox: {node: pve, migrate: null}}`)
	without(t, l.poll(t, c), "/")
	want(t, c, "ReplacementRequired", "True", "ImmutableFieldChanged", "spec.proxmox.node")
}

// TestMigrationWaits holds that a VM is not moved to a node on which its snippets are missing: it could not start there.
func TestMigrationWaits(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", aMachine)
	l.settle(t, c)

	// Nothing can be written to the other node.
	l.SSH.Shut(true)

	edit(t, c, `{proxmox: {node: pve2, migrate: true}}`)

	for range 3 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	if vm := l.vm(t, 160); vm.Node != "pve" {
		t.Error("it was moved to a node that has not its snippets")
	}

	l.SSH.Shut(false)

	for range 3 {
		if _, err := c.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	if vm := l.vm(t, 160); vm.Node != "pve2" || vm.Status != "running" {
		t.Errorf("want it to be moved, got: %s, %s", vm.Node, vm.Status)
	}
}
