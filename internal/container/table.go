package container

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// Restart is the effect of a change for which the provider restarts a running container, or which takes effect when it restarts: it waits for a
// restart that somebody asks for.
const Restart change.Effect = "Restart"

// nicFirewall is the field of the switch of a container's interface.
const nicFirewall = "spec.network.firewall"

// Fields of which more than their row is said.
const (
	keysField = "spec.bootstrap.sshAuthorizedKeys"
	macField  = "spec.network.mac"
)

// A comparison is what a change depends on, beside the two values.
type comparison struct {
	has, wanted proxmox.ContainerParameters
	machine     *machine.Container
	// adopted says that somebody else made the container.
	adopted bool
	further further
	// config is the name of the provider's configuration that the container has, and wantedConfig that of the claim's site.
	config, wantedConfig string
}

// site is the change that another site, or another connection of the site, would be: a container stays in its Proxmox cluster.
func (c comparison) site() []change.Change {
	if c.config == c.wantedConfig {
		return nil
	}

	return []change.Change{change.Connection(c.machine.Placement.Reconnected, c.config, c.wantedConfig)}
}

// A row is one property of containers.
type row struct {
	field string
	// words of the property. Equal words mean no change.
	words func(proxmox.ContainerParameters) string
	// effect of a change.
	effect func(comparison) change.Effect
	// unsaid says that the container keeps its value, because the claim does not say it. Nil: the claim always says it.
	unsaid func(comparison) bool
	// write the wanted value. Nil where no change is ever written.
	write func(to *proxmox.ContainerParameters, wanted proxmox.ContainerParameters)
}

// rows is the only table of what becomes of a change. What the provider restarts a container for, and what it would destroy one for, is in
// bpg/terraform-provider-proxmox v0.111.1, proxmoxtf/resource/container/container.go (containerUpdate, and the ForceNew fields of the schema). What
// Proxmox applies to a running container is in src/PVE/LXC/Config.pm of pve-container (vmconfig_hotplug_pending).
var rows = []row{ //nolint:gochecknoglobals // A constant table.
	{field: "spec.proxmox.vmId", words: vmID, effect: always(change.Refused), unsaid: unsaidVMID},
	{field: "spec.proxmox.node", words: node, effect: always(change.Refused)},
	{field: "spec.proxmox.pool", words: func(p params) string { return p.PoolID }, effect: always(change.Refused), unsaid: ofAdopted},
	{field: "spec.proxmox.storage", words: storage, effect: always(change.Refused), unsaid: ofAdopted},
	{field: "spec.image", words: template, effect: always(change.Refused), unsaid: unsaidTemplate},
	{field: "spec.os", words: distribution, effect: always(change.Refused), unsaid: unsaidTemplate},
	{field: "spec.unprivileged", words: unprivileged, effect: always(change.Refused), unsaid: unsaidUnprivileged},
	{field: keysField, words: keys, effect: always(change.Refused), unsaid: unsaidKeys},
	{field: "spec.disks", words: disks, effect: always(change.Refused), unsaid: keeps(func(k own) bool { return k.Disks })},

	{field: "description", words: notes, effect: always(change.InPlace), unsaid: keeps(func(k own) bool { return k.Notes }), write: writeNotes},
	{field: "spec.tags", words: tags, effect: always(change.InPlace), write: writeTags},
	{field: "spec.onBoot", words: onBoot, effect: always(change.InPlace), unsaid: keeps(func(k own) bool { return k.OnBoot }), write: writeOnBoot},
	{field: "spec.startup", words: startOrder, effect: always(change.InPlace), unsaid: keeps(func(k own) bool { return k.Startup }), write: writeStartup},
	{field: "spec.proxmox.protection", words: protection, effect: always(change.InPlace), unsaid: unsaidProtection, write: writeProtection},
	{field: "spec.size.cores", words: cores, effect: always(change.InPlace), unsaid: unsaidCores, write: writeCores},
	{field: "spec.size.disk", words: diskSize, effect: growth, unsaid: unsaidDisk, write: writeDisk},

	{field: "spec.size.memory", words: memory, effect: always(Restart), unsaid: unsaidMemory, write: writeMemory},
	{field: "spec.size.swap", words: swap, effect: always(Restart), unsaid: unsaidSwap, write: writeSwap},
	{field: "spec.hostname", words: params.Hostname, effect: always(Restart), unsaid: keeps(func(k own) bool { return k.Hostname }), write: writeHostname},
	{field: "spec.features.nesting", words: nesting, effect: nestingEffect, unsaid: unsaidNesting, write: writeNesting},

	{field: "spec.network.bridge", words: ofNIC(bridge), effect: network, unsaid: unsaidBridge, write: toNIC(writeBridge)},
	{field: "spec.network.vlan", words: ofNIC(vlan), effect: network, unsaid: unsaidVLAN, write: toNIC(writeVLAN)},
	{field: macField, words: ofNIC(mac), effect: network, unsaid: unsaidMAC, write: toNIC(writeMAC)},
	{field: nicFirewall, words: ofNIC(firewall), effect: network, unsaid: unsaidFirewall, write: toNIC(writeFirewall)},
	{field: "spec.network.mtu", words: ofNIC(mtu), effect: network, unsaid: unsaidMTU, write: toNIC(writeMTU)},
	{field: "spec.network.ip", words: ofIP(ipv4), effect: network, unsaid: unsaidNetwork, write: toIP(writeIPv4)},
	{field: "spec.network.ipv6", words: ofIP(ipv6), effect: network, unsaid: unsaidNetwork, write: toIP(writeIPv6)},
	{field: nicsField, words: furtherInterfaces, effect: network, unsaid: unsaidFurther, write: writeFurther},
	{field: "spec.network.dns", words: dns, effect: network, unsaid: unsaidDNS, write: writeDNS},
	{field: "spec.network.domain", words: domain, effect: network, unsaid: unsaidDomain, write: writeDomain},
	{field: "spec.network.searchDomains", words: searchDomains, effect: network, unsaid: unsaidDomain, write: writeDomain},
}

type (
	params = proxmox.ContainerParameters
	own    = machine.ContainerKeeps
)

// Changes are how a container differs from its claim, in the order of the table.
func (c comparison) changes() []change.Change {
	out, settled := c.site(), c.settled()

	for _, r := range rows {
		has, wanted := r.words(c.has), r.words(settled)
		if has == wanted || r.unsaid != nil && r.unsaid(c) {
			continue
		}

		out = append(out, change.Change{Field: r.field, Has: has, Wanted: wanted, Effect: r.effect(c)})
	}

	return append(out, lifecycle.AddressLater(&c.machine.Machine)...)
}

// with is the container with the changes of some effects.
func (c comparison) with(effects ...change.Effect) proxmox.ContainerParameters {
	out, settled := clone(c.has), c.settled()

	for _, r := range rows {
		if r.write == nil || r.words(c.has) == r.words(settled) || r.unsaid != nil && r.unsaid(c) {
			continue
		}

		if slices.Contains(effects, r.effect(c)) {
			r.write(&out, settled)
		}
	}

	return out
}

// clone copies what a row may write to.
func clone(p params) params {
	p.CPU, p.Memory, p.Features = slices.Clone(p.CPU), slices.Clone(p.Memory), slices.Clone(p.Features)
	p.Disk, p.NetworkInterface, p.Initialization = slices.Clone(p.Disk), slices.Clone(p.NetworkInterface), slices.Clone(p.Initialization)

	for i := range p.Initialization {
		p.Initialization[i].DNS = slices.Clone(p.Initialization[i].DNS)
		p.Initialization[i].IPConfig = slices.Clone(p.Initialization[i].IPConfig)
	}

	return p
}

// of are the changes of an effect.
func of(effect change.Effect, all []change.Change) []change.Change {
	return slices.DeleteFunc(slices.Clone(all), func(c change.Change) bool { return c.Effect != effect })
}

func always(e change.Effect) func(comparison) change.Effect {
	return func(comparison) change.Effect { return e }
}

func ofAdopted(c comparison) bool { return c.adopted }

// unsaidTemplate: nobody knows the template of an adopted container, nor today's of one whose entries the catalogue lacks.
func unsaidTemplate(c comparison) bool {
	return c.adopted || c.machine.Keeps(machine.PartImage, machine.PartSite, machine.PartStorage)
}

// unsaidKeys: a container gets the keys of the catalogue when it is created, and a key that is rotated there asks for no other container.
func unsaidKeys(c comparison) bool { return c.adopted || c.machine.KeysUnsaid }

func keeps(which func(own) bool) func(comparison) bool {
	return func(c comparison) bool { return which(c.machine.KeepsOwn) }
}

// The rules of single properties.

// growth of the root file system. Proxmox reports of an adopted one whether it is replicated only where somebody said so, and the provider would take
// it out of replication.
func growth(c comparison) change.Effect {
	if c.adopted || size(c.wanted) < size(c.has) || len(c.has.Disk) == 0 {
		return change.Refused
	}

	return change.InPlace
}

// network: the provider pairs interfaces and addresses by their places in two lists, from which it leaves out what is not there. That is known to be right
// for the interfaces of a container that we made. In the network of another Proxmox cluster is no place for it.
func network(c comparison) change.Effect {
	other := c.config != c.wantedConfig && c.machine.Placement.Elsewhere
	byHand := len(c.has.NetworkInterface) > 1 && c.further != furtherOfClaim

	if c.adopted || other || byHand || !paired(c.has) {
		return change.Refused
	}

	return Restart
}

// nestingEffect: only root@pam changes the features of a privileged container.
func nestingEffect(c comparison) change.Effect {
	if !c.has.Unprivileged {
		return change.Refused
	}

	return Restart
}

func unsaidUnprivileged(c comparison) bool { return c.machine.Unprivileged == nil }
func unsaidNesting(c comparison) bool      { return c.machine.Nesting == nil }

// unsaidVMID: the VMID of adopt is of a container to take over, and a claim that has one takes over no other.
func unsaidVMID(c comparison) bool { return c.machine.Placement.VMID == 0 && c.machine.Adopt != nil }

func unsaidProtection(c comparison) bool { return c.machine.ProxmoxProtection == nil }
func unsaidCores(c comparison) bool      { return c.machine.Cores == 0 }
func unsaidMemory(c comparison) bool     { return c.machine.MemoryMiB == 0 }
func unsaidSwap(c comparison) bool       { return c.machine.SwapMiB == nil }
func unsaidDisk(c comparison) bool       { return c.machine.Boot.DiskGiB == 0 }
func unsaidNetwork(c comparison) bool    { return c.machine.KeepsOwn.Network }
func unsaidBridge(c comparison) bool     { return unsaidNetwork(c) || c.machine.KeepsOwn.Bridge }
func unsaidVLAN(c comparison) bool       { return unsaidNetwork(c) || c.machine.KeepsOwn.VLAN }
func unsaidMAC(c comparison) bool        { return unsaidNetwork(c) || c.machine.NICs[0].MAC == "" }

func unsaidFirewall(c comparison) bool { return unsaidNetwork(c) || c.machine.NICs[0].Firewall == nil }

func unsaidMTU(c comparison) bool { return unsaidNetwork(c) || c.adopted && c.machine.NICs[0].MTU == 0 }

// unsaidDNS: the provider ignores that a container is to lose its name servers (skipDnsDiffIfEmpty).
func unsaidDNS(c comparison) bool {
	return unsaidNetwork(c) || c.machine.KeepsOwn.DNS || len(c.machine.DNS) == 0
}

func unsaidDomain(c comparison) bool {
	return unsaidNetwork(c) || c.machine.KeepsOwn.DNS || c.machine.Search() == ""
}

// The properties in words.

func vmID(p params) string {
	if p.VMID == nil {
		return ""
	}

	return strconv.FormatInt(*p.VMID, 10)
}

func node(p params) string         { return p.NodeName }
func notes(p params) string        { return strings.TrimSpace(p.Description) }
func protection(p params) string   { return strconv.FormatBool(is(p.Protection)) }
func onBoot(p params) string       { return strconv.FormatBool(p.StartOnBoot) }
func unprivileged(p params) string { return strconv.FormatBool(p.Unprivileged) }

func tags(p params) string {
	sorted := slices.Sorted(slices.Values(p.Tags))

	return strings.Join(sorted, ", ")
}

func storage(p params) string {
	if len(p.Disk) == 0 {
		return ""
	}

	return p.Disk[0].DatastoreID
}

func template(p params) string {
	if len(p.OperatingSystem) == 0 {
		return ""
	}

	return p.OperatingSystem[0].TemplateFileID
}

func distribution(p params) string {
	if len(p.OperatingSystem) == 0 || p.OperatingSystem[0].Type == "" {
		return "unmanaged"
	}

	return p.OperatingSystem[0].Type
}

// keys are told apart without a key in a message.
func keys(p params) string {
	if len(p.Initialization) == 0 || len(p.Initialization[0].UserAccount) == 0 || len(p.Initialization[0].UserAccount[0].Keys) == 0 {
		return ""
	}

	all := p.Initialization[0].UserAccount[0].Keys
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))

	return fmt.Sprintf("%d (%s)", len(all), hex.EncodeToString(sum[:3]))
}

// disks by their paths. Of a volume that exists only the datastore counts.
func disks(p params) string {
	out := make([]string, 0, len(p.MountPoint))

	for _, m := range p.MountPoint {
		datastore, _, _ := strings.Cut(m.Volume, ":")

		text := "/" + strings.TrimPrefix(m.Path, "/") + " " + datastore
		if m.Size != "" {
			text += " " + sizeInGiB(m.Size)
		}

		if !m.Backup {
			text += " without backup"
		}

		out = append(out, text)
	}

	slices.Sort(out)

	return strings.Join(out, ", ")
}

// sizeInGiB is the size of a volume as the provider gets it from us, such as 1024G for 1T: Proxmox shows a size in the largest unit that it is a whole number
// of. What is no whole number of GiB, and what has no unit, stays as it is.
func sizeInGiB(text string) string {
	n, whole := quantity.ShownGiB(text)
	if bytes := text[len(text)-1] < 'A'; bytes || !whole {
		return text
	}

	return strconv.FormatInt(n, 10) + "G"
}

func startOrder(p params) string {
	if len(p.Startup) == 0 {
		return ""
	}

	s := p.Startup[0]

	return fmt.Sprintf("order %d, up %d, down %d", s.Order, s.UpDelay, s.DownDelay)
}

// cores of a container. The provider leaves out what is as in a container without settings.
func cores(p params) string {
	if len(p.CPU) == 0 || p.CPU[0].Cores == 0 {
		return "1"
	}

	return strconv.FormatInt(p.CPU[0].Cores, 10)
}

func memory(p params) string { return mib(p.MemoryMiB()) }

func swap(p params) string {
	if len(p.Memory) == 0 {
		return mib(0)
	}

	return mib(p.Memory[0].Swap)
}

func mib(n int64) string { return strconv.FormatInt(n, 10) + " MiB" }

func size(p params) int64 {
	if len(p.Disk) == 0 {
		return 0
	}

	return p.Disk[0].Size
}

func diskSize(p params) string { return strconv.FormatInt(size(p), 10) + " GiB" }

func nesting(p params) string {
	return strconv.FormatBool(len(p.Features) > 0 && p.Features[0].Nesting)
}

func ofNIC(words func(proxmox.ContainerNIC) string) func(params) string {
	return func(p params) string {
		if len(p.NetworkInterface) == 0 {
			return ""
		}

		return words(p.NetworkInterface[0])
	}
}

func bridge(n proxmox.ContainerNIC) string   { return n.Bridge }
func mac(n proxmox.ContainerNIC) string      { return strings.ToUpper(n.MACAddress) }
func firewall(n proxmox.ContainerNIC) string { return strconv.FormatBool(n.Firewall) }
func vlan(n proxmox.ContainerNIC) string     { return positive(n.VLANID) }
func mtu(n proxmox.ContainerNIC) string      { return positive(n.MTU) }

func positive(n int64) string {
	if n == 0 {
		return ""
	}

	return strconv.FormatInt(n, 10)
}

func ofIP(words func(proxmox.IPConfig) string) func(params) string {
	return func(p params) string {
		if len(p.Initialization) == 0 || len(p.Initialization[0].IPConfig) == 0 {
			return ""
		}

		return words(p.Initialization[0].IPConfig[0])
	}
}

func ipv4(c proxmox.IPConfig) string { return address(c.IPv4) }
func ipv6(c proxmox.IPConfig) string { return address(c.IPv6) }

func address(a []proxmox.IPAddress) string {
	switch {
	case len(a) == 0:
		return ""
	case a[0].Gateway == "":
		return a[0].Address
	}

	return a[0].Address + " through " + a[0].Gateway
}

func dns(p params) string {
	if d := dnsOf(p); d != nil {
		return strings.Join(d.Servers, ", ")
	}

	return ""
}

func domain(p params) string {
	first, _ := search(p)

	return first
}

func searchDomains(p params) string {
	_, further := search(p)

	return further
}

func search(p params) (first, further string) {
	if d := dnsOf(p); d != nil {
		return d.Search()
	}

	return "", ""
}

func dnsOf(p params) *proxmox.DNS {
	if len(p.Initialization) == 0 || len(p.Initialization[0].DNS) == 0 {
		return nil
	}

	return &p.Initialization[0].DNS[0]
}

// How changes are written. What the provider left out of its report has defaults.

func writeNotes(to *params, wanted params)      { to.Description = wanted.Description }
func writeTags(to *params, wanted params)       { to.Tags = wanted.Tags }
func writeProtection(to *params, wanted params) { to.Protection = wanted.Protection }
func writeOnBoot(to *params, wanted params)     { to.StartOnBoot = wanted.StartOnBoot }
func writeStartup(to *params, wanted params)    { to.Startup = wanted.Startup }
func writeDisk(to *params, wanted params)       { to.Disk[0].Size = wanted.Disk[0].Size }
func writeNesting(to *params, wanted params)    { first(&to.Features).Nesting = nesting(wanted) == "true" }

func writeHostname(to *params, wanted params) { first(&to.Initialization).Hostname = wanted.Hostname() }
func writeCores(to *params, wanted params)    { first(&to.CPU).Cores = wanted.CPU[0].Cores }

func writeMemory(to *params, wanted params) { first(&to.Memory).Dedicated = wanted.Memory[0].Dedicated }

func writeSwap(to *params, wanted params) {
	if len(to.Memory) == 0 {
		to.Memory = []proxmox.ContainerMemory{{Dedicated: proxmox.UnsetMemoryMiB}}
	}

	to.Memory[0].Swap = wanted.Memory[0].Swap
}

func toNIC(write func(to *proxmox.ContainerNIC, wanted proxmox.ContainerNIC)) func(to *params, wanted params) {
	return func(to *params, wanted params) { write(first(&to.NetworkInterface), wanted.NetworkInterface[0]) }
}

func writeBridge(to *proxmox.ContainerNIC, wanted proxmox.ContainerNIC) { to.Bridge = wanted.Bridge }

func writeVLAN(to *proxmox.ContainerNIC, wanted proxmox.ContainerNIC) { to.VLANID = wanted.VLANID }

func writeMAC(to *proxmox.ContainerNIC, wanted proxmox.ContainerNIC) {
	to.MACAddress = wanted.MACAddress
}

func writeFirewall(to *proxmox.ContainerNIC, wanted proxmox.ContainerNIC) {
	to.Firewall = wanted.Firewall
}
func writeMTU(to *proxmox.ContainerNIC, wanted proxmox.ContainerNIC) { to.MTU = wanted.MTU }

func toIP(write func(to *proxmox.IPConfig, wanted proxmox.IPConfig)) func(to *params, wanted params) {
	return func(to *params, wanted params) {
		write(first(&first(&to.Initialization).IPConfig), wanted.Initialization[0].IPConfig[0])
	}
}

func writeIPv4(to *proxmox.IPConfig, wanted proxmox.IPConfig) { to.IPv4 = wanted.IPv4 }
func writeIPv6(to *proxmox.IPConfig, wanted proxmox.IPConfig) { to.IPv6 = wanted.IPv6 }

func writeDNS(to *params, wanted params) {
	first(&first(&to.Initialization).DNS).Servers = wanted.Initialization[0].DNS[0].Servers
}

func writeDomain(to *params, wanted params) {
	first(&first(&to.Initialization).DNS).Domain = wanted.Initialization[0].DNS[0].Domain
}

// first element of a list, which is made where there is none.
func first[T any](list *[]T) *T {
	if len(*list) == 0 {
		*list = make([]T, 1)
	}

	return &(*list)[0]
}
