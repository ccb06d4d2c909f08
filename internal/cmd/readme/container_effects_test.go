package main

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1" //nolint:depguard // A test calls the function as Crossplane does.

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// waits is what the page says of a change of a container that takes effect at a restart which somebody asks for.
const waits = "waits for a restart"

// newContainer is what the page says of a trigger for which another container replaces this one.
const newContainer = "new container"

// effectsContainer is the claim of a container with a value for every field that can be edited.
const effectsContainer = `
apiVersion: homelab.io/v1alpha1
kind: Container
metadata: {name: dns02, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a17}
spec:
  class: small
  image: debian-12-ct
  role: dns
  network: {ip: 192.168.4.54, cidr: 24, gateway: 192.168.4.1, dns: [192.168.4.1], domain: home.arpa}
  nics: [{bridge: vmbr1, ip: 10.0.0.54, cidr: 24}, {bridge: vmbr1}]
  disks: [{path: /srv/data, size: 5Gi}]
  startup: {order: 2}
  proxmox: {node: pve, vmId: 154}
  bootstrap: {sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]}
`

// dhcpContainer is one whose guest asks for its address.
const dhcpContainer = `
apiVersion: homelab.io/v1alpha1
kind: Container
metadata: {name: dns03, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a18}
spec:
  image: debian-12-ct
  network: {dhcp: true}
  proxmox: {node: pve, vmId: 156}
`

// containerEdits of a container that runs by row of the table in docs/day-two.md.
var containerEdits = map[string][]edit{ //nolint:gochecknoglobals // Test data.
	"`class`, a larger one":                     {{path: "class", value: "large"}},
	"`class`, a smaller one":                    {{path: "class", value: "micro"}},
	"`size.cores`":                              {{path: "size.cores", value: 3}},
	"`size.memory`, `size.swap`":                {{path: "size.memory", value: "6Gi"}, {path: "size.memory", value: "1Gi"}, {path: "size.swap", value: "1Gi"}},
	"`size.disk`, larger":                       {{path: "size.disk", value: "90Gi"}},
	"`size.disk`, smaller":                      {{path: "size.disk", value: "2Gi"}},
	"`disks`":                                   {{path: "disks.0.size", value: "9Gi"}, {path: "disks", value: nil}, {path: "disks.0.storage", value: "tank"}, {path: "disks.0.backup", value: false}},
	"`hostname`":                                {{path: "hostname", value: "dns03"}},
	"`features.nesting`":                        {{path: "features.nesting", value: true}},
	"`notes`, `tags`, `role`":                   {{path: "notes", value: "Owner: Ada"}, {path: "tags", value: list(`[core]`)}, {path: "role", value: "web"}},
	"`onBoot`, `startup`":                       {{path: "onBoot", value: false}, {path: "startup.order", value: 3}, {path: "startup", value: nil}},
	"`power`":                                   {{path: "power", value: "Stopped"}},
	"`proxmox.protection`":                      {{path: "proxmox.protection", value: true}},
	"`image`, `os`, `unprivileged`":             {{path: "image", value: "local:vztmpl/alpine-3.20_amd64.tar.xz"}, {path: "os", value: "ubuntu"}, {path: "unprivileged", value: false}},
	"`bootstrap`":                               {{path: "bootstrap.sshAuthorizedKeys", value: list(`["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEi3ZkVtK5rmCqSMb0jzNZ3XJrVAVVfr3Yf0F1Mqkc0k you@home"]`)}},
	"`proxmox.node`, `proxmox.storage`":         {{path: "proxmox.node", value: "pve2"}, {path: "proxmox.storage", value: "tank"}},
	"`proxmox.avoid`":                           {{path: "proxmox.avoid", value: list(`[pve, pve2]`)}},
	"`proxmox.spread`":                          {{path: "proxmox.spread", value: "dns"}},
	"`proxmox.node`, removed":                   {{path: "proxmox.node", value: nil}},
	"`proxmox.vmId`, `proxmox.pool`":            {{path: "proxmox.vmId", value: 155}, {path: "proxmox.pool", value: "infra"}},
	"`proxmox.vmId`, removed":                   {{path: "proxmox.vmId", value: nil}},
	"`proxmox.site`":                            {{path: "proxmox.site", value: "garage"}},
	"`network`":                                 {{path: "network.bridge", value: "vmbr1"}, {path: "network.vlan", value: 20}, {path: "network.mac", value: "BC:24:11:00:00:54"}, {path: "network.mtu", value: 1400}, {path: "network.firewall", value: true}, {path: "network.ip", value: "192.168.4.55"}, {path: "network.gateway", value: "192.168.4.254"}, {path: "network.ipv6", value: map[string]any{"auto": true}}, {path: "network.dns", value: list(`[9.9.9.9]`)}, {path: "network.domain", value: "lan"}, {path: "network.searchDomains", value: list(`[corp.example]`)}, {path: "network", value: map[string]any{"dhcp": true, "dns": []any{"192.168.4.1"}, "domain": "home.arpa"}}},
	"`network.pool` in place of `network.ip`":   {{path: "network", value: map[string]any{"pool": true, "dns": []any{"192.168.4.1"}, "domain": "home.arpa"}}},
	"`network.pool` in place of `network.dhcp`": {{claim: dhcp, path: "network", value: map[string]any{"pool": true}}},
	"`network.dns`, `network.domain`, removed":  {{path: "network.dns", value: nil}, {path: "network.domain", value: nil}},
	"`nics`":                   {{path: "nics.0.ip", value: "10.0.0.55"}, {path: "nics.0.bridge", value: "vmbr2"}, {path: "nics.0.vlan", value: 20}, {path: "nics", value: list(`[{bridge: vmbr1, ip: 10.0.0.54, cidr: 24}]`)}, {path: "nics", value: nil}, {path: "nics.1.ip", value: "10.0.1.54/24"}},
	"`firewall`":               {{path: "firewall", value: map[string]any{"preset": "ssh"}}},
	"`lifecycle.reboot`":       {{path: "lifecycle.reboot", value: "now"}},
	"`lifecycle.rebootPolicy`": {{path: "lifecycle.rebootPolicy", value: "WhenNeeded"}},
	"`lifecycle.replace`":      {{path: "lifecycle.replace", value: "now"}},
	"`lifecycle.approval`, `lifecycle.approve`": {{path: "lifecycle.approval", value: "OnRisk"}, {path: "lifecycle.approve", value: "d19a0c71d2"}},
	"`lifecycle.force`":                         {{path: "lifecycle.force", value: "one"}},
	"`rollout`":                                 {{path: "rollout", value: map[string]any{"group": "edge", "wave": 2, "revision": "2026-11"}}, {path: "rollout", value: map[string]any{"group": "edge", "wave": 1}}},
	"`deletionPolicy`, `deletionProtection`":    {{path: "deletionPolicy", value: "Orphan"}, {path: "deletionProtection", value: true}},
	"`adopt`":                                   {{path: "adopt", value: map[string]any{"vmId": 154}}},
}

// TestContainerEffects makes every edit of the table in docs/day-two.md to a container that runs, and holds what the function says that it does against
// what the table says.
func TestContainerEffects(t *testing.T) {
	table := readEffects(t, containerSection)

	containers := map[string]*world.Machine{}

	for name, claim := range map[string]string{"": effectsContainer, dhcp: dhcpContainer} {
		m := newMachine(t, claim, effectsCatalogue)
		world.Object(world.Object(m.Catalogue["data"])["images"])["debian-12-ct"] = map[string]any{"url": "https://example.org/debian-12-standard_12.7-1_amd64.tar.zst"}
		m.SetSite("home", "network", map[string]any{"bridge": "vmbr0", "gateway": "192.168.4.1", "cidr": 24.0, "pool": "192.168.4.200-192.168.4.209"})
		m.Settle()

		if m.Observed["container"] == nil {
			t.Fatal("no container was created")
		}

		containers[name] = m
	}

	holdEffects(t, table, containerEdits, func(t *testing.T, e edit) []string {
		t.Helper()

		return containerEffects(answered(t, containers[e.claim].Clone(), e))
	})
}

// TestContainerEffectsAreAll: every field of a claim of a container is in the table.
func TestContainerEffectsAreAll(t *testing.T) {
	var rows []string
	for row := range readEffects(t, containerSection) {
		rows = append(rows, codes.FindAllString(row, -1)...)
	}

	tellsAll(t, rows, v1alpha1.ContainerSpec{})
}

// containerEffects of an answer, as it explains itself.
func containerEffects(rsp *fnv1.RunFunctionResponse) []string {
	if world.Fatal(rsp) != "" {
		return []string{fault}
	}

	var out []string

	for _, r := range rsp.GetResults() {
		_, what, _ := strings.Cut(r.GetMessage(), ": ")
		if r.GetReason() != "Plan" || !strings.HasPrefix(r.GetMessage(), "container ") {
			continue
		}

		for prefix, effect := range map[string]string{"change in place: ": atOnce, "needs reboot: ": waits, "refused: ": refused, "power-cycle": restart, "spec.lifecycle.replace requests a new container": newContainer} {
			if strings.HasPrefix(what, prefix) {
				out = append(out, effect)
			}
		}
	}

	if len(out) == 0 {
		return []string{nothing}
	}

	return out
}
