package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// maxUserData is the maximum size of bootstrap.userData in bytes. Proxmox accepts 1 MiB per snippet, including the function's own part.
const maxUserData = 262144

// Machine checks the spec of a Machine.
func Machine(s v1alpha1.MachineSpec) field.ErrorList {
	at := field.NewPath("spec")
	errs := machineFields(at, &s.MachineFields)
	errs = append(errs, deletionPolicy(at, s.DeletionPolicy)...)

	if s.Nix == nil {
		return errs
	}

	errs = append(errs, nix(at.Child("nix"), s.Nix)...)

	if s.Bootstrap.Snippets.UserData != "" {
		errs = append(errs, field.Forbidden(at.Child("nix"),
			"nix and bootstrap.snippets.userData exclude each other: the snippet on the node is already the whole user-data"))
	}

	return errs
}

// K3sNode checks the spec of a K3sNode.
func K3sNode(s v1alpha1.K3sNodeSpec) field.ErrorList {
	at := field.NewPath("spec")
	errs := machineFields(at, &s.MachineFields)
	errs = append(errs, deletionPolicy(at, s.DeletionPolicy)...)

	// An adopted VM is already a node, or somebody else makes it a node.
	setUp := s.Bootstrap.Snippets.UserData != "" || s.Adopt != nil

	return append(errs, k3sFields(at.Child("k3s"), &s.K3s, setUp)...)
}

func deletionPolicy(at *field.Path, p v1alpha1.DeletionPolicy) field.ErrorList {
	return oneOf(at.Child("deletionPolicy"), p, v1alpha1.DeletionDelete, v1alpha1.DeletionOrphan)
}

func machineFields(at *field.Path, m *v1alpha1.MachineFields) field.ErrorList {
	errs := catalogueName(at.Child("class"), m.Class, 63)
	errs = append(errs, size(at.Child("size"), m.Size)...)
	errs = append(errs, Hostname(at.Child("hostname"), m.Hostname)...)
	errs = append(errs, catalogueName(at.Child("image"), string(m.Image), 255)...)
	errs = append(errs, Role(at.Child("role"), m.Role)...)
	errs = append(errs, Tags(at.Child("tags"), m.Tags)...)
	errs = append(errs, oneOf(at.Child("power"), m.Power, v1alpha1.PowerRunning, v1alpha1.PowerStopped, v1alpha1.PowerUnmanaged)...)
	errs = append(errs, startup(at.Child("startup"), m.Startup)...)
	errs = append(errs, network(at.Child("network"), m.Network)...)
	errs = append(errs, placement(at.Child("proxmox"), &m.Proxmox)...)
	errs = append(errs, DiskCache(at.Child("bootDisk", "cache"), m.BootDisk.Cache)...)
	errs = append(errs, disks(at.Child("disks"), m.Disks)...)
	errs = append(errs, nics(at.Child("nics"), m.NICs)...)
	errs = append(errs, uniqueAddresses(at, m)...)
	errs = append(errs, devices(at.Child("devices"), m.Devices)...)
	errs = append(errs, Firmware(at.Child("firmware"), m.Firmware)...)
	errs = append(errs, lifecycle(at.Child("lifecycle"), m.Lifecycle)...)
	errs = append(errs, adopt(at.Child("adopt"), m.Adopt, m.Proxmox.VMID)...)

	return append(errs, bootstrap(at.Child("bootstrap"), &m.Bootstrap)...)
}

func placement(at *field.Path, p *v1alpha1.Placement) field.ErrorList {
	errs := catalogueName(at.Child("site"), p.Site, 63)
	errs = append(errs, NodeName(at.Child("node"), p.Node)...)

	if p.Migrate && p.Node == "" {
		errs = append(errs, field.Required(at.Child("node"), "must be the Proxmox node to which migrate: true pins the VM"))
	}

	errs = append(errs, Datastore(at.Child("storage"), p.Storage)...)
	errs = append(errs, Bridge(at.Child("bridge"), p.Bridge)...)
	errs = append(errs, VLAN(at.Child("vlan"), p.VLAN)...)
	errs = append(errs, VMID(at.Child("vmId"), p.VMID)...)

	return append(errs, Pool(at.Child("pool"), p.Pool)...)
}

// VMID checks a VMID. The provider accepts larger numbers, Proxmox VE does not.
func VMID(at *field.Path, id *int64) field.ErrorList { return between(at, id, 100, 999999999) }

// VLAN checks a VLAN tag.
func VLAN(at *field.Path, tag *int64) field.ErrorList { return between(at, tag, 1, 4094) }

func bootstrap(at *field.Path, b *v1alpha1.Bootstrap) field.ErrorList {
	errs := AdminUser(at.Child("adminUser"), b.AdminUser)
	errs = append(errs, SSHKeys(at.Child("sshAuthorizedKeys"), b.SSHAuthorizedKeys)...)
	errs = append(errs, oneOf(at.Child("report"), b.Report, v1alpha1.ReportLink, v1alpha1.ReportNone)...)
	errs = append(errs, snippets(at.Child("snippets"), b.Snippets)...)

	errs = append(errs, secretFiles(at.Child("secrets"), b.Secrets)...)

	if len(b.UserData) > maxUserData {
		errs = append(errs, field.TooLong(at.Child("userData"), "", maxUserData))
	}

	if b.UserData != "" && b.Snippets.UserData != "" {
		errs = append(errs, field.Forbidden(at.Child("userData"),
			"bootstrap.snippets.userData is already the whole user-data, so this would have no effect"))
	}

	return errs
}
