package validate

import (
	"fmt"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
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

	errs = append(errs, nodeFirewall(at.Child("firewall"), s.Firewall, s.K3s.Role)...)

	return append(errs, k3sFields(at.Child("k3s"), &s.K3s, setUp)...)
}

func deletionPolicy(at *field.Path, p v1alpha1.DeletionPolicy) field.ErrorList {
	return OneOf(at.Child("deletionPolicy"), p, v1alpha1.DeletionDelete, v1alpha1.DeletionOrphan)
}

func machineFields(at *field.Path, m *v1alpha1.MachineFields) field.ErrorList {
	errs := catalogueName(at.Child("class"), m.Class, 63)
	errs = append(errs, size(at.Child("size"), m.Size)...)
	errs = append(errs, given(at, "hostname", m.Hostname, Hostname)...)
	errs = append(errs, catalogueName(at.Child("image"), string(m.Image), 255)...)
	errs = append(errs, given(at, "role", m.Role, Role)...)
	errs = append(errs, givenAll(at, "tags", m.Tags, Tags)...)
	if m.RunsCrossplane && m.Power == v1alpha1.PowerStopped {
		errs = append(errs, field.Invalid(at.Child("power"), m.Power,
			"runsCrossplane is true, and Crossplane could not start its own VM again: write Running, or Unmanaged to leave its power to you"))
	}

	errs = append(errs, OneOf(at.Child("power"), m.Power, v1alpha1.PowerRunning, v1alpha1.PowerStopped, v1alpha1.PowerUnmanaged)...)
	errs = append(errs, given(at, "startup", m.Startup, startup)...)
	errs = append(errs, network(at.Child("network"), m.Network)...)
	errs = append(errs, placement(at.Child("proxmox"), &m.Proxmox)...)
	errs = append(errs, DiskCache(at.Child("bootDisk", "cache"), m.BootDisk.Cache)...)
	errs = append(errs, givenAll(at, "disks", m.Disks, disks)...)
	errs = append(errs, nics(at.Child("nics"), m.NICs, mtu)...)
	errs = append(errs, uniqueAddresses(at, m.Network, m.NICs)...)
	errs = append(errs, machineFirewall(at.Child("firewall"), m)...)
	errs = append(errs, given(at, "vga", m.VGA, vga)...)
	errs = append(errs, given(at, "notes", m.Notes, notes)...)
	errs = append(errs, devices(at.Child("devices"), m.Devices)...)
	errs = append(errs, given(at, "firmware", m.Firmware, Firmware)...)
	errs = append(errs, Lifecycle(at.Child("lifecycle"), m.Lifecycle)...)
	errs = append(errs, given(at, "rollout", m.Rollout, rollout)...)
	errs = append(errs, adopt(at.Child("adopt"), m.Adopt, m.Proxmox.VMID)...)
	errs = append(errs, availability(at, m)...)
	errs = append(errs, saidTwice(at, m)...)

	return append(errs, bootstrap(at.Child("bootstrap"), &m.Bootstrap)...)
}

// maxNotes is the length of notes. Proxmox takes 8 KiB for all of a VM's description.
const maxNotes = 4096

// notes checks text that Proxmox shows.
func notes(at *field.Path, text string) field.ErrorList {
	if len(text) > 2*maxNotes {
		return field.ErrorList{field.TooLong(at, "", maxNotes)}
	}

	errs := textRule{maxRunes: maxNotes}.check(at, text)

	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }) {
		errs = append(errs, field.Invalid(at, message.Excerpt(text), "must be text of lines, without control characters"))
	}

	return errs
}

// saidTwice refuses what a claim says in two places, and not alike.
func saidTwice(at *field.Path, m *v1alpha1.MachineFields) field.ErrorList {
	var errs field.ErrorList

	// A former spelling that says the same was translated before.
	if was, is := m.Protection, m.DeletionProtection; was != nil && is != nil {
		errs = append(errs, field.Invalid(at.Child("protection"), *was,
			fmt.Sprintf("protection is the former spelling of deletionProtection, which is %t: remove protection", *is)))
	}

	if m.Network == nil {
		return errs
	}

	if a, b := m.Network.Bridge, m.Proxmox.Bridge; a != "" && b != "" && a != b {
		errs = append(errs, field.Invalid(at.Child("proxmox", "bridge"), message.Excerpt(b),
			"contradicts network.bridge, which is the same field: remove one of them"))
	}

	if a, b := m.Network.VLAN, m.Proxmox.VLAN; a != nil && b != nil && *a != *b {
		errs = append(errs, field.Invalid(at.Child("proxmox", "vlan"), *b, fmt.Sprintf("contradicts network.vlan, which is %d and the same field: remove one of them", *a)))
	}

	return errs
}

func placement(at *field.Path, p *v1alpha1.Placement) field.ErrorList {
	errs := catalogueName(at.Child("site"), p.Site, 63)
	errs = append(errs, NodeName(at.Child("node"), p.Node)...)

	if p.Migrate && p.Node == "" {
		errs = append(errs, field.Required(at.Child("node"), "must be the Proxmox node to which migrate: true pins the VM"))
	}

	errs = append(errs, nodeRule().items(at.Child("avoid"), p.Avoid, 32)...)
	errs = append(errs, Role(at.Child("spread"), p.Spread)...)
	errs = append(errs, Datastore(at.Child("storage"), p.Storage)...)
	errs = append(errs, Bridge(at.Child("bridge"), p.Bridge)...)
	errs = append(errs, VLAN(at.Child("vlan"), p.VLAN)...)
	errs = append(errs, VMID(at.Child("vmId"), p.VMID)...)

	return append(errs, Pool(at.Child("pool"), p.Pool)...)
}

func bootstrap(at *field.Path, b *v1alpha1.Bootstrap) field.ErrorList {
	errs := AdminUser(at.Child("adminUser"), b.AdminUser)
	errs = append(errs, SSHKeys(at.Child("sshAuthorizedKeys"), b.SSHAuthorizedKeys)...)
	errs = append(errs, OneOf(at.Child("report"), b.Report, v1alpha1.ReportLink, v1alpha1.ReportNone)...)
	errs = append(errs, snippets(at.Child("snippets"), b.Snippets)...)

	errs = append(errs, secretFiles(at.Child("secrets"), b.Secrets)...)
	errs = append(errs, secretStore(at.Child("secretStore"), b)...)

	if len(b.UserData) > maxUserData {
		errs = append(errs, field.TooLong(at.Child("userData"), "", maxUserData))
	}

	if b.UserData != "" && b.Snippets.UserData != "" {
		errs = append(errs, field.Forbidden(at.Child("userData"),
			"bootstrap.snippets.userData is already the whole user-data, so this would have no effect"))
	}

	return errs
}
