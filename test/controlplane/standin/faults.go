package standin

import (
	"errors"
	"fmt"
	"slices"
)

// An operation of Terraform.
type operation string

// Operations, as a fault can hit them.
const (
	refresh operation = "refresh"
	apply   operation = "apply"
	destroy operation = "destroy"
)

// A Fault is something that goes wrong in Proxmox or on the way to it.
type Fault struct {
	// Message of the provider, without the prefixes that the operation puts before it. What decides how it is understood is
	// from section 5 of the observations; "quota" is not, it was never observed: its words are those of LVM.
	Message string
	// During which operations.
	During []operation
	// Kinds that it can hit; all if empty.
	Kinds []string
	// Ended says that Terraform does not end by itself, and is ended.
	Ended bool
}

// Faults are known by name.
var Faults = map[string]Fault{
	"auth": {
		Message: "failed to get resources list of type (\"vm\") for cluster: received an HTTP 401 response - Reason: invalid token value!",
		During:  []operation{refresh, apply, destroy},
	},
	"permission": {
		Message: "error retrieving VM 4101: received an HTTP 403 response - Reason: Permission check failed (/vms/4101, VM.Audit)",
		During:  []operation{refresh, apply, destroy}, Kinds: []string{"EnvironmentVM"},
	},
	"network": {
		Message: "failed to get resources list: Get \"https://pve.example.invalid:8006/api2/json/cluster/resources\": dial tcp 192.0.2.1:8006: connect: connection refused",
		During:  []operation{refresh, apply, destroy},
	},
	"node": {
		Message: "received an HTTP 595 response - Reason: No route to host",
		During:  []operation{refresh, apply, destroy},
	},
	"quota": {
		Message: "VM create: task \"UPID:pve:1\" failed to complete with exit code: lvcreate 'pve/vm-100-disk-0' error: Volume group \"pve\" has insufficient free space",
		During:  []operation{apply}, Kinds: []string{"EnvironmentVM"},
	},
	"agent": { // Terraform waits for a guest agent, and is ended after three minutes, without a word.
		Message: "", Ended: true, During: []operation{refresh}, Kinds: []string{"EnvironmentVM"},
	},
	"ssh": {
		Message: "failed to open SSH client: unable to authenticate user \"root\" over SSH to \"192.0.2.1:22\". failed to dial 192.0.2.1:22: dial tcp 192.0.2.1:22: connect: connection refused",
		During:  []operation{apply}, Kinds: []string{"EnvironmentFile"},
	},
	"refused": { // A value that Proxmox does not take, however often it is asked.
		Message: "error updating VM: received an HTTP 400 response - Reason: Parameter verification failed. (cpu: unable to parse CPU model)",
		During:  []operation{apply}, Kinds: []string{"EnvironmentVM"},
	},
	"timeout": {
		Message: "error creating container: received an HTTP 500 response - Reason: got timeout", During: []operation{apply}, Kinds: []string{"EnvironmentContainer"},
	},
	"half-made": { // The VM is there, its disk could not be resized: Terraform calls it tainted.
		Message: "VM disk resize: task \"UPID:pve:1\" failed to complete with exit code: shrinking disks is not supported",
		During:  []operation{apply}, Kinds: []string{"EnvironmentVM"},
	},
}

// A breakage is a fault that holds now.
type breakage struct {
	name string
	hits func(kind, name string) bool
}

// Break something, for resources that hits says, or for all if it is nil, until mend is called.
func (w *World) Break(fault string, hits func(kind, name string) bool) (mend func()) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if _, ok := Faults[fault]; !ok {
		panic(fmt.Sprintf("there is no fault %s", fault))
	}

	b := &breakage{name: fault, hits: hits}
	w.broken = append(w.broken, b)

	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()

		w.broken = slices.DeleteFunc(w.broken, func(other *breakage) bool { return other == b })
	}
}

// fault that hits an operation, nil if none does. It is called with the lock held.
func (w *World) fault(op operation, kind, name string) (which string, err error) {
	for _, b := range w.broken {
		f := Faults[b.name]
		if slices.Contains(f.During, op) && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)) && (b.hits == nil || b.hits(kind, name)) {
			if f.Ended {
				return b.name, endedError{errors.New(f.Message)}
			}

			return b.name, errors.New(f.Message)
		}
	}

	return "", nil
}
