package properties

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// hostsCrossplane says whether Crossplane would be down with the machine's VM: the claim says so, or no other server is found of a cluster whose Nodes
// Crossplane reads from within.
func hostsCrossplane(m *world.Machine) bool {
	name, _ := world.Object(m.Spec()["k3s"])["cluster"].(string)
	entry := world.Object(world.Object(world.Object(m.Catalogue["data"])["clusters"])[name])

	return m.Spec()["runsCrossplane"] == true || isServer(m) && entry["observe"] == string(observedHere) && !slices.ContainsFunc(m.Neighbours, func(o map[string]any) bool {
		return servesBeside(m, o, name)
	})
}

// servesBeside says whether a managed resource is the VM of another server of the machine's K3s cluster, as far as the machine asks for it: by its labels, and in
// the generation of the provider's API that is asked for.
func servesBeside(m *world.Machine, o map[string]any, cluster string) bool {
	api, namespaced := m.Input["providerAPI"], world.Object(m.Composite["metadata"])["namespace"] != nil
	labels := world.Object(world.Object(o["metadata"])["labels"])

	return o["apiVersion"] == proxmox.FlavourOf(namespaced, fmt.Sprint(api)).VMAPIVersion() && labels[proxmox.ClusterLabel] == cluster && labels[proxmox.K3sRoleLabel] == "server" &&
		labels[proxmox.EtcdLabel] != string(proxmox.EtcdNone)
}

// A hostWatch holds that the provider never stops the VM on which Crossplane runs, unless its claim has a value of lifecycle.force that it never had.
type hostWatch struct {
	forced []string // The values that the claim had.
	since  int      // What was done in Proxmox before.
	vm     string   // That exists, by VMID; empty where there is none, or more than one.
	begun  bool     // Whether its stop was written before, and has not been done: the value that the claim had may have forced it.
}

// begin to watch what is done to a machine whose claim is written.
func (w *hostWatch) begin(m *world.Machine) {
	w.since, w.vm, w.begun = len(m.Proxmox.Done), "", false

	// A VM beside another one replaces it, or is replaced.
	if vms := vmsOf(m); len(vms) == 1 && madeVM(m) {
		o := m.Observed[vms[0]]
		w.vm = world.Annotation(o, world.ExternalName)
		w.begun = world.Object(world.Object(o["spec"])["forProvider"])["started"] == false && atProvider(o)["started"] == true
	}
}

// end of what is watched: what was done to the VM is one of the outcomes, and may be a fault.
func (w *hostWatch) end(m *world.Machine, outcomes map[string]bool) (faults []string) {
	force, _ := world.Object(m.Spec()["lifecycle"])["force"].(string)
	forces := force != "" && (w.begun || !slices.Contains(w.forced, force))
	w.forced = append(w.forced, force)

	if id, err := strconv.Atoi(w.vm); err == nil && hostsCrossplane(m) {
		stopped := slices.Contains(m.Proxmox.Done[w.since:], fmt.Sprintf("stop %d", id))

		switch {
		case stopped && forces:
			outcomes["forced stop of Crossplane"] = true
		case stopped:
			return []string{fmt.Sprintf("VM %d is stopped, on which Crossplane runs, and nobody forces that", id)}
		}
	}

	return nil
}
