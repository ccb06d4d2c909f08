package validate

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	customCPUPattern    = regexp.MustCompile(`^custom-[A-Za-z0-9_-]{1,64}$`)
	templateDiskPattern = regexp.MustCompile(`^(scsi([0-9]|[12][0-9]|30)|virtio([0-9]|1[0-5])|sata[0-5]|ide[0-3])$`)
)

// Catalog checks every entry of a catalogue. (For a claim, the function checks only the entries that the claim uses.)
func Catalog(c catalog.Catalog) field.ErrorList {
	errs := Defaults(c.Defaults)

	for _, name := range slices.Sorted(maps.Keys(c.Classes)) {
		if v, faults := c.Class(nil, name); len(faults) == 0 {
			errs = append(errs, Class(v)...)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(c.Images)) {
		if v, faults := c.Image(nil, name); len(faults) == 0 {
			errs = append(errs, Image(v)...)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(c.Sites)) {
		if v, faults := c.Site(nil, name); len(faults) == 0 {
			errs = append(errs, wholeSite(v)...)
		}
	}

	errs = append(errs, proxmoxNames(c)...)
	errs = append(errs, tenancy(c)...)

	for _, name := range slices.Sorted(maps.Keys(c.Clusters)) {
		if v, faults := c.Cluster(nil, name); len(faults) == 0 {
			errs = append(errs, Cluster(v)...)
		}
	}

	return errs
}

// Sound is a catalogue with its sound sites and clusters marked: whoever keeps the catalogue has them checked once, and not at every call.
func Sound(c catalog.Catalog) catalog.Catalog {
	c.Sites, c.Clusters = maps.Clone(c.Sites), maps.Clone(c.Clusters)

	for name, entry := range c.Sites {
		v, faults := c.Site(nil, name)
		entry.Sound = len(faults) == 0 && len(wholeSite(v)) == 0
		c.Sites[name] = entry
	}

	for name, entry := range c.Clusters {
		v, faults := c.Cluster(nil, name)
		entry.Sound = len(faults) == 0 && len(Cluster(v)) == 0
		c.Clusters[name] = entry
	}

	return c
}

// wholeSite checks a site with its nodes.
func wholeSite(s catalog.Site) field.ErrorList {
	errs := Site(s)
	for _, node := range slices.Sorted(maps.Keys(s.Nodes)) {
		errs = append(errs, SiteNode(s, node)...)
	}

	return errs
}

// Defaults checks a catalogue's defaults, except for the names of entries: these are checked when a claim uses them.
func Defaults(d catalog.Defaults) field.ErrorList {
	errs := AdminUser(d.Path("adminUser"), d.AdminUser)

	errs = append(errs, SSHKeys(d.Path("sshAuthorizedKeys"), d.SSHAuthorizedKeys)...)

	errs = append(errs, approval(d.Path("approval"), d.Approval)...)

	return append(errs, DefaultFirewall(d.Path("firewall"), d.Firewall)...)
}

// Class checks a sizing class.
func Class(c catalog.Class) field.ErrorList {
	at := c.Path()
	errs := Cores(at.Child("cores"), &c.Cores)
	errs = append(errs, Memory(at.Child("memory"), c.Memory)...)
	errs = append(errs, Disk(at.Child("disk"), c.Disk)...)

	return append(errs, cpuType(at.Child("cpuType"), c.CPUType)...)
}

// Image checks an image.
func Image(i catalog.Image) field.ErrorList {
	at := i.Path()

	var errs field.ErrorList

	sources := 0
	for _, set := range []bool{i.URL != "", i.Volume != "", i.Template != 0} {
		if set {
			sources++
		}
	}

	if sources != 1 {
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set exactly one of url, volume and template"))
	}

	errs = append(errs, imageSource(at, i)...)
	errs = append(errs, imageOS(at.Child("os"), i.OS)...)

	if i.ConvergeUnit && i.OS != string(machine.OSNixOS) {
		errs = append(errs, field.Invalid(at.Child("convergeUnit"), true, "only an image with os: nixos contains this unit"))
	}

	if i.Disk != "" {
		errs = append(errs, Disk(at.Child("disk"), i.Disk)...)
	}

	return append(errs, Firmware(at.Child("firmware"), i.Firmware)...)
}

func imageSource(at *field.Path, i catalog.Image) field.ErrorList {
	var errs field.ErrorList

	if i.URL != "" {
		faults := i.SourceFaults()
		errs = append(errs, faults...)
	} else if i.FileName != "" || i.KeepFileName || i.Checksum != "" {
		errs = append(errs, field.Forbidden(at, "fileName, keepFileName and checksum go with url"))
	}

	if i.Volume != "" {
		if _, err := catalog.ParseVolume(i.Volume); err != nil {
			errs = append(errs, field.Invalid(at.Child("volume"), message.Excerpt(i.Volume), err.Error()))
		}
	}

	if i.Template != 0 {
		errs = append(errs, VMID(at.Child("template"), &i.Template)...)
	} else if i.TemplateNode != "" || i.TemplateDisk != "" {
		errs = append(errs, field.Forbidden(at, "templateNode and templateDisk go with template"))
	}

	errs = append(errs, NodeName(at.Child("templateNode"), i.TemplateNode)...)

	if i.TemplateDisk == machine.CloudInitInterface && (i.CloudInit == nil || *i.CloudInit) {
		errs = append(errs, field.Invalid(at.Child("templateDisk"), i.TemplateDisk,
			"is where machines have their cloud-init drive: move the disk in the template, such as to scsi0, or set cloudInit: false"))
	}

	return append(errs, textRule{
		maxRunes: 8, pattern: templateDiskPattern,
		message: "must be the interface of the template's boot disk, such as scsi0 or virtio0",
	}.check(at.Child("templateDisk"), i.TemplateDisk)...)
}

// maxShared is how many shared datastores a site has at most.
const maxShared = 64

// Site checks a site, except for its nodes.
func Site(s catalog.Site) field.ErrorList {
	if s.Sound {
		return nil
	}

	at := s.Path()

	var errs field.ErrorList

	if s.ProviderConfig != "" && len(validation.IsDNS1123Subdomain(s.ProviderConfig)) > 0 {
		errs = append(errs, field.Invalid(at.Child("providerConfig"), message.Excerpt(s.ProviderConfig), "must be the name of a provider configuration, such as default"))
	}

	if s.Proxmox != "" && len(validation.IsDNS1123Label(s.Proxmox)) > 0 {
		errs = append(errs, field.Invalid(at.Child("proxmox"), message.Excerpt(s.Proxmox), "must be a name of lower case letters, digits and -, such as dc1"))
	}

	errs = append(errs, OneOf(at.Child("providerConfigKind"), s.ProviderConfigKind, "ProviderConfig", "ClusterProviderConfig")...)
	errs = append(errs, OneOf(at.Child("report"), s.Report, string(v1alpha1.ReportLink), string(v1alpha1.ReportNone))...)
	errs = append(errs, OneOf(at.Child("images"), s.Images, catalogue.ImagesStrict, catalogue.ImagesOpen)...)
	errs = append(errs, snippetRule().items(at.Child("snippets"), s.Snippets, maxListedSnippets)...)
	errs = append(errs, siteNetwork(at.Child("network"), s.Network)...)
	errs = append(errs, datastoreRule().items(at.Child("sharedDatastores"), s.SharedDatastores, maxShared)...)
	errs = append(errs, firewallNames(at.Child("firewall"), s.Firewall)...)

	return append(errs, vmIDs(at.Child("vmIds"), s.VMIDs)...)
}

// otherOS are systems by the names that people and Proxmox have for them, and the word of a catalogue for their kind.
var otherOS = []struct { //nolint:gochecknoglobals // A constant table.
	names *regexp.Regexp
	word  machine.OS
}{
	{regexp.MustCompile(`^(?:win|w2k|w(?:xp|vista)|microsoft)`), machine.OSWindows},
	{
		regexp.MustCompile(`^(?:l2[46]|rocky|alma|rhel|red_?hat|centos|fedora|ol\d*|oracle|suse|opensuse|sles|arch|alpine|gentoo|kali|void|flatcar|talos|coreos|` +
			`fcos|amazon|devuan|mint|haos|openwrt|truenas|gnu)`), machine.OSLinux,
	},
	{regexp.MustCompile(`^(?:free|open|net|dragonfly)?bsd|^(?:solaris|opnsense|pfsense|mac_?os)`), machine.OSOther},
}

// imageOS checks the system of an image. Of another name, the word for its kind is named.
func imageOS(at *field.Path, name string) field.ErrorList {
	errs := OneOf(at, machine.OS(name), machine.OSDebian, machine.OSUbuntu, machine.OSNixOS, machine.OSLinux, machine.OSWindows, machine.OSOther)

	for _, o := range otherOS {
		if len(errs) > 0 && o.names.MatchString(strings.ReplaceAll(strings.ToLower(name), "-", "_")) {
			return field.ErrorList{field.Invalid(at, message.Excerpt(name), "must be debian, ubuntu, nixos, linux, windows or other, and for this one it is "+string(o.word)+": write "+string(o.word))}
		}
	}

	return errs
}

func siteNetwork(at *field.Path, n catalogue.SiteNetwork) field.ErrorList {
	errs := Bridge(at.Child("bridge"), n.Bridge)

	if n.VLAN != 0 {
		errs = append(errs, VLAN(at.Child("vlan"), &n.VLAN)...)
	}

	if n.Gateway != "" {
		errs = append(errs, IPv4(at.Child("gateway"), n.Gateway)...)
	}

	if n.CIDR != 0 {
		errs = append(errs, between(at.Child("cidr"), &n.CIDR, 1, 32)...)
	}

	errs = append(errs, DNS(at.Child("dns"), n.DNS)...)
	errs = append(errs, Domain(at.Child("domain"), n.Domain)...)

	return append(errs, addressPool(at, n)...)
}

// addressPool checks a site's address pool. It is inside the subnet of gateway and cidr.
func addressPool(at *field.Path, n catalogue.SiteNetwork) field.ErrorList {
	if n.Pool.IsZero() {
		return nil
	}

	// Prefix length and gateway come with each address.
	if n.Pool.Named != nil {
		_, errs := catalog.NamedPool(n.Pool, at.Child("pool"))
		return errs
	}

	ranges, errs := catalog.AddressRanges(n.Pool, at.Child("pool"))
	gateway, err := netip.ParseAddr(n.Gateway)

	switch {
	case n.CIDR == 0:
		errs = append(errs, field.Required(at.Child("cidr"), "must be the prefix length of the subnet that the pool is in, such as 24"))
	case n.CIDR > 0 && n.CIDR <= 32:
		errs = append(errs, poolInSubnet(at.Child("pool"), ranges, gateway, n)...)
	}

	for i, r := range ranges {
		p := catalog.RangeAt(n.Pool, at.Child("pool"), i)

		if err == nil && r.Contains(gateway) {
			errs = append(errs, field.Invalid(p, r.String(), fmt.Sprintf("contains the gateway, %s: leave it out, for instance as two ranges", gateway)))
		}

		for _, before := range ranges[:i] {
			if before.Overlaps(r) && r.From.IsValid() {
				errs = append(errs, field.Invalid(p, r.String(), "overlaps with "+before.String()))
				break
			}
		}
	}

	return errs
}

// poolInSubnet checks that the ranges of a pool are inside the subnet of the gateway, or without one in that of the first range, and have
// only addresses of machines.
func poolInSubnet(at *field.Path, ranges []machine.AddressRange, gateway netip.Addr, n catalogue.SiteNetwork) field.ErrorList {
	inside, how := gateway, fmt.Sprintf("of gateway %s and cidr %d", n.Gateway, n.CIDR)
	if i := slices.IndexFunc(ranges, func(r machine.AddressRange) bool { return r.From.IsValid() }); !inside.Is4() && i >= 0 {
		inside, how = ranges[i].From, fmt.Sprintf("of the first address and cidr %d", n.CIDR)
	}

	subnet, err := inside.Prefix(int(n.CIDR))
	if err != nil {
		return nil
	}

	var errs field.ErrorList

	for i, r := range ranges {
		p := catalog.RangeAt(n.Pool, at, i)

		switch {
		case !r.From.IsValid():
		case !subnet.Contains(r.From) || !subnet.Contains(r.To):
			errs = append(errs, field.Invalid(p, r.String(), fmt.Sprintf("must be inside the subnet %s, which is %s", how, subnet)))
		case subnet.Bits() < 31 && r.Contains(subnet.Addr()):
			errs = append(errs, field.Invalid(p, r.String(), fmt.Sprintf("contains the address of the subnet %s itself", subnet)))
		case subnet.Bits() < 31 && r.Contains(machine.SubnetRange(subnet).To):
			errs = append(errs, field.Invalid(p, r.String(), fmt.Sprintf("contains the broadcast address of the subnet %s", subnet)))
		}
	}

	return errs
}

// SiteNode checks a site's entry for one node.
func SiteNode(s catalog.Site, name string) field.ErrorList {
	if s.Sound {
		return nil
	}

	at, n := s.NodePath(name), s.Nodes[name]
	errs := nodeRule().required(at, name)
	errs = append(errs, Datastore(at.Child("datastores", "disks"), n.Datastores.Disks)...)
	errs = append(errs, Datastore(at.Child("datastores", "images"), n.Datastores.Images)...)
	errs = append(errs, Datastore(at.Child("datastores", "snippets"), n.Datastores.Snippets)...)

	for i, b := range n.Bridges {
		errs = append(errs, requiredBridge(at.Child("bridges").Index(i), b)...)
	}

	for _, d := range slices.Sorted(maps.Keys(n.Storages)) {
		p := at.Child("storages", message.Key(d))
		errs = append(errs, Datastore(p, d)...)

		for i, content := range n.Storages[d] {
			errs = append(errs, OneOf(p.Index(i), content, "images", "rootdir", "import", "snippets", "iso", "vztmpl", "backup")...)
		}
	}

	for i, m := range n.PCI {
		errs = append(errs, Mapping(at.Child("pci").Index(i), m)...)
	}

	for i, m := range n.USB {
		errs = append(errs, Mapping(at.Child("usb").Index(i), m)...)
	}

	return append(errs, nodeCapacity(at, n)...)
}

// nodeCapacity checks what a node has room for.
func nodeCapacity(at *field.Path, n catalogue.Node) field.ErrorList {
	errs := Cores(at.Child("cores"), n.Cores)

	if n.Memory != "" {
		errs = append(errs, Memory(at.Child("memory"), n.Memory)...)
	}

	if n.Reserve != "" && n.Reserve != "0" {
		errs = append(errs, Memory(at.Child("reserve"), n.Reserve)...)
	}

	if n.Reserve != "" && n.Memory == "" {
		errs = append(errs, field.Required(at.Child("memory"), "reserve is a part of the node's memory, such as 64Gi"))
	}

	if _, known := catalog.CapacityMiB(n); n.Memory != "" && !known && len(errs) == 0 {
		errs = append(errs, field.Invalid(at.Child("memory"), message.Excerpt(string(n.Memory)),
			fmt.Sprintf("must be more than the reserve, which is %s", cmp.Or(message.Excerpt(string(n.Reserve)), catalog.DefaultReserve))))
	}

	return errs
}

// Cluster checks a K3s cluster's entry. K3s must have each key of config for servers or for agents; each kind of node gets its
// own keys.
func Cluster(c catalog.Cluster) field.ErrorList {
	if c.Sound {
		return nil
	}

	at := c.Path()
	errs := K3sAddress(at.Child("server"), c.Server)
	errs = append(errs, K3sVersion(at.Child("version"), c.Version)...)
	errs = append(errs, K3sToken(at.Child("token"), c.Token)...)
	errs = append(errs, K3sDisable(at.Child("disable"), c.Disable)...)
	errs = append(errs, K3sTLSSANs(at.Child("tlsSANs"), c.TLSSANs)...)
	errs = append(errs, snippetRule().items(at.Child("snippets"), c.Snippets, maxListedSnippets)...)
	errs = append(errs, namespaces(at.Child("namespaces"), c.Namespaces)...)
	errs = append(errs, k3s.ValidateClusterConfig(c.Config, at.Child("config"))...)

	if c.InstallURL != "" {
		errs = append(errs, k3s.ValidateInstallURL(c.InstallURL, at.Child("installURL"))...)
	}

	if c.InstallSHA256 != "" {
		errs = append(errs, k3s.ValidateSHA256(c.InstallSHA256, at.Child("installSHA256"))...)
	}

	if c.ReleaseURL != "" {
		errs = append(errs, k3s.ValidateReleaseURL(c.ReleaseURL, at.Child("releaseURL"))...)
	}

	if c.BinarySHA256 != "" {
		errs = append(errs, k3s.ValidateSHA256(c.BinarySHA256, at.Child("binarySHA256"))...)
	}

	errs = append(errs, k3s.ValidateProxy(k3s.Proxy{HTTP: c.Proxy.HTTP, HTTPS: c.Proxy.HTTPS, No: c.Proxy.Direct()}, at.Child("proxy"))...)

	return append(errs, clusterObservation(c)...)
}

// clusterObservation checks how a cluster's Nodes are read.
func clusterObservation(c catalog.Cluster) field.ErrorList {
	at := c.Path()
	errs := OneOf(at.Child("observe"), c.Observe, machine.ObserveNone, machine.ObserveHere, machine.ObserveObject)

	switch {
	case c.ProviderConfig == "" && c.Observe == machine.ObserveObject:
		errs = append(errs, field.Required(at.Child("providerConfig"), "observe: Object reads Nodes through provider-kubernetes: name its configuration for the cluster, such as home"))
	case c.ProviderConfig == "":
	case !c.Observe.Reads():
		errs = append(errs, field.Forbidden(at.Child("providerConfig"), "is for clusters with observe: Here or observe: Object"))
	case len(validation.IsDNS1123Subdomain(c.ProviderConfig)) > 0:
		errs = append(errs, field.Invalid(at.Child("providerConfig"), message.Excerpt(c.ProviderConfig), "must be the name of a ProviderConfig of provider-kubernetes, such as default"))
	}

	errs = append(errs, OneOf(at.Child("zoneLabel"), c.ZoneLabel, machine.ZoneNone, machine.ZoneProxmoxNode)...)
	if c.ZoneLabel == machine.ZoneProxmoxNode && (c.ProviderConfig == "" || !c.Observe.Reads()) {
		errs = append(errs, field.Forbidden(at.Child("zoneLabel"), "provider-kubernetes writes the label on Nodes that the function knows: set observe and providerConfig of the cluster, too"))
	}

	if c.ProtectVolumes && c.Observe != machine.ObserveHere {
		errs = append(errs, field.Forbidden(at.Child("protectVolumes"),
			"the function reads PersistentVolumes only in the cluster that Crossplane runs in: set observe: Here, if these machines join that cluster"))
	}

	if c.ObserveSnapshots && c.Observe != machine.ObserveHere {
		errs = append(errs, field.Forbidden(at.Child("observeSnapshots"),
			"the function reads snapshots of etcd only in the cluster that Crossplane runs in: set observe: Here, if these machines join that cluster"))
	}

	return slices.Concat(errs, clusterDrain(c), clusterUpgrade(c))
}

// imageNamePattern is that of a container image's name without tag and digest.
var imageNamePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*(:[0-9]+)?/)?[a-z0-9._/-]*$`)

// clusterUpgrade checks how a cluster's nodes are upgraded in place.
func clusterUpgrade(c catalog.Cluster) field.ErrorList {
	at, u := c.Path().Child("systemUpgrade"), c.SystemUpgrade

	errs := upgradeWord(c)

	if u != (catalogue.SystemUpgrade{}) && c.ProviderConfig == "" {
		errs = append(errs, field.Forbidden(at, "provider-kubernetes writes the Plans of system-upgrade-controller: set observe and providerConfig of the cluster, too"))
	}

	if u.Namespace != "" && len(validation.IsDNS1123Label(u.Namespace)) > 0 {
		errs = append(errs, field.Invalid(at.Child("namespace"), message.Excerpt(u.Namespace), "must be the name of a namespace, such as system-upgrade"))
	}

	if u.ServiceAccount != "" && len(validation.IsDNS1123Subdomain(u.ServiceAccount)) > 0 {
		errs = append(errs, field.Invalid(at.Child("serviceAccount"), message.Excerpt(u.ServiceAccount), "must be the name of a ServiceAccount, such as system-upgrade"))
	}

	if u.Image != "" && (len(u.Image) > maxImage || !imageNamePattern.MatchString(u.Image)) {
		errs = append(errs, field.Invalid(at.Child("image"), message.Excerpt(u.Image), "must be an image without a tag, such as rancher/k3s-upgrade: its tag is the release of K3s"))
	}

	return errs
}

// upgradeWord checks what is to happen to the nodes of K3sNodes when their release changes.
func upgradeWord(c catalog.Cluster) field.ErrorList {
	at := c.Path().Child("upgrade")

	switch {
	case c.Upgrade == v1alpha1.UpgradeReplace:
		return field.ErrorList{field.Invalid(at, string(c.Upgrade), "is for a K3sCluster, which replaces its nodes in turns: set upgrade in its claim. A K3sNode gets a new VM "+
			"by its own lifecycle.replace")}
	case c.Upgrade == v1alpha1.UpgradeSystem && c.ProviderConfig == "":
		return field.ErrorList{field.Invalid(at, string(c.Upgrade), "needs observe and providerConfig of the cluster, too: provider-kubernetes writes the Plans of "+
			"system-upgrade-controller, and the Nodes say what runs")}
	case c.Upgrade == v1alpha1.UpgradeSystem && c.Version == "":
		return field.ErrorList{field.Required(c.Path().Child("version"), "upgrade: SystemUpgrade needs the release that all nodes are to run, such as v1.33.6+k3s1")}
	}

	return OneOf(at, c.Upgrade, v1alpha1.UpgradeNone, v1alpha1.UpgradeSystem)
}

// maxDrainMinutes is half of the time that a Job which has ended stays.
const maxDrainMinutes = 720

// imagePattern is that of a container image's name with its tag, its digest or both.
var imagePattern = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9._:/-]*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})$`)

// clusterDrain checks how a cluster's nodes are drained.
func clusterDrain(c catalog.Cluster) field.ErrorList {
	at, d := c.Path().Child("drain"), c.Drain

	var errs field.ErrorList

	if d != (catalogue.Drain{}) && c.ProviderConfig == "" {
		errs = append(errs, field.Forbidden(at, "Jobs drain nodes, and provider-kubernetes creates them: set observe and providerConfig of the cluster, too"))
	}

	if m := d.TimeoutMinutes; m != nil && (*m < 1 || *m > maxDrainMinutes) {
		errs = append(errs, field.Invalid(at.Child("timeoutMinutes"), *m, fmt.Sprintf("must be 1 to %d minutes, such as 10", maxDrainMinutes)))
	}

	if d.Image != "" && (len(d.Image) > maxImage || !imagePattern.MatchString(d.Image)) {
		errs = append(errs, field.Invalid(at.Child("image"), message.Excerpt(d.Image), "must be an image with kubectl and its tag or digest, such as registry.k8s.io/kubectl:v1.34.1"))
	}

	return errs
}

// maxImage is the longest name of an image that is accepted.
const maxImage = 512
