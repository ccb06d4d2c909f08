package world

import "slices"

// Snapshot of all that there is but the answers. It holds no reference to any of it.
func (c *Cluster) Snapshot() any { return Copy(c.all()) }

// Fingerprint of a snapshot.
func (c *Cluster) Fingerprint() uint64 { return Fingerprint(c.all()) }

// all that there is but the answers.
func (c *Cluster) all() []any {
	var (
		all  []any
		seen []*Proxmox
	)

	for _, m := range c.Machines {
		if !slices.Contains(seen, m.Proxmox) {
			seen, all = append(seen, m.Proxmox), append(all, m.Proxmox.Report())
		}

		all = append(all, m.Observed, m.Composite["status"])
	}

	for _, l := range c.leaving {
		all = append(all, l.machine.Name(), len(l.kept))
	}

	if c.Nodes != nil {
		all = append(all, len(c.leaving), c.Nodes, len(c.Kubernetes.going), c.Kubernetes.Jobs, c.Kubernetes.Upgrader.Plans, len(c.Kubernetes.Upgrader.jobs))
	}

	return all
}
