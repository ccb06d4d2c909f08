package provider

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What becomes of a change by hand, as the table of docs/day-two.md has it.
const (
	undone   = "undone"
	waits    = "power cycle"
	stays    = "stays"
	told     = "told"
	eachPoll = "each poll"
)

// byHand is a change of a VM or a container in Proxmox. Its row is the first cell of the table.
type byHand struct {
	row, want string
	set       map[string]string
	delete    []string
	add       map[string]string // Behind what an option has.
	swap      [3]string         // An option, and what it has, and gets instead.
	but       string            // An option that comes back as another one.
	says      string            // ProviderHealthy.
}

// of a configuration: what the hand makes of it.
func (h byHand) of(config map[string]string) map[string]string {
	out := maps.Clone(config)
	maps.Copy(out, h.set)

	for k, v := range h.add {
		out[k] += v
	}

	for _, k := range h.delete {
		delete(out, k)
	}

	if k := h.swap[0]; k != "" {
		out[k] = strings.Replace(out[k], h.swap[1], h.swap[2], 1)
	}

	return out
}

// touch is what has to be written for it.
func (h byHand) touch(config map[string]string) Touch {
	t := Touch{Delete: h.delete, Config: map[string]string{}}

	for k, v := range h.of(config) {
		if v != config[k] {
			t.Config[k] = v
		}
	}

	return t
}

// documented are the rows of the table under a heading: what becomes of each.
func documented(t *testing.T, heading string) map[string]string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(repository, "docs", "day-two.md"))
	if err != nil {
		t.Fatal(err)
	}

	_, section, _ := strings.Cut(string(b), "\n"+heading+"\n")
	section, _, _ = strings.Cut(section, "\n#")
	out := map[string]string{}

	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.Contains(cells[1], "**") {
			out[strings.TrimPrefix(cells[0], "| ")] = strings.Trim(cells[1], "*")
		}
	}

	return out
}

// allPlayed holds that each row of a table has a case, and each case its row.
func allPlayed(t *testing.T, heading string, cases map[string]byHand) {
	t.Helper()

	played := map[string]string{}
	for _, h := range cases {
		played[h.row] = h.want
	}

	if diff := cmp.Diff(played, documented(t, heading)); diff != "" {
		t.Errorf("docs/day-two.md, %s: -played, +documented:\n%s", heading, diff)
	}
}

// became is what became of a hand's change.
func became(c *Control, h byHand, before, after map[string]string, pending int, err error) string {
	before, after = maps.Clone(before), maps.Clone(after)
	delete(before, h.but)
	delete(after, h.but)

	switch {
	case err != nil && strings.Contains(err.Error(), "never comes to rest"):
		return eachPoll
	case word(c.Conditions["ProviderHealthy"].GetStatus()) == "False", word(c.Conditions["ReplacementRequired"].GetStatus()) == "True":
		return told
	case pending > 0, word(c.Conditions["RebootPending"].GetStatus()) == "True":
		return waits
	case maps.Equal(before, after):
		return undone
	}

	return stays
}

const vmByHand = "### A VM changed in Proxmox"

// vmsByHand are changes of a VM whose second disk is data, at scsi1.
func vmsByHand() map[string]byHand {
	const (
		diskOptions = "an option of a disk: cache, discard, iothread, backup, replication, limits"
		network     = "an interface: bridge, VLAN, model, firewall, rate, MTU, queues, link"
		settings    = "name, notes, tags, start at boot, start order, protection, boot order, hook script, `args`, CPU limit, affinity"
		hardware    = "cores, CPU type, memory, machine type, BIOS, SCSI controller, display, agent, OS type"
		addresses   = "address, name server or domain of the cloud-init drive"
		unsaid      = "what no claim can say and the provider does not read: `hotplug`, `localtime`, `kvm`, TPM, CPU units"
		cloudInit   = "user, password, keys or further addresses of the cloud-init drive"
		drive       = "the cloud-init drive removed, or moved to another slot or datastore"
	)

	conf := func(row, want, key, value string) byHand {
		return byHand{row: row, want: want, set: map[string]string{key: value}}
	}

	return map[string]byHand{
		"Cache":       {row: diskOptions, want: undone, add: map[string]string{"scsi1": ",cache=writeback"}},
		"Backup":      {row: diskOptions, want: undone, add: map[string]string{"scsi0": ",backup=0"}},
		"IOThread":    {row: diskOptions, want: undone, swap: [3]string{"scsi1", "iothread=1", "iothread=0"}},
		"Limit":       {row: diskOptions, want: undone, add: map[string]string{"scsi0": ",mbps_rd=100"}},
		"Bridge":      {row: network, want: undone, swap: [3]string{"net0", "vmbr0", "vmbr1"}},
		"VLAN":        {row: network, want: undone, add: map[string]string{"net0": ",tag=30"}},
		"Link":        {row: network, want: undone, add: map[string]string{"net0": ",link_down=1"}},
		"Firewall":    {row: network, want: undone, add: map[string]string{"net0": ",firewall=1"}},
		"Added":       conf("an interface added", undone, "net1", "virtio=BC:24:11:00:0F:02,bridge=vmbr1"),
		"Removed":     {row: "an interface removed", want: undone, delete: []string{"net0"}, but: "net0"},
		"MAC":         conf("the MAC address of an interface", stays, "net0", "virtio=BC:24:11:00:0F:09,bridge=vmbr0"),
		"Name":        conf(settings, undone, "name", "other"),
		"Notes":       conf(settings, undone, "description", "mine"),
		"Tags":        conf(settings, undone, "tags", "community-script"),
		"OnBoot":      conf(settings, undone, "onboot", "0"),
		"Protection":  conf(settings, undone, "protection", "1"),
		"BootOrder":   conf(settings, undone, "boot", "order=net0;scsi0"),
		"HookScript":  conf(settings, undone, "hookscript", "local:snippets/k3s-token.yaml"),
		"CPULimit":    conf(settings, undone, "cpulimit", "1.5"),
		"Cores":       conf(hardware, waits, "cores", "6"),
		"CPU":         conf(hardware, waits, "cpu", "host"),
		"Memory":      conf(hardware, waits, "memory", "8192"),
		"Machine":     conf(hardware, waits, "machine", "pc-q35-9.2"),
		"BIOS":        conf(hardware, waits, "bios", "ovmf"),
		"Controller":  conf(hardware, waits, "scsihw", "virtio-scsi-pci"),
		"Agent":       conf(hardware, waits, "agent", "0"),
		"NameServer":  conf(addresses, waits, "nameserver", "9.9.9.9"),
		"Address":     conf(addresses, waits, "ipconfig0", "ip=192.168.4.99/24,gw=192.168.4.1"),
		"USB":         conf("a device: PCI, USB, audio, virtiofs, watchdog", undone, "usb0", "mapping=stick"),
		"PCI":         conf("a device: PCI, USB, audio, virtiofs, watchdog", undone, "hostpci0", "mapping=gpu"),
		"Disk":        conf("a disk attached, or an `unused` one", stays, "scsi5", "local-lvm:7"),
		"ISO":         conf("an ISO in `ide2`", stays, "ide2", "local:iso/nixos-minimal-25.05.iso,media=cdrom"),
		"ISO3":        conf("an ISO in `ide3`", eachPoll, "ide3", "local:iso/nixos-minimal-25.05.iso,media=cdrom"),
		"Hotplug":     conf(unsaid, stays, "hotplug", "network,disk,usb,memory,cpu"),
		"TPM":         conf(unsaid, stays, "tpmstate0", "local-lvm:1,version=v2.0"),
		"CPUUnits":    conf(unsaid, stays, "cpuunits", "200"),
		"Password":    conf(cloudInit, eachPoll, "cipassword", "$5$abc"),
		"User":        conf(cloudInit, eachPoll, "ciuser", "root"),
		"RNG":         conf("`rng0` or `efidisk0`", eachPoll, "rng0", "source=/dev/urandom"),
		"Snapshot":    conf("a snapshot, a backup, a lock", stays, "parent", "before"),
		"Lock":        conf("a snapshot, a backup, a lock", stays, "lock", "backup"),
		"DriveGone":   {row: drive, want: told, delete: []string{"scsi30"}, says: "A change needs the VM to be stopped"},
		"CICustom":    {row: "the files of cloud-init (`cicustom`)", want: told, delete: []string{"cicustom"}, says: "`qm set 160 --cicustom meta=local:snippets/app01-"},
		"DiskGone":    {row: "a disk of the claim detached, also by a rollback or to another slot", want: told, delete: []string{"scsi1"}, says: "detached a disk of VM 160"},
		"BootDisk":    {row: "a disk of the claim detached, also by a rollback or to another slot", want: told, delete: []string{"scsi0"}, says: "a fresh copy of its image"},
		"AnotherSlot": {row: "a disk of the claim detached, also by a rollback or to another slot", want: told, set: map[string]string{"scsi7": "local-lvm:5"}, delete: []string{"scsi1"}},
	}
}

// keysByHand are changes of a VM with Secure Boot.
func keysByHand() map[string]byHand {
	return map[string]byHand{
		"Keys": {row: "keys of UEFI in `efidisk0`: `qm enroll-efi-keys`, Enroll Updated Certificates (`ms-cert=2023k`)", want: stays, add: map[string]string{"efidisk0": ",ms-cert=2023k"}},
	}
}

// TestHandsOnVMs: what becomes of what people change in Proxmox, with the real plugin. Nothing stops, and nothing is made anew.
func TestHandsOnVMs(t *testing.T) {
	t.Parallel()

	all := vmsByHand()
	maps.Copy(all, keysByHand())
	allPlayed(t, vmByHand, all)

	l := newLab(t)
	handsOn(t, l, l.machine(t, "app01", `{size: {cores: 2, memory: 4Gi, disk: 20Gi}, disks: [{name: data, size: 5Gi}], proxmox: {node: pve, vmId: 160}, network: {dhcp: true},
  bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}}`), 160, vmsByHand())
	handsOn(t, l, l.machine(t, "app02", `{size: {cores: 2, memory: 4Gi, disk: 20Gi}, firmware: {type: UEFI, secureBoot: true}, proxmox: {node: pve, vmId: 161}, network: {dhcp: true}}`),
		161, keysByHand())
}

// handsOn plays changes of a VM one after the other, each on the VM as it was made.
func handsOn(t *testing.T, l *lab, c *Control, id int, cases map[string]byHand) {
	t.Helper()
	l.settle(t, c)

	settled, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	for name, h := range cases {
		if err := c.Restore(t.Context(), settled); err != nil {
			t.Fatal(err)
		}

		before, since := l.vm(t, id), l.seq(t)
		l.touch(t, id, h.touch(before.Config))

		_, _ = c.Poll(t.Context()) // What goes wrong is in the conditions.
		_, err := c.Settle(t.Context())
		after := l.vm(t, id)

		if got := became(c, h, before.Config, after.Config, len(after.Pending), err); got != h.want {
			t.Errorf("%s (%s): want %q, got %q: %v\n%s", name, h.row, h.want, got, err, cmp.Diff(before.Config, after.Config))
		}

		if got := c.Conditions["ProviderHealthy"].GetMessage(); !strings.Contains(got, h.says) {
			t.Errorf("%s: want %q in %s", name, h.says, got)
		}

		if w := l.writes(t, since); strings.Contains(w, "/status/") || strings.Contains(w, "DELETE") || after.Status != before.Status {
			t.Errorf("%s: the VM is stopped, started or destroyed:\n%s", name, w)
		}
	}
}

// TestDetachedAndBack: what docs/errors.md says of a disk that somebody detached ends with the former disk in its place.
func TestDetachedAndBack(t *testing.T) {
	t.Parallel()

	l := newLab(t)
	c := l.machine(t, "app01", `{size: {cores: 2, memory: 4Gi, disk: 20Gi}, disks: [{name: data, size: 5Gi}], proxmox: {node: pve, vmId: 160}, network: {dhcp: true}}`)
	l.settle(t, c)

	had := l.vm(t, 160).Config["scsi1"]
	volume, _, _ := strings.Cut(had, ",")
	l.touch(t, 160, Touch{Delete: []string{"scsi1"}, Config: map[string]string{"unused0": volume}})

	_, _ = c.Poll(t.Context()) // It fails, as the conditions say.
	_, _ = c.Settle(t.Context())
	want(t, c, "ProviderHealthy", "False", "ConfigurationError", "detached a disk of VM 160", "--scsi1 <volume>,serial=<name of the disk>")

	empty, _, _ := strings.Cut(l.vm(t, 160).Config["scsi1"], ",")
	if empty == "" || empty == volume {
		t.Fatalf("want another disk in the place of %s, got %q", volume, empty)
	}

	l.touch(t, 160, Touch{Delete: []string{"unused0"}, Config: map[string]string{"scsi1": volume + ",serial=data,size=5G", "unused1": empty}})
	edit(t, c, `{lifecycle: {retry: again}}`)
	l.settle(t, c)
	without(t, l.poll(t, c), "PUT", "DELETE")
	want(t, c, "ProviderHealthy", "True", "NoError")

	if got, _, _ := strings.Cut(l.vm(t, 160).Config["scsi1"], ","); got != volume {
		t.Errorf("scsi1: want %s, got %s", volume, got)
	}
}

const containerByHand = "### A container changed in Proxmox"

// containersByHand are changes of [aContainer].
func containersByHand() map[string]byHand {
	const (
		settings = "cores, notes, tags, start at boot, start order"
		restarts = "memory, swap, host name, name server, nesting; bridge, VLAN or address of an interface"
		unsaid   = "a second interface, a device, other features, CPU limit or units, console, time zone, hook script, protection, a snapshot, a lock"
		mounts   = "a mount point added, removed or grown; the datastore of the root file system; unprivileged or not"
	)

	conf := func(row, want, key, value string) byHand {
		return byHand{row: row, want: want, set: map[string]string{key: value}}
	}
	anew := "Somebody changed container 150 in Proxmox"

	return map[string]byHand{
		"Notes":        conf(settings, undone, "description", "mine\n"),
		"Tags":         conf(settings, undone, "tags", "mine"),
		"OnBoot":       conf(settings, undone, "onboot", "0"),
		"Startup":      conf(settings, undone, "startup", "order=9"),
		"Cores":        {row: settings, want: undone, set: map[string]string{"cores": "4"}, but: "cpulimit"},
		"Memory":       conf(restarts, waits, "memory", "4096"),
		"Host":         conf(restarts, waits, "hostname", "other"),
		"NameServer":   conf(restarts, waits, "nameserver", "9.9.9.9"),
		"Bridge":       {row: restarts, want: waits, swap: [3]string{"net0", "vmbr0", "vmbr1"}},
		"Interface":    conf(unsaid, stays, "net1", "name=eth1,bridge=vmbr1,hwaddr=BC:24:11:00:00:99,type=veth"),
		"Device":       conf(unsaid, stays, "dev0", "/dev/dri/renderD128,gid=104"),
		"KeyCtl":       conf(unsaid, stays, "features", "nesting=1,keyctl=1"),
		"Protection":   conf(unsaid, stays, "protection", "1"),
		"Snapshot":     conf(unsaid, stays, "parent", "before"),
		"Lock":         conf(unsaid, stays, "lock", "backup"),
		"NoInterface":  {row: "the interface removed, or the root file system grown", want: told, delete: []string{"net0"}},
		"RootGrown":    {row: "the interface removed, or the root file system grown", want: told, swap: [3]string{"rootfs", "size=8G", "size=12G"}},
		"MountAdded":   {row: mounts, want: told, set: map[string]string{"mp5": "/tank/media,mp=/media"}, says: anew},
		"MountRemoved": {row: mounts, want: told, delete: []string{"mp0"}, says: anew},
		"MountGrown":   {row: mounts, want: told, swap: [3]string{"mp0", "size=10G", "size=12G"}, says: anew},
		"Privileged":   {row: mounts, want: told, delete: []string{"unprivileged"}, says: anew},
	}
}

// TestHandsOnContainers is the same for containers.
func TestHandsOnContainers(t *testing.T) {
	t.Parallel()

	cases := containersByHand()
	allPlayed(t, containerByHand, cases)

	l, lxc := withContainers(t)
	c := l.container(t, "dns01", aContainer)
	l.settle(t, c)

	before := lxc.Get(150)

	for name, h := range cases {
		lxc.Touch(150, func(x *LXC) { x.Config = h.of(before.Config) })
		lxc.Writes()

		_, _ = c.Poll(t.Context()) // What goes wrong is in the conditions.
		_, err := c.Settle(t.Context())
		after := lxc.Get(150)

		if got := became(c, h, before.Config, after.Config, 0, err); got != h.want {
			t.Errorf("%s (%s): want %q, got %q: %v\n%s", name, h.row, h.want, got, err, cmp.Diff(before.Config, after.Config))
		}

		if got := c.Conditions["ProviderHealthy"].GetMessage(); !strings.Contains(got, h.says) {
			t.Errorf("%s: want %q in %s", name, h.says, got)
		}

		if w := lxc.Writes(); strings.Contains(w, "/status/") || strings.Contains(w, "DELETE") || !after.Running {
			t.Errorf("%s: the container is stopped, started or destroyed:\n%s", name, w)
		}

		// The hand takes it back.
		lxc.Touch(150, func(x *LXC) { x.Config = maps.Clone(before.Config) })
		l.poll(t, c)
		l.settle(t, c)
	}
}

// TestAnEmptiedDrive: an installer whose file is gone can be taken out of its drive, and the rest of the claim arrives.
func TestAnEmptiedDrive(t *testing.T) {
	t.Parallel()

	const iso, emptied = "local:iso/nixos-minimal-25.05.iso", "none,media=cdrom"

	l := newLab(t)
	c := l.machine(t, "router", `{size: {cores: 2, memory: 4Gi, disk: 20Gi}, image: installer, proxmox: {node: pve, vmId: 160}}`)
	l.settle(t, c)

	if got := l.vm(t, 160).Config["ide2"]; !strings.HasPrefix(got, iso) {
		t.Fatalf("ide2: want %s, got %s", iso, got)
	}

	l.touch(t, 160, Touch{Config: map[string]string{"ide2": emptied}})

	// The plugin puts the medium in again, and Proxmox refuses a file that is gone.
	gone := Fault{Method: "PUT", Path: "/qemu/160/config", Status: 500, Message: "volume '" + iso + "' does not exist"}
	if err := l.Simulator.AddFault(t.Context(), gone); err != nil {
		t.Fatal(err)
	}

	since := l.seq(t)
	_, _ = c.Poll(t.Context()) // It fails, as the conditions say.

	if w := l.writes(t, since); !strings.Contains(w, "PUT") {
		t.Errorf("the plugin left the drive alone: %s", w)
	}

	if err := l.Simulator.ClearFaults(t.Context()); err != nil {
		t.Fatal(err)
	}

	_, _ = c.Settle(t.Context())

	edit(t, c, `{tags: [edge]}`)
	l.settle(t, c)
	without(t, l.poll(t, c), "PUT", "DELETE")

	if vm := l.vm(t, 160); vm.Config["ide2"] != emptied || !strings.Contains(vm.Config["tags"], "edge") {
		t.Errorf("want an empty drive and the tag edge, got %s and %s", vm.Config["ide2"], vm.Config["tags"])
	}
}
