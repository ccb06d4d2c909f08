package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// promisesCatalogue is the catalogue of the containers and sites of the promises.
const promisesCatalogue = `{apiVersion: apiextensions.crossplane.io/v1beta1, kind: EnvironmentConfig, metadata: {name: machine-catalog}, data: {
	defaults: {sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]},
	classes: {own: {cores: 1, memory: 1Gi, disk: 8Gi}},
	images: {own-ct: {url: "https://download.example/debian-12-standard_12.7-1_amd64.tar.zst"}},
	sites: {home: {providerConfig: pve-home, network: {bridge: vmbr0, cidr: 24, gateway: 192.168.4.1}}}}}`

// ofKind is a composite of another kind than a machine, with a catalogue.
func ofKind(t *testing.T, kind, name, spec string) *machine {
	t.Helper()

	m := alone(t, world.NewMachine(world.NewClaim(kind, "infra", name, world.FromYAML(t, spec)), world.Installations[0]))
	m.Catalogue = world.FromYAML(t, promisesCatalogue)
	m.Capabilities = capable

	return m
}

// aContainer that runs, with VMID 153.
func aContainer(t *testing.T) *machine {
	t.Helper()

	m := ofKind(t, "Container", "web", "{class: own, image: own-ct, network: {ip: 192.168.4.77/24}, proxmox: {site: home, node: pve, vmId: 153}}")
	m.says(m.Rest(), map[string]string{"MachineReady": "Running"})
	m.Proxmox.Done = nil

	return m
}

func containerLosesNothing(t *testing.T) {
	m := aContainer(t)
	before := m.seen()
	m.Catalogue = nil
	m.keepsAll(map[string]map[string]any{"container": before["container"]})
}

func containerFreezesNothing(t *testing.T) {
	for _, section := range []string{"classes", "images", "sites"} {
		m := aContainer(t)
		m.lose(section)
		m.edit("{deletionPolicy: Orphan, power: Stopped}")
		m.Rest()

		ct := m.Observed["container"]
		if world.Object(world.Object(ct["spec"])["forProvider"])["started"] != false || strings.Contains(world.Policies(ct), "Delete") {
			t.Errorf("without %s: the claim says Stopped and Orphan, and the container has %s", section, world.Compact(ct["spec"]))
		}
	}
}

func containerRotates(t *testing.T) {
	m := aContainer(t)
	before := m.seen()
	m.rotate()
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "NotRequired"})
	m.did()

	if diff := cmp.Diff(before["container"]["spec"], m.Observed["container"]["spec"]); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
}

func containerRefusesAlone(t *testing.T) {
	m := aContainer(t)
	m.edit("{size: {disk: 1Gi}, tags: [edited]}")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})

	if got := fmt.Sprint(m.Proxmox.Containers[153].Config["tags"]); !strings.Contains(got, "edited") {
		t.Errorf("the tag of the same commit has not arrived: %s", got)
	}

	m.calm()
}

func containerIsProtected(t *testing.T) {
	m := aContainer(t)
	m.edit("{deletionProtection: true}")

	if rsp := m.Rest(); !protects(rsp) {
		t.Errorf("no Usage: %v", world.Names(rsp))
	}
}

func containerAsksFirst(t *testing.T) {
	for _, edit := range []string{
		"{size: {memory: 2Gi, cores: 2}}", "{size: {disk: 1Gi}}", `{image: "local:vztmpl/debian-13-standard_13.0-1_amd64.tar.zst"}`, "{unprivileged: false}", "{network: {ip: 192.168.4.78/24}}",
		"{proxmox: {node: pve2}}", "{hostname: other}",
	} {
		m := aContainer(t)
		m.edit(edit)
		m.Rest()
		m.calm()

		if m.Proxmox.Containers[153] == nil {
			t.Errorf("%s destroys the container", edit)
		}
	}
}

func containerAnnounces(t *testing.T) {
	made := aContainer(t)

	m := ofKind(t, "Container", "nas", "{adopt: {vmId: 153}, tags: [core], proxmox: {site: home, node: pve}}")
	m.Proxmox.Containers[153] = made.Proxmox.Containers[153]
	m.Proxmox.Containers[153].Config["description"] = "made by hand\n"

	announced := fmt.Sprint(adoptionOf(m.Rest()))
	before := world.Object(world.Copy(m.Proxmox.Containers[153].Config))
	m.approved()
	m.onlyAnnounced(announced, before, m.Proxmox.Containers[153].Config)
}

func containerLeavesAlone(t *testing.T) {
	m := aContainer(t)
	stranger := world.Object(world.Copy(m.Proxmox.Containers[153].Config))
	stranger["description"] = "somebody else's\n"
	world.Object(world.List(stranger["initialization"])[0])["hostname"] = "stranger"
	m.Proxmox.Containers[153] = &world.Container{Config: stranger}
	before := world.Copy(stranger)

	// The provider has read it, and nothing else yet.
	m.Provide()

	for range 6 {
		m.Turn()
	}

	m.Leave()

	if left := m.Proxmox.Containers[153]; left == nil || world.Compact(before) != world.Compact(world.Copy(left.Config)) {
		t.Errorf("the container of somebody else is not what it was: %v", left)
	}
}

func containerKeepsSecrets(t *testing.T) {
	m := aContainer(t)
	m.Provider.Fails["container"] = "update failed: apply failed: " + aSecret
	m.Turn()
	m.fails()
}
