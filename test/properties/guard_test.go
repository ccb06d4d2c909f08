package properties

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// kept are the fields of a VM's forProvider that no edit of a claim changes while the VM lives: the provider cannot change
// them in place, or would break the VM, or no claim can say them.
var kept = []string{
	"vmId", "clone", "cdrom", "bios", "machine", "efiDisk", "tpmState", "acpi", "tabletDevice", "keyboardLayout",
	"scsiHardware", "bootOrder", "operatingSystem", "serialDevice", "template", "protection", "reboot",
	"stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy",
}

// faultsOf an answer to what is observed: everything in it that could destroy, reboot or wedge a machine by surprise.
func faultsOf(m *world.Machine, rsp *fnv1.RunFunctionResponse) []string {
	if msg := world.Fatal(rsp); msg != "" {
		return []string{"fatal: " + msg}
	}

	var out []string

	seen := map[string]bool{}
	for _, c := range rsp.GetConditions() {
		if seen[c.GetType()] {
			out = append(out, "two conditions of type "+c.GetType())
		}

		seen[c.GetType()] = true
	}

	for name, d := range world.Manifests(rsp) {
		// A Node that is gone is nobody's, whatever an old read or a lost annotation says: the fake faults a deletion that meets another VM's.
		if node := m.ForeignNode(name, d); node != "" && m.Cluster().Nodes[node] != nil {
			out = append(out, fmt.Sprintf("%s would delete Node %s, which is not its VM's", name, node))
		}
	}

	for name, o := range m.Observed {
		r, ok := rsp.GetDesired().GetResources()[name]
		if !ok {
			if !mayDrop(m, rsp, name) {
				out = append(out, "dropped: "+name)
			}

			continue
		}

		d := r.GetResource().AsMap()

		for _, f := range []string{"apiVersion", "kind"} {
			// What was begun for a VM that is not there yet may be begun anew in another API.
			if d[f] != o[f] && (f == "kind" || madeVM(m)) {
				out = append(out, fmt.Sprintf("%s: %s is %v and was %v", name, f, d[f], o[f]))
			}
		}

		for _, f := range resourceFaults(m, name, o, d) {
			out = append(out, name+": "+f)
		}
	}

	slices.Sort(out)

	return out
}

// ours are the composed resource names of a machine's VMs.
var ours = regexp.MustCompile(`^vm(-[0-9a-f]{10})?$`)

// resourceFaults compares what is wanted of one resource that exists with what is observed of it.
func resourceFaults(m *world.Machine, name string, o, d map[string]any) []string {
	if o["kind"] == world.VMKind && ours.MatchString(name) {
		switch {
		case onlyObserved(o), isContainersNumber(m, o):
			return nil
		case !strangers(m, o):
			if asksApproval(m) {
				return approvalFaults(m, o, d)
			}

			return vmFaults(m, o, d)
		case onlyObserved(d), world.Policies(d) == "Observe,Create":
			// The provider can do nothing to it, whatever else is written. A VM that tells nothing of itself may still become ours.
			return nil
		}

		return []string{"somebody else's VM may be changed: " + world.Policies(d)}
	}

	var out []string

	// A look for a free VMID goes through a range, and changes nothing.
	if o["kind"] == world.VMKind && onlyObserved(o) && onlyObserved(d) {
		return nil
	}

	// An Object of a Node follows the host name, and a DNS record name and address.
	if o["kind"] == world.ObjectKind || o["kind"] == world.DNSEndpointKind {
		return nil
	}

	if o["kind"] == world.ContainerKind {
		return containerFaults(m, o, d)
	}

	if o["kind"] == world.HAResourceKind {
		return haFaults(m, name, o, d)
	}

	if isFirewall(o) {
		return firewallFaults(m, o, d)
	}

	// Nothing of a file can be changed, and what others made is theirs.
	for _, f := range []string{"forProvider", "providerConfigRef"} {
		if was, is := world.Compact(world.Object(o["spec"])[f]), world.Compact(world.Object(d["spec"])[f]); was != is {
			out = append(out, fmt.Sprintf("%s is %.300s and was %.300s", f, is, was))
		}
	}

	return out
}

// haFaults: an entry of the HA manager stays that of its VM, and the HA manager ignores a VM before the provider stops it.
func haFaults(m *world.Machine, name string, o, d map[string]any) []string {
	var out []string

	was, is := world.Object(world.Object(o["spec"])["forProvider"]), world.Object(world.Object(d["spec"])["forProvider"])
	if name := world.Annotation(d, world.ExternalName); was["resourceId"] != is["resourceId"] || name != "" && name != is["resourceId"] {
		out = append(out, fmt.Sprintf("is about %v and was about %v", is["resourceId"], was["resourceId"]))
	}

	if had := world.Object(world.Object(o["status"])["atProvider"])["group"]; is["group"] != nil && is["group"] != had {
		out = append(out, fmt.Sprintf("names group %v, and was found in %v", is["group"], had))
	}

	vm := m.Observed[strings.TrimPrefix(name, "ha-")]
	if is["state"] == "stopped" && powerReported(vm) && atProvider(vm)["started"] == true {
		out = append(out, "the HA manager is to stop the VM, and switches it off if it does not shut down in time")
	}

	return out
}

// protects says whether a spec asks for protection, in either spelling.
func protects(spec map[string]any) bool {
	return spec["protection"] == true || spec["deletionProtection"] == true
}

// mayDrop says whether an observed resource may go: a Usage that is lifted, and what a replacement leaves behind.
func mayDrop(m *world.Machine, rsp *fnv1.RunFunctionResponse, name string) bool {
	o := m.Observed[name]

	switch o["kind"] {
	case world.VMKind, world.FileKind, world.DownloadFileKind:
	case "Usage", "ClusterUsage":
		return name != "protects-claim" && name != "protects-composite" || !protects(m.Spec())
	case world.ObjectKind:
		if manifest := world.Object(world.Object(world.Object(o["spec"])["forProvider"])["manifest"]); manifest["kind"] == "Plan" {
			// Its Jobs go with it: also those of a K3sCluster's Plan, which is for many Nodes.
			return !m.Cluster().Kubernetes.Upgrader.WorksFor(fmt.Sprint(world.Object(manifest["metadata"])["name"]))
		}

		return m.ForeignNode(name, o) == ""
	case world.FirewallOptionsKind, world.FirewallRulesKind:
		return mayDropFirewall(m, rsp, name)
	case world.ContainerKind:
		return mayDropContainer(m, rsp, name)
	default:
		// Another step's of the pipeline.
		return true
	}

	if o["kind"] != world.VMKind && isElsewhere(m, rsp, o) && (o["kind"] == world.DownloadFileKind || writtenElsewhere(rsp, o)) {
		return true
	}

	if o["kind"] == world.VMKind {
		return mayDropVM(m, rsp, name)
	}

	// Before there is a VM, its files are those of the claim's last edit. A replacement that was only announced has files, too.
	replaced := slices.ContainsFunc(vmsOf(m), func(n string) bool {
		o := m.Observed[n]
		return world.Annotation(o, proxmox.ReplaceTriggersAnnotation) != "" || world.Annotation(o, proxmox.ReplacingAnnotation) != ""
	})

	return !madeVM(m) || replaced && !inUse(m, rsp, o) || unread(m, o)
}

// mayDropVM says whether an observed VM may go: a replacement leaves the old one behind when the new one is ready, an attempt that was called off the new one.
func mayDropVM(m *world.Machine, rsp *fnv1.RunFunctionResponse, name string) bool {
	o := m.Observed[name]
	token := world.Object(m.Spec()["lifecycle"])["replace"]

	if onlyObserved(o) || strangers(m, o) {
		return true
	}

	if tried(o) {
		// Its own trigger is the last one; a claim that goes back to an earlier one asks for nothing.
		triggers := strings.Split(world.Annotation(o, proxmox.ReplaceTriggersAnnotation), ",")

		return token == nil || triggers[len(triggers)-1] != fmt.Sprint(token)
	}

	// The mark goes when a VM is ready for the first time, and never comes back.
	return slices.ContainsFunc(vmsOf(m), func(other string) bool {
		v := m.Observed[other]
		_, stays := rsp.GetDesired().GetResources()[other]

		return other != name && stays && !onlyObserved(v) && !tried(v) && world.Annotation(v, proxmox.ReplaceTriggersAnnotation) != ""
	})
}

// unread says whether no VM in Proxmox is made from a file. That of a replacement whose old Node is still to be drained is not, which no VM remembers.
func unread(m *world.Machine, file map[string]any) bool {
	id := world.Compact(world.Annotation(file, world.ExternalName))

	for _, vm := range m.Proxmox.VMs {
		if strings.Contains(world.Compact(vm.Config), id) {
			return false
		}
	}

	return true
}

// madeVM says whether the machine has a VM that was made, or may have been.
func madeVM(m *world.Machine) bool {
	return slices.ContainsFunc(vmsOf(m), func(n string) bool { return !onlyObserved(m.Observed[n]) })
}

// inUse says whether a VM that stays was made from a file.
func inUse(m *world.Machine, rsp *fnv1.RunFunctionResponse, file map[string]any) bool {
	id := world.Annotation(file, world.ExternalName)

	return slices.ContainsFunc(vmsOf(m), func(n string) bool {
		_, stays := rsp.GetDesired().GetResources()[n]
		return stays && strings.Contains(world.Compact(m.Observed[n]["spec"]), world.Compact(id))
	})
}

// strangers says whether a VM that the provider was to create turned out to be somebody else's, who took its number.
func strangers(m *world.Machine, o map[string]any) bool {
	id, _ := world.Object(world.Object(o["status"])["atProvider"])["vmId"].(float64)
	vm := m.Proxmox.VMs[int(id)]

	return vm != nil && vm.Owner == "" && world.Annotation(o, proxmox.CreatingAnnotation) != ""
}

// isContainersNumber says whether a container has the VMID with which a VM was to be made: Proxmox has refused that, and there is none.
func isContainersNumber(m *world.Machine, o map[string]any) bool {
	id, _ := world.Object(world.Object(o["spec"])["forProvider"])["vmId"].(float64)

	return m.Proxmox.Containers[int(id)] != nil && m.Proxmox.VMs[int(id)] == nil
}

// creating says whether the provider may create a VM, and nobody knows yet whether it did.
func creating(o map[string]any) bool { return world.Annotation(o, proxmox.CreatingAnnotation) != "" }

// isElsewhere says whether an image or a snippet stays on a Proxmox node that none of the machine's VMs is on any more: the HA manager has moved them, or they go.
func isElsewhere(m *world.Machine, rsp *fnv1.RunFunctionResponse, o map[string]any) bool {
	node := world.Object(world.Object(o["spec"])["forProvider"])["nodeName"]

	return !strings.Contains(world.Policies(o), "Delete") && !slices.ContainsFunc(vmsOf(m), func(name string) bool {
		_, stays := rsp.GetDesired().GetResources()[name]
		return stays && world.Object(world.Object(m.Observed[name]["status"])["atProvider"])["nodeName"] == node
	})
}

// writtenElsewhere says whether the same snippet is written for another Proxmox node.
func writtenElsewhere(rsp *fnv1.RunFunctionResponse, file map[string]any) bool {
	name := func(o map[string]any) string {
		raw, _ := world.List(world.Object(world.Object(o["spec"])["forProvider"])["sourceRaw"])[0].(map[string]any)

		return fmt.Sprint(raw["fileName"])
	}

	for _, d := range world.Manifests(rsp) {
		if d["kind"] == world.FileKind && name(d) == name(file) {
			return true
		}
	}

	return false
}

// onlyObserved says whether the provider may only observe a VM, so that it has created nothing.
func onlyObserved(o map[string]any) bool {
	return slices.Equal(texts(world.Object(o["spec"])["managementPolicies"]), []string{"Observe"})
}

// tried says whether a VM is to take another's place, and was not ready yet.
func tried(o map[string]any) bool { return world.Annotation(o, proxmox.CandidateAnnotation) != "" }

// isReady says whether the provider says that a resource is there and as it was asked for.
func isReady(o map[string]any) bool {
	good := 0

	for _, c := range world.Conditions(o) {
		if (c["type"] == "Ready" || c["type"] == "Synced") && c["status"] == "True" {
			good++
		}
	}

	return good == 2 && world.Annotation(o, world.ExternalName) != ""
}

// vmFaults compares what is wanted of a VM that exists with what is observed of it.
func vmFaults(m *world.Machine, o, d map[string]any) []string {
	var out []string

	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	was, is := world.Object(world.Object(o["spec"])["forProvider"]), world.Object(world.Object(d["spec"])["forProvider"])
	at := atProvider(o)

	for _, f := range kept {
		// What Proxmox chose may be written down, also where only the external name says what that is.
		if f == "vmId" && was[f] == nil && slices.Contains([]string{world.Compact(at["vmId"]), world.Annotation(o, world.ExternalName)}, world.Compact(is[f])) {
			continue
		}

		if world.Compact(was[f]) != world.Compact(is[f]) {
			fault("%s is %.200s and was %.200s", f, world.Compact(is[f]), world.Compact(was[f]))
		}
	}

	if is["rebootAfterUpdate"] != false {
		fault("rebootAfterUpdate is %v", is["rebootAfterUpdate"])
	}

	if tried(o) && !tried(d) && !(isReady(o) && at["id"] != nil && at["started"] == true) {
		fault("takes the other one's place, and is not ready, or never ran")
	}

	out = append(out, identityFaults(m, o, d)...)
	out = append(out, placeFaults(m, was, is, at)...)
	out = append(out, powerFaults(m, o, is)...)
	out = append(out, diskFaults(was, is)...)
	out = append(out, hardwareFaults(m, o, was, is)...)

	return append(out, initializationFaults(was, is)...)
}

// atProvider is what the provider reports of a VM. Until it has created the VM, the report is still about one that it saw when
// it checked a VMID.
func atProvider(o map[string]any) map[string]any {
	at := world.Object(world.Object(o["status"])["atProvider"])
	if name := world.Annotation(o, world.ExternalName); name != "" && at["id"] != nil && at["id"] != name {
		return map[string]any{}
	}

	return at
}

// identityFaults are about which VM it is, and what the provider may do with it.
func identityFaults(m *world.Machine, o, d map[string]any) []string {
	var out []string

	if was, is := world.Compact(world.Object(o["spec"])["providerConfigRef"]), world.Compact(world.Object(d["spec"])["providerConfigRef"]); was != is {
		out = append(out, fmt.Sprintf("providerConfigRef is %s and was %s", is, was))
	}

	was, is := world.Annotation(o, world.ExternalName), world.Annotation(d, world.ExternalName)
	id, _ := world.Object(world.Object(o["status"])["atProvider"])["id"].(string)

	if was != is && (was != "" || is != "" && is != id && id != "") {
		out = append(out, fmt.Sprintf("external name is %q and was %q", is, was))
	}

	policies := texts(world.Object(d["spec"])["managementPolicies"])
	deletes := slices.Contains(policies, "Delete")
	rest := slices.DeleteFunc(slices.Clone(policies), func(p string) bool { return p == "Delete" })

	// While one VM takes the place of another, the new one holds nothing yet that somebody could miss.
	replacing := tried(d)
	idle := m.Spec()["power"] == "Unmanaged" && slices.Equal(rest, []string{"Observe", "Create"})

	// A VM of which nobody knows yet whether it is ours may be created, and nothing else.
	if world.Annotation(o, proxmox.CreatingAnnotation) != "" && world.Policies(d) == "Observe,Create" {
		return out
	}

	if !slices.Equal(rest, []string{"Observe", "Create", "Update"}) && !idle || deletes != mayDelete(m) && !replacing {
		out = append(out, fmt.Sprintf("managementPolicies are %v", policies))
	}

	return out
}

// mayDelete says whether the VM goes with its claim.
func mayDelete(m *world.Machine) bool {
	if p, ok := m.Spec()["deletionPolicy"]; ok {
		return p == "Delete"
	}

	return strings.TrimPrefix(fmt.Sprint(m.Composite["kind"]), "X") == "Machine"
}

func texts(v any) []string {
	out := make([]string, 0, len(world.List(v)))
	for _, item := range world.List(v) {
		out = append(out, fmt.Sprint(item))
	}

	return out
}

// placeFaults: a VM stays where it is, unless its claim pins it and asks to move it.
func placeFaults(m *world.Machine, was, is, at map[string]any) []string {
	here := at["nodeName"]
	if here == nil {
		here = was["nodeName"]
	}

	asked := world.Object(m.Spec()["proxmox"])

	switch {
	case asked["migrate"] == true && (is["nodeName"] == asked["node"] || is["nodeName"] == here):
		return nil
	case is["nodeName"] != here:
		return []string{fmt.Sprintf("nodeName is %v, and the VM is on %v", is["nodeName"], here)}
	case is["migrate"] != false:
		return []string{"migrate is true, and nobody asked"}
	}

	return nil
}
