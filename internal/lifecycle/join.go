package lifecycle

import (
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Join is what is known of whether a K3s server that replaced another one, or was created again, has joined its cluster. Its VM may be ready and
// its etcd member still be missing. Where Nodes are read, its vote says that it has joined; else, and in any case, a person can say so.
type Join struct {
	// Awaited is the value of spec.lifecycle.replace that led to the VM, or when the provider created the VM again, while nobody
	// said that it has joined.
	Awaited string
	// Confirmed is the value of which somebody said so.
	Confirmed string
}

// join of the described VM. A VM that replaced another one in a release that did not ask counts as joined, and so does the first
// VM of a machine.
func join(s *Situation) Join {
	annotations := s.vm.Metadata.Annotations
	out := Join{Awaited: annotations[proxmox.JoiningAnnotation], Confirmed: annotations[proxmox.JoinedAnnotation]}

	if s.server() && (s.Replacing() || annotations[proxmox.CandidateAnnotation] != "") {
		out = Join{Awaited: last(s.Roles.Triggers)}
	}

	if again := rejoins(s); again != "" {
		out = Join{Awaited: again}
	}

	if out.Awaited != "" && !s.Provisional() && (out.Awaited == s.Machine.Lifecycle.Joined || votes(s)) {
		out = Join{Confirmed: out.Awaited}
	}

	return out
}

// votes says whether the Node of a VM that replaced another one shows that it has joined. A VM that was created again has the UUID of the VM
// that is gone, whose Node stays Ready for some time: a person says that it has joined.
func votes(s *Situation) bool {
	again := rejoins(s) != "" || s.vm.Metadata.Annotations[proxmox.RecreatedAnnotation] != ""

	return !again && serves(s, s.Roles.Described())
}
