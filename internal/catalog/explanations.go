package catalog

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// An explainedKey is one that no catalogue has, by where it stands, as [placeOf] has it, and the pattern of its name.
type explainedKey struct {
	in   []string
	keys *regexp.Regexp
	text string
}

// The places of keys: an entry of a section, and what is below a site.
const (
	inImage   = "images"
	inClass   = "classes"
	inCluster = "clusters"
	inSite    = "sites"
	inNode    = "sites.nodes"
	inNetwork = "sites.network"
)

// placeOf a key in a catalogue, and the key itself; empty where no entry has keys that are explained. Names of entries may have dots, and those of nodes have
// none.
func placeOf(path string) (place, key string) {
	section, rest, _ := strings.Cut(path, ".")
	end := strings.LastIndexByte(rest, '.')

	if end < 0 {
		return "", ""
	}

	entry, key := rest[:end], rest[end+1:]

	if section != inSite {
		return section, key
	}

	switch i := strings.LastIndex(entry, ".nodes."); {
	case i >= 0 && !strings.Contains(entry[i+len(".nodes."):], "."):
		return inNode, key
	case strings.HasSuffix(entry, ".network"):
		return inNetwork, key
	case i >= 0, strings.HasSuffix(entry, ".firewall"), strings.HasSuffix(entry, ".vmIds"), strings.HasSuffix(entry, ".pool"):
		return "", ""
	}

	return inSite, key
}

// explanations of keys as other tools have them, and what does here what they do there.
var explanations = []explainedKey{ //nolint:gochecknoglobals // A constant table.
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:checksum_?[aA]lgorithm|algorithm|checksumType|checksum_type)$`),
		"the algorithm stands before the checksum: write checksum: sha256:6a81...",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:decompress\w*|compression\w*|compressed|unpack|extract)$`),
		"Proxmox does not unpack what it imports as a disk: serve the file that comes out, or put it on the nodes and name it, volume: local:import/noble.qcow2",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:content_?[tT]ype|content)$`),
		"what is behind url is downloaded as content type import, and a file of a node has its type in its name: volume: local:import/noble.qcow2 or local:iso/debian.iso",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:datastore(?:_?[iI]d)?|datastores|storage|pool)$`),
		"a node downloads images to a datastore of its own: sites: {home: {nodes: {pve: {datastores: {images: local}}}}}",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:nodes?|node_?[nN]ame|target_?[nN]ode)$`),
		"each node downloads an image itself, when a machine on it needs it: remove it. The node of a template is templateNode",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:user(?:name)?|default_?[uU]ser|password|ssh_?[kK]eys?)$`),
		"the account of a machine is bootstrap.adminUser of its claim, or adminUser of defaults here, whatever the image has. It takes no passwords",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:headers?|auth\w*|credentials|token|verify\w*|insecure|tls\w*)$`),
		"the node downloads without credentials, and trusts the authorities that it has: put the file on the nodes, and name it, volume: local:import/noble.qcow2. If a token is in Git, change it",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?:format|file_?[fF]ormat|disk_?[fF]ormat)$`),
		"the format is told by the extension of the file: .qcow2, .raw or .vmdk in url or fileName",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?i:vm_?id|template_?(vm_?)?id|clone|source_?vm)$`),
		"a template to clone is named by its VMID: write template: 9000, and templateNode with its node",
	},
	{
		[]string{inImage},
		regexp.MustCompile(`^(?i:iso|iso_?(file|image)|file|path|file_?id)$`),
		"a file of the node is volume: write volume: local:iso/debian.iso for an installer, or volume: local:import/noble.qcow2 for a disk",
	},
	{
		[]string{inCluster},
		regexp.MustCompile(`^(?i:endpoint|address|host|vip|virtual_?ip|api_?server|load_?balancer)$`),
		"the address that nodes join is server: write server: https://192.168.4.210:6443",
	},
	{
		[]string{inClass},
		regexp.MustCompile(`^(?:sockets?|vcpus|numa\w*|cpu_?[uU]nits|cpu_?[lL]imit|hugepages|hotplug|threads)$`),
		"a VM has one socket with all its cores, and neither NUMA nor limits: write cores: 4",
	},
	{
		[]string{inClass},
		regexp.MustCompile(`^(?:memory_?[fF]loor|balloon\w*|floating|min_?[mM]emory)$`),
		"what a VM keeps when its node is short of memory is said by its claim: size: {memoryFloor: 2Gi}",
	},
	{
		[]string{inClass},
		regexp.MustCompile(`^(?:gpus?|pci|usb|devices)$`),
		"devices are those of a claim, devices: {pci: [{mapping: gpu0}]}, or of a pool of a K3sCluster",
	},
	{
		[]string{inClass},
		regexp.MustCompile(`^(?:image|bridge|vlan|network|storage|datastore|tags|swap|onBoot|firmware|os)$`),
		"a class is a size: cores, memory, disk, cpuType. All else is said by the claim, or has its default at the site or in defaults",
	},
	{
		[]string{inSite},
		regexp.MustCompile(`^(?:endpoint|url|api\w*|host|address|server|port|user(?:name)?|password|token\w*|secret\w*|credentials\w*|insecure|` +
			`tls\w*|verify\w*|ssh\w*)$`),
		"a catalogue has neither address nor credentials of Proxmox: they are in the Secret of the provider's configuration that providerConfig names. Never commit a token or a " +
			"password: if this one is in Git, change it",
	},
	{
		[]string{inSite},
		regexp.MustCompile(`^(?:bridges|datastores?|storages?|pci|usb|memory|cores)$`),
		"each node has its own: nodes: {pve: {bridges: [vmbr0], datastores: {disks: local-zfs}}}",
	},
	{
		[]string{inNode},
		regexp.MustCompile(`^(?:address|ip|host(?:name)?|fqdn|port|ssh\w*|user(?:name)?|password|endpoint|url)$`),
		"the provider asks Proxmox for the addresses of its nodes, and how it logs in there is in its Secret (docs/start.md, 7. Credentials). Remove it",
	},
	{
		[]string{inNode},
		regexp.MustCompile(`^(?:vnets?|sdn|zones?|vlans|networks?)$`),
		"a VNet is a bridge to a VM: bridges: [vmbr0, vnet1]. The tag of a VLAN is said by the claim, network: {vlan: 20}, or by network of the site",
	},
	{
		[]string{inNetwork, inNode},
		regexp.MustCompile(`^(?:mtu)$`),
		"the MTU of a bridge is in Proxmox, or in a ProxmoxSite; that of an interface is said by its claim: network: {mtu: 9000}, or 1 for that of its bridge",
	},
	{
		[]string{inNetwork},
		regexp.MustCompile(`^(?:ipv6|ip6|gateway6|gateway_?[vV]6|prefix6|cidr6|subnet6|dns6)$`),
		"a site has IPv4 alone: an interface gets IPv6 from its claim, network: {ipv6: {ip: 2001:db8::5/64, gateway: fe80::1}} or {auto: true}. Name servers of IPv6 may stand in dns",
	},
	{
		[]string{inNetwork},
		regexp.MustCompile(`^(?:vlans|trunks?|tags)$`),
		"an interface has one tag or none: vlan: 20. Another one is said by the claim, network: {vlan: 30}; without one, a bridge that is VLAN-aware passes all tags on",
	},
	{
		[]string{inNetwork},
		regexp.MustCompile(`^(?:dhcp\w*|ntp\w*|time_?[sS]ervers?|search\w*|proxy|firewall|ip|address)$`),
		"it is of the claim: network: {dhcp: true}, {ip: 192.168.4.53} or {searchDomains: [lan]}; servers of time and a proxy are in its cloud-config, bootstrap.userData",
	},
}

// explained are faults of unknown keys in words that are about the key: the decoder knows types, and not what keys are for.
func explained(prefix string, errs field.ErrorList) field.ErrorList {
	for i, err := range errs {
		path, within := strings.CutPrefix(err.Field, prefix+".")
		if err.Type != field.ErrorTypeForbidden || !within {
			continue
		}

		place, key := placeOf(path)

		for _, e := range explanations {
			if slices.Contains(e.in, place) && e.keys.MatchString(key) {
				errs[i] = field.Forbidden(field.NewPath(err.Field), "unknown field: "+e.text)
				break
			}
		}
	}

	return strict.Explained(errs)
}
