package world

import (
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Turn lets function, Crossplane and provider work once, one after the other.
func (m *Machine) Turn() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	return m.cluster.Memory.own(turned(m))
}

// turned is [Machine.Turn] with an answer that nobody may change.
func turned(m *Machine) *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	rsp := called(m)
	if msg := Fatal(rsp); msg != "" {
		m.cluster.T.Fatalf("fatal result: %s", msg)
	}

	m.Apply(rsp)
	m.Provide()

	return rsp
}

// Rest lets all machines of the cluster take turns until nothing changes, and returns this one's last answer.
func (m *Machine) Rest() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()
	m.cluster.Rest()

	return m.Turn()
}

// Settle lets this machine alone take as many turns as a machine without trouble needs, and returns the last answer.
func (m *Machine) Settle() *fnv1.RunFunctionResponse {
	m.cluster.T.Helper()

	var last *fnv1.RunFunctionResponse
	for range 6 {
		last = turned(m)
	}

	return m.cluster.Memory.own(last)
}

// Rest lets all machines take turns until nothing changes.
func (c *Cluster) Rest() {
	c.T.Helper()

	before := c.Fingerprint()

	for range 25 {
		for _, m := range c.Machines {
			turned(m)
		}

		after := c.Fingerprint()
		if before == after {
			return
		}

		before = after
	}

	var done []string
	for _, m := range c.Machines {
		done = append(done, m.Proxmox.Done...)
	}

	c.T.Fatalf("no end of changes; in Proxmox: %s", strings.Join(done, ", "))
}

// Provide is the provider's turn: it works on each managed resource once.
func (m *Machine) Provide() {
	m.cluster.T.Helper()

	for _, name := range Keys(m.Observed) {
		reconcile(m, name, m.Observed[name])
	}

	others(m)
}

// ProvideFor lets the provider work on one managed resource alone: each has its own time.
func ProvideFor(m *Machine, name string) {
	m.cluster.T.Helper()
	reconcile(m, name, m.Observed[name])
	others(m)
}

// others work when the provider has: the HA manager, provider-kubernetes, system-upgrade-controller and the guests.
func others(m *Machine) {
	m.Proxmox.WorkHA()
	m.cluster.Kubernetes.work(m.cluster)

	if m.nodes != nil {
		return // A cluster has no Node.
	}

	m.cluster.Kubernetes.Upgrader.upgrade(m.cluster, m.NodeName())

	if m.Joins {
		m.JoinAll()
	}
}
