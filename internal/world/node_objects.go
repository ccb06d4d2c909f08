package world

import (
	"fmt"
	"slices"
)

// AddNode to the cluster that Crossplane runs in, whose ever it is.
func (c *Cluster) AddNode(name string, node map[string]any) {
	if c.Nodes == nil {
		c.Nodes, c.passwords, c.registrants = map[string]map[string]any{}, map[string]int{}, map[string]string{}
	}

	c.Nodes[name] = node
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
	if n := c.Nodes[node]; n != nil {
		n["spec"] = map[string]any{"unschedulable": unschedulable}
	}
}

// IsServer says whether a Node is that of a server.
func (c *Cluster) IsServer(node string) bool {
	return Object(Object(c.Nodes[node]["metadata"])["labels"])["node-role.kubernetes.io/control-plane"] != nil
}
