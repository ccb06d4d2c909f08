package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// promotes says whether a candidate becomes the machine with this call: it runs, and is ready. That holds for a machine that is
// to be stopped, too: the VM that it replaces may be destroyed, so the candidate has to have booted once. A promoted VM stays the
// active one for good, whatever becomes of it later: its candidate annotation is dropped.
func promotes(s *Situation) bool { return proven(s) && !awaitsNode(s) && !awaitsFirewall(s) }

// proven says whether a candidate runs and answers.
func proven(s *Situation) bool {
	agent := HasGuestAgent(s.vm.Spec.ForProvider)

	return s.State == StateLiving && proxmox.CreationOf(s.vm) == proxmox.CreationNone &&
		Ready(s.vm, Readiness{Running: true, GuestAgent: agent, Idle: true})
}

// awaitsNode says whether a candidate may not become the machine before its Kubernetes Node is Ready and, for a server with embedded etcd,
// its member votes. The claim can wish not to wait: spec.k3s.readyWhen is VM.
func awaitsNode(s *Situation) bool {
	return s.Node.Name != "" && s.Machine.K3s.ReadyWhen != v1alpha1.ReadyWhenVM && !serves(s, s.Roles.Candidate)
}
