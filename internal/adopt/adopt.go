// Package adopt writes the claims that adopt VMs and containers which somebody made by hand, from their configuration in Proxmox VE.
//
// The claim of a VM says as little as possible: the VM keeps what its claim does not name. See docs/day-two.md, "Adopting an existing VM". That of a
// container says all that the container has and a claim can say. See docs/containers.md, "Adopting a container".
package adopt

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/document"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
)

// A VM as Proxmox has it configured.
type VM struct {
	ID     int64
	Name   string
	State  State
	Config map[string]string // The options as `qm config` prints them.
}

// Options of the claim.
type Options struct {
	Name      string // Of the claim; empty for the guest's.
	Namespace string
	Site      string // Of the catalogue; empty for its default.
	Stopped   bool   // Whether the guest is to stay stopped.
}

// About the VM.
func (vm VM) About() About { return About{ID: vm.ID, Kind: KindVM, Name: vm.Name} }

var (
	diskName      = regexp.MustCompile(`^(scsi|virtio|sata|ide)[0-9]+$`)
	interfaceName = regexp.MustCompile(`^net([0-9]+)$`)
	serialName    = regexp.MustCompile(`^serial([0-9]+)$`)
)

// Unfit says why the provider could not manage the VM as it is, and what to do; empty where it can.
func (vm VM) Unfit() string {
	p := &proxmox.VMParameters{Template: vm.Config["template"] == "1"}

	for _, name := range vm.disks() {
		volume, options, _ := strings.Cut(vm.Config[name], ",")

		datastore, _, ok := strings.Cut(volume, ":")
		if !ok || strings.HasPrefix(volume, "/") {
			datastore = ""
		}

		p.Disk = append(p.Disk, proxmox.Disk{Interface: name, DatastoreID: datastore, Size: sizeGiB(options)})
	}

	for range vm.highest(interfaceName) + 1 {
		p.NetworkDevice = append(p.NetworkDevice, proxmox.NetworkDevice{})
	}

	for range vm.highest(serialName) + 1 {
		p.SerialDevice = append(p.SerialDevice, proxmox.SerialDevice{})
	}

	for name := range vm.Config {
		if m := interfaceName.FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1])
			p.NetworkDevice[n].Bridge = "present"
		}

		if m := serialName.FindStringSubmatch(name); m != nil {
			n, _ := strconv.Atoi(m[1])
			p.SerialDevice[n].Device = "present"
		}
	}

	return strings.ReplaceAll(proxmox.Unsupported(p), "<vmId>", strconv.FormatInt(vm.ID, 10))
}

// disks of the VM, sorted, without CD drives and the cloud-init drive.
func (vm VM) disks() []string {
	var out []string

	for name, value := range vm.Config {
		if diskName.MatchString(name) && !strings.Contains(value, "media=cdrom") && !strings.Contains(value, "cloudinit") && !strings.HasPrefix(value, "none") {
			out = append(out, name)
		}
	}

	slices.Sort(out)

	return out
}

// highest number of an option such as net0; -1 without any. Proxmox has up to 32 of them.
func (vm VM) highest(option *regexp.Regexp) int {
	out := -1

	for name := range vm.Config {
		if m := option.FindStringSubmatch(name); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n < 64 {
				out = max(out, n)
			}
		}
	}

	return out
}

// sizeGiB of a disk's options; 0 for less than 1 GiB, and where there is none: as the provider reads it.
func sizeGiB(options string) int64 {
	for option := range strings.SplitSeq(options, ",") {
		if size, ok := strings.CutPrefix(option, "size="); ok {
			n, _ := quantity.ShownGiB(size)

			return n
		}
	}

	return 0
}

// Cautions are what a person should know before the adoption, a sentence each.
func (vm VM) Cautions() []string {
	var out []string

	agent := vm.Config["agent"]
	if strings.HasPrefix(agent, "1") || strings.Contains(agent, "enabled=1") {
		out = append(out, fmt.Sprintf("The guest agent is enabled: it must answer, or the provider cannot read the VM (`qm agent %d ping`).", vm.ID))
	}

	if strings.Contains(agent, "freeze-fs-on-backup") {
		out = append(out, "The provider does not know the agent's option freeze-fs-on-backup: set it again after the adoption.")
	}

	if vm.Config["description"] != "" {
		out = append(out, "The claim replaces the VM's notes: copy them first, if you need them.")
	}

	_, lost := tagsOf(vm.Config["tags"])
	for _, tag := range lost {
		out = append(out, fmt.Sprintf("The adoption removes tag %s: no claim can say it.", message.Excerpt(tag)))
	}

	if vm.Config["lock"] != "" {
		out = append(out, fmt.Sprintf("The VM is locked (%s): wait for the end of the task that locked it.", message.Excerpt(vm.Config["lock"])))
	}

	if _, pending := vm.Config["pending"]; pending {
		out = append(out, "The VM has changes that wait for a power cycle.")
	}

	return out
}

// Claim that adopts the VM, with comments.
func (vm VM) Claim(o Options) ([]byte, error) {
	name := nameOr(o.Name, vm)
	spec := []document.Field{
		document.Entry("adopt", document.Flow(document.Object(document.Entry("vmId", document.Number(vm.ID))))),
		document.Entry("deletionPolicy", document.Text("Orphan"), "The VM stays when the claim is deleted."),
	}

	if vm.Name != "" && vm.Name != name {
		spec = append(spec, document.Entry("hostname", document.Text(vm.Name), "The VM's name in Proxmox, which the claim's would replace."))
	}

	if tags, _ := tagsOf(vm.Config["tags"]); len(tags) > 0 {
		spec = append(spec, document.Entry("tags", document.List(tags, true), "The claim replaces the VM's tags, so they are here."))
	}

	if o.Stopped || vm.State == StateStopped {
		spec = append(spec, document.Entry("power", document.Text("Stopped"), "Without this the provider starts the VM."))
	}

	if o.Site != "" {
		spec = append(spec, document.Entry("proxmox", document.Flow(document.Object(document.Entry("site", document.Text(o.Site))))))
	}

	head := []string{
		document.Modeline("machine.json"),
		fmt.Sprintf("Adopts VM %d. Nothing in Proxmox changes before you approve the plan in status.adoption: docs/day-two.md, \"Adopting an existing VM\".", vm.ID),
		"The VM keeps what the claim does not name: " + vm.has() + ".",
	}

	return document.Marshal(envelope("Machine", name, o.Namespace, spec), strings.Join(append(head, vm.Cautions()...), "\n")+"\n")
}

// has is what the VM is made of, for a comment.
func (vm VM) has() string {
	out := []string{vm.option("cores", "1") + " cores", vm.memory() + " of memory"}

	for _, name := range vm.disks() {
		datastore, _, _ := strings.Cut(vm.Config[name], ":")
		out = append(out, fmt.Sprintf("disk %s of %d GiB on %s", name, sizeGiB(vm.Config[name]), message.Key(datastore)))
	}

	for n := range vm.highest(interfaceName) + 1 {
		for option := range strings.SplitSeq(vm.Config[fmt.Sprintf("net%d", n)], ",") {
			if bridge, ok := strings.CutPrefix(option, "bridge="); ok {
				out = append(out, fmt.Sprintf("net%d on %s", n, message.Key(bridge)))
			}
		}
	}

	return strings.Join(out, ", ")
}

// memory in words.
func (vm VM) memory() string {
	has := vm.option("memory", "512")
	if n, err := strconv.ParseInt(has, 10, 64); err == nil {
		return quantity.Words(n)
	}

	return has + " MiB"
}

func (vm VM) option(name, byDefault string) string {
	if v := vm.Config[name]; v != "" {
		return message.Key(v)
	}

	return byDefault
}
