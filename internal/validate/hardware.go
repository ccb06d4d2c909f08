package validate

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

var (
	diskNamePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	// Folders in which, or at which, no disk is mounted: what the system needs to start, and what this function's own scripts keep.
	systemFolders = regexp.MustCompile(`^/(bin|boot|dev|etc|lib|lib32|lib64|libx32|nix|proc|run|sbin|sys|tmp|usr)(/|$)|` +
		`^/var/(lock|run|tmp|lib/cloud|lib/data-disks|lib/dpkg|lib/k3s-bootstrap|lib/nix-gitops|lib/systemd)(/|$)`)
	pathPattern    = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)
	noAmount       = regexp.MustCompile(`^0+([kKmMgGtT][iI]?)?$`)
	chipsetPattern = regexp.MustCompile(`^(q35|pc|pc-q35-[0-9]+(\.[0-9]+)+(\+pve[0-9]+)?|pc-i440fx-[0-9]+(\.[0-9]+)+(\+pve[0-9]+)?)$`)
)

// The maximum numbers of devices of a VM: scsi1 to scsi16 in addition to the boot disk, net0 to net7 (the cloud-init drive
// supports eight), hostpci0 to hostpci15, and usb0 to usb3, which every version of Proxmox VE 8 and later supports.
const (
	maxDisks = 16
	maxNICs  = 7
	maxPCI   = 16
	maxUSB   = 4
)

func size(at *field.Path, s v1alpha1.Size) field.ErrorList {
	errs := Cores(at.Child("cores"), s.Cores)

	if s.Memory != "" {
		errs = append(errs, Memory(at.Child("memory"), s.Memory)...)
	}

	switch {
	case noAmount.MatchString(string(s.MemoryFloor)):
		// As balloon: 0 of qm(1), and floating: 0 of Terraform's provider.
		errs = append(errs, field.Invalid(at.Child("memoryFloor"), message.Excerpt(string(s.MemoryFloor)), "is what ballooning leaves the VM, and without memoryFloor there is no ballooning: remove it"))
	case s.MemoryFloor != "":
		errs = append(errs, Memory(at.Child("memoryFloor"), s.MemoryFloor)...)
	}

	if s.Disk != "" {
		errs = append(errs, Disk(at.Child("disk"), s.Disk)...)
	}

	return append(errs, cpuType(at.Child("cpuType"), s.CPUType)...)
}

// vga checks the type of a display against Proxmox's names. The VM has one serial port.
func vga(at *field.Path, v v1alpha1.VGA) field.ErrorList {
	return OneOf(at.Child("type"), v.Type, "std", "virtio", "virtio-gl", "qxl", "vmware", "cirrus", "serial0", "none")
}

// Cores checks a number of CPU cores.
func Cores(at *field.Path, n *int64) field.ErrorList { return between(at, n, 1, 1024) }

// Memory checks an amount of memory.
func Memory(at *field.Path, q v1alpha1.Quantity) field.ErrorList {
	return amount(at, q, quantity.MemoryMiB)
}

// amount checks what a quantity says, as the function that reads it does.
func amount(at *field.Path, q v1alpha1.Quantity, read func(v1alpha1.Quantity) (int64, error)) field.ErrorList {
	if _, err := read(q); err != nil {
		return field.ErrorList{field.Invalid(at, message.Excerpt(string(q)), err.Error())}
	}

	return nil
}

// Disk checks the size of a disk.
func Disk(at *field.Path, q v1alpha1.Quantity) field.ErrorList {
	return amount(at, q, quantity.DiskGiB)
}

func startup(at *field.Path, s *v1alpha1.Startup) field.ErrorList {
	if s == nil {
		return nil
	}

	errs := between(at.Child("order"), s.Order, 0, 1000000)
	errs = append(errs, between(at.Child("upDelaySeconds"), s.UpDelaySeconds, 0, 86400)...)

	return append(errs, between(at.Child("downDelaySeconds"), s.DownDelaySeconds, 0, 86400)...)
}

func disks(at *field.Path, ds []v1alpha1.Disk) field.ErrorList {
	errs := count(at, len(ds), maxDisks)
	names, paths := make([]string, 0, len(ds)), make([]string, 0, len(ds))
	rule := textRule{20, diskNamePattern, "must be the disk's name, of lower case letters, digits and hyphens, such as data"}

	for i, d := range ds[:min(len(ds), maxDisks)] {
		p := at.Index(i)
		names = append(names, d.Name)
		errs = append(errs, rule.required(p.Child("name"), d.Name)...)
		errs = append(errs, Datastore(p.Child("storage"), d.Storage)...)
		errs = append(errs, DiskCache(p.Child("cache"), d.Cache)...)
		errs = append(errs, mount(p, d)...)
		paths = append(paths, d.MountPath)

		if d.Size == "" {
			errs = append(errs, field.Required(p.Child("size"), "must be the disk's size, such as 500Gi"))
			continue
		}

		errs = append(errs, Disk(p.Child("size"), d.Size)...)
	}

	errs = append(errs, duplicateKeys(at, "mountPath", paths)...)

	return append(errs, duplicateKeys(at, "name", names)...)
}

// mount checks how the guest is to use a disk.
func mount(at *field.Path, d v1alpha1.Disk) field.ErrorList {
	errs := OneOf(at.Child("filesystem"), d.Filesystem, "ext4", "xfs")

	switch {
	case d.Filesystem == "" && d.MountPath != "":
		errs = append(errs, field.Required(at.Child("filesystem"), "filesystem and mountPath need each other: set ext4 or xfs, or remove mountPath"))
	case d.Filesystem != "" && d.MountPath == "":
		errs = append(errs, field.Required(at.Child("mountPath"), "filesystem and mountPath need each other: set a folder such as /srv/data, or remove filesystem"))
	}

	return append(errs, mountPath(at.Child("mountPath"), d.MountPath)...)
}

func mountPath(at *field.Path, p string) field.ErrorList {
	rule := textRule{200, pathPattern, "must be an absolute path of letters, digits, dots, _, - and /, without . and .. and without a / at the end, such as /srv/data"}
	if errs := rule.check(at, p); p == "" || p != "/" && len(errs) > 0 {
		return errs
	}

	switch {
	case systemFolders.MatchString(p), slices.Contains([]string{"/", "/home", "/root", "/var", "/var/cache", "/var/lib", "/var/log", "/var/spool"}, p):
		return field.ErrorList{field.Invalid(at, message.Excerpt(p), "must not be a folder of the operating system; use one such as /srv/data or /var/lib/rancher/k3s")}
	case path.Clean(p) != p:
		return field.ErrorList{field.Invalid(at, message.Excerpt(p), rule.message)}
	}

	return nil
}

// DiskCache checks the cache mode of a disk.
func DiskCache(at *field.Path, mode string) field.ErrorList {
	// As Proxmox's own page of a disk calls it.
	if strings.EqualFold(mode, "default") {
		return field.ErrorList{field.Invalid(at, mode, "must be a cache mode: Proxmox's default is none: write none")}
	}

	return OneOf(at, mode, "none", "writethrough", "writeback", "directsync", "unsafe")
}

func devices(at *field.Path, d v1alpha1.Devices) field.ErrorList {
	errs := mappings(at.Child("pci"), d.PCI, maxPCI)

	return append(errs, mappings(at.Child("usb"), d.USB, maxUSB)...)
}

func mappings(at *field.Path, ds []v1alpha1.Device, maxItems int) field.ErrorList {
	errs := count(at, len(ds), maxItems)
	names := make([]string, 0, len(ds))

	for i, d := range ds[:min(len(ds), maxItems)] {
		names = append(names, d.Mapping)
		errs = append(errs, Mapping(at.Index(i).Child("mapping"), d.Mapping)...)
	}

	return append(errs, duplicateKeys(at, "mapping", names)...)
}

// chipsetMeant is a chipset as Proxmox spells it.
func chipsetMeant(text string) string {
	switch fixed := strings.ToLower(text); {
	case fixed == "i440fx" || fixed == "pc-i440fx":
		return "pc"
	case chipsetPattern.MatchString(fixed):
		return fixed
	case chipsetPattern.MatchString("pc-" + fixed):
		return "pc-" + fixed
	default:
		return ""
	}
}

// Firmware checks firmware and chipset.
func Firmware(at *field.Path, f *v1alpha1.Firmware) field.ErrorList {
	if f == nil {
		return nil
	}

	errs := OneOf(at.Child("type"), f.Type, v1alpha1.FirmwareBIOS, v1alpha1.FirmwareUEFI)
	errs = append(errs, textRule{40, chipsetPattern, "must be q35, pc, or one of these with a fixed version, such as pc-i440fx-8.1"}.meaning(chipsetMeant(f.Machine)).check(at.Child("machine"), f.Machine)...)

	if f.SecureBoot && f.Type != v1alpha1.FirmwareUEFI {
		errs = append(errs, field.Invalid(at.Child("secureBoot"), f.SecureBoot, "needs type: UEFI"))
	}

	return errs
}
