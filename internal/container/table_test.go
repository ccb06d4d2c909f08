package container

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestTable holds every row: what is changed, what it does, and that what is not refused is written as wanted and nothing beside it.
func TestTable(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*machine.Container)
		// has changes the container that exists.
		has     func(*proxmox.ContainerParameters)
		adopted bool
		want    []change.Change
	}{
		"Nothing": {reason: "A container that was created from its claim is as its claim.", edit: func(*machine.Container) {}},
		"VMID":    {"Another VMID is another container.", func(c *machine.Container) { c.Placement.VMID = 151 }, nil, false, []change.Change{{Field: "spec.proxmox.vmId", Has: "150", Wanted: "151", Effect: change.Refused}}},
		"Adopt": {"A claim that has a container takes over no other one, and says no VMID of its own.", func(c *machine.Container) {
			c.Placement.VMID, c.Adopt = 0, &v1alpha1.Adopt{VMID: 151}
		}, nil, false, nil},
		"AdoptBeside": {"The VMID is another one, whatever adopt says.", func(c *machine.Container) {
			c.Placement.VMID, c.Adopt = 151, &v1alpha1.Adopt{VMID: 150}
		}, nil, false, []change.Change{{Field: "spec.proxmox.vmId", Has: "150", Wanted: "151", Effect: change.Refused}}},
		"Node":    {"The provider would destroy it.", func(c *machine.Container) { c.Placement.Node = "pve2" }, nil, false, []change.Change{{Field: "spec.proxmox.node", Has: "pve", Wanted: "pve2", Effect: change.Refused}}},
		"Pool":    {"So it would for another pool.", func(c *machine.Container) { c.Placement.Pool = "infra" }, nil, false, []change.Change{{Field: "spec.proxmox.pool", Wanted: "infra", Effect: change.Refused}}},
		"Storage": {"And for another datastore.", func(c *machine.Container) { c.Placement.DiskDatastore = "tank" }, nil, false, []change.Change{{Field: "spec.proxmox.storage", Has: "local-lvm", Wanted: "tank", Effect: change.Refused}}},
		"Image": {"And for another template.", func(c *machine.Container) { c.Template.Volume = "local:vztmpl/other.tar.zst" }, nil, false, []change.Change{
			{Field: "spec.image", Has: "local:vztmpl/debian-12-ct.tar.zst", Wanted: "local:vztmpl/other.tar.zst", Effect: change.Refused},
		}},
		"AddressOfAPool": {"It keeps the address for which its guest asks.", func(c *machine.Container) {
			c.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodDHCP, Pool: &machine.AddressPool{}}
		}, func(p *proxmox.ContainerParameters) {
			p.Initialization[0].IPConfig[0].IPv4 = []proxmox.IPAddress{{Address: "dhcp"}}
		}, false, []change.Change{{Field: "spec.network.pool", Has: "dhcp", Wanted: "an address of the site's pool", Effect: change.Refused}}},
		"OS":         {"The distribution is fixed.", func(c *machine.Container) { c.OS = "alpine" }, nil, false, []change.Change{{Field: "spec.os", Has: "debian", Wanted: "alpine", Effect: change.Refused}}},
		"Privileged": {"The provider would destroy it.", func(c *machine.Container) { c.Unprivileged = new(false) }, nil, false, []change.Change{{Field: "spec.unprivileged", Has: "true", Wanted: "false", Effect: change.Refused}}},
		"Keys": {"No key is in a message.", func(c *machine.Container) { c.Access.SSHAuthorizedKeys = nil }, nil, false, []change.Change{
			{Field: "spec.bootstrap.sshAuthorizedKeys", Has: "1 (9ef79a)", Effect: change.Refused},
		}},
		"Disks": {"The provider would destroy it for another number of mount points.", func(c *machine.Container) { c.MountPoints = nil }, nil, false, []change.Change{
			{Field: "spec.disks", Has: "/srv/data tank 10G", Effect: change.Refused},
		}},
		"DiskSize": {"And for another size of one.", func(c *machine.Container) { c.MountPoints[0].SizeGiB = 20 }, nil, false, []change.Change{
			{Field: "spec.disks", Has: "/srv/data tank 10G", Wanted: "/srv/data tank 20G", Effect: change.Refused},
		}},
		"DiskSizeOfProxmox": {"Proxmox shows a size in its largest unit.", func(c *machine.Container) { c.MountPoints[0].SizeGiB = 1024 }, func(p *proxmox.ContainerParameters) {
			p.MountPoint[0].Size = "1T"
		}, false, nil},
		"DiskSizeInUnits": {"And another size is another one in any unit.", func(c *machine.Container) { c.MountPoints[0].SizeGiB = 1025 }, func(p *proxmox.ContainerParameters) {
			p.MountPoint[0].Size = "1T"
		}, false, []change.Change{{Field: "spec.disks", Has: "/srv/data tank 1024G", Wanted: "/srv/data tank 1025G", Effect: change.Refused}}},
		"Tags":    {"Tags are changed at once.", func(c *machine.Container) { c.Tags = []string{"new"} }, nil, false, []change.Change{{Field: "spec.tags", Has: "core", Wanted: "new", Effect: change.InPlace}}},
		"OnBoot":  {"So is this.", func(c *machine.Container) { c.OnBoot = false }, nil, false, []change.Change{{Field: "spec.onBoot", Has: "true", Wanted: "false", Effect: change.InPlace}}},
		"Startup": {"And this.", func(c *machine.Container) { c.Startup = &v1alpha1.Startup{Order: new(int64(3))} }, nil, false, []change.Change{{Field: "spec.startup", Wanted: "order 3, up -1, down -1", Effect: change.InPlace}}},
		"Protection": {"And this.", func(c *machine.Container) { c.ProxmoxProtection = new(true) }, nil, false, []change.Change{
			{Field: "spec.proxmox.protection", Has: "false", Wanted: "true", Effect: change.InPlace},
		}},
		"Unprotects": {
			"It is taken off as it was put on.", func(c *machine.Container) { c.ProxmoxProtection = new(false) }, func(p *proxmox.ContainerParameters) { p.Protection = new(true) }, true,
			[]change.Change{{Field: "spec.proxmox.protection", Has: "true", Wanted: "false", Effect: change.InPlace}},
		},
		"ProtectedByHand": {"A claim that does not say it leaves it alone.", func(*machine.Container) {}, func(p *proxmox.ContainerParameters) { p.Protection = new(true) }, false, nil},
		"Cores":           {"The provider does not restart for cores.", func(c *machine.Container) { c.Cores = 2 }, nil, false, []change.Change{{Field: "spec.size.cores", Has: "1", Wanted: "2", Effect: change.InPlace}}},
		"Grow":            {"It grows while it runs.", func(c *machine.Container) { c.Boot.DiskGiB = 9 }, nil, false, []change.Change{{Field: "spec.size.disk", Has: "8 GiB", Wanted: "9 GiB", Effect: change.InPlace}}},
		"Shrink":          {"The provider would destroy it.", func(c *machine.Container) { c.Boot.DiskGiB = 7 }, nil, false, []change.Change{{Field: "spec.size.disk", Has: "8 GiB", Wanted: "7 GiB", Effect: change.Refused}}},
		"Memory":          {"The provider restarts for memory.", func(c *machine.Container) { c.MemoryMiB = 2048 }, nil, false, []change.Change{{Field: "spec.size.memory", Has: "1024 MiB", Wanted: "2048 MiB", Effect: Restart}}},
		"Swap":            {"And for swap.", func(c *machine.Container) { c.SwapMiB = new(int64(0)) }, nil, false, []change.Change{{Field: "spec.size.swap", Has: "512 MiB", Wanted: "0 MiB", Effect: Restart}}},
		"Hostname":        {"And for a host name.", func(c *machine.Container) { c.Hostname = "x" }, nil, false, []change.Change{{Field: "spec.hostname", Has: "dns01", Wanted: "x", Effect: Restart}}},
		"Nesting":         {"Proxmox has features at a start.", func(c *machine.Container) { c.Nesting = new(false) }, nil, false, []change.Change{{Field: "spec.features.nesting", Has: "true", Wanted: "false", Effect: Restart}}},
		"NestingPrivileged": {
			"Only root@pam changes features of a privileged container.", func(c *machine.Container) { c.Nesting, c.Unprivileged = new(false), nil },
			func(p *proxmox.ContainerParameters) { p.Unprivileged = false }, false,
			[]change.Change{{Field: "spec.features.nesting", Has: "true", Wanted: "false", Effect: change.Refused}},
		},
		"Network": {
			"The provider restarts for all of a network.", func(c *machine.Container) {
				c.NICs = []machine.NIC{{
					Bridge: "vmbr1", MAC: "BC:24:11:00:00:53", MTU: 9000, IPv4: machine.Addressing{Method: machine.MethodDHCP}, IPv6: machine.Addressing{Method: machine.MethodAuto}, Firewall: new(false),
				}}
				c.DNS, c.Domain = []string{"9.9.9.9"}, "lan"
			}, nil, false, []change.Change{
				{Field: "spec.network.bridge", Has: "vmbr0", Wanted: "vmbr1", Effect: Restart},
				{Field: "spec.network.vlan", Has: "20", Effect: Restart},
				{Field: "spec.network.mac", Wanted: "BC:24:11:00:00:53", Effect: Restart},
				{Field: "spec.network.firewall", Has: "true", Wanted: "false", Effect: Restart},
				{Field: "spec.network.mtu", Wanted: "9000", Effect: Restart},
				{Field: "spec.network.ip", Has: "192.168.4.50/24 through 192.168.4.1", Wanted: "dhcp", Effect: Restart},
				{Field: "spec.network.ipv6", Wanted: "auto", Effect: Restart},
				{Field: "spec.network.dns", Has: "192.168.4.1", Wanted: "9.9.9.9", Effect: Restart},
				{Field: "spec.network.domain", Has: "home.arpa", Wanted: "lan", Effect: Restart},
			},
		},
		"SearchDomains": {
			"They are in one text with the domain.", func(c *machine.Container) { c.SearchDomains = []string{"lan", "corp.example"} }, nil, false,
			[]change.Change{{Field: "spec.network.searchDomains", Wanted: "lan corp.example", Effect: Restart}},
		},
		"SecondInterface": {
			"The provider pairs interfaces and addresses by places that are not theirs.", func(c *machine.Container) { c.NICs[0].VLAN = 30 },
			func(p *proxmox.ContainerParameters) {
				p.NetworkInterface = append(p.NetworkInterface, proxmox.ContainerNIC{Name: "eth1"})
			}, false,
			[]change.Change{{Field: "spec.network.vlan", Has: "20", Wanted: "30", Effect: change.Refused}},
		},
		"AddsInterface": {
			"The provider restarts for an interface, and keeps the first one as it is.", func(c *machine.Container) { c.NICs = append(c.NICs, storage10()) }, nil, false,
			[]change.Change{{Field: "spec.nics", Wanted: "eth1 on vmbr1 VLAN 30 MTU 9000 behind the firewall 10.30.0.5/24", Effect: Restart}},
		},
		"AddsUnconfigured": {
			"Of an interface without addresses it is written that it has none.", func(c *machine.Container) {
				c.NICs = append(c.NICs, machine.NIC{Bridge: "vmbr2", MAC: "BC:24:11:00:00:54"}, storage10())
			}, nil, false,
			[]change.Change{{
				Field: "spec.nics", Wanted: "eth1 on vmbr2 MAC BC:24:11:00:00:54, eth2 on vmbr1 VLAN 30 MTU 9000 behind the firewall 10.30.0.5/24", Effect: Restart,
			}},
		},
		"SameInterface": {
			"The MAC address that Proxmox made up stays.", func(c *machine.Container) { c.NICs = append(c.NICs, storage10()) }, withStorage10, false, nil,
		},
		"ChangesInterface": {
			"What the claim says of it is written, and the MAC address stays.", func(c *machine.Container) {
				n := storage10()
				n.VLAN, n.IPv4, n.IPv6 = 31, machine.Addressing{Method: machine.MethodDHCP}, machine.Addressing{Method: machine.MethodAuto}
				c.NICs = append(c.NICs, n)
			}, withStorage10, false,
			[]change.Change{{
				Field: "spec.nics", Has: "eth1 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall 10.30.0.5/24",
				Wanted: "eth1 on vmbr1 VLAN 31 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall dhcp auto", Effect: Restart,
			}},
		},
		"FirstOfTwo": {
			"With the claim's interfaces, it is known which address is whose.", func(c *machine.Container) { c.NICs = append(c.NICs, storage10()); c.NICs[0].VLAN = 30 }, withStorage10, false,
			[]change.Change{{Field: "spec.network.vlan", Has: "20", Wanted: "30", Effect: Restart}},
		},
		"InterfaceByHand": {
			"What the claim neither names nor made stays, and nothing of the network is written beside it.", func(c *machine.Container) { c.NICs[0].VLAN = 30 }, withStorage10, false,
			[]change.Change{{Field: "spec.network.vlan", Has: "20", Wanted: "30", Effect: change.Refused}},
		},
		"InterfaceRenamed": {
			"Nobody knows which address is an interface's of which the place is not that of its name.", func(c *machine.Container) { c.NICs = append(c.NICs, storage10()) },
			func(p *proxmox.ContainerParameters) { withStorage10(p); p.NetworkInterface[1].Name = "lan0" }, false,
			[]change.Change{{
				Field: "spec.nics", Has: "lan0 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall 10.30.0.5/24",
				Wanted: "eth1 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall 10.30.0.5/24", Effect: change.Refused,
			}},
		},
		"InterfaceUnpaired": {
			"Nor where an interface has no address.", func(c *machine.Container) { c.NICs = append(c.NICs, storage10()) },
			func(p *proxmox.ContainerParameters) {
				withStorage10(p)
				p.Initialization[0].IPConfig = p.Initialization[0].IPConfig[:1]
			}, false,
			[]change.Change{{
				Field: "spec.nics", Has: "eth1 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall",
				Wanted: "eth1 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall 10.30.0.5/24", Effect: change.Refused,
			}},
		},
		"AdoptedInterface": {
			"An adopted container keeps its interfaces, and what its claim does not say of them is no difference.", func(c *machine.Container) {
				n := storage10()
				n.Firewall, n.MTU = nil, 0
				c.NICs = append(c.NICs, n, machine.NIC{Bridge: "vmbr3"})
			}, withStorage10, true,
			[]change.Change{{
				Field: "spec.nics", Has: "eth1 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall 10.30.0.5/24",
				Wanted: "eth1 on vmbr1 VLAN 30 MAC BC:24:11:00:00:97 MTU 9000 behind the firewall 10.30.0.5/24, eth2 on vmbr3", Effect: change.Refused,
			}},
		},
		"NoNameServers": {"The provider ignores that name servers go.", func(c *machine.Container) { c.DNS, c.Domain = nil, "" }, nil, false, nil},
		"MAC":           {"Proxmox's own MAC address stays.", func(*machine.Container) {}, func(p *proxmox.ContainerParameters) { p.NetworkInterface[0].MACAddress = "BC:24:11:00:00:96" }, false, nil},
		"Adopted": {
			"An adopted container keeps what its claim does not say.", func(c *machine.Container) {
				c.KeepsOwn = machine.ContainerKeeps{Network: true, Hostname: true, OnBoot: true, Notes: true, Startup: true, Disks: true}
				c.Cores, c.MemoryMiB, c.Boot.DiskGiB, c.SwapMiB, c.Nesting, c.Unprivileged = 0, 0, 0, nil, nil, nil
				c.NICs = []machine.NIC{{}}
			}, func(p *proxmox.ContainerParameters) {
				p.CPU, p.Memory, p.Features, p.StartOnBoot, p.Description = nil, nil, nil, false, "mine"
				p.Startup = []proxmox.Startup{{Order: 3}}
			}, true, nil,
		},
		"SwapUnsaid": {"Nor does it lose the swap that it has.", func(c *machine.Container) { c.SwapMiB = nil }, nil, true, nil},
		"AdoptedNetwork": {
			"Nobody knows how its interfaces are numbered, or whether it is replicated.", func(c *machine.Container) { c.NICs[0].VLAN, c.Boot.DiskGiB = 30, 20 }, nil, true,
			[]change.Change{
				{Field: "spec.size.disk", Has: "8 GiB", Wanted: "20 GiB", Effect: change.Refused}, {Field: "spec.network.vlan", Has: "20", Wanted: "30", Effect: change.Refused},
			},
		},
		"Unset": {
			"What the provider leaves out has Proxmox's defaults.", func(c *machine.Container) {
				c.Cores, c.MemoryMiB, c.SwapMiB, c.Nesting = 2, 1024, new(int64(256)), new(true)
			},
			func(p *proxmox.ContainerParameters) { p.CPU, p.Memory, p.Features = nil, nil, nil }, false,
			[]change.Change{
				{Field: "spec.size.cores", Has: "1", Wanted: "2", Effect: change.InPlace},
				{Field: "spec.size.memory", Has: "512 MiB", Wanted: "1024 MiB", Effect: Restart},
				{Field: "spec.size.swap", Has: "0 MiB", Wanted: "256 MiB", Effect: Restart},
				{Field: "spec.features.nesting", Has: "false", Wanted: "true", Effect: Restart},
			},
		},
	}

	fields := map[string]bool{}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aContainer(nil)
			has := living(m, nil).Status.AtProvider.Parameters.ContainerParameters

			if tc.has != nil {
				tc.has(&has)
			}

			tc.edit(m)
			c := comparison{has: has, wanted: Describe(m, replacement.First), machine: m, adopted: tc.adopted, further: furtherOf(m, proxmox.ObservedMetadata{})}
			got := slices.DeleteFunc(c.changes(), func(c change.Change) bool { return c.Field == "description" })

			if diff := cmp.Diff(tc.want, got); diff != "" && len(tc.want)+len(got) > 0 {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			for _, g := range got {
				fields[g.Field] = true
			}

			after := c.with(change.InPlace, Restart)
			for _, left := range (comparison{has: after, wanted: c.wanted, machine: m, adopted: tc.adopted, further: c.further}).changes() {
				if left.Effect != change.Refused {
					t.Errorf("%s\n%s is not written", tc.reason, left)
				}
			}

			// Nothing beside it is written.
			if diff := cmp.Diff(has, c.with()); diff != "" {
				t.Errorf("%s\nwithout a change, -has, +written:\n%s", tc.reason, diff)
			}

			for _, r := range rows {
				refused := slices.ContainsFunc(got, func(g change.Change) bool { return g.Field == r.field && g.Effect == change.Refused })
				if refused && r.words(after) != r.words(has) {
					t.Errorf("%s\n%s is refused, and written all the same", tc.reason, r.field)
				}
			}
		})
	}

	for _, r := range rows {
		if !fields[r.field] && r.field != "description" {
			t.Errorf("no case changes %s", r.field)
		}
	}
}

// TestAnotherProxmox: a container whose claim names a site in another Proxmox cluster stays where it is, with its network; what is not of a place follows.
func TestAnotherProxmox(t *testing.T) {
	m := aContainer(func(c *machine.Container) {
		c.Placement.Node, c.Placement.Elsewhere = "pvelab", true
		c.NICs[0].VLAN = 30
		c.Tags = []string{"moved"}
	})
	c := comparison{has: living(aContainer(nil), nil).Spec.ForProvider, wanted: Describe(m, replacement.First), machine: m, config: "home", wantedConfig: "lab"}

	want := map[string]change.Effect{
		"spec.proxmox.site": change.Refused, "spec.proxmox.node": change.Refused, "spec.network.vlan": change.Refused, "spec.tags": change.InPlace,
	}
	got := map[string]change.Effect{}

	for _, ch := range c.changes() {
		got[ch.Field] = ch.Effect
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes: -want, +got:\n%s", diff)
	}
}

// TestNoNode: a container whose claim names a node that there is not is told which there are, and no new container gets there.
func TestNoNode(t *testing.T) {
	const no, corrected = "node 'pve9' does not exist in site 'home'; there are: pve1",
		"spec.proxmox.node: node 'pve9' does not exist in site 'home'; there are: pve1. Correct the node: nothing can be moved there, nor made there."

	place, image := change.Change{Field: "spec.proxmox.node", Has: "pve1", Wanted: "pve9"}, change.Change{Field: "spec.image"}

	for name, tc := range map[string]struct {
		reason, no string
		refused    []change.Change
		says       bool
		replaces   bool
	}{
		"Alone":  {"Nothing else is to correct.", no, []change.Change{place}, true, false},
		"Beside": {"For the image a new container is a way.", no, []change.Change{place, image}, true, true},
		"Other":  {"The node is no matter of the refused image.", no, []change.Change{image}, false, true},
		"There":  {"A new container can be on another node of the site.", "", []change.Change{place}, false, true},
	} {
		m := aContainer(func(c *machine.Container) { c.Placement.NoNode = tc.no })

		got := wayOut(Plan{Request: Request{Container: m}, Refused: tc.refused})
		if strings.HasSuffix(got, corrected) != tc.says || strings.Contains(got, "spec.lifecycle.replace") != tc.replaces {
			t.Errorf("%s: %s\n%s", name, tc.reason, got)
		}
	}
}

// TestAnotherConnection: a container whose site has another connection keeps its own, and the catalogue's key is named.
func TestAnotherConnection(t *testing.T) {
	const at = "data.sites.home.providerConfig"

	m := aContainer(func(c *machine.Container) { c.Placement.Reconnected = at })
	c := comparison{has: living(aContainer(nil), nil).Spec.ForProvider, wanted: Describe(m, replacement.First), machine: m, config: "first", wantedConfig: "second"}

	want := []change.Change{{Field: at, Has: "provider configuration first", Wanted: "provider configuration second", Effect: change.Refused}}
	if diff := cmp.Diff(want, c.changes()); diff != "" {
		t.Errorf("changes: -want, +got:\n%s", diff)
	}

	p := Plan{Request: Request{Container: m}, Refused: want}
	if got := wayOut(p); !strings.Contains(got, "No new container is needed.") || strings.Contains(got, "spec.lifecycle.replace") {
		t.Errorf("Nothing is to be replaced: %s", got)
	}

	p.Refused = append(p.Refused, change.Change{Field: "spec.image"})
	if got := wayOut(p); !strings.Contains(got, "spec.lifecycle.replace") {
		t.Errorf("Another change needs a new container: %s", got)
	}
}

func TestSizeInGiB(t *testing.T) {
	for text, want := range map[string]string{"8G": "8G", "1T": "1024G", "1024M": "1G", "1048576K": "1G", "1025M": "1025M", "512M": "512M", "10737418240": "10737418240", "x": "x"} {
		if got := sizeInGiB(text); got != want {
			t.Errorf("%s: want %s, got %s", text, want, got)
		}
	}
}
