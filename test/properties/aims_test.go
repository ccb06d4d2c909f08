package properties

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// An aim leads a random pair to a decision that hardly any random pair comes to.
type aim struct {
	kind, role string // Of the machine; empty: any.
	set        func(p *pair)
}

// aims, each for one pair of a few. The other pairs stay random altogether.
var aims = []aim{ //nolint:gochecknoglobals // A constant table.
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverReady) }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverReady, serverReady, serverReady) }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer() }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverStopped) }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverReady, serverUnjoined, serverReady) }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverReplaced) }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverAnnounced) }},
	{"K3sNode", "server", func(p *pair) {
		p.replaceServer(serverReady, serverReady)
		p.first, p.second = withoutCluster(p.first), withoutCluster(p.second)
	}},
	{"K3sNode", "agent", (*pair).replaceNode},
	{"K3sNode", "agent", func(p *pair) { p.replaceNode(); p.both("k3s.drain", true) }},
	{"Machine", "", (*pair).keepReplaced},
	{"Machine", "", func(p *pair) { p.replace(); p.fixVMID(200) }},
	{"Machine", "", func(p *pair) { p.replace(); p.unknownNode() }},
	{"K3sNode", "server", func(p *pair) { p.replaceServer(serverReady, serverReady); p.highlyAvailable() }},
	{"Machine", "", func(p *pair) { p.replace(); p.highlyAvailable() }},
	{"Machine", "", func(p *pair) { p.keepReplaced(); p.highlyAvailable() }},
	{"", "", func(p *pair) { p.highlyAvailable(); p.second = with(p.second, []string{"power"}, "Stopped") }},
	{"", "", (*pair).boundToNode},
	{"K3sNode", "agent", (*pair).takeFromPool},
	{"K3sNode", "agent", (*pair).claimFromPool},
	{"", "", func(p *pair) { p.fixVMID(200); p.taken, p.silent = []int{200}, true }},
	{"", "", func(p *pair) { p.fixVMID(200); p.taken, p.away = []int{200}, true }},
	{"", "", func(p *pair) { p.fixVMID(202); p.claimed = []int{202} }},
	{"", "", func(p *pair) { p.fixVMID(202); p.claimed, p.requested = []int{202}, true }},
	{"", "", func(p *pair) { p.left, p.adopts = true, false }},
}

// aimedOf three pairs in a row, one is aimed.
const aimedOf = 3

// approvedOf so many pairs, one has to have its replacement approved.
const approvedOf = 42

// firewalledOf so many pairs, one has to have the edit of its firewall approved.
const firewalledOf = 60

// pairNumber i of the seed.
func pairNumber(i uint64) pair {
	p, d := pairAsDrawn(i), newDraw(*seed, i+1<<40)

	// Some claims are written as in earlier releases, some as today, and some are spelled anew by the edit.
	for _, spec := range []*map[string]any{&p.first, &p.second} {
		if d.chance(50) {
			*spec = today(*spec)
		}
	}

	p.drawWeather(newDraw(*seed, i+1<<48))

	return p
}

// pairAsDrawn is a pair in the spelling of earlier releases.
func pairAsDrawn(i uint64) pair {
	p := drawnPair(i)
	p.first, p.second = fitting(p.first), fitting(p.second)
	p.search(newDraw(*seed, i+1<<45))
	p.runCrossplane(newDraw(*seed, i+1<<46))

	// An old provider cannot change a firewall.
	if p.installation.API == v1beta1.ProviderAPILegacy || p.apiMoves {
		p.both("firewall", nil)
	}

	return p
}

// fitting is a spec whose parts go together, which were drawn each for itself, or come from two specs.
func fitting(spec map[string]any) map[string]any {
	// A pool is of the site's network.
	if network := world.Object(spec["network"]); network["pool"] != nil && !ofSiteNetwork(spec) {
		spec = with(with(spec, []string{"network", "pool"}, nil), []string{"network", "dhcp"}, true)
	}

	// A clone is made on the node of its template.
	if avoid := world.List(world.Object(spec["proxmox"])["avoid"]); len(avoid) > 1 && spec["image"] == "template-virtio" {
		spec = with(spec, []string{"proxmox", "avoid"}, avoid[:1])
	}

	bootstrap, k3s := world.Object(spec["bootstrap"]), world.Object(spec["k3s"])

	// A token that is in a secret store needs the store.
	if world.Object(k3s["token"])["secretStore"] != nil && bootstrap["secretStore"] == nil {
		spec = with(spec, []string{"k3s", "token"}, map[string]any{"file": "/etc/rancher/k3s/token"})
	}

	// Proxmox's user-data cannot create an account with the name of a group.
	if bootstrap["adminUser"] == "admin" && len(k3s) == 0 {
		spec = with(spec, []string{"bootstrap", "adminUser"}, "anna")
	}

	// What keeps a VM on its node, and what stops it in Proxmox, excludes HA.
	if ha := world.Object(spec["ha"]); ha["enabled"] == true {
		placed, devices := world.Object(spec["proxmox"]), world.Object(spec["devices"])
		if placed["migrate"] == true || spec["power"] == "Unmanaged" || spec["image"] == "raw" || len(world.List(devices["pci"]))+len(world.List(devices["usb"])) > 0 {
			spec = with(spec, []string{"ha", "enabled"}, false)
		}
	}

	return spec
}

// drawnPair is a pair whose parts may not go together.
func drawnPair(i uint64) pair {
	d := newDraw(*seed, i)
	s := d.shape()

	var a aim

	switch {
	case i%aimedOf == 0:
		a = aims[i/aimedOf%uint64(len(aims))]
	case i%approvedOf == 1:
		a = aim{"Machine", "", func(p *pair) { p.replace(); p.both("lifecycle.approval", "OnRisk") }}
	case i%firewalledOf == 2:
		a = aim{"Machine", "", (*pair).closeFirewall}
	default:
		return d.pair(s)
	}

	if a.kind != "" && a.kind != s.kind {
		s.kind = a.kind
		d.boot(&s)
	}

	if a.role != "" {
		s.role = a.role
	}

	// What else is random could keep the machine from coming there.
	p := d.pair(s)
	p.adopts, p.left, p.takes, p.taken, p.claimed, p.servers = false, false, 0, nil, nil, nil
	p.catalogueMoves, p.apiMoves, p.fails = false, false, false
	p.both("power", nil)
	a.set(&p)

	return p
}

// both specs get a value, by path.
func (p *pair) both(path string, v any) {
	at := strings.Split(path, ".")
	p.first, p.second = with(p.first, at, v), with(p.second, at, v)
}

// fixVMID for good.
func (p *pair) fixVMID(id int) { p.both("proxmox.vmId", id) }

// replace the VM in the second spec, by one with a VMID of its own.
func (p *pair) replace() {
	p.both("lifecycle", nil)
	p.both("proxmox.vmId", nil)
	p.second = with(p.second, []string{"lifecycle", "replace"}, trigger)
}

// replaceServer of K3s, beside other servers of its cluster.
func (p *pair) replaceServer(others ...serverCondition) {
	p.replace()
	p.both("k3s.cluster", "home")
	p.both("k3s.clusterName", nil)
	// The other servers have no Nodes here, so that they would count for nothing where Nodes are read.
	p.node = nodeUnread
	p.servers = others
}

// replaceNode of a cluster whose Nodes are read: the name stays the old VM's until somebody deletes its Node.
func (p *pair) replaceNode() {
	p.replace()
	p.both("k3s.cluster", "home")
	p.both("k3s.clusterName", nil)
	p.both("k3s.readyWhen", nil)
	p.node = nodeJoins
}

// highlyAvailable before and after.
func (p *pair) highlyAvailable() {
	p.both("devices", nil)
	p.both("proxmox.migrate", nil)
	p.both("ha", map[string]any{"enabled": true})
}

// boundToNode: the VM has its disk on a datastore that other nodes do not see, and its claim, which asks for HA, names another one.
func (p *pair) boundToNode() {
	p.highlyAvailable()
	p.both("lifecycle", nil)
	p.first = with(with(p.first, []string{"ha"}, nil), []string{"proxmox", "storage"}, "local-lvm")
	p.second = with(p.second, []string{"proxmox", "storage"}, "tank")

	// A clone is made on its template's node, which does not see that datastore of another node.
	image, _ := p.first["image"].(string)
	copied, cloned := map[string]string{"template": "debian", "template-virtio": "ubuntu-24.04", "nixos": "nixos-volume"}[image]

	if cloned && world.Object(p.first["proxmox"])["node"] != nil {
		p.first = with(p.first, []string{"image"}, copied)
	}
}

// takeFromPool of a site without VMIDs: a managed resource that does nothing else reserves the address.
func (p *pair) takeFromPool() {
	p.both("network", map[string]any{"pool": true})
	p.both("proxmox", map[string]any{"site": "lab"})
}

// claimFromPool of Cluster API, of which the catalogue knows nothing any more where it moves.
func (p *pair) claimFromPool() {
	p.installation, p.catalogueMoves = world.Installations[2], true
	p.both("network", map[string]any{"pool": true})
	p.both("proxmox", map[string]any{"site": "claimed"})
}

// closeFirewall of a machine whose edits wait for approval.
func (p *pair) closeFirewall() {
	p.installation = world.Installations[2]
	p.both("adopt", nil)
	p.both("lifecycle", map[string]any{"approval": "OnRisk"})
	p.first = with(p.first, []string{"firewall"}, map[string]any{"preset": "none"})
	p.second = with(p.second, []string{"firewall"}, map[string]any{"preset": "ssh"})
}

// unknownNode in the second spec: no VM can be created there, and the VM that exists stays where it is.
func (p *pair) unknownNode() {
	p.both("proxmox.migrate", nil)
	p.both("proxmox.site", nil)
	p.second = with(p.second, []string{"proxmox", "node"}, "pve9")
}

// keepReplaced: the VM and its replacement run side by side, and the old VM stays in Proxmox.
func (p *pair) keepReplaced() {
	p.replace()

	for _, f := range []string{"nics", "devices", "network.mac", "network.stableMAC", "network.ipv6", "network.pool", "network.ip", "network.cidr", "network.gateway"} {
		p.both(f, nil)
	}

	if p.second["network"] != nil || p.first["network"] != nil {
		p.both("network.dhcp", true)
	}

	p.both("deletionPolicy", "Orphan")
}
