package claim

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// otherKinds are the fields that only one kind has, and the message for the other.
var otherKinds = map[string]map[string]string{ //nolint:gochecknoglobals // A constant table.
	KindMachine: {"spec.k3s": "unknown field of a Machine; a K3sNode has it: write kind: K3sNode, or remove it"},
	KindContainer: {
		"spec.devices": "unknown field of a Container: Proxmox lets only root@pam pass devices of the node through to a container, and no API token is root@pam. " +
			"Set them up with `pct set` on the node: the container keeps them",
		"spec.nix": "unknown field of a Container; a Machine has it: write kind: Machine, or remove it",
		"spec.k3s": "unknown field of a Container; a K3sNode has it: write kind: K3sNode, or remove it",
		"spec.ha":  noHA, "spec.availability": noHA,
		"spec.lifecycle.replace": "unknown field of a Container: two containers cannot have one VMID or one address, and the first one is not destroyed before the second one has proven itself. " +
			"Create another container from another claim, with another VMID, move the data, and delete this claim",
		"spec.lifecycle.retry": "unknown field of a Container: nothing of a container waits for a retry. The provider repeats what failed by itself, with what the claim says by then; " +
			"condition ProviderHealthy says what to correct",
		"spec.lifecycle.approval": noApproval, "spec.lifecycle.approve": noApproval,
		"spec.bootstrap.userData": noCloudInit, "spec.bootstrap.adminUser": noCloudInit, "spec.bootstrap.snippets": noCloudInit,
		"spec.bootstrap.secrets": noCloudInit, "spec.userData": noCloudInit,
		"spec.bootstrap.password": "unknown field: a claim takes no passwords. Log in as root with an SSH key (spec.bootstrap.sshAuthorizedKeys); `pct enter <vmId>` on " +
			"the node opens a shell",
	},
	KindK3sNode: {"spec.nix": "unknown field of a K3sNode; a Machine has it, and a NixOS machine configures K3s in its flake: write kind: Machine, or remove it"},
}

// noCloudInit is why a container has no cloud-config.
const noCloudInit = "unknown field of a Container, which has no cloud-init: Proxmox sets host name, network and the SSH keys of root (spec.bootstrap.sshAuthorizedKeys), and all else is " +
	"in the template, or done over SSH. A Machine has cloud-init"

// noHA is why a container is in no HA.
const noHA = "unknown field of a Container: a Machine has ha. The HA manager may move a container to another node, where the provider does not find it: it would take the container for gone. " +
	"If you put it under high availability by hand all the same (Datacenter, HA, or `ha-manager add ct:<vmId>`), its claim leaves that alone; move it back to its own node afterwards"

// noApproval is why nobody approves an edit of a container.
const noApproval = "unknown field of a Container: no edit replaces a container, and none restarts it unless lifecycle.reboot or lifecycle.rebootPolicy asks for it, so there is nothing to approve. What would " +
	"need more is refused, and reported in status.refused. Review an edit before it is committed, with `kubectl machine plan`"

// noGateway is why an interface of a ProxmoxSite has none.
const noGateway = "unknown field: a node has one default gateway, on the interface that its installation made, and no claim changes that. Remove it; " +
	"write routes into /etc/network/interfaces on the node"

// words of fields that take a few of them. YAML reads some of what people write there, such as off, as a truth value.
var words = map[string][]string{ //nolint:gochecknoglobals // A constant table.
	"spec.power":                  {string(v1alpha1.PowerRunning), string(v1alpha1.PowerStopped), string(v1alpha1.PowerUnmanaged)},
	"spec.deletionPolicy":         {string(v1alpha1.DeletionDelete), string(v1alpha1.DeletionOrphan)},
	"spec.lifecycle.rebootPolicy": {string(v1alpha1.RebootOnRequest), string(v1alpha1.RebootWhenNeeded)},
	"spec.lifecycle.approval":     {string(v1alpha1.ApprovalNever), string(v1alpha1.ApprovalOnRisk), string(v1alpha1.ApprovalAlways)},
	"spec.k3s.role":               {string(v1alpha1.K3sServer), string(v1alpha1.K3sAgent)},
	"spec.k3s.readyWhen":          {string(v1alpha1.ReadyWhenVM), string(v1alpha1.ReadyWhenJoined), string(v1alpha1.ReadyWhenReady)},
}

// triggers are fields that act once for each new value, which a truth value is not.
var triggers = []string{ //nolint:gochecknoglobals // A constant table.
	"spec.lifecycle.reboot", "spec.lifecycle.replace", "spec.lifecycle.retry", "spec.lifecycle.force", "spec.lifecycle.drain",
}

// explanations of fields that no claim has, as people write them, and what to do instead. Most of them Proxmox lets only root@pam set. Source:
// check_vm_modify_config_perm and assert_pve_hostpci in qemu-server (src/PVE/API2/Qemu.pm), check_ct_modify_config_perm in pve-container (src/PVE/LXC.pm).
var explanations = []struct { //nolint:gochecknoglobals // A constant table.
	kinds   []string
	pattern *regexp.Regexp
	text    string
}{
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.features\.(keyctl|fuse|mount|mknod|forceRwSys|force_rw_sys)$`),
		"unknown field: Proxmox lets only root@pam set any feature of a container but nesting, and no API token is root@pam. Docker in an unprivileged " +
			"container runs with nesting: true; for more, set it on the node (`pct set <vmId> --features nesting=1,keyctl=1`), and the container keeps it, or make it a Machine",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(disks\[\d+\]\.(volume|source|hostPath|host|bind|shared)|mp\d+|lxc|hookScript|hookscript|mounts|bindMounts)$`),
		"unknown field: Proxmox lets only root@pam mount a folder of the node, run a hook script or set options of LXC, and no API token is root@pam. Set it on the node " +
			"(`pct set <vmId> -mp8 /tank/media,mp=/srv/media`), and the container keeps it, or make it a Machine",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(osTemplate|ostemplate|os_template|template|templateFile|template_file_id)$`),
		"unknown field: the template is image, such as local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst, or a name of the catalogue",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(rootfs|rootFs|rootFS|root_fs|rootDisk)$`),
		"unknown field: the root disk is size.disk, and its datastore proxmox.storage: write size: {disk: 8Gi} and proxmox: {storage: local-zfs}",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.(mountpoints?|mountPoints?|mount_points?|volumes)$`),
		"unknown field: mount points are disks: write disks: [{path: /srv/data, size: 8Gi, storage: local-zfs}]",
	},
	{
		[]string{KindContainer},
		regexp.MustCompile(`^spec\.privileged$`),
		"unknown field: a privileged container has unprivileged: false; its root is root on the node, too. Without the field, a container is unprivileged: remove it",
	},
	{
		[]string{KindK3sNode},
		regexp.MustCompile(`^spec\.k3s\.(url|serverUrl|serverURL|server_url|K3S_URL|endpoint|join)$`),
		"unknown field: the address of the cluster that the node joins is k3s.server, such as https://192.168.4.210:6443",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.vlans\[\d+\]\.name$`),
		"unknown field: a VLAN interface is named after its interface and its tag: write interface: vmbr0 and tag: 100 for vmbr0.100",
	},
	{
		[]string{KindProxmoxSite},
		regexp.MustCompile(`^spec\.nodes\.[^.]+\.(bridges|vlans)\[\d+\]\.(cidr|netmask|ip|ipv4)$`),
		"unknown field: an address has its length: write address: 10.20.0.5/24",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(disk|diskSize|disk_size|rootDisk|root_disk)$`),
		"unknown field: the root disk is size.disk, and disks are further ones: write size: {disk: 40Gi}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(packages|runcmd|runCmd|write_files|writeFiles)$`),
		"unknown field: it is cloud-init's, and belongs into the cloud-config in bootstrap.userData",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(count|replicas|for_each|forEach)$`),
		"unknown field: a claim is one machine: write another claim, with another name, for each further one",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(password|cipassword|rootPassword)$`),
		"unknown field: a claim takes no passwords: log in with an SSH key (bootstrap.sshAuthorizedKeys). If this one is in Git and used elsewhere, change it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(resources|hardware|instanceType|flavor|flavour)$`),
		"unknown field: the size of a machine is that of a class of the catalogue, class: small, or its own: size: {cores: 2, memory: 4Gi, disk: 40Gi}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.disks\[\d+\]\.(path|device|volume|file|fileName|fileId|source|pathInDatastore|passthrough)$`),
		"unknown field: each disk is a new volume. Proxmox lets only root@pam attach a physical disk of the node, and destroys a volume with the VM that has it. Pass the " +
			"controller through (devices.pci), or mount the data over the network",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(disks\[\d+\]|bootDisk)\.(iothread|ioThread|aio|interface|bus|slot|format|scsihw|replicate)$`),
		"unknown field: the function decides it. Disks are on virtio-scsi-single, each with an IO thread, in the order of the claim, in the format of their datastore; remove it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(network|nics\[\d+\])\.(trunks?|vlans|model|name|interface|queues|rate|rateLimit|linkDown|bond|routes?)$`),
		"unknown field: an interface is virtio, on one bridge, with one VLAN tag or none; the guest's own configuration of its network (bootstrap.userData) has the rest. Without vlan, a " +
			"bridge that is VLAN-aware passes all tags to the guest; bonds and bridges of a node are in a ProxmoxSite",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.ha\.(group|rules?|nodes|priority|affinity)$`),
		"unknown field: where the VM may run, and what it keeps away from, is a rule of Proxmox VE (Datacenter, HA, Affinity Rules; groups before version 9), which names the VM; claims do not make it",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(devices\.pci\[\d+\]\.(id|ids|address|device|path|host)|hostpci\d*|pci)$`),
		"unknown field: Proxmox lets only root@pam name a PCI device by its address, and no API token is root@pam. Make a resource mapping once (`pvesh create " +
			"/cluster/mapping/pci --id gpu0 --map 'node=pve,path=0000:01:00.0,id=10de:1c82'`), and write devices: {pci: [{mapping: gpu0}]}",
	},
	{
		[]string{KindMachine, KindK3sNode},
		regexp.MustCompile(`^spec\.(devices\.usb\[\d+\]\.(id|host|device|port|vendorId|productId|vendor|product)|usb\d*)$`),
		"unknown field: Proxmox lets only root@pam name a USB device by its number or port, and no API token is root@pam. Make a resource mapping once (`pvesh create " +
			"/cluster/mapping/usb --id zigbee --map 'node=pve,id=10c4:ea60'`), and write devices: {usb: [{mapping: zigbee}]}",
	},
}

// explanation says why a field does not exist that people write; empty for any other field.
func explanation(kind, path string) string {
	for _, r := range explanations {
		if slices.Contains(r.kinds, kind) && r.pattern.MatchString(path) {
			return r.text
		}
	}

	return ""
}

// explained are faults of decoding in words that are about the field: the decoder knows types, and not what fields are for.
func explained(kind string, errs field.ErrorList) field.ErrorList {
	for i, err := range errs {
		if text, ok := otherKinds[kind][err.Field]; ok && err.Type == field.ErrorTypeForbidden {
			errs[i] = field.Forbidden(field.NewPath(err.Field), text)
		}

		if text := explanation(kind, err.Field); text != "" && err.Type == field.ErrorTypeForbidden {
			errs[i] = field.Forbidden(field.NewPath(err.Field), text)
		}

		isGateway := strings.HasSuffix(err.Field, ".gateway") || strings.HasSuffix(err.Field, ".gateway6")
		if kind == KindProxmoxSite && err.Type == field.ErrorTypeForbidden && isGateway {
			errs[i] = field.Forbidden(field.NewPath(err.Field), noGateway)
		}

		_, truth := err.BadValue.(bool)
		if truth && slices.Contains(triggers, err.Field) {
			err.Detail = v1alpha1.TriggerRule
		}

		if w, ok := words[err.Field]; ok && truth {
			errs[i] = field.Invalid(field.NewPath(err.Field), err.BadValue, "must be text: "+message.OneOf(w)+" (YAML reads on, off, yes and no as true and false)")
		}
	}

	return errs
}
