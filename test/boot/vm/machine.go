package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/boot/debian"
	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
)

// Machine is a VM with a disk of its own, which stays over its boots.
type Machine struct {
	image *Image
	vm    map[string]any // spec.forProvider of the EnvironmentVM.
	work  string
	boots int
}

// New machine with the hardware of a rendered VM, as far as a first boot notices it.
func (i *Image) New(vm map[string]any, work string) (*Machine, error) {
	m := &Machine{image: i, vm: vm, work: work}

	errs := []error{debian.Run(exec.Command("qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", i.Disk, filepath.Join(work, "disk")))}
	for _, d := range m.dataDisks() {
		errs = append(errs, debian.Run(exec.Command("qemu-img", "create", "-q", "-f", "qcow2", filepath.Join(work, d.slot), d.sizeGiB+"G")))
	}

	return m, errors.Join(errs...)
}

// A dataDisk of a rendered VM: empty at its first boot.
type dataDisk struct{ slot, sizeGiB, serial string }

// dataDisks are all disks but the boot disk.
func (m *Machine) dataDisks() []dataDisk {
	var out []dataDisk

	for _, d := range documents.List(m.vm, "disk") {
		disk := dataDisk{slot: documents.Text(d, "interface"), sizeGiB: documents.Text(d, "size"), serial: documents.Text(d, "serial")}
		if strings.HasPrefix(disk.slot, "scsi") && disk.slot != "scsi0" {
			out = append(out, disk)
		}
	}

	return out
}

// uuid of the rendered VM's SMBIOS.
func (m *Machine) uuid() string { return documents.Text(m.vm, "smbios", "0", "uuid") }

// Options of a boot.
type Options struct {
	Drive documents.Drive
	Site  *Site

	// Until is a command in the guest that is waited for after cloud-init has ended, without quotes.
	Until string

	// Cut the power as soon as the site has answered a request whose note begins so. What the guest has not written to its
	// disk by then is lost, and it says nothing.
	Cut string

	// Limit of the guest's waiting; 20 minutes by default: emulation on a busy machine is slow.
	Limit time.Duration

	// Bootstrap are settings for k3s-bootstrap, to have shorter waits than on a machine.
	Bootstrap map[string]int
}

// Boot until the guest has said what became of it.
func (m *Machine) Boot(ctx context.Context, o Options) (*Report, error) {
	m.boots++

	dir := filepath.Join(m.work, "boot-"+strconv.Itoa(m.boots))
	if err := writeISO(dir, o.Drive); err != nil {
		return nil, err
	}

	if o.Limit == 0 {
		o.Limit = 20 * time.Minute
	}

	// The guest reports when its limit is over. Ours is for one that cannot.
	ctx, cancel := context.WithTimeout(ctx, o.Limit+5*time.Minute)
	defer cancel()

	if o.Cut != "" {
		go cutAfter(ctx, cancel, o)
	}

	var looks agentLooks

	watching, stop := context.WithCancel(ctx)
	watched := make(chan struct{})

	go func() { defer close(watched); looks.watch(watching, dir) }()

	done := make(chan error, 1)

	go func() {
		// The thread that leaves the machine's network is not given back: it ends with this goroutine.
		runtime.LockOSThread()

		done <- m.run(ctx, dir, o)
	}()

	err := <-done

	stop()
	<-watched

	console, _ := os.ReadFile(filepath.Join(dir, "console"))

	report := parse(filepath.Join(dir, "report"))
	report.Console, report.Reported, report.Addressed = string(console), looks.reported(), looks.addressed()

	if o.Cut != "" && o.Site.noted(o.Cut) {
		return report, nil
	}

	if err != nil {
		return report, fmt.Errorf("%w; the end of the console:\n%s", err, report.Console[max(0, len(report.Console)-3000):])
	}

	return report, nil
}

// cutAfter ends the guest's QEMU a moment after the request, when what it is for has begun.
func cutAfter(ctx context.Context, cut context.CancelFunc, o Options) {
	const moment = 2 * time.Second

	for !o.Site.noted(o.Cut) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(moment / 10):
		}
	}

	select {
	case <-ctx.Done():
	case <-time.After(moment):
		cut()
	}
}

func (m *Machine) run(ctx context.Context, dir string, o Options) error {
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		return fmt.Errorf("cannot make a network: %w", err)
	}

	stop, err := o.Site.serve(m.image.authority)
	if err != nil {
		return err
	}
	defer stop()

	cmd := exec.CommandContext(ctx, "qemu-system-x86_64", m.arguments(dir, o)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}

	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the guest did not end: %w (%w)\n%s", err, errors.Join(ctx.Err()), out)
	}

	return nil
}

// arguments of QEMU, after those that Proxmox starts a VM with.
func (m *Machine) arguments(dir string, o Options) []string {
	limit := int(o.Limit.Seconds())
	kernel := []string{
		"root=LABEL=root", "ro", "console=ttyS0", "probe.limit=" + strconv.Itoa(limit),
		// On a busy machine an emulated timer comes too late for the kernel's check of it, and one that has given up need not
		// be waited for: it reboots, which ends this QEMU.
		"no_timer_check", "panic=-1",
	}

	if o.Until != "" {
		kernel = append(kernel, "probe.until="+strings.ReplaceAll(o.Until, " ", "+"))
	}

	for name, value := range o.Bootstrap {
		kernel = append(kernel, fmt.Sprintf("bootstrap.%s=%d", name, value))
	}

	// The chipset; which of its versions, QEMU here may not know.
	machine := "pc"
	if strings.Contains(documents.Text(m.vm, "machine"), "q35") {
		machine = "q35"
	}

	// One processor: where others keep the cores of a computer busy, the timers of a second emulated one come so late that the kernel waits for them forever.
	args := []string{
		"-machine", machine, "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "1024",
		"-nodefaults", "-display", "none", "-no-reboot",
		"-kernel", m.image.Kernel, "-initrd", m.image.Initrd, "-append", strings.Join(kernel, " "),
		"-serial", "file:" + filepath.Join(dir, "console"), "-serial", "file:" + filepath.Join(dir, "report"),
		"-object", "rng-random,filename=/dev/urandom,id=rng0", "-device", "virtio-rng-pci,rng=rng0",
		"-drive", "if=none,id=drive-scsi0,format=qcow2,discard=unmap,cache=unsafe,file=" + filepath.Join(m.work, "disk"),
		"-device", "virtio-scsi-pci,id=virtioscsi0", "-device", "scsi-hd,bus=virtioscsi0.0,drive=drive-scsi0",
		"-drive", "if=none,id=drive-cloudinit,media=cdrom,format=raw,readonly=on,file=" + filepath.Join(dir, "cidata"),
	}

	// Each SCSI disk has a controller of its own, and says its serial number.
	for _, d := range m.dataDisks() {
		args = append(args,
			"-drive", "if=none,id=drive-"+d.slot+",format=qcow2,discard=unmap,cache=unsafe,file="+filepath.Join(m.work, d.slot),
			"-device", "virtio-scsi-pci,id=virtio"+d.slot,
			"-device", "scsi-hd,bus=virtio"+d.slot+".0,drive=drive-"+d.slot+",device_id=drive-"+d.slot+",serial="+d.serial)
	}

	if drive := documents.Text(m.vm, "initialization", "0", "interface"); strings.HasPrefix(drive, "scsi") {
		args = append(args, "-device", "virtio-scsi-pci,id=virtio"+drive, "-device", "scsi-cd,bus=virtio"+drive+".0,drive=drive-cloudinit")
	} else {
		args = append(args, "-device", "ide-cd,drive=drive-cloudinit")
	}

	if documents.At(m.vm, "agent", "0", "enabled") == true {
		args = append(args, "-device", "virtio-serial-pci", "-chardev", "socket,id=agent,server=on,wait=off,path="+filepath.Join(dir, "agent"),
			"-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0")
	}

	if uuid := m.uuid(); uuid != "" {
		args = append(args, "-smbios", "type=1,uuid="+uuid)
	}

	for i := range documents.List(m.vm, "networkDevice") {
		id := "net" + strconv.Itoa(i)
		args = append(args, "-netdev", "user,id="+id, "-device", "virtio-net-pci,netdev="+id+",mac="+documents.MAC(m.vm, i))
	}

	return args
}

// writeISO makes the drive as Proxmox does: ISO 9660 level 3 with Rock Ridge names and the label cidata.
func writeISO(dir string, drive documents.Drive) error {
	content := filepath.Join(dir, "files")

	errs := []error{os.MkdirAll(content, 0o700)}
	for name, text := range map[string]string{
		"user-data": drive.UserData, "meta-data": drive.MetaData, "network-config": drive.NetworkConfig, "vendor-data": drive.VendorData,
	} {
		errs = append(errs, os.WriteFile(filepath.Join(content, name), []byte(text), 0o600))
	}

	errs = append(errs, debian.Run(exec.Command("genisoimage", "-quiet", "-iso-level", "3", "-R", "-V", "cidata",
		"-o", filepath.Join(dir, "cidata"), content)))

	return errors.Join(errs...)
}
