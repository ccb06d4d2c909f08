// Package node models a Kubernetes Node, as far as the function reads it.
package node

import (
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// Kind and APIVersion of a Node.
const (
	Kind       = "Node"
	APIVersion = "v1"
)

// UIDLabel is the label with which a new VM registers its Node. Its value is the SMBIOS UUID that the VM was created with.
const UIDLabel = "homelab.io/machine-uid"

// ZoneLabel is Kubernetes' label of the zone that a Node is in, by which pods are spread.
const ZoneLabel = "topology.kubernetes.io/zone"

// rolePrefix begins a label that names a role of a Node. K3s sets control-plane and etcd on servers.
const rolePrefix = "node-role.kubernetes.io/"

// Types of conditions.
const (
	conditionReady = "Ready"
	// K3s maintains it on servers with embedded etcd (k3s, pkg/etcd, setEtcdStatusCondition), with a heartbeat of 5 minutes. It stays as it
	// was when the host dies, so that it says nothing without Ready.
	conditionVoter = "EtcdIsVoter"
)

// learnerReason is K3s's reason of a member that does not vote yet.
const learnerReason = "MemberIsLearner"

// A Node as it was found in the cluster.
type Node struct {
	Metadata Metadata `json:"metadata"`
	Spec     Spec     `json:"spec"`
	Status   Status   `json:"status"`
}

// A Spec of a Node.
type Spec struct {
	Unschedulable bool `json:"unschedulable"` // Somebody cordoned the Node.
}

// Metadata of a Node.
type Metadata struct {
	Name              string            `json:"name"`
	UID               string            `json:"uid"`             // Of this Node: another one of its name has another.
	ResourceVersion   string            `json:"resourceVersion"` // Another one after each write.
	Labels            map[string]string `json:"labels"`
	DeletionTimestamp string            `json:"deletionTimestamp"`
}

// Status of a Node, as its kubelet and K3s report it.
type Status struct {
	Addresses  []Address   `json:"addresses"`
	Conditions []Condition `json:"conditions"`
	NodeInfo   Info        `json:"nodeInfo"`
}

// An Address of a Node.
type Address struct {
	Type    string `json:"type"` // InternalIP, ExternalIP, Hostname and others.
	Address string `json:"address"`
}

// A Condition of a Node.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	Reason string `json:"reason"`
	// LastHeartbeatTime is when it was last said: a kubelet repeats itself every five minutes where nothing changes (nodeStatusReportFrequency).
	LastHeartbeatTime string `json:"lastHeartbeatTime"`
}

// Info is what the kubelet knows of its host and of itself.
type Info struct {
	SystemUUID     string `json:"systemUUID"`     // Of the SMBIOS; the kubelet takes the machine ID where there is none.
	BootID         string `json:"bootID"`         // Of the guest's kernel: another one after each start of the VM.
	KubeletVersion string `json:"kubeletVersion"` // The release of K3s, for instance v1.33.6+k3s1.
}

// Observe reads a Node.
func Observe(object *structpb.Struct) (Node, error) {
	var n Node

	err := structcodec.Decode(object, &n, structcodec.Text{})

	return n, err
}

// A Health is what the cluster knows of a Node's kubelet.
type Health string

// The healths.
const (
	HealthReady    Health = "Ready"
	HealthNotReady Health = "NotReady" // Its kubelet says so.
	// HealthSilent: its kubelet has stopped reporting, for instance since the host is down, or has not begun.
	HealthSilent Health = "Silent"
)

// Health of a Node.
func (n Node) Health() Health {
	switch n.condition(conditionReady).Status {
	case "True":
		return HealthReady
	case "False":
		return HealthNotReady
	}

	return HealthSilent
}

// Heartbeat is when the Node's kubelet last reached its API server with a report; empty where nobody knows. Its form is the API server's.
func (n Node) Heartbeat() string { return n.condition(conditionReady).LastHeartbeatTime }

// A Membership is what K3s says of a server's member of the embedded etcd.
type Membership string

// The memberships.
const (
	MembershipVoter   Membership = "Voter"
	MembershipLearner Membership = "Learner"
	// MembershipNone: the server has no member, or an unhealthy one.
	MembershipNone Membership = "None"
	// MembershipUnknown: K3s says nothing, as on agents, and on servers with another datastore.
	MembershipUnknown Membership = "Unknown"
)

// Membership of a Node in the embedded etcd.
func (n Node) Membership() Membership {
	c := n.condition(conditionVoter)

	switch {
	case c.Status == "True":
		return MembershipVoter
	case c.Status == "False" && c.Reason == learnerReason:
		return MembershipLearner
	case c.Status == "False":
		return MembershipNone
	}

	return MembershipUnknown
}

// Votes says whether a server counts for the quorum of etcd now.
func (n Node) Votes() bool {
	return n.Health() == HealthReady && n.Membership() == MembershipVoter && !n.Leaving()
}

// Leaving says whether somebody has deleted the Node, and K3s is still removing its member from etcd.
func (n Node) Leaving() bool { return n.Metadata.DeletionTimestamp != "" }

// Roles of a Node, sorted; empty for an agent without roles.
func (n Node) Roles() []string {
	var out []string

	for label := range n.Metadata.Labels {
		if role, ok := strings.CutPrefix(label, rolePrefix); ok && role != "" {
			out = append(out, role)
		}
	}

	slices.Sort(out)

	return out
}

// InternalIPs are the addresses with which the Node's kubelet registered.
func (n Node) InternalIPs() []netip.Addr {
	var out []netip.Addr

	for _, a := range n.Status.Addresses {
		if addr, err := netip.ParseAddr(a.Address); err == nil && a.Type == "InternalIP" {
			out = append(out, addr.Unmap())
		}
	}

	return out
}

func (n Node) condition(typ string) Condition {
	for _, c := range n.Status.Conditions {
		if c.Type == typ {
			return c
		}
	}

	return Condition{}
}
