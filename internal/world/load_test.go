package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLoadFirewall: what was observed of a VM's firewall is there before the provider has looked at it again, so that it can be taken away at once.
func TestLoadFirewall(t *testing.T) {
	rule := map[string]any{"action": "ACCEPT", "dport": "22"}
	of := func(kind string, forProvider map[string]any) map[string]any {
		forProvider["vmId"] = 160

		return map[string]any{
			"kind": kind, "metadata": map[string]any{"annotations": map[string]any{ExternalName: "vm/pve/160"}},
			"spec": map[string]any{"forProvider": forProvider}, "status": map[string]any{"atProvider": map[string]any{"id": "vm/pve/160"}},
		}
	}

	m := &Machine{Proxmox: (&Cluster{}).NewProxmox()}
	loadProxmox(m, "options", of(FirewallOptionsKind, map[string]any{"enabled": true}))
	loadProxmox(m, "rules", of(FirewallRulesKind, map[string]any{"rule": []any{rule}}))
	loadProxmox(m, "ha", map[string]any{
		"kind": HAResourceKind, "metadata": map[string]any{"annotations": map[string]any{ExternalName: "vm:160"}},
		"spec": map[string]any{"forProvider": map[string]any{"state": "started"}}, "status": map[string]any{"atProvider": map[string]any{"id": "vm:160"}},
	})

	wall := m.Proxmox.Firewalls[160]
	if wall == nil || wall.Options["enabled"] != true {
		t.Fatalf("want the options of VM 160, got %v", wall)
	}

	if diff := cmp.Diff([]any{rule}, wall.Rules); diff != "" {
		t.Errorf("rules: -want, +got:\n%s", diff)
	}

	if got := m.Proxmox.HA[160]; got != "started" {
		t.Errorf("HA wants VM 160 %q, and not started", got)
	}
}

// TestLoaded: a snippet that a VM reads and that nobody in the world wrote is somebody else's, and there; one that a managed resource wrote can be lost.
func TestLoaded(t *testing.T) {
	const own, former = "local:snippets/own.user-data.yaml", "local:snippets/former.user-data.yaml"

	var lost []string

	c := &Cluster{Fault: func(_ string, args ...any) { lost = append(lost, args[1].(string)) }} //nolint:forcetypeassert // As lostSnippets says it.
	p := c.NewProxmox()
	p.Snippets["pve "+own] = true

	for id, volume := range map[int]string{160: own, 161: former} {
		p.VMs[id] = &VM{Config: map[string]any{"initialization": []any{map[string]any{"userDataFileId": volume}}}}
	}

	Loaded(c)
	p.lostSnippets()

	if len(lost) > 0 {
		t.Errorf("what was observed has lost %v", lost)
	}

	delete(p.Snippets, "pve "+own)
	p.lostSnippets()

	if diff := cmp.Diff([]string{own}, lost); diff != "" {
		t.Errorf("lost: -want, +got:\n%s", diff)
	}
}
