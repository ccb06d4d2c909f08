package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

var update = flag.Bool("update", false, "rewrite what docs/day-two.md shows of an adoption")

// handMade is the VM that docs/day-two.md takes over, as the provider reads it.
const handMade = `
id: "108"
vmId: 108
nodeName: pve2
name: omv
description: Made by hand in 2021.
tags: [storage]
started: true
onBoot: true
bios: seabios
acpi: true
tabletDevice: true
keyboardLayout: en-us
agent: [{enabled: true, timeout: 15m, trim: false, type: virtio}]
cpu: [{cores: 2, sockets: 1, type: host, units: 1024}]
memory: [{dedicated: 4096, floating: 4096}]
scsiHardware: virtio-scsi-pci
operatingSystem: [{type: l26}]
bootOrder: [scsi0]
disk:
- {interface: scsi0, datastoreId: local-lvm, size: 32, cache: none, backup: true, discard: ignore, aio: io_uring, replicate: true, pathInDatastore: vm-108-disk-0}
- {interface: scsi1, datastoreId: tank, size: 4000, cache: none, backup: false, discard: ignore, aio: io_uring, replicate: true, pathInDatastore: vm-108-disk-0}
networkDevice: [{bridge: vmbr0, model: virtio, macAddress: "BC:24:11:6E:0A:08", firewall: true}]
`

var approval = regexp.MustCompile(`approve: "[0-9a-f]+"`)

// TestAdoptionExample takes over the VM of docs/day-two.md with the claim that stands there, and holds the status that the
// page shows against the one that there is. A disk that the claim does not list stays.
func TestAdoptionExample(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "day-two.md")

	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	page := string(b)
	claim, status := block(t, page, "apiVersion: homelab.io"), block(t, page, "status:")

	m := newMachine(t, dedent(claim), effectsCatalogue)
	world.Object(m.Composite["metadata"])["uid"] = "3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a15"
	m.Proxmox.ByHand(108, world.FromYAML(t, handMade))

	m.Turn()
	got := world.Status(m.Call())
	shown := map[string]any{"status": map[string]any{"phase": got["phase"], "adoption": got["adoption"]}}

	y, err := yaml.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}

	plan, _ := world.Object(got["adoption"])["plan"].(string)

	want := indent(string(y))
	if *update {
		page = approval.ReplaceAllString(strings.Replace(page, status, want, 1), `approve: "`+plan+`"`)
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil { //nolint:gosec // A page is for everybody.
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(status, want); diff != "" {
		t.Errorf("docs/day-two.md shows another status (run with -update): -shown, +true:\n%s", diff)
	}

	if !strings.Contains(page, `approve: "`+plan+`"`) {
		t.Errorf("docs/day-two.md approves another plan than %s", plan)
	}

	edit{path: "adopt.approve", value: plan}.apply(t, m.Composite)

	m.Turn() // The provider reads the VM once more.

	vm := world.Desired(m.Call(), "vm")
	if disks := world.List(world.Object(world.Object(vm["spec"])["forProvider"])["disk"]); len(disks) != 2 || world.Policies(vm) != "Observe,Create,Update" {
		t.Errorf("the VM is not taken over as it is: %v", vm)
	}
}

// block is the indented YAML block of a page that starts with a line, without its fences.
func block(t *testing.T, page, start string) string {
	t.Helper()

	const fence = "   ```yaml\n"

	i := strings.Index(page, fence+"   "+start)
	if i < 0 {
		t.Fatalf("docs/day-two.md has no block that starts with %s", start)
	}

	text, _, _ := strings.Cut(page[i+len(fence):], "   ```\n")

	return text
}

func indent(text string) string {
	return "   " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n   ") + "\n"
}

func dedent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "   "), "\n   ", "\n")
}
