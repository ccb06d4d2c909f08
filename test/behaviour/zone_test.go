package behaviour

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// zone that the machine's Node is labelled with; nil without the label.
func (m *machine) zone() any {
	return world.Object(world.Object(m.Cluster().Nodes[m.NodeName()]["metadata"])["labels"])[node.ZoneLabel]
}

// zoned are servers that have joined a cluster whose Nodes are labelled with their Proxmox nodes.
func zoned(t *testing.T, how string, edits ...string) []*machine {
	t.Helper()

	all := joined(t, 3, how, edits...)

	for _, m := range all {
		m.SetCluster("home", "zoneLabel", "ProxmoxNode")
	}

	all[0].Rest()
	all[0].Rest()

	for _, m := range all {
		m.says(m.Call(), map[string]string{"ZoneLabelled": "Labelled"})

		if got := m.zone(); got != m.host() {
			t.Errorf("%s is on %s, and its Node is in zone %v", m.Name(), m.host(), got)
		}
	}

	all[0].Proxmox.Done = nil

	return all
}

// TestAZoneFollowsTheVM: a migration changes the label of the one Node, and nothing else. Machines that meet say so as without the label.
func TestAZoneFollowsTheVM(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			all := zoned(t, how)
			moved, stays := all[0], all[1]
			to := stays.host()

			before := world.Copy(moved.Cluster().Nodes)
			moved.migrated(to)
			all[0].Rest()
			all[0].Rest()

			if got, want := moved.zone(), to; got != want {
				t.Errorf("the VM is on %s, and its Node is in zone %v", want, got)
			}

			if diff := cmp.Diff([]string{"label node " + moved.NodeName() + " with " + to}, moved.Proxmox.Done); diff != "" {
				t.Errorf("what was done: -want, +got:\n%s", diff)
			}

			after := world.Object(world.Copy(moved.Cluster().Nodes))
			meta := world.Object(world.Object(after[moved.NodeName()])["metadata"])
			was := world.Object(world.Object(world.Object(before)[moved.NodeName()])["metadata"])
			world.Object(meta["labels"])[node.ZoneLabel] = world.Object(was["labels"])[node.ZoneLabel]
			meta["annotations"], meta["resourceVersion"] = was["annotations"], was["resourceVersion"]

			if diff := cmp.Diff(before, any(after)); diff != "" {
				t.Errorf("more than one label changed: -before, +after:\n%s", diff)
			}

			for _, m := range []*machine{moved, stays} {
				m.says(m.Call(), map[string]string{"SpreadBroken": "OnOneNode", "ZoneLabelled": "Labelled", "MachineReady": "Running"})
			}
		})
	}
}

// TestAZoneOfSomebodyElse stays, and is said. When it is gone, the function writes its own.
func TestAZoneOfSomebodyElse(t *testing.T) {
	t.Parallel()

	all := zoned(t, "Here")
	m := all[0]
	labels := world.Object(world.Object(m.Cluster().Nodes[m.NodeName()]["metadata"])["labels"])
	labels[node.ZoneLabel] = "rack-1"

	all[0].Rest()
	all[0].Rest()
	m.says(m.Call(), map[string]string{"ZoneLabelled": "OtherZone", "MachineReady": "Running"})
	m.migrated("pve2")
	all[0].Rest()

	if got := m.zone(); got != "rack-1" || m.nodeObject("node-zone") != nil {
		t.Errorf("the zone is %v", got)
	}

	delete(world.Object(world.Object(m.Cluster().Nodes[m.NodeName()]["metadata"])["labels"]), node.ZoneLabel)
	delete(world.Object(m.Cluster().Nodes[m.NodeName()]["metadata"]), "annotations")
	all[0].Rest()
	all[0].Rest()
	m.says(m.Call(), map[string]string{"ZoneLabelled": "Labelled"})

	if got := m.zone(); got != "pve2" {
		t.Errorf("the zone is %v", got)
	}
}

// TestNoZoneWithoutItsNode: before the Node exists, and when somebody deletes it, no Object could make it anew; the new VM's Node gets a label of its own.
func TestNoZoneWithoutItsNode(t *testing.T) {
	t.Parallel()

	all := zoned(t, "Here")
	m := all[0]
	m.Cluster().DeleteNode(m.NodeName())
	all[0].Rest()
	m.says(m.Call(), map[string]string{"ZoneLabelled": "NoNode"})

	if m.nodeObject("node-zone") != nil || m.Cluster().Nodes[m.NodeName()] != nil {
		t.Error("an Object of a Node that there is not")
	}

	m.Join(m.number())
	all[0].Rest()
	all[0].Rest()
	m.says(m.Call(), map[string]string{"ZoneLabelled": "Labelled"})
}

// TestAZoneEnds: without the key the Object goes, and the Node stays with its label. The Object could neither create nor delete the Node.
func TestAZoneEnds(t *testing.T) {
	t.Parallel()

	all := zoned(t, "Here")
	m := all[0]

	if got := world.Policies(m.nodeObject("node-zone")); got != "Observe" {
		t.Errorf("policies %s", got)
	}

	all[0].SetCluster("home", "zoneLabel", nil)
	all[0].Rest()
	m.says(m.Call(), map[string]string{"ZoneLabelled": "ZoneUnasked"})

	if m.nodeObject("node-zone") != nil || m.zone() != m.host() {
		t.Errorf("the Object stays, or the zone %v went", m.zone())
	}

	if slices.ContainsFunc(m.Proxmox.Done, func(s string) bool { return s == "delete node "+m.NodeName() }) {
		t.Error("the Node was deleted")
	}
}

// TestAZoneSurvivesAnOutage: the API server of the K3s cluster does not answer while a VM moves. The label before it stays the function's own.
func TestAZoneSurvivesAnOutage(t *testing.T) {
	t.Parallel()

	for _, how := range []string{"Here", "Object"} {
		t.Run(how, func(t *testing.T) {
			m := zoned(t, how)[0]
			k := &m.Cluster().Kubernetes

			m.migrated("pve9")
			m.Turn()

			k.Fails = "observe failed: cannot get object: dial tcp: i/o timeout"
			for range 6 {
				m.Turn()
			}

			k.Fails = ""
			m.Rest()
			m.Rest()
			m.says(m.Call(), map[string]string{"ZoneLabelled": "Labelled"})

			if got := m.zone(); got != "pve9" {
				t.Errorf("the VM is on pve9, and its Node is in zone %v", got)
			}
		})
	}
}

// TestNobodyWritesAZone: who asks for the label without provider-kubernetes is told, and nothing is composed that Crossplane could not apply.
func TestNobodyWritesAZone(t *testing.T) {
	t.Parallel()

	m := servers(t, 1)[0]
	m.observe("Here")
	m.Cluster().Kubernetes.Missing = true
	m.SetCluster("home", "zoneLabel", "ProxmoxNode")
	m.Join(m.number())
	m.Rest()
	m.Rest()
	m.says(m.Call(), map[string]string{"ZoneLabelled": "ZoneUnwritten", "MachineReady": "Running", "NodeJoined": "Joined"})

	if m.nodeObject("node-zone") != nil {
		t.Error("an Object without its kind")
	}
}
