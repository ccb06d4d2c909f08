package lifecycle

import (
	"cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
)

// serves says whether one of the machine's VMs is a member of its K3s cluster now: the Node has the VM's own UUID or label, is Ready, and the
// member of a server with embedded etcd votes. An address proves nothing here, since the VM before may have had the same.
func serves(s *Situation, vm string) bool {
	if vm == "" || s.provenNode() != vm {
		return false
	}

	n := s.Node.Node

	return n.Votes() || !s.EmbeddedEtcd() && n.Health() == node.HealthReady && !n.Leaving()
}

// bootID of the VM's Node, or its heartbeat, for an outage that ends with another one. A server that is no member before is not awaited as one afterwards.
func bootID(s *Situation, of Outage) string {
	awaited := of == OutageReboot || of == OutageStart || of == OutagePowerCycle || of == OutageReconnection
	if !awaited || !serves(s, s.Roles.Described()) {
		return ""
	}

	return mark(s, of)
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

	if !serves(s, s.Roles.Described()) {
		return false
	}

	last := from.Reports[len(from.Reports)-1]

	return mark(s, from.Outage) != from.BootID || last != "" && s.Node.Node.Heartbeat() != last
}

// mark of the VM's Node that is another one when the VM is back from an outage; empty where no Node is known to be the VM.
func mark(s *Situation, of Outage) string {
	switch {
	case s.provenNode() != s.Roles.Described():
		return ""
	case of == OutageReconnection:
		return s.Node.Node.Heartbeat()
	}

	return s.Node.Node.Status.NodeInfo.BootID
}

// stillAway is an outage that has begun and is not over. A heartbeat from before the provider has done its part proves nothing.
func stillAway(s *Situation, a Announcement) Announcement {
	switch {
	case a.Outage != OutageReconnection:
		a.BootID = lastBoot(s, a.BootID)
		a.Reports = reportsOf(s, a)
	case a.BootID != "" && !s.vm.Resting():
		a.BootID = cmp.Or(mark(s, a.Outage), a.BootID)
	}

	return a
}

// reportsOf the kubelet in a VM that the provider has running again, with the one that is read now. None counts while the VM is off, or the provider is at
// work.
func reportsOf(s *Situation, a Announcement) [2]string {
	if a.BootID == "" || !isBack(s.vm) {
		return [2]string{}
	}

	if !serves(s, s.Roles.Described()) {
		return a.Reports
	}

	switch now := s.Node.Node.Heartbeat(); {
	case a.Reports[0] == "":
		return [2]string{now}
	case a.Reports[1] == "" && now != a.Reports[0]:
		return [2]string{a.Reports[0], now}
	}

	return a.Reports
}

// lastBoot is the boot ID that tells that a VM is back from a restart, once its Node has another one: the one that it had when the restart began, and while
// the VM is off, and is to be, the one that its Node has. No kubelet reports then, so that it is the last one, also where the VM is restarted once more before
// K3s had told of the boot between. With the first one, that boot would count for the next. Once the VM is to run, its Node may have the new one: the provider
// says that a VM is off until the guest agent of one that it has started answers, and K3s may be up by then.
func lastBoot(s *Situation, before string) string {
	if before == "" || !powerKnown(s.vm) || s.vm.Status.AtProvider.Started || s.vm.Spec.ForProvider.Started {
		return before
	}

	return cmp.Or(mark(s, OutageReboot), before)
}
