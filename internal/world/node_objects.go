package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AddNode to the cluster that Crossplane runs in, whose ever it is. One that has a resourceVersion keeps it.
func (c *Cluster) AddNode(name string, node map[string]any) {
	if c.Nodes == nil {
		c.Nodes, c.passwords, c.registrants, c.versions = map[string]map[string]any{}, map[string]int{}, map[string]string{}, map[string]int{}
	}

	before, has := Object(c.Nodes[name]["metadata"])[resourceVersion], Object(node["metadata"])[resourceVersion]

	switch {
	case has != nil:
		c.versions[name], _ = strconv.Atoi(fmt.Sprint(has))
	case before != nil:
		Object(node["metadata"])[resourceVersion] = before
	}

	same := identity(c.Nodes[name]) == identity(node)
	if c.Nodes[name] = node; !same && has == nil {
		c.wrote(name)
	}
}

// identity of a Node, by a fingerprint: all but what its kubelet says of its health.
func identity(node map[string]any) uint64 {
	return Fingerprint([]any{node["metadata"], node["spec"], Object(node["status"])["nodeInfo"]})
}

const resourceVersion = "resourceVersion"

// Repeat what the kubelet of a Node has said, as kubelets do every five minutes (nodeStatusReportFrequency).
func (c *Cluster) Repeat(node string) {
	if c.Nodes[node] != nil {
		c.wrote(node)
	}
}

// wrote to a Node: it has another resourceVersion than each Node of its name before. An API server counts the writes of all objects; one count for each name
// says the same of a Node, and leaves the order of others' writes out of what a model tells apart. What kubelets and the control plane say of its health, time
// and again, counts only where a test lets a kubelet do so ([Cluster.Repeat]): nothing would come to rest otherwise.
func (c *Cluster) wrote(name string) {
	c.versions[name]++
	Object(c.Nodes[name]["metadata"])[resourceVersion] = strconv.Itoa(c.versions[name])
}

// DeleteNode as `kubectl delete node` does: K3s removes its member from etcd, and its password goes with it.
func (c *Cluster) DeleteNode(name string) {
	delete(c.Nodes, name)
	delete(c.passwords, name)
	delete(c.registrants, name)
}

// SetNode sets a condition of a Node.
func (c *Cluster) SetNode(name, typ, status, reason string) {
	c.T.Helper()

	for _, o := range List(Object(c.Nodes[name]["status"])["conditions"]) {
		if o := Object(o); o["type"] == typ {
			o["status"], o["reason"] = status, reason
			return
		}
	}

	c.T.Fatalf("Node %s has no condition %s", name, typ)
}

// Registered is the VMID of the VM that registered a Node; 0 without such a Node.
func (c *Cluster) Registered(name string) int { return c.passwords[name] }

// Release that a Node runs.
func (c *Cluster) Release(node string) string {
	return fmt.Sprint(Object(Object(c.Nodes[node]["status"])["nodeInfo"])["kubeletVersion"])
}

// SetRelease that a Node runs, as somebody who upgrades it by hand does.
func (c *Cluster) SetRelease(node, release string) {
	Object(Object(c.Nodes[node]["status"])["nodeInfo"])["kubeletVersion"] = release
	c.wrote(node)
}

// is says whether a condition of a Node is True.
func (c *Cluster) is(node, typ string) bool {
	return slices.ContainsFunc(List(Object(c.Nodes[node]["status"])["conditions"]), func(o any) bool {
		return Object(o)["type"] == typ && Object(o)["status"] == "True"
	})
}

// Cordoned says whether a Node is.
func (c *Cluster) Cordoned(node string) bool {
	return Object(c.Nodes[node]["spec"])["unschedulable"] == true
}

// Cordon a Node as `kubectl cordon` and `kubectl uncordon` do.
func (c *Cluster) Cordon(node string, unschedulable bool) {
	if n := c.Nodes[node]; n != nil && c.Cordoned(node) != unschedulable {
		n["spec"] = map[string]any{"unschedulable": unschedulable}
		c.wrote(node)
	}
}

// IsServer says whether a Node is that of a server.
func (c *Cluster) IsServer(node string) bool {
	return Object(Object(c.Nodes[node]["metadata"])["labels"])["node-role.kubernetes.io/control-plane"] != nil
}

// k3sOf a machine is the K3s cluster that its claim names; empty where it names none.
func k3sOf(m *Machine) string {
	name, _ := Object(m.Spec()["k3s"])["cluster"].(string)

	return name
}

// k3sOfNode is that of the machine which registered a Node; empty where nobody knows.
func k3sOfNode(c *Cluster, node string) string {
	for _, m := range c.Machines {
		if strings.HasPrefix(c.registrants[node], OwnerOf(m, "")) {
			return k3sOf(m)
		}
	}

	return ""
}

// apart says whether two Nodes are of K3s clusters that have nothing to do with each other, as far as their claims name them: all Nodes are in one place here.
func apart(c *Cluster, node, other string) bool {
	return areApart(k3sOfNode(c, node), k3sOfNode(c, other))
}

func areApart(cluster, other string) bool { return cluster != "" && other != "" && cluster != other }
