package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/node"

// serves says whether one of the machine's VMs is a member of its K3s cluster now: the Node has the VM's own UUID or label, is Ready, and the
// member of a server with embedded etcd votes. An address proves nothing here, since the VM before may have had the same.
func serves(s *Situation, vm string) bool {
	if vm == "" || s.provenNode() != vm {
		return false
	}

	n := s.Node.Node

	return n.Votes() || !s.EmbeddedEtcd() && n.Health() == node.HealthReady && !n.Leaving()
}

// bootID of the VM's Node, for an outage that ends with another one. A server that is no member before is not awaited as one afterwards.
func bootID(s *Situation, of Outage) string {
	restarts := of == OutageReboot || of == OutagePowerCycle
	if !restarts || !serves(s, s.Roles.Described()) {
		return ""
	}

	return s.Node.Node.Status.NodeInfo.BootID
}

// back says whether a VM is as it should be after an outage: stopped where that was the outage, and else running and answering, and, where its
// Node was read when it was restarted, a member of its cluster again. The provider has to have done all that was written, since what
// it reported before is older than the outage.
func back(s *Situation, from Announcement) bool {
	if !isBack(s.vm) {
		return false
	}

	// Nobody waits for what nobody reads any more.
	if !s.vm.Spec.ForProvider.Started || from.BootID == "" || s.Node.Name == "" {
		return true
	}

	return serves(s, s.Roles.Described()) && s.Node.Node.Status.NodeInfo.BootID != from.BootID
}
