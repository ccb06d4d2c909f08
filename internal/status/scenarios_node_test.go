package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	dnsUUID   = "7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11"
	otherUUID = "00112233-4455-6677-8899-aabbccddeeff"
	refuses   = ` As long as it exists, K3s refuses this VM ("duplicate node name found" or "Node password rejected, duplicate hostname"). `
	unread    = "Nobody reads the Nodes of the K3s cluster any more: its entry in the catalogue has no observe: Here or observe: Object, or the entry cannot be used."
	older     = "The node runs K3s v1.34.1+k3s1, and its claim says v1.33.6+k3s1, which is older. " +
		"K3s cannot be downgraded in place: name v1.34.1+k3s1 or a later release in the claim, or in the catalogue if the release is from there."
	skips = "The node runs K3s v1.30.8+k3s1, and its claim says v1.33.6+k3s1. That skips a minor release, which Kubernetes does not support: upgrade to a release of " +
		"v1.31 first: one after the other, v1.31.10+k3s1, v1.32.11+k3s3, v1.33.6+k3s1. Do so on the nodes, all servers before the agents, and name the release that they " +
		"get next in the claim, or in the catalogue if the release is from there."
	noNode = "There is no Node dns01 that is known to be this machine's: see condition NodeJoined."
)

// nodeConditions are those of a machine whose Node is known to be its VM, and well.
func nodeConditions(other ...Condition) []Condition {
	return with(append(conditions(), nodeJoined, kubeletReady, voter, sameVersion), other...)
}

// withoutNode are the conditions of a machine without a Node of its own.
func withoutNode(c Condition) []Condition {
	return nodeConditions(c, Condition{"NodeReady", "Unknown", "NoNode", noNode}, Condition{"EtcdMember", "Unknown", "NoNode", noNode},
		Condition{"VersionCurrent", "Unknown", "NoNode", noNode})
}

var (
	nodeJoined   = Condition{"NodeJoined", "True", "Joined", "Node dns01 is this machine's VM: its system UUID is the VM's."}
	kubeletReady = Condition{"NodeReady", "True", "KubeletReady", "Node dns01 is Ready."}
	voter        = Condition{"EtcdMember", "True", "Voter", "The etcd member of Node dns01 votes."}
	sameVersion  = Condition{"VersionCurrent", "True", "SameVersion", "The node runs K3s v1.33.6+k3s1, as its claim says."}
)

// observedServer is a K3s server whose Node is read, and well; change makes the Node the case's own.
func observedServer(t *testing.T, change func(*node.Node)) Input {
	t.Helper()

	in := settled(t)
	in.Machine.K3s = &machine.K3s{
		Role: v1alpha1.K3sServer, Version: "v1.33.6+k3s1", Observe: machine.ObserveHere, ReadyWhen: v1alpha1.ReadyWhenJoined,
	}
	in = edit(in, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: dnsUUID}} })
	in.Plan.Observed = in.State
	in.Plan.Node = lifecycle.ReadNode{Name: "dns01"}

	n := &node.Node{
		Metadata: node.Metadata{Name: "dns01", Labels: map[string]string{"node-role.kubernetes.io/etcd": "true", "node-role.kubernetes.io/control-plane": "true"}},
		Status: node.Status{
			Conditions: []node.Condition{{Type: "Ready", Status: "True"}, {Type: "EtcdIsVoter", Status: "True"}},
			NodeInfo:   node.Info{SystemUUID: dnsUUID, KubeletVersion: "v1.33.6+k3s1"},
		},
	}

	if change == nil {
		return in
	}

	change(n)
	in.Plan.Node.Node = n

	return in
}

// had says that the Node was seen before.
func had(in Input) Input {
	in = edit(in, func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.NodeJoinedAnnotation] = "Seen" })
	in.Plan.Observed = in.State

	return in
}

// throughObject says that the Node could not be read through its Object.
func throughObject(in Input, sight object.Sight) Input {
	in.Plan.Node.Sight = sight
	in.Machine.K3s.Observe, in.Machine.K3s.NodesConfig = machine.ObserveObject, "home"

	return in
}

func asIs(*node.Node) {}

const (
	joins      = takes + "The new VM runs, and the old VM is stopped. "
	thenServer = " When the new VM is ready, its Node is Ready and its etcd member votes, the old VM is destroyed with all its disks, data disks included. To cancel " +
		"before that, remove the value of spec.lifecycle.replace, or restore the previous value: the provider then removes the new VM, and the old VM stays. Do not " +
		"cancel once Node dns01 of the old VM is deleted: its etcd member is removed then, and the old VM cannot join any more."
)

// newNode is the condition of a machine whose new VM has joined and is not the machine yet.
var newNode = Condition{"NodeJoined", "True", "Joined", "Node dns01 is the new VM that replaces this machine's: its system UUID is the VM's."}

// joining is a K3s server whose new VM runs, and whose Node is read; change makes the Node the case's own.
func joining(t *testing.T, change func(*node.Node)) Input {
	t.Helper()

	of, in := observedServer(t, change), replaced(t, lifecycle.StageJoining, true, vmStopped, vmNext)
	in.Machine.K3s, in.Plan.Node = of.Machine.K3s, of.Plan.Node
	in.Previous = after(Machine(replaced(t, lifecycle.StageMaking, true, vmStopped, vmNext)))
	in.Plan.Roles.Candidate, in.Plan.Roles.Begun = next, true

	for name, uuid := range map[string]string{lifecycle.FirstVM: dnsUUID, next: otherUUID} {
		vm := in.State.VMs[name]
		vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: uuid}}
		in.State.VMs[name] = vm
	}

	in.Plan.Observed = in.State

	return in
}

// takingAsNode is the status of a K3s server while another VM takes its place.
func takingAsNode(change func(*v1alpha1.Status)) v1alpha1.Status {
	return taking(func(s *v1alpha1.Status) {
		unjoined(s)
		s.PrimaryAddress, s.Addresses, s.Replacement.VMID = "", nil, new(int64(160))

		if change != nil {
			change(s)
		}
	})
}

// kubernetes is the status of a machine with a Node.
func kubernetes(s *v1alpha1.Status) {
	s.K3sVersion = "v1.33.6+k3s1"
	s.Kubernetes = &v1alpha1.KubernetesStatus{Name: "dns01", Joined: true, Ready: true, Version: "v1.33.6+k3s1", Roles: []string{"control-plane", "etcd"}}
}

// unjoined is the status of a machine without a Node of its own.
func unjoined(s *v1alpha1.Status) {
	s.K3sVersion = "v1.33.6+k3s1"
	s.Kubernetes = &v1alpha1.KubernetesStatus{Name: "dns01"}
}

// nodes are the moments of a K3s server whose Node is read.
func nodes() map[string]scenario {
	notYet := Condition{"NodeJoined", "False", "NotYet", "There is no Node dns01. On the VM, `k3s-bootstrap status` shows how far the installation of K3s has come."}
	gone := Condition{
		"NodeJoined", "False", "NodeGone",
		"Node dns01 had joined, and is gone: somebody deleted it. K3s has removed its etcd member, so the server needs a new VM: set spec.lifecycle.replace to a new value.",
	}
	other := Condition{
		"NodeJoined", "False", "OtherMachine", "Node dns01 is not this machine's VM: its system UUID is another one. The Node is left from an earlier machine, or another " +
			"machine has the name." + refuses + "If no machine is this Node any more, run `kubectl delete node dns01`.",
	}
	unproven := Condition{
		"NodeJoined", "Unknown", "Unproven", "There is a Node dns01, and nobody can tell whether it is this machine's VM: neither a system UUID, nor the label homelab.io/machine-uid, " +
			"nor an address that the guest agent reports can be compared. If it is, set spec.k3s.readyWhen to VM, or repair the guest agent.",
	}
	removed := Condition{
		"NodeJoined", "False", "NodeRemoved", "Node dns01 of the VM that is replaced was deleted, so that the new VM can join under its name. If you take the replacement back, " +
			"the old VM cannot join again, because K3s has removed its etcd member: the server needs a new VM in any case.",
	}
	notInstalled := Condition{
		"NodeJoined", "Unknown", "NodeUnread", "The catalogue has observe: Object for the K3s cluster, and provider-kubernetes is not installed, or its kind Object is not active. " +
			"Install it, or set observe: None in the cluster's entry.",
	}
	forbidden := Condition{
		"NodeJoined", "Unknown", "NodeUnread", "Provider-kubernetes may not read Node dns01: give the identity of its configuration home the rights of the ClusterRole " +
			"provider-kubernetes-nodes, in the cluster that the machine joins.",
	}
	notReady := Condition{"NodeReady", "False", "KubeletNotReady", "The kubelet of Node dns01 says that it is not ready: `kubectl describe node dns01` has the cause."}
	silentKubelet := Condition{
		"NodeReady", "Unknown", "KubeletSilent",
		"The kubelet of Node dns01 does not report: the VM is stopped, cut off from its cluster, or K3s does not run in it.",
	}
	noMember := Condition{
		"EtcdMember", "False", "NotAMember",
		"K3s says that Node dns01 has no etcd member, or an unhealthy one: `journalctl -u k3s` on the VM has the cause.",
	}

	return map[string]scenario{
		"NodeJoined": {
			reason: "The Node is there, and is this VM.",
			in:     func(t *testing.T) Input { t.Helper(); return observedServer(t, asIs) },
			want: Output{
				Status: made(kubernetes), Ready: readiness(true, true, true), Conditions: nodeConditions(),
				Events: []Event{{Reason: "Joined", Message: nodeJoined.Message}},
			},
		},
		"NodeNotYet": {
			reason: "The VM runs, and is no node yet: the machine is not ready, and nothing else of it changes.",
			in:     func(t *testing.T) Input { t.Helper(); return observedServer(t, nil) },
			want:   Output{Status: made(unjoined), Ready: readiness(false, true, true), Conditions: withoutNode(notYet)},
		},
		"NodeOfAnotherMachine": {
			reason: "A Node of the name is not this VM, so that the VM cannot join: a person has to act.",
			in: func(t *testing.T) Input {
				t.Helper()

				return observedServer(t, func(n *node.Node) { n.Status.NodeInfo.SystemUUID = otherUUID })
			},
			want: Output{
				Status: made(unjoined), Ready: readiness(false, true, true), Conditions: withoutNode(other),
				Events: []Event{{Warning: true, Reason: "OtherMachine", Message: other.Message}},
			},
		},
		"NodeNotInstalled": {
			reason: "Nobody can read the Node, because the provider for it is missing: that says nothing of the Node.",
			in: func(t *testing.T) Input {
				t.Helper()

				return throughObject(observedServer(t, nil), object.SightNoKind)
			},
			want: Output{Status: made(unjoined), Ready: readiness(false, true, true), Conditions: withoutNode(notInstalled)},
		},
		"NodeForbidden": {
			reason: "A machine that had joined stays ready while nobody can read its Node.",
			in: func(t *testing.T) Input {
				t.Helper()

				return throughObject(had(observedServer(t, nil)), object.SightForbidden)
			},
			want: Output{Status: made(unjoined), Ready: readiness(true, true, true), Conditions: withoutNode(forbidden)},
		},
		"NodeRemoved": {
			reason: "The Node of the VM that is replaced is gone on purpose: that is no trouble.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(had(observedServer(t, nil)), func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[proxmox.NodeRemovedAnnotation] = "true" })
				in.Plan.Observed, in.Plan.Roles.Candidate = in.State, next

				return in
			},
			want: Output{Status: made(unjoined), Ready: readiness(true, true, true), Conditions: withoutNode(removed)},
		},
		"NodeUnproven": {
			reason: "Nothing of the Node can be compared. It is not taken for the VM's.",
			in: func(t *testing.T) Input {
				t.Helper()

				return observedServer(t, func(n *node.Node) { n.Status.NodeInfo.SystemUUID = "" })
			},
			want: Output{Status: made(unjoined), Ready: readiness(false, true, true), Conditions: withoutNode(unproven)},
		},
		"NodeGone": {
			reason: "A Node that somebody deleted takes no readiness back.",
			in:     func(t *testing.T) Input { t.Helper(); return had(observedServer(t, nil)) },
			want: Output{
				Status: made(unjoined), Ready: readiness(true, true, true), Conditions: withoutNode(gone),
				Events: []Event{{Warning: true, Reason: "NodeGone", Message: gone.Message}},
			},
		},
		"NodeNotReady": {
			reason: "Nor does a kubelet that fails, or a member that is lost.",
			in: func(t *testing.T) Input {
				t.Helper()

				return had(observedServer(t, func(n *node.Node) {
					n.Status.Conditions = []node.Condition{{Type: "Ready", Status: "False"}, {Type: "EtcdIsVoter", Status: "False", Reason: "NotAMember"}}
				}))
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { kubernetes(s); s.Kubernetes.Ready = false }), Ready: readiness(true, true, true),
				Conditions: nodeConditions(notReady, noMember),
				Events: []Event{
					{Warning: true, Reason: "KubeletNotReady", Message: notReady.Message}, {Warning: true, Reason: "NotAMember", Message: noMember.Message},
				},
			},
		},
		"NodeSilent": {
			reason: "A host that is down is silent, and its last word on the member counts for no more than that.",
			in: func(t *testing.T) Input {
				t.Helper()

				return had(observedServer(t, func(n *node.Node) {
					n.Status.Conditions = []node.Condition{{Type: "Ready", Status: "Unknown"}, {Type: "EtcdIsVoter", Status: "False", Reason: "MemberIsLearner"}}
					n.Status.NodeInfo.KubeletVersion = "v1.32.1+k3s1"
				}))
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					kubernetes(s)
					s.Kubernetes.Ready, s.Kubernetes.Version = false, "v1.32.1+k3s1"
				}),
				Ready: readiness(true, true, true),
				Conditions: nodeConditions(silentKubelet,
					Condition{"EtcdMember", "False", "Learner", "The etcd member of Node dns01 copies the data of the cluster, and does not vote yet."},
					Condition{"VersionCurrent", "False", "OtherVersion", "The node runs K3s v1.32.1+k3s1, and its claim says v1.33.6+k3s1: upgrade K3s on the node, correct the claim, or have system-upgrade-controller do it, with `upgrade: SystemUpgrade` in the K3sCluster or in the catalogue's entry of the cluster."}),
				Events: []Event{{Warning: true, Reason: "KubeletSilent", Message: silentKubelet.Message}},
			},
		},
		"NodeOfAStoppedVM": {
			reason: "Nobody is told to look after the kubelet of a VM that is to be off.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := had(observedServer(t, func(n *node.Node) {
					n.Status.Conditions = []node.Condition{{Type: "Ready", Status: "Unknown"}, {Type: "EtcdIsVoter", Status: "True"}}
				}))
				in = edit(edit(in, silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
				in.Plan.Observed = in.State
				in.Machine.Power = v1alpha1.PowerStopped
				in.wants(false)

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					kubernetes(s)
					s.Kubernetes.Ready, s.Phase, s.Power, s.PrimaryAddress, s.Addresses = false, v1alpha1.PhaseStopped, v1alpha1.PowerStopped, "", nil
				}),
				Ready: readiness(true, true, true),
				Conditions: nodeConditions(
					Condition{"MachineReady", "True", "Stopped", "VM 153 on node pve is stopped, as requested."},
					Condition{"NodeReady", "Unknown", "Stopped", "VM 153 on node pve is off, and the kubelet of Node dns01 with it."},
					Condition{"EtcdMember", "Unknown", "Stopped", "VM 153 on node pve is off, and the etcd member of Node dns01 with it."},
				),
			},
		},
		"NoNodeOfAStoppedVM": {
			reason: "Nor does a VM join that was made to be off.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(edit(observedServer(t, nil), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
				in.Plan.Observed = in.State
				in.Machine.Power = v1alpha1.PowerStopped
				in.wants(false)

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					unjoined(s)
					s.Phase, s.Power, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStopped, v1alpha1.PowerStopped, "", nil
				}),
				Ready: readiness(true, true, true),
				Conditions: nodeConditions(
					Condition{"MachineReady", "True", "Stopped", "VM 153 on node pve is stopped, as requested."},
					Condition{"NodeJoined", "Unknown", "Stopped", "There is no Node dns01, and VM 153 on node pve is off."},
					Condition{"NodeReady", "Unknown", "NoNode", noNode}, Condition{"EtcdMember", "Unknown", "NoNode", noNode}, Condition{"VersionCurrent", "Unknown", "NoNode", noNode},
				),
			},
		},
		"NodeOfALaterRelease": {
			reason: "Nobody is told to upgrade to what is older: etcd and the API server do not start with it.",
			in: func(t *testing.T) Input {
				t.Helper()

				return had(observedServer(t, func(n *node.Node) { n.Status.NodeInfo.KubeletVersion = "v1.34.1+k3s1" }))
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					kubernetes(s)
					s.Kubernetes.Version = "v1.34.1+k3s1"
				}),
				Ready:      readiness(true, true, true),
				Conditions: nodeConditions(Condition{"VersionCurrent", "False", "UpgradeRefused", older}),
				Events:     []Event{{Warning: true, Reason: "UpgradeRefused", Message: older}},
			},
		},
		"NodeWhoseReleaseSkips": {
			reason: "Whoever upgrades the node by hand takes one minor release after the other, too.",
			in: func(t *testing.T) Input {
				t.Helper()

				return had(observedServer(t, func(n *node.Node) { n.Status.NodeInfo.KubeletVersion = "v1.30.8+k3s1" }))
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) {
					kubernetes(s)
					s.Kubernetes.Version = "v1.30.8+k3s1"
				}),
				Ready:      readiness(true, true, true),
				Conditions: nodeConditions(Condition{"VersionCurrent", "False", "UpgradeRefused", skips}),
				Events:     []Event{{Warning: true, Reason: "UpgradeRefused", Message: skips}},
			},
		},
		"NodeWithoutVote": {
			reason: "A server that has just joined says nothing of its member yet.",
			in: func(t *testing.T) Input {
				t.Helper()

				return had(observedServer(t, func(n *node.Node) { n.Status.Conditions = n.Status.Conditions[:1] }))
			},
			want: Output{
				Status: made(kubernetes), Ready: readiness(true, true, true),
				Conditions: nodeConditions(Condition{"EtcdMember", "Unknown", "NotReported", "K3s does not report an etcd member of Node dns01."}),
			},
		},
		"NodeOfAReplacedServer": {
			reason: "Where Nodes are read, the vote of the new server is awaited, and not a person.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := observedServer(t, nil)
				in.Plan.Steps = map[string]lifecycle.Step{lifecycle.FirstVM: {Join: lifecycle.Join{Awaited: "2026-11-20"}}}

				return in
			},
			want: Output{
				Status: made(unjoined), Ready: readiness(false, true, true),
				Conditions: with(withoutNode(notYet), Condition{
					"ReplacementRequired", "False", "NotRequired", "No replacement needed. This K3s server has not joined its cluster yet, as far as the function sees: when " +
						"Node dns01 is known to be the new VM, is Ready and votes in etcd, the server counts for the cluster's quorum, and the next server can be replaced. To confirm " +
						"it yourself, set spec.lifecycle.joined to `2026-11-20`.",
				}),
			},
		},
		"NodeOfTheNewVMIsAwaited": {
			reason: "The new VM runs; the old one does not go before the Node is the new one's.",
			in:     func(t *testing.T) Input { t.Helper(); return joining(t, nil) },
			want: Output{
				Status: takingAsNode(nil), Ready: readyBeside(false, true),
				Conditions: with(withoutNode(Condition{"NodeJoined", "False", "NotYet", "There is no Node dns01: the new VM that replaces this machine's has not joined yet."}),
					beingReplaced, Condition{"ReplacementRequired", "True", "Replacing", joins + "It joins its cluster next: there is no Node dns01 yet." + thenServer}),
			},
		},
		"NodeOfTheOldVM": {
			reason: "The name, the member and the password are the old VM's still: a person deletes the Node.",
			in:     func(t *testing.T) Input { t.Helper(); return joining(t, asIs) },
			want: Output{
				Status: takingAsNode(kubernetes), Ready: readyBeside(false, true),
				Conditions: nodeConditions(beingReplaced, Condition{
					"ReplacementRequired", "True", "Replacing",
					joins + "Node dns01 is still the old VM's: run `kubectl delete node dns01`. The new VM cannot join before." + thenServer,
				}),
				Events: []Event{{Reason: "Joined", Message: nodeJoined.Message}},
			},
		},
		"NodeOfTheOldVMGoes": {
			reason: "The function lets the Node go by itself: nobody has to do anything.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := joining(t, asIs)
				in.Machine.K3s.NodesConfig = "home"
				in.Plan.Machine = in.Machine
				in.Plan.Replacement.Stage, in.Plan.Roles.Begun = lifecycle.StageStopping, false
				delete(in.State.VMs, next)
				delete(in.Desired.VMs, next)

				return in
			},
			want: Output{
				Status: takingAsNode(func(s *v1alpha1.Status) { kubernetes(s); s.Replacement.VMID = nil }),
				Ready:  map[string]bool{"vm": false, userData: true, metaData: true, image: true},
				Conditions: nodeConditions(beingReplaced, Condition{
					"ReplacementRequired", "True", "Replacing",
					takes + "The old VM is stopped. Its Node dns01 goes next, and the new VM is created when the Node is gone." + thenServer,
				}),
				Events: []Event{{Reason: "Joined", Message: nodeJoined.Message}},
			},
		},
		"NodeOfTheNewVMIsMade": {
			reason: "The Node is the new VM's already: a command would delete it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := joining(t, func(n *node.Node) { n.Status.NodeInfo.SystemUUID = otherUUID })
				in.Plan.Replacement.Stage = lifecycle.StageMaking

				return in
			},
			want: Output{
				Status: takingAsNode(kubernetes), Ready: readyBeside(false, true),
				Conditions: nodeConditions(beingReplaced, newNode, Condition{"ReplacementRequired", "True", "Replacing", apart + thenServer}),
				Events:     []Event{{Reason: "Joined", Message: newNode.Message}},
			},
		},
		"NodeOfTheNewVMLearns": {
			reason: "Without the vote of its member the cluster would have one server less.",
			in: func(t *testing.T) Input {
				t.Helper()

				return joining(t, func(n *node.Node) {
					n.Status.NodeInfo.SystemUUID = otherUUID
					n.Status.Conditions[1] = node.Condition{Type: "EtcdIsVoter", Status: "False", Reason: "MemberIsLearner"}
				})
			},
			want: Output{
				Status: takingAsNode(kubernetes), Ready: readyBeside(false, true),
				Conditions: nodeConditions(beingReplaced, newNode,
					Condition{"EtcdMember", "False", "Learner", "The etcd member of Node dns01 copies the data of the cluster, and does not vote yet."},
					Condition{"ReplacementRequired", "True", "Replacing", joins + "It has joined its cluster, and its etcd member does not vote yet." + thenServer}),
				Events: []Event{{Reason: "Joined", Message: newNode.Message}},
			},
		},
		"NodeOfTheNewVMIsNotReady": {
			reason: "Its kubelet has to begin.",
			in: func(t *testing.T) Input {
				t.Helper()

				return joining(t, func(n *node.Node) {
					n.Status.NodeInfo.SystemUUID = otherUUID
					n.Status.Conditions[0].Status = "Unknown"
				})
			},
			want: Output{
				Status: takingAsNode(func(s *v1alpha1.Status) { kubernetes(s); s.Kubernetes.Ready = false }), Ready: readyBeside(false, true),
				Conditions: nodeConditions(beingReplaced, newNode, silentKubelet,
					Condition{"ReplacementRequired", "True", "Replacing", joins + "It has joined its cluster, and its Node dns01 is not Ready yet." + thenServer}),
				Events: []Event{{Reason: "Joined", Message: newNode.Message}},
			},
		},
		"NodeOfAThirdMachine": {
			reason: "Neither VM can join.",
			in: func(t *testing.T) Input {
				t.Helper()

				return joining(t, func(n *node.Node) { n.Status.NodeInfo.SystemUUID = "99112233-4455-6677-8899-aabbccddeeff" })
			},
			want: Output{
				Status: takingAsNode(nil), Ready: readyBeside(false, true),
				Conditions: with(withoutNode(other), beingReplaced, Condition{
					"ReplacementRequired", "True", "Replacing",
					joins + "Node dns01 is not known to be one of the two: condition NodeJoined has the details." + thenServer,
				}),
				Events: []Event{{Warning: true, Reason: "OtherMachine", Message: other.Message}},
			},
		},
		"NodeNotObserved": {
			reason: "The end of the observation is said, because Crossplane keeps conditions that nobody mentions.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := had(observedServer(t, asIs))
				in.Previous = after(Machine(in))
				in.Plan.Node = lifecycle.ReadNode{}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.K3sVersion = "v1.33.6+k3s1" }), Ready: readiness(true, true, true),
				Conditions: nodeConditions(Condition{"NodeJoined", "Unknown", "NotObserved", unread}, Condition{"NodeReady", "Unknown", "NotObserved", unread},
					Condition{"EtcdMember", "Unknown", "NotObserved", unread}, Condition{"VersionCurrent", "Unknown", "NotObserved", unread}),
			},
		},
	}
}
