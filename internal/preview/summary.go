package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/quantity"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// parts of a machine beside its VM, by the condition that says what becomes of them.
var parts = map[string]string{ //nolint:gochecknoglobals // A constant table.
	status.TypeHighlyAvailable: "HA",
	status.TypeFirewallApplied: "firewall",
}

// Summary of what became of a claim, in a person's words: a line that names it, and indented lines about its VM and its files. Of a cluster, a node is a
// line, and an image is named once.
func (r Rendered) Summary() (string, error) {
	if len(r.Nodes) > 0 {
		return r.brief()
	}

	return r.Wide()
}

// Wide is the summary with all that a cluster's nodes have.
func (r Rendered) Wide() (string, error) {
	var out strings.Builder

	fmt.Fprintf(&out, "%s\n", r.Claim)

	if err := r.describe(&out); err != nil {
		return "", err
	}

	for _, c := range r.Nodes {
		var node strings.Builder
		if err := c.describe(&node); err != nil {
			return "", err
		}

		fmt.Fprintf(&out, "  turn %d: %s, %s %s\n", c.Since, c.Name, c.Claim.Object.GetKind(), c.Claim.Object.GetName())
		// Who reads it has the cluster's claim, and none of a node.
		indent(&out, cluster.Typed(c.Claim.Object.Object, node.String()))
	}

	r.remark(&out)

	return out.String(), nil
}

// indent some lines by one level.
func indent(out *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		out.WriteString("  " + line)
	}
}

// remark what is to be said of what was rendered; what is to be said of several nodes, once.
func (r Rendered) remark(out *strings.Builder) {
	said := map[string]bool{}

	for _, one := range r.all() {
		for _, remark := range one.remarks {
			remark = cluster.Typed(one.Claim.Object.Object, remark)
			if !said[remark] {
				fmt.Fprintf(out, "  %s\n", remark)
			}

			said[remark] = true
		}
	}
}

// describe what became of a claim, on indented lines.
func (r Rendered) describe(out *strings.Builder) error {
	state, err := r.state()
	if err != nil {
		return err
	}

	for _, name := range slices.Sorted(maps.Keys(state.Containers)) {
		describeContainer(out, state.Containers[name])
	}

	for _, name := range slices.Sorted(maps.Keys(state.VMs)) {
		// The provider also looks whether a VM has the VMID of a container.
		if kindOf(r.Turn.Composite) != claim.KindContainer {
			r.describeVM(out, state.VMs[name], state)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(state.SiteParts)) {
		describeSitePart(out, state.SiteParts[name])
	}

	if why := r.placement(); r.isNew && why != "" && len(r.Nodes) == 0 {
		fmt.Fprintf(out, "  node: %s\n", why)
	}

	r.describeParts(out)

	for _, name := range slices.Sorted(maps.Keys(state.Files)) {
		p := state.Files[name].Spec.ForProvider
		for _, s := range p.SourceRaw {
			fmt.Fprintf(out, "  file %s on %s of %s, written over SSH\n", s.FileName, p.DatastoreID, p.NodeName)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(state.DownloadFiles)) {
		p := state.DownloadFiles[name].Spec.ForProvider
		fmt.Fprintf(out, imageLine, p.FileName, p.DatastoreID+" of "+p.NodeName, p.URL)
	}

	r.describeClaim(out)

	return nil
}

// imageLine names an image, where it is, and where it comes from.
const imageLine = "  image %s on %s, shared by all machines there, from %s\n"

// describeParts says what became of the parts of a machine beside its VM that are not as they are to be.
func (r Rendered) describeParts(out *strings.Builder) {
	for _, c := range conditionsOf(r.Turn.Composite.Object) {
		if part := parts[fmt.Sprint(c["type"])]; part != "" && c["status"] == "False" {
			fmt.Fprintf(out, "  %s: %v\n", part, c["message"])
		}
	}
}

// describeClaim says what the plan does of the claim itself.
func (r Rendered) describeClaim(out *strings.Builder) {
	if s := r.plan.of("claim"); s != nil {
		for _, said := range slices.Concat(s.actions, s.changes) {
			fmt.Fprintf(out, "  %s\n", said)
		}
	}
}

// state is what the composed resources are to be, in types.
func (r Rendered) state() (proxmox.State, error) {
	objects := map[string]*structpb.Struct{}

	for _, o := range r.Turn.Composed {
		s, err := structpb.NewStruct(o.Object)
		if err != nil {
			return proxmox.State{}, errors.Wrapf(err, "cannot read %s", o.GetName())
		}

		objects[o.GetAnnotations()[annotationResourceName]] = s
	}

	state, err := proxmox.ReadState(objects)

	return state, errors.Wrap(err, "cannot read what was rendered")
}

func (r Rendered) describeVM(out *strings.Builder, vm proxmox.ObservedVM, state proxmox.State) {
	p := vm.Spec.ForProvider

	if vm.ObserveOnly() && r.adopts() {
		fmt.Fprintf(out, "  VM %d: the provider only reads it until somebody approves the plan of its adoption\n", proxmox.VMIDOf(vm))
		return
	}

	fmt.Fprintf(out, "  %s on %s: %s", vmName(vm), p.NodeName, size(p))

	for i, d := range p.Disk {
		if i == 0 {
			fmt.Fprintf(out, ", %d GiB on %s%s", d.Size, d.DatastoreID, origin(p, d, state))
		}
	}

	fmt.Fprintln(out, r.purpose(vm))

	describeDevices(out, p, p.NetworkDevice)
}

// adopts says whether the claim takes over a guest. What that is, Proxmox knows: what was rendered to look at it has no size, disk or interface of it.
func (r Rendered) adopts() bool {
	_, adopts, _ := unstructured.NestedFieldNoCopy(r.Claim.Object.Object, "spec", "adopt")

	return adopts
}

// describeDevices are the data disks, some of the last interfaces and the devices of a VM.
func describeDevices(out *strings.Builder, p proxmox.VMParameters, interfaces []proxmox.NetworkDevice) {
	for _, d := range p.Disk[min(1, len(p.Disk)):] {
		name := d.Serial
		if name == "" {
			name = d.Interface
		}

		fmt.Fprintf(out, "    disk %s: %d GiB on %s\n", name, d.Size, d.DatastoreID)
	}

	first := len(p.NetworkDevice) - len(interfaces)
	for i, n := range interfaces {
		i += first
		fmt.Fprintf(out, "    NIC %d: %s on %s%s%s%s\n", i, n.Model, n.Bridge, vlan(n), addresses(p, i), macAddress(n))
	}

	for _, h := range p.HostPCI {
		fmt.Fprintf(out, "    PCI device %s\n", h.Mapping)
	}

	for _, u := range p.USB {
		fmt.Fprintf(out, "    USB device %s\n", u.Mapping)
	}
}

// vmName is how people call a VM.
func vmName(vm proxmox.ObservedVM) string {
	id := proxmox.VMIDOf(vm)

	switch {
	case id == 0:
		return "VM (Proxmox chooses its VMID)"
	case vm.ObserveOnly():
		return fmt.Sprintf("VM %d (the provider checks first whether the VMID is free)", id)
	}

	return fmt.Sprintf("VM %d", id)
}

// size of a VM without its disks.
func size(p proxmox.VMParameters) string {
	var cores, memoryMiB int64
	for _, c := range p.CPU {
		cores += c.Cores * max(c.Sockets, 1)
	}

	for _, m := range p.Memory {
		memoryMiB += m.Dedicated
	}

	return sizeOf(cores, memoryMiB)
}

// sizeOf so many cores and so much memory; without the latter where there is none.
func sizeOf(cores, memoryMiB int64) string {
	text := fmt.Sprintf("%d cores", cores)
	if cores == 1 {
		text = "1 core"
	}

	if memoryMiB == 0 {
		return text
	}

	return text + ", " + quantity.Words(memoryMiB)
}

// origin of a boot disk.
func origin(p proxmox.VMParameters, d proxmox.Disk, state proxmox.State) string {
	from := d.ImportFrom + d.FileID

	for _, f := range state.DownloadFiles {
		if f.Spec.ForProvider.VolumeID() == from {
			from = f.Spec.ForProvider.FileName
		}
	}

	switch {
	case from != "":
		return " imported from " + from
	case len(p.Clone) > 0:
		return fmt.Sprintf(" cloned from template %d", p.Clone[0].VMID)
	case len(p.CDROM) > 0 && p.CDROM[0].FileID != proxmox.NoMedium:
		return " installed from " + p.CDROM[0].FileID
	}

	return ""
}

// macAddress of an interface, if Proxmox does not make it up.
func macAddress(n proxmox.NetworkDevice) string {
	if n.MACAddress == "" {
		return ""
	}

	return ", MAC address " + n.MACAddress
}

func vlan(n proxmox.NetworkDevice) string {
	if n.VLANID == nil {
		return ""
	}

	return fmt.Sprintf(" VLAN %d", *n.VLANID)
}

// addresses of an interface.
func addresses(p proxmox.VMParameters, i int) string {
	var out []string

	for _, init := range p.Initialization {
		if i >= len(init.IPConfig) {
			continue
		}

		for _, a := range slices.Concat(init.IPConfig[i].IPv4, init.IPConfig[i].IPv6) {
			out = append(out, through(a))
		}
	}

	if len(out) == 0 {
		return ""
	}

	return ", " + strings.Join(out, ", ")
}

// purpose of a VM, as far as the claim tells.
func (r Rendered) purpose(vm proxmox.ObservedVM) string {
	if flake, _, _ := unstructured.NestedString(r.Claim.Object.Object, "spec", "nix", "flakeRef"); flake != "" {
		return ", converges from " + flake
	}

	role := vm.Metadata.Labels[proxmox.K3sRoleLabel]
	if role == "" {
		return ""
	}

	cluster, _, _ := unstructured.NestedString(r.Claim.Object.Object, "spec", "k3s", "clusterName")
	if cluster == "" {
		cluster = vm.Metadata.Labels[proxmox.ClusterLabel]
	}

	if cluster == "" {
		cluster, _, _ = unstructured.NestedString(r.Claim.Object.Object, "spec", "k3s", "server")
	}

	if first, _, _ := unstructured.NestedBool(r.Claim.Object.Object, "spec", "k3s", "init"); first {
		return fmt.Sprintf(", starts K3s cluster %s as its first server", cluster)
	}

	return fmt.Sprintf(", joins %s as %s", cluster, role)
}

// UserData is the text of the snippets with user-data that were rendered, as they are on the node.
func (r Rendered) UserData() (string, error) {
	state, err := r.state()
	if err != nil {
		return "", err
	}

	var out strings.Builder

	for _, name := range slices.Sorted(maps.Keys(state.Files)) {
		for _, s := range state.Files[name].Spec.ForProvider.SourceRaw {
			if strings.Contains(s.FileName, ".user-data.") {
				out.WriteString(proxmox.Unescape(string(s.Data)))
			}
		}
	}

	for _, c := range r.Nodes {
		text, err := c.UserData()
		if err != nil {
			return "", err
		}

		fmt.Fprintf(&out, "# %s\n%s", c.Claim, text)
	}

	if out.Len() == 0 {
		return "", errors.Errorf("%s has no user-data of its own: Proxmox makes it, or a snippet on the node is it", r.Claim)
	}

	return out.String(), nil
}
