package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

const (
	theBridge = "bridge-pve1-vmbr1" // Its composed resource.
	inProxmox = "pve1:vmbr1"
)

// aSite with a bridge and a pool.
func aSite(t *testing.T) *machine {
	t.Helper()

	m := ofKind(t, "ProxmoxSite", "home", `{proxmox: {site: home}, deletionPolicy: Delete, pools: [{name: k3s}],
		nodes: {pve1: {bridges: [{name: vmbr1, ports: [enp2s0], mtu: 9000, comment: storage}]}}}`)
	m.Proxmox.SiteParts["pve1:enp2s0"] = map[string]any{"nodeName": "pve1", "name": "enp2s0"}
	m.says(m.Rest(), map[string]string{"SiteReady": "AllPresent"})
	m.Proxmox.Done = nil

	return m
}

// bridge edits the bridge of the claim.
func (m *machine) bridge(field string, value any) {
	pve1 := world.Object(world.Object(m.Spec()["nodes"])["pve1"])
	world.Object(world.List(pve1["bridges"])[0])[field] = value
}

func siteLosesNothing(t *testing.T) {
	m := aSite(t)
	before := m.seen()
	m.Catalogue = nil
	m.keepsAll(before)
}

func siteFreezesNothing(t *testing.T) {
	m := aSite(t)
	m.lose("sites")
	m.edit("{deletionPolicy: Orphan}")
	m.bridge("comment", "edited")
	m.Rest()

	if got := fmt.Sprint(m.Proxmox.SiteParts[inProxmox]["comment"]); !strings.HasPrefix(got, "edited ") {
		t.Errorf("the comment has not arrived: %s", got)
	}

	if got := world.Policies(m.Observed[theBridge]); strings.Contains(got, "Delete") {
		t.Errorf("the claim says Orphan, and the bridge would be deleted with it: %s", got)
	}
}

func siteRefusesAlone(t *testing.T) {
	m := aSite(t)
	m.bridge("ports", []any{})
	m.bridge("comment", "edited")
	m.says(m.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged"})

	has := m.Proxmox.SiteParts[inProxmox]
	if !strings.HasPrefix(fmt.Sprint(has["comment"]), "edited ") || fmt.Sprint(has["ports"]) != "[enp2s0]" {
		t.Errorf("want the comment of the same commit, and the port kept, got %v", has)
	}
}

func siteAsksFirst(t *testing.T) {
	for name, edit := range map[string]func(m *machine){
		"MTU":       func(m *machine) { m.bridge("mtu", 1500.0) },
		"Address":   func(m *machine) { m.bridge("address", "10.0.9.2/24") },
		"VLANAware": func(m *machine) { m.bridge("vlanAware", true) },
		"Removed":   func(m *machine) { m.Spec()["nodes"], m.Spec()["pools"] = map[string]any{}, []any{} },
	} {
		m := aSite(t)
		before := world.Compact(world.Copy(m.Proxmox.SiteParts))
		edit(m)
		m.says(m.Rest(), map[string]string{"InterruptionPending": "WaitingForWord"})

		if got := world.Compact(world.Copy(m.Proxmox.SiteParts)); got != before {
			t.Errorf("%s: nobody allowed it: %s, now %s", name, before, got)
		}
	}
}

func siteLeavesAlone(t *testing.T) {
	m := aSite(t)
	m.Proxmox.SiteParts[inProxmox] = map[string]any{"nodeName": "pve1", "name": "vmbr1", "comment": "somebody else's", "ports": []any{"enp3s0"}}
	before := world.Compact(world.Copy(m.Proxmox.SiteParts[inProxmox]))

	// The provider has read it, and nothing else yet.
	m.Provide()

	for range 6 {
		m.Turn()
	}

	m.Leave()

	if got := world.Compact(world.Copy(m.Proxmox.SiteParts[inProxmox])); got != before {
		t.Errorf("the bridge of somebody else is not what it was: %s", got)
	}
}

func siteKeepsSecrets(t *testing.T) {
	m := aSite(t)
	m.Provider.Fails[theBridge] = "update failed: apply failed: " + aSecret
	m.Turn()
	m.fails()
}
