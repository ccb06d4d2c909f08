package cluster

import (
	"fmt"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A site plays the nodes of a cluster: each answers a spec some calls later, as the composite of a K3sNode does.
type site struct {
	nodes map[string]*node
	vms   int64

	plans map[Role]UpgradePlan // Of system-upgrade-controller, as the last call wrote them.
	asks  bool                 // The controller is not there: nobody carries the Plans out.
	jobs  []string             // Nodes whose upgrades have begun, each time.
	hosts bool                 // Crossplane runs in the cluster: its only server refuses a restart.
	stops []string             // Servers whose etcd counts removed members again, by an upgrade.
}

// A node is a K3sNode with its VM.
type node struct {
	child Child

	applied  map[string]any // The spec that the node has answered.
	made     map[string]any // What its VM was made with: fields that only a new VM can have.
	pending  bool           // Memory that waits for a power cycle.
	used     map[string]bool
	busy     int  // Calls until it is done.
	dead     bool // Its host is gone.
	leaving  int
	replaced int
	reboots  int
	job      int // Calls until the Job of system-upgrade-controller has ended.

	undrainable bool // Nobody may drain its Node.
}

// smallDisk is a class with more memory and a smaller disk, which no VM that exists takes.
const smallDisk = "small-disk"

func newSite() *site { return &site{nodes: map[string]*node{}} }

// fixed are the fields that only a new VM can have.
func fixed(spec map[string]any) map[string]any {
	k, _ := spec["k3s"].(map[string]any)
	return map[string]any{"image": spec["image"], "version": k["version"], "config": fmt.Sprint(k["config"]), "ip": identityOf(spec, "network.ip")}
}

// children as the function observes them.
func (s *site) children() map[string]Child {
	out := map[string]Child{}
	for name, n := range s.nodes {
		out[name] = n.child
	}

	return out
}

// apply a plan as Crossplane does. It returns the nodes whose spec it changed.
func (s *site) apply(p Plan) []string {
	var changed []string

	rendered := map[string]bool{}

	for _, step := range p.Steps {
		if step.Spec == nil {
			continue
		}

		rendered[step.Node] = true
		n, ok := s.nodes[step.Node]

		if !ok {
			s.vms++
			n = &node{used: map[string]bool{}, busy: 2, child: Child{Machine: step.Machine, Role: step.Role, VMID: new(s.vms)}, made: fixed(step.Spec)}
			s.nodes[step.Node] = n
			changed = append(changed, step.Node)
		} else if fmt.Sprint(n.child.Spec) != fmt.Sprint(step.Spec) {
			changed = append(changed, step.Node)
			n.child.Answered = false
		}

		n.child.Spec, n.child.Template, n.child.Turn, n.child.Requested = step.Spec, step.Template, step.Turn, step.Requested
		n.child.DataDisks, n.child.Adopted = step.DataDisks, step.Adopted
	}

	s.plans = p.Upgrades

	for name, n := range s.nodes {
		if !rendered[name] && !n.child.Deleting {
			n.child.Deleting, n.leaving = true, 2
		}
	}

	return changed
}

// turn lets time pass at all nodes.
func (s *site) turn() {
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		n := s.nodes[name]
		c := &n.child

		switch {
		case c.Deleting:
			if n.leaving--; n.leaving < 0 {
				delete(s.nodes, name)
			}

			continue
		case n.dead && c.Need == NeedReplacing && group(c.Spec, "lifecycle")["lost"] == c.ProxmoxNode:
			// Nothing is needed of a VM that is off for good.
			n.busy--
			c.Answered = true

			if n.busy == 0 {
				n.dead, c.Provider, c.ProxmoxNode = false, ProviderWell, "pve3"
				s.done(n)
			}

			continue
		case n.dead:
			c.Ready, c.Provider = false, ProviderTroubled
		case n.job > 0:
			s.upgrade(n)
		case n.busy > 0:
			n.busy--
			c.Answered = true

			if n.busy == 0 {
				s.done(n)
			}

			continue
		}

		s.answer(n)
	}

	s.carryOut()
}

// carryOut begins what the Plans ask for, as system-upgrade-controller does: as many nodes at once as a Plan names.
func (s *site) carryOut() {
	for _, role := range []Role{v1alpha1.K3sServer, v1alpha1.K3sAgent} {
		p := s.plans[role]
		p.Applying = nil

		for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
			n := s.nodes[name]
			if !slices.Contains(p.Nodes, n.child.NodeName) || n.child.Deleting {
				continue
			}

			if n.job == 0 && !s.asks && !n.dead && n.child.Version != p.Version {
				n.job, n.child.Ready = 3, false
				s.jobs = append(s.jobs, name+" "+p.Version)

				if n.child.votes() && k3s.EtcdHop(n.child.Version, p.Version).Verdict == k3s.HopRefused {
					s.stops = append(s.stops, name+" from "+n.child.Version+" to "+p.Version)
				}
			}

			if n.job > 0 {
				p.Applying = append(p.Applying, n.child.NodeName)
			}
		}

		if s.plans != nil {
			s.plans[role] = p
		}
	}
}

// upgrade goes on with the Job on a node: K3s runs the new release before the Job has ended.
func (s *site) upgrade(n *node) {
	n.job--
	n.child.Answered = true

	switch n.job {
	case 1:
		n.child.Version = s.plans[n.child.Role].Version
	case 0:
		n.child.Ready = true
	}
}

// done: what the node was busy with is over.
func (s *site) done(n *node) {
	if n.child.Need == NeedReplacing {
		s.vms++
		n.child.VMID, n.made, n.pending = new(s.vms), fixed(n.applied), false
		n.replaced++
	}

	if n.child.Restart != RestartNone && n.child.Joined {
		n.pending = false
		n.reboots++
	}

	if n.applied == nil {
		n.applied = n.child.Spec
	}

	if n.child.Need == NeedReplacing || !n.child.Joined {
		n.child.Version, n.child.VersionSeen, n.child.NodeName = versionOf(n.applied), true, n.child.Machine
	}

	n.child.Joined, n.child.Ready = true, true
	s.assess(n)
}

// answer the spec.
func (s *site) answer(n *node) {
	before := n.applied
	n.applied, n.child.Answered = n.child.Spec, true

	if before != nil && before["class"] != n.applied["class"] {
		n.pending = true
	}

	s.assess(n)

	l, _ := n.applied["lifecycle"].(map[string]any)
	trigger := func(name string) bool {
		word, _ := l[name].(string)
		if word == "" || n.used[name+word] || !n.child.Joined {
			return false
		}

		n.used[name+word] = true

		return true
	}

	s.drain(n, l["drain"] != nil)

	switch {
	case trigger("replace"):
		n.child.Need, n.child.Ready, n.busy = NeedReplacing, false, 2
	case trigger("reboot"):
		if s.hosts && n.child.Role == v1alpha1.K3sServer && s.servers() == 1 {
			return
		}

		n.child.Ready, n.busy = false, 1
	}
}

// servers that there are.
func (s *site) servers() int {
	out := 0

	for _, n := range s.nodes {
		if n.child.Role == v1alpha1.K3sServer {
			out++
		}
	}

	return out
}

// drain the Node of a node, or give it pods again. What is said of it comes a call later.
func (s *site) drain(n *node, asked bool) {
	switch {
	case !asked && n.child.Drain != "":
		n.child.Drain = status.ReasonNotDrained
	case asked && n.undrainable:
		n.child.Drain = status.ReasonDrainBlocked
	case asked && n.child.Drain == status.ReasonDraining:
		n.child.Drain = status.ReasonDrained
	case asked && n.child.Drain != status.ReasonDrained:
		n.child.Drain = status.ReasonDraining
	}
}

// assess what the node needs.
func (s *site) assess(n *node) {
	n.child.Need, n.child.VersionChanged = NeedNothing, false

	k, _ := n.applied["k3s"].(map[string]any)

	if n.applied["class"] == smallDisk || n.made["image"] != n.applied["image"] || n.made["config"] != fmt.Sprint(k["config"]) {
		n.child.Need = NeedNewVM
	}

	n.child.Had = nil

	if is := identityOf(n.applied, "network.ip"); n.made["ip"] != is {
		n.child.Need, n.child.Had = NeedNewVM, hadOf(nil, []string{fmt.Sprintf("spec.network.ip: %s to %s", n.made["ip"], is)}, true)
	}

	n.child.VersionChanged = n.made["version"] != k["version"]

	if n.child.Restart = RestartNone; n.pending {
		n.child.Restart = RestartPending
	}
}

// away are the nodes that have joined and are not there now.
func (s *site) away() []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		if n := s.nodes[name]; n.child.Joined && (!n.child.Ready || n.child.Deleting) {
			out = append(out, name)
		}
	}

	return out
}

// claimed is a cluster of some servers and agents.
func claimed(servers, agents int64) v1alpha1.K3sClusterSpec {
	return v1alpha1.K3sClusterSpec{
		Cluster: "home", Version: "v1.33.6+k3s1", Endpoint: "https://192.168.4.210:6443",
		Token:          &v1alpha1.K3sToken{SecretRef: &v1alpha1.SecretKeyRef{Name: "token", Key: "token"}, AllowPlaintext: true, TrustOnFirstUse: true},
		Servers:        v1alpha1.ServerPool{Count: &servers, NodePool: v1alpha1.NodePool{Class: "medium", Image: "debian-13"}},
		Agents:         []v1alpha1.AgentPool{{Name: "worker", Count: agents, NodePool: v1alpha1.NodePool{Class: "large", Image: "debian-13"}}},
		DeletionPolicy: v1alpha1.DeletionDelete,
		Rollout:        v1alpha1.Rollout{MaxUnavailable: 1, ReplacePolicy: v1alpha1.ReplaceWhenNeeded, RebootPolicy: v1alpha1.RebootWhenNeeded},
	}
}
