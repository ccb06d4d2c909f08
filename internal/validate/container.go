package validate

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

var (
	mountPathPattern = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)
	dotsInPath       = regexp.MustCompile(`/[.]{1,2}(/|$)`)
)

const (
	maxMountPoints  = 16
	maxMountPath    = 200
	maxContainerCPU = 128
	minContainerMTU = 576
	maxContainerMTU = 65520
)

// ContainerOS are the distributions that Proxmox can configure, as it spells them, and the word for none of them.
func ContainerOS() []string {
	return []string{"alpine", "archlinux", "centos", "debian", "devuan", "fedora", "gentoo", "nixos", "opensuse", "ubuntu", "unmanaged"}
}

// onlyRoot is why a privileged container has no features (check_ct_modify_config_perm in src/PVE/LXC.pm of pve-container).
const onlyRoot = "Proxmox lets only root@pam set features of a privileged container: remove features, or leave the container unprivileged"

// Container checks the spec of a Container.
func Container(s v1alpha1.ContainerSpec) field.ErrorList {
	at := field.NewPath("spec")
	errs := catalogueName(at.Child("class"), s.Class, 63)
	errs = append(errs, containerSize(at.Child("size"), s.Size)...)
	errs = append(errs, Hostname(at.Child("hostname"), s.Hostname)...)
	errs = append(errs, catalogueName(at.Child("image"), s.Image, 255)...)

	if s.Image == "" && s.Adopt == nil {
		errs = append(errs, field.Required(at.Child("image"), "must be the template that the container is created from: a name from the catalogue, or storage:vztmpl/file"))
	}

	errs = append(errs, OneOf(at.Child("os"), s.OS, ContainerOS()...)...)
	errs = append(errs, Role(at.Child("role"), s.Role)...)
	errs = append(errs, Tags(at.Child("tags"), s.Tags)...)
	errs = append(errs, OneOf(at.Child("power"), s.Power, v1alpha1.PowerRunning, v1alpha1.PowerStopped, v1alpha1.PowerUnmanaged)...)
	errs = append(errs, startup(at.Child("startup"), s.Startup)...)
	errs = append(errs, containerNetwork(at.Child("network"), s.Network)...)

	if s.Adopt != nil && s.Network != nil && s.Network.Pool {
		errs = append(errs, field.Forbidden(at.Child("network", "pool"), "an adopted container keeps its own address: write network.ip or dhcp: true as the container has it, "+
			"or remove network"))
	}

	errs = append(errs, containerNICs(at, s)...)
	errs = append(errs, containerFirewall(at.Child("firewall"), s)...)
	errs = append(errs, containerPlacement(at.Child("proxmox"), s)...)
	errs = append(errs, mountPoints(at.Child("disks"), s.Disks)...)

	if f := s.Features; f != nil && f.Nesting != nil && *f.Nesting && s.Unprivileged != nil && !*s.Unprivileged {
		errs = append(errs, field.Forbidden(at.Child("features"), onlyRoot))
	}

	errs = append(errs, SSHKeys(at.Child("bootstrap", "sshAuthorizedKeys"), s.Bootstrap.SSHAuthorizedKeys)...)
	errs = append(errs, notes(at.Child("notes"), s.Notes)...)
	errs = append(errs, Lifecycle(at.Child("lifecycle"), v1alpha1.Lifecycle{
		Replace: s.Lifecycle.Replace, Reboot: s.Lifecycle.Reboot, RebootPolicy: s.Lifecycle.RebootPolicy,
		Approval: s.Lifecycle.Approval, Approve: s.Lifecycle.Approve, Force: s.Lifecycle.Force,
	})...)
	errs = append(errs, rollout(at.Child("rollout"), s.Rollout)...)
	errs = append(errs, adopt(at.Child("adopt"), s.Adopt, s.Proxmox.VMID)...)

	return append(errs, deletionPolicy(at, s.DeletionPolicy)...)
}

func containerSize(at *field.Path, s v1alpha1.ContainerSize) field.ErrorList {
	errs := between(at.Child("cores"), s.Cores, 1, maxContainerCPU)

	if s.Memory != "" {
		errs = append(errs, Memory(at.Child("memory"), s.Memory)...)
	}

	if s.Swap != "" {
		errs = append(errs, Swap(at.Child("swap"), s.Swap)...)
	}

	if s.Disk != "" {
		errs = append(errs, Disk(at.Child("disk"), s.Disk)...)
	}

	return errs
}

// Swap checks an amount of swap space.
func Swap(at *field.Path, q v1alpha1.Quantity) field.ErrorList {
	return amount(at, q, quantity.SwapMiB)
}

func containerNetwork(at *field.Path, n *v1alpha1.ContainerNetwork) field.ErrorList {
	if n == nil {
		return nil
	}

	var errs field.ErrorList

	errs = append(errs, oneIPv4(at, n.IPv4, n.Pool, n.IPv6)...)
	errs = append(errs, ipv4(at, n.IPv4)...)
	errs = append(errs, DNS(at.Child("dns"), n.DNS)...)
	errs = append(errs, Domain(at.Child("domain"), n.Domain)...)
	errs = append(errs, searchDomains(at.Child("searchDomains"), n.SearchDomains, n.Domain)...)
	errs = append(errs, ipv6(at.Child("ipv6"), n.IPv6)...)
	errs = append(errs, Bridge(at.Child("bridge"), n.Bridge)...)
	errs = append(errs, VLAN(at.Child("vlan"), n.VLAN)...)
	errs = append(errs, containerMTU(at.Child("mtu"), n.MTU)...)

	return append(errs, mac(at.Child("mac"), n.MAC)...)
}

// containerNICs checks further interfaces as those of a VM, of which they have the fields.
func containerNICs(at *field.Path, s v1alpha1.ContainerSpec) field.ErrorList {
	all := make([]v1alpha1.NIC, 0, len(s.NICs))
	for _, n := range s.NICs {
		all = append(all, v1alpha1.NIC(n))
	}

	var first *v1alpha1.Network
	if n := s.Network; n != nil {
		first = &v1alpha1.Network{IPv4: n.IPv4, MAC: n.MAC}
	}

	return append(nics(at.Child("nics"), all, containerMTU), uniqueAddresses(at, first, all)...)
}

func containerMTU(at *field.Path, n *int64) field.ErrorList {
	return between(at, n, minContainerMTU, maxContainerMTU)
}

func containerPlacement(at *field.Path, s v1alpha1.ContainerSpec) field.ErrorList {
	p := s.Proxmox
	errs := catalogueName(at.Child("site"), p.Site, 63)

	if p.Node == "" && s.Adopt != nil {
		errs = append(errs, field.Required(at.Child("node"), "a container that is adopted needs its node: the provider finds a container on its own node only"))
	}

	errs = append(errs, NodeName(at.Child("node"), p.Node)...)
	errs = append(errs, nodeRule().items(at.Child("avoid"), p.Avoid, 32)...)
	errs = append(errs, Role(at.Child("spread"), p.Spread)...)
	errs = append(errs, Datastore(at.Child("storage"), p.Storage)...)
	errs = append(errs, VMID(at.Child("vmId"), p.VMID)...)

	return append(errs, Pool(at.Child("pool"), p.Pool)...)
}

func mountPoints(at *field.Path, ds []v1alpha1.ContainerDisk) field.ErrorList {
	errs := count(at, len(ds), maxMountPoints)
	paths := make([]string, 0, len(ds))

	for i, d := range ds[:min(len(ds), maxMountPoints)] {
		p := at.Index(i)
		errs = append(errs, containerPath(p.Child("path"), d.Path)...)

		if slices.Contains(paths, d.Path) {
			errs = append(errs, field.Duplicate(p.Child("path"), message.Excerpt(d.Path)))
		}

		paths = append(paths, d.Path)
		errs = append(errs, Disk(p.Child("size"), d.Size)...)
		errs = append(errs, Datastore(p.Child("storage"), d.Storage)...)
	}

	return errs
}

func containerPath(at *field.Path, path string) field.ErrorList {
	const rule = "must be an absolute path of letters, digits, dots, _, - and /, without . and .. and without a / at the end, such as /srv/data"

	if dotsInPath.MatchString(path) {
		return field.ErrorList{field.Invalid(at, message.Excerpt(path), rule)}
	}

	for _, own := range []string{"/proc", "/sys", "/dev"} {
		if path == own || strings.HasPrefix(path, own+"/") {
			return field.ErrorList{field.Invalid(at, message.Excerpt(path),
				"is the kernel's: a container starts with its own "+own+" there. Choose another path, such as /srv/data")}
		}
	}

	return textRule{maxMountPath, mountPathPattern, rule}.required(at, path)
}
