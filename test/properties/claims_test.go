package properties

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// A draw makes random choices that follow from a seed alone.
type draw struct{ *rand.Rand }

// newDraw of number i of a seed: each number is a sequence of its own, so that one can be repeated alone.
func newDraw(seed, i uint64) draw { return draw{rand.New(rand.NewPCG(seed, i))} }

func (d draw) chance(percent int) bool { return d.IntN(100) < percent }

// pick one of several.
func pick[T any](d draw, of ...T) T { return of[d.IntN(len(of))] }

// some of several, in any order.
func some[T any](d draw, of ...T) []T {
	of = slices.Clone(of)
	d.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })

	return of[:d.IntN(len(of)+1)]
}

// spec of a shape. Every one is valid, for the function and for the XRD.
func (d draw) spec(s shape) map[string]any {
	spec := map[string]any{"image": d.image(s)}
	bootDisk := map[string]any{}

	d.maybe(bootDisk, 50, "backup", d.chance(50))
	d.maybe(bootDisk, 50, "cache", pick(d, "none", "writeback"))
	d.maybe(spec, 20, "bootDisk", bootDisk)
	d.maybe(spec, 60, "class", pick(d, "micro", "small", "medium", "quorum", "gpu"))
	d.maybe(spec, 40, "size", d.size())
	d.maybe(spec, 20, "hostname", pick(d, "web01", "db", "gw.home.arpa"))
	d.maybe(spec, 40, "role", pick(d, "dns", "k3s-server", "web"))
	d.maybe(spec, 40, "tags", toAny(some(d, "core", "Tier1", "a_b", "x.y+z", "0")))
	d.maybe(spec, 40, "power", pick(d, powers()...))
	d.maybe(spec, 30, "onBoot", d.chance(50))
	d.maybe(spec, 30, "startup", d.startup())
	d.maybe(spec, 60, "network", d.network(s))
	d.maybe(spec, 30, "disks", d.disks())
	d.maybe(spec, 30, "nics", d.nics())
	d.maybe(spec, 30, "devices", d.devices())
	d.maybe(spec, 30, "firmware", d.firmware())
	d.maybe(spec, 30, "lifecycle", d.lifecycle())
	d.maybe(spec, 20, "protection", d.chance(50))
	d.maybe(spec, 50, "deletionPolicy", pick(d, "Delete", "Orphan"))
	d.placement(spec, s)
	d.bootstrap(spec, s)

	if s.nix {
		spec["nix"] = d.nix()
	}

	if s.kind == "K3sNode" {
		spec["k3s"] = d.k3s(s)
	}

	later(spec, s)

	return spec
}

// maybe sets a field, in some of a hundred cases.
func (d draw) maybe(in map[string]any, percent int, field string, v any) {
	if d.chance(percent) {
		in[field] = v
	}
}

func (d draw) image(s shape) any {
	switch s.guest {
	case guestDeaf:
		return pick[any](d, "haos", "local:iso/debian.iso", "installer", "local:iso/other.iso")
	case guestNixOS:
		return pick[any](d, "nixos", "nixos-volume", "nixos-agent")
	}

	return pick[any](d, "ubuntu-24.04", "debian-13", "kept", "debian", "local:import/noble.qcow2", "template", "template-virtio", "template-uefi", 9003, "9004", "uefi", "raw")
}

func (d draw) size() map[string]any {
	out := map[string]any{}
	d.maybe(out, 60, "cores", pick(d, 1, 2, 4, 16))
	d.maybe(out, 60, "memory", pick[any](d, "2Gi", "4096", 8192, "16G"))
	d.maybe(out, 60, "disk", pick[any](d, "40Gi", 50, "60", "1Ti"))

	return out
}

func (d draw) startup() map[string]any {
	out := map[string]any{}
	d.maybe(out, 60, "order", d.IntN(5))
	d.maybe(out, 60, "upDelaySeconds", pick(d, 0, 30))
	d.maybe(out, 60, "downDelaySeconds", pick(d, 0, 60))

	return out
}

func (d draw) network(s shape) map[string]any {
	out := map[string]any{}

	if s.guest == guestDeaf || d.chance(50) {
		out["dhcp"] = true
	} else {
		out["ip"], out["cidr"] = fmt.Sprintf("192.168.4.%d", 50+d.IntN(3)), pick(d, 24, 25)
		d.maybe(out, 50, "gateway", "192.168.4.1")
	}

	d.maybe(out, 40, "dns", toAny(some(d, "192.168.4.1", "9.9.9.9", "2620:fe::fe")))
	d.maybe(out, 40, "domain", pick(d, "home.arpa", "lab.example"))
	d.maybe(out, 30, "ipv6", d.ipv6(1))
	d.maybe(out, 30, "mac", pick(d, "BC:24:11:00:00:53", "bc:24:11:00:00:54"))

	return out
}

func (d draw) ipv6(subnet int) map[string]any {
	switch d.IntN(3) {
	case 0:
		return map[string]any{"auto": true}
	case 1:
		return map[string]any{"dhcp": true}
	}

	out := map[string]any{"ip": fmt.Sprintf("2001:db8:%d::%d", subnet, 1+d.IntN(9)), "cidr": 64}
	d.maybe(out, 50, "gateway", "fe80::1")

	return out
}

func (d draw) nics() []any {
	out := make([]any, d.IntN(4))

	for i := range out {
		nic := map[string]any{"bridge": pick(d, "vmbr0", "vmbr1")}
		d.maybe(nic, 40, "vlan", pick(d, 30, 31))
		d.maybe(nic, 30, "mac", fmt.Sprintf("BC:24:11:%02X:00:0%d", 16+d.IntN(2), i))
		d.maybe(nic, 30, "ipv6", d.ipv6(10+i))

		switch d.IntN(3) {
		case 0:
			nic["dhcp"] = true
		case 1:
			nic["ip"], nic["cidr"] = fmt.Sprintf("10.30.%d.%d", i, 1+d.IntN(9)), 24
			d.maybe(nic, 40, "gateway", fmt.Sprintf("10.30.%d.254", i))
		}

		out[i] = nic
	}

	return out
}

func (d draw) disks() []any {
	out := []any{}

	for _, name := range some(d, "data", "logs", "a-b", "0") {
		disk := map[string]any{"name": name, "size": pick[any](d, 5, "10Gi", "20", "1Ti")}
		d.maybe(disk, 40, "storage", pick(d, "local-zfs", "tank"))
		d.maybe(disk, 40, "backup", d.chance(50))
		d.maybe(disk, 40, "cache", pick(d, "none", "writethrough"))
		out = append(out, disk)
	}

	return out
}

// later draws what came later: from a sequence of its own, so that the rest of a pair stays what it was.
func later(spec map[string]any, s shape) {
	h := fnv.New64a()
	fmt.Fprint(h, spec)

	d := newDraw(h.Sum64(), 0)
	if l, ok := spec["lifecycle"].(map[string]any); ok {
		w := newDraw(h.Sum64(), 1)
		w.maybe(l, 20, "approval", "Never")
		w.maybe(l, 20, "approve", pick(w, "d19a0c71d2", "0000000000"))
	}

	if r := newDraw(h.Sum64(), 2); r.chance(15) {
		rollout := map[string]any{"group": pick(r, "edge", "core"), "wave": float64(pick(r, 1, 2, 3))}
		if r.chance(50) {
			rollout["revision"] = pick(r, "2026-11-23", "v1.4.0")
		}

		spec["rollout"] = rollout
	}

	if ha := newDraw(h.Sum64(), 3); ha.chance(20) {
		is := map[string]any{"enabled": ha.chance(80)}
		ha.maybe(is, 40, "maxRestart", ha.IntN(4))
		ha.maybe(is, 40, "maxRelocate", ha.IntN(4))
		spec["ha"] = is
	}

	if w := newDraw(h.Sum64(), 4); spec["adopt"] == nil && w.chance(25) {
		role := s.role
		if s.kind != "K3sNode" {
			role = ""
		}

		spec["firewall"] = w.firewall(role)
	}

	if w := newDraw(h.Sum64(), 5); w.chance(15) {
		if network, ok := spec["network"].(map[string]any); ok {
			network["dnsRecord"] = pick(w, "m1.home.arpa", "*.m1.home.arpa", "other.home.arpa")
		}
	}

	if s.guest == guestDeaf || s.userData == userDataPlaced {
		return // The function writes nothing into the guest.
	}

	if d.chance(15) {
		bootstrap, _ := spec["bootstrap"].(map[string]any)
		if bootstrap == nil {
			bootstrap = map[string]any{}
			spec["bootstrap"] = bootstrap
		}

		file := map[string]any{
			"secretRef": map[string]any{"name": "k3s-join-token", "key": "token"}, "allowPlaintext": true, "path": pick(d, "/etc/app", "/etc/other"),
		}
		d.maybe(file, 50, "mode", pick(d, "0600", "0640"))
		bootstrap["secrets"] = []any{file}
	}

	// A sequence of its own, so that the claims before this field stay as they were.
	s.store(newDraw(h.Sum64(), 6), spec)

	if k3s, ok := spec["k3s"].(map[string]any); ok {
		d.maybe(k3s, 20, "readyWhen", pick(d, "VM", "Joined", "Ready"))
		d.maybe(k3s, 30, "drain", d.chance(80))
	}

	d.laterHardware(spec)

	disks, _ := spec["disks"].([]any)
	for _, disk := range disks {
		if disk, ok := disk.(map[string]any); ok && d.chance(40) {
			disk["filesystem"] = pick(d, "ext4", "xfs")
			disk["mountPath"] = pick(d, "/srv/", "/var/lib/rancher/k3s/") + fmt.Sprint(disk["name"])
		}
	}
}

// laterHardware draws settings of parts that a spec has.
func (d draw) laterHardware(spec map[string]any) {
	d.maybe(spec, 15, "vga", map[string]any{"type": pick(d, "serial0", "virtio", "std")})
	d.maybe(spec, 15, "notes", pick(d, "Owner: Ada", "a\n\n${b} %{c}\n"))

	if size, ok := spec["size"].(map[string]any); ok {
		d.maybe(size, 30, "cpuType", pick(d, "host", "x86-64-v3"))

		if spec["adopt"] == nil && size["memory"] != nil {
			d.maybe(size, 30, "memoryFloor", pick[any](d, "1Gi", 512, "2048Mi"))
		}
	}

	if network, ok := spec["network"].(map[string]any); ok && network["mac"] == nil {
		d.maybe(network, 25, "stableMAC", d.chance(80))
	}

	if network, ok := spec["network"].(map[string]any); ok && d.chance(20) && ofSiteNetwork(spec) {
		for _, f := range []string{"dhcp", "ip", "cidr", "gateway"} {
			delete(network, f)
		}

		network["pool"] = true
	}

	parts := []any{spec["network"]}

	if nics, ok := spec["nics"].([]any); ok {
		parts = append(parts, nics...)
	}

	for _, nic := range parts {
		if nic, ok := nic.(map[string]any); ok {
			d.maybe(nic, 25, "firewall", d.chance(70))
			d.maybe(nic, 25, "mtu", pick(d, 1, 1400, 9000))
		}
	}

	parts = nil

	if disks, ok := spec["disks"].([]any); ok {
		parts = disks
	}

	// The boot disks of some templates are on a bus that has no setting for this.
	if boot, ok := spec["bootDisk"].(map[string]any); ok {
		d.maybe(boot, 30, "discard", d.chance(50))
		d.maybe(boot, 30, "ssd", false)
	}

	for _, disk := range parts {
		if disk, ok := disk.(map[string]any); ok {
			d.maybe(disk, 25, "discard", d.chance(50))
			d.maybe(disk, 25, "ssd", d.chance(50))
		}
	}
}

// ofSiteNetwork says whether a spec leaves the bridge and the VLAN tag of its first interface to the site, whose pool is of that network.
func ofSiteNetwork(spec map[string]any) bool {
	for _, part := range []string{"network", "proxmox"} {
		if p, ok := spec[part].(map[string]any); ok && (p["bridge"] != nil || p["vlan"] != nil) {
			return false
		}
	}

	return true
}

func (d draw) devices() map[string]any {
	out := map[string]any{}
	d.maybe(out, 60, "pci", mappings(some(d, "gpu0", "gpu1")))
	d.maybe(out, 60, "usb", mappings(some(d, "coral", "zigbee")))

	return out
}

func mappings(names []string) []any {
	out := make([]any, 0, len(names))
	for _, n := range names {
		out = append(out, map[string]any{"mapping": n})
	}

	return out
}

// firmware always says its type, which a clone's has to.
func (d draw) firmware() map[string]any {
	out := map[string]any{"type": pick(d, "bios", "uefi")}
	d.maybe(out, 40, "secureBoot", out["type"] == "uefi")
	d.maybe(out, 40, "tpm", d.chance(70))
	d.maybe(out, 40, "machine", pick(d, "q35", "pc", "pc-i440fx-8.1", "pc-q35-9.0+pve1"))

	return out
}

func (d draw) lifecycle() map[string]any {
	out := map[string]any{}
	d.maybe(out, 25, "replace", pick(d, "2026-11-20", "again"))
	d.maybe(out, 40, "reboot", pick(d, "2026-11-20", "1"))
	d.maybe(out, 40, "rebootPolicy", pick(d, "OnRequest", "WhenNeeded"))
	d.maybe(out, 40, "retry", pick(d, "1", "2"))
	d.maybe(out, 10, "joined", pick(d, "2026-11-20", "again"))
	d.maybe(out, 10, "force", pick(d, "1", "2"))
	d.maybe(out, 10, "drain", pick(d, "1", "2"))
	d.maybe(out, 5, "lost", "pve9")

	return out
}
