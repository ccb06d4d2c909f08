package main

// The machines whose claims are edited. The first leaves its user-data to Proxmox; that of the others is rendered.
const (
	native = "native"
	dhcp   = "dhcp"  // Whose guest asks for its address.
	plain  = "plain" // With a number that Proxmox chose, so that another VM can take its place.
	nixos  = "nixos"
	server = "server"
	// In HA.
	available = "available"
)

const effectsCatalogue = `
apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {site: home, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]}
  images:
    nixos-25.11: {template: 9000, templateNode: pve, os: nixos, convergeUnit: true, disk: 20Gi}
  sites:
    home: {nodes: {pve: {}, pve2: {}}, sharedDatastores: [local-lvm, local], network: {bridge: vmbr0, gateway: 192.168.4.1, cidr: 24}}
    garage: {providerConfig: garage, nodes: {pve: {}}, network: {bridge: vmbr0, gateway: 192.168.4.1, cidr: 24}}
`

var effectsClaims = map[string]string{ //nolint:gochecknoglobals // Test data.
	native: `
apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: nas01, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a11}
spec:
  class: small
  size: {disk: 40Gi}
  image: ubuntu-24.04
  role: nas
  tags: [core]
  startup: {order: 2}
  network: {ip: 192.168.4.20, cidr: 24, gateway: 192.168.4.1, dns: [192.168.4.1], domain: home.arpa, mac: "BC:24:11:00:00:20"}
  nics: [{bridge: vmbr1, ip: 10.0.0.20, cidr: 24}, {bridge: vmbr1}]
  disks: [{name: data, size: 100Gi}, {name: scratch, size: 10Gi}]
  devices: {pci: [{mapping: gpu0}], usb: [{mapping: coral}]}
  firmware: {type: UEFI, machine: q35}
  proxmox: {node: pve, vmId: 120, pool: infra}
  bootstrap: {adminUser: ops}
`,
	plain: `
apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: git01, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a14}
spec:
  network: {ip: 192.168.4.61}
  proxmox: {node: pve}
`,
	available: `
apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: ha01, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a16}
spec:
  network: {ip: 192.168.4.62}
  proxmox: {node: pve}
  ha: {enabled: true, maxRestart: 2, maxRelocate: 2}
`,
	dhcp: `
apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: web01, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a15}
spec:
  network: {dhcp: true}
  proxmox: {node: pve}
`,
	nixos: `
apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: dns01, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a12}
spec:
  image: nixos-25.11
  network: {ip: 192.168.4.53, domain: home.arpa}
  proxmox: {node: pve, vmId: 153}
  nix: {flakeRef: "git+https://git.home.arpa/infra#dns01"}
`,
	server: `
apiVersion: homelab.io/v1alpha1
kind: K3sNode
metadata: {name: server-1, namespace: infra, uid: 3f1c8f0e-5a44-4b39-9d0e-5f7c2f2f8a13}
spec:
  network: {ip: 192.168.4.211}
  disks: [{name: data, size: 100Gi, filesystem: ext4, mountPath: /srv/data}]
  proxmox: {node: pve}
  k3s: {role: server, init: true, server: "https://192.168.4.210:6443", version: v1.33.6+k3s1}
`,
}

// edits of a living machine by row of the table in docs/day-two.md.
var edits = map[string][]edit{ //nolint:gochecknoglobals // Test data.
	"`class`, a larger one":              {{plain, "class", "large"}},
	"`class`, a smaller one":             {{plain, "class", "micro"}},
	"`size.cores`, `size.memory`":        {{native, "size.cores", 3}, {native, "size.memory", "6Gi"}, {native, "size.memory", "1Gi"}},
	"`size.cpuType`, `size.memoryFloor`": {{native, "size.cpuType", "host"}, {native, "size.memoryFloor", "2Gi"}},
	"`vga.type`":                         {{native, "vga.type", "serial0"}},
	"`notes`":                            {{native, "notes", "Owner: Ada"}, {plain, "notes", "a\nb"}},
	"`disks[].discard`, `disks[].ssd`, `bootDisk.discard`, `bootDisk.ssd`": {{native, "disks.0.discard", false}, {native, "disks.0.ssd", false}, {native, "bootDisk.discard", false}, {native, "bootDisk.ssd", false}},
	"`network.firewall`, `nics[].firewall`":                                {{native, "network.firewall", true}, {native, "nics.0.firewall", true}},
	"`firewall`, `firewall.enabled`, `firewall.preset`, `firewall.allow`, `firewall.log`": {
		{native, "firewall", map[string]any{"preset": "ssh", "log": "info"}},
		{native, "firewall", map[string]any{"allow": list(`[{port: 443, protocol: tcp, from: 192.168.4.0/24, comment: web}]`)}},
	},
	"`network.mtu`, `nics[].mtu`": {{native, "network.mtu", 9000}, {native, "nics.0.mtu", 1}},
	"`size.disk`, larger":         {{native, "size.disk", "50Gi"}},
	"`size.disk`, smaller":        {{native, "size.disk", "20Gi"}},

	"`disks[].size`, larger":      {{native, "disks.0.size", "200Gi"}},
	"`disks[].size`, smaller":     {{native, "disks.0.size", "50Gi"}},
	"`disks[]`, one added":        {{native, "disks", list(`[{name: data, size: 100Gi}, {name: scratch, size: 10Gi}, {name: more, size: 1Gi}]`)}},
	"`disks[]`, one removed":      {{native, "disks", list(`[{name: scratch, size: 10Gi}]`)}},
	"`disks[]`, in another order": {{native, "disks", list(`[{name: scratch, size: 10Gi}, {name: data, size: 100Gi}]`)}},
	"`disks[].name`":              {{native, "disks.0.name", "other"}},
	"`disks[].filesystem`, `disks[].mountPath`": {
		{native, "disks", list(`[{name: data, size: 100Gi, filesystem: ext4, mountPath: /srv/data}, {name: scratch, size: 10Gi}]`)},
		{server, "disks.0.filesystem", "xfs"},
		{server, "disks.0.mountPath", "/srv/other"},
		{server, "disks", list(`[{name: data, size: 100Gi}]`)},
	},
	"`disks[]`, one added with a `filesystem`": {{server, "disks", list(`[{name: data, size: 100Gi, filesystem: ext4, mountPath: /srv/data}, {name: more, size: 1Gi, filesystem: xfs, mountPath: /srv/more}]`)}},
	"`disks[].storage`, `proxmox.storage`":     {{native, "disks.0.storage", "tank"}, {native, "proxmox.storage", "tank"}},
	"`disks[].backup`, `bootDisk.backup`":      {{native, "disks.0.backup", false}, {native, "bootDisk.backup", false}},
	"`disks[].cache`, `bootDisk.cache`":        {{native, "disks.0.cache", "writeback"}, {native, "bootDisk.cache", "writeback"}},
	"`tags`, `role`":                           {{native, "tags", list(`[a, b]`)}, {native, "role", "files"}},
	"`onBoot`, `startup`":                      {{native, "onBoot", false}, {native, "startup.order", 3}, {native, "startup.upDelaySeconds", 3}, {native, "startup", nil}},
	"`power`":                                  {{native, "power", "Stopped"}},
	"`hostname`":                               {{native, "hostname", "nas02"}},
	"`hostname` of a machine with user-data":   {{nixos, "hostname", "dns02"}},

	"`network.bridge`, `network.vlan` (or `proxmox.bridge`, `proxmox.vlan`), `network.mac`": {{native, "network.bridge", "vmbr1"}, {native, "network.vlan", 20}, {native, "proxmox.bridge", "vmbr1"}, {native, "proxmox.vlan", 20}, {native, "network.mac", "BC:24:11:00:00:21"}},
	"`nics[].bridge`, `nics[].vlan`, `nics[].mac`":                                          {{native, "nics.0.bridge", "vmbr2"}, {native, "nics.0.vlan", 20}, {native, "nics.0.mac", "BC:24:11:00:00:22"}},
	"`network.mac`, `nics[].mac` of a machine with user-data":                               {{nixos, "network.mac", "BC:24:11:00:00:54"}, {server, "network.mac", "BC:24:11:00:00:54"}},
	"`network.dnsRecord`": {{dhcp, "network", map[string]any{"dhcp": true, "dnsRecord": "a.home.arpa"}}},
	"`network.stableMAC`": {{dhcp, "network", map[string]any{"dhcp": true, "stableMAC": true}}, {native, "network", map[string]any{
		"ip": "192.168.4.20", "cidr": 24, "gateway": "192.168.4.1", "dns": list(`["192.168.4.1"]`), "domain": "home.arpa", "stableMAC": true,
	}}},
	"`network.pool` in place of `network.ip`":   {{plain, "network", map[string]any{"pool": true}}, {server, "network", map[string]any{"pool": true}}},
	"`network.pool` in place of `network.dhcp`": {{dhcp, "network", map[string]any{"pool": true}}},
	"`network.dhcp`, `network.ip`, `network.cidr`, `network.gateway`, `network.ipv6`": {
		{native, "network.ip", "192.168.4.21"},
		{native, "network.cidr", 16},
		{native, "network.gateway", "192.168.4.254"},
		{native, "network.ipv6", map[string]any{"auto": true}},
		{native, "network", map[string]any{"dhcp": true, "dns": []any{"192.168.4.1"}, "domain": "home.arpa", "mac": "BC:24:11:00:00:20"}},
	},
	"`network.ip`, `network.gateway`, `network.dns`, `network.domain` of a machine with user-data": {
		{nixos, "network.ip", "192.168.4.54"}, {nixos, "network.gateway", "192.168.4.254"}, {nixos, "network.dns", list(`[9.9.9.9]`)}, {nixos, "network.domain", "lan"},
	},
	"`network.dhcp`, `network.ip`, `network.ipv6` of a K3s node": {
		{server, "network.ip", "192.168.4.212"}, {server, "network", map[string]any{"dhcp": true}},
	},
	"`nics[].dhcp`, `nics[].ip`, `nics[].cidr`, `nics[].gateway`, `nics[].ipv6`": {
		{native, "nics.0.ip", "10.0.0.21"},
		{native, "nics.0.cidr", 16},
		{native, "nics.0.gateway", "10.0.0.1"},
		{native, "nics.0.ipv6", map[string]any{"auto": true}},
		{native, "nics.0", map[string]any{"bridge": "vmbr1", "dhcp": true}},
	},
	"`network.dns`, `network.domain`":                      {{native, "network.dns", list(`[9.9.9.9]`)}, {native, "network.domain", "lan"}},
	"`network.dns`, `network.domain`, removed":             {{native, "network.dns", nil}, {native, "network.domain", nil}},
	"`network.searchDomains`":                              {{dhcp, "network", map[string]any{"dhcp": true, "searchDomains": list(`[lan]`)}}},
	"`nics[]`, one added":                                  {{native, "nics", list(`[{bridge: vmbr1, ip: 10.0.0.20, cidr: 24}, {bridge: vmbr1}, {bridge: vmbr2}]`)}},
	"`nics[]`, the last one removed":                       {{native, "nics", list(`[{bridge: vmbr1, ip: 10.0.0.20, cidr: 24}]`)}},
	"`nics[]`, one with an address removed":                {{native, "nics", list(`[]`)}},
	"`devices.pci`, `devices.usb`":                         {{native, "devices.pci", nil}, {native, "devices.usb", list(`[{mapping: coral}, {mapping: zigbee}]`)}},
	"`firmware`":                                           {{native, "firmware.secureBoot", true}, {native, "firmware.tpm", true}, {native, "firmware.machine", "pc"}, {native, "firmware", nil}},
	"`image`":                                              {{native, "image", "debian-13"}, {native, "image", 9000}},
	"`proxmox.node`":                                       {{native, "proxmox.node", "pve2"}},
	"`proxmox.node` with `proxmox.migrate: true`":          {{native, "proxmox", map[string]any{"node": "pve2", "migrate": true, "vmId": 120, "pool": "infra"}}},
	"`ha`, added or removed":                               {{plain, "ha", map[string]any{"enabled": true}}, {available, "ha", nil}},
	"`ha.enabled`, `ha.maxRestart`, `ha.maxRelocate`":      {{available, "ha.enabled", false}, {available, "ha.maxRestart", 3}, {available, "ha.maxRelocate", 0}},
	"`proxmox.migrate`":                                    {{native, "proxmox.migrate", true}, {native, "proxmox.migrate", false}},
	"`proxmox.avoid`":                                      {{native, "proxmox.avoid", list(`[pve, pve1]`)}, {server, "proxmox.avoid", list(`[pve3]`)}},
	"`proxmox.spread`":                                     {{native, "proxmox.spread", "dns"}, {server, "proxmox.spread", "dns"}},
	"`proxmox.site`":                                       {{native, "proxmox.site", "garage"}},
	"`proxmox.vmId`":                                       {{native, "proxmox.vmId", 121}, {server, "proxmox.vmId", 121}},
	"`proxmox.vmId`, removed":                              {{native, "proxmox.vmId", nil}},
	"`proxmox.pool`":                                       {{native, "proxmox.pool", "other"}},
	"`proxmox.pool`, removed":                              {{native, "proxmox.pool", nil}},
	"`bootstrap.adminUser`, `bootstrap.sshAuthorizedKeys`": {{native, "bootstrap.adminUser", "admin"}, {native, "bootstrap.sshAuthorizedKeys", list(`["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEi3ZkVtK5rmCqSMb0jzNZ3XJrVAVVfr3Yf0F1Mqkc0k you@home"]`)}},
	"`bootstrap.adminUser`, `bootstrap.sshAuthorizedKeys` of a machine with user-data": {{nixos, "bootstrap.adminUser", "admin"}, {server, "bootstrap.sshAuthorizedKeys", list(`["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEi3ZkVtK5rmCqSMb0jzNZ3XJrVAVVfr3Yf0F1Mqkc0k you@home"]`)}},
	"`bootstrap.secrets`": {{server, "bootstrap.secrets", list(`[{secretRef: {name: registry, key: registries.yaml}, allowPlaintext: true, path: /etc/rancher/k3s/registries.yaml}]`)}},
	"`bootstrap.secretStore`": {{server, "bootstrap.secretStore", map[string]any{
		"address": "https://bao.home.arpa:8200", "appRole": map[string]any{"roleID": "web"}, "files": list(`[{path: /etc/app/key, secret: app, field: key}]`),
	}}},
	"`bootstrap.guestAgent`":                     {{server, "bootstrap.guestAgent", false}},
	"`bootstrap.report`":                         {{server, "bootstrap.report", "None"}, {nixos, "bootstrap.report", "None"}},
	"`bootstrap.userData`, `bootstrap.snippets`": {{native, "bootstrap.userData", "#cloud-config\ntimezone: UTC\n"}, {nixos, "bootstrap.snippets.vendorData", "local:snippets/x.yaml"}},
	"`nix`":                          {{nixos, "nix.flakeRef", "git+https://git.home.arpa/infra#dns02"}, {nixos, "nix.schedule", "daily"}, {nixos, "nix.reboot", "Kernel"}, {nixos, "nix.healthCheck", "true"}},
	"`k3s`":                          {{server, "k3s.version", "v1.33.7+k3s1"}, {server, "k3s.server", "https://192.168.4.79:6443"}, {server, "k3s.disable", list(`[traefik]`)}, {server, "k3s.labels", map[string]any{"a": "b"}}},
	"`k3s.clusterName`":              {{server, "k3s.clusterName", "home"}},
	"`k3s.readyWhen`":                {{server, "k3s.readyWhen", "VM"}, {server, "k3s.readyWhen", "Ready"}},
	"`k3s.drain`, `lifecycle.drain`": {{server, "k3s.drain", true}, {server, "lifecycle.drain", "now"}},

	"`lifecycle.reboot`":                                   {{native, "lifecycle.reboot", "now"}},
	"`lifecycle.replace`":                                  {{plain, "lifecycle.replace", "now"}},
	"`lifecycle.joined`, `lifecycle.force`":                {{native, "lifecycle.joined", "2026-11-20"}, {native, "lifecycle.force", "now"}},
	"`lifecycle.approval`, `lifecycle.approve`":            {{native, "lifecycle.approval", "OnRisk"}, {native, "lifecycle.approve", "d19a0c71d2"}},
	"`lifecycle.lost`":                                     {{native, "lifecycle.lost", "pve9"}},
	"`runsCrossplane`":                                     {{native, "runsCrossplane", true}},
	"`rollout`":                                            {{native, "rollout", map[string]any{"group": "edge", "wave": 2, "revision": "2026-11"}}, {server, "rollout", map[string]any{"group": "edge", "wave": 1}}},
	"`lifecycle.rebootPolicy`, `lifecycle.retry`":          {{native, "lifecycle.rebootPolicy", "WhenNeeded"}, {native, "lifecycle.retry", "1"}},
	"`deletionPolicy`, `deletionProtection`, `protection`": {{native, "deletionPolicy", "Orphan"}, {native, "deletionProtection", true}, {native, "protection", true}},
	"`adopt`": {{native, "adopt", map[string]any{"vmId": 120}}, {server, "adopt", map[string]any{"vmId": 108}}},
}
