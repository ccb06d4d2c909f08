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
		"spec.nix":      "unknown field of a Container; a Machine has it: write kind: Machine, or remove it",
		"spec.k3s":      "unknown field of a Container; a K3sNode has it: write kind: K3sNode, or remove it",
		"spec.firewall": "unknown field of a Container; a Machine has it. network.firewall puts the interface behind Proxmox's firewall",
	},
	KindK3sNode: {"spec.nix": "unknown field of a K3sNode; a Machine has it, and a NixOS machine configures K3s in its flake: write kind: Machine, or remove it"},
}

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

// rootOnly are fields that Proxmox lets only root@pam set, as people write them, and what to do instead. Source: check_vm_modify_config_perm and
// assert_pve_hostpci in qemu-server (src/PVE/API2/Qemu.pm), check_ct_modify_config_perm in pve-container (src/PVE/LXC.pm).
var rootOnly = []struct { //nolint:gochecknoglobals // A constant table.
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

// onlyRoot says why a field does not exist that only root@pam may set; empty for any other field.
func onlyRoot(kind, path string) string {
	for _, r := range rootOnly {
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

		if text := onlyRoot(kind, err.Field); text != "" && err.Type == field.ErrorTypeForbidden {
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
