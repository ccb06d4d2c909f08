package privilege

import "testing"

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{"SDN.Use": true, "VM.Monitor": true, "VM.GuestAgent.Audit": true, "VM.Everything": false, "": false, "sdn.use": false} {
		if got := Known(name); got != want {
			t.Errorf("Known(%q): want %t, got %t", name, want, got)
		}
	}
}

func TestOn(t *testing.T) {
	for path, want := range map[string]string{
		"/vms": "on VMs (/vms)", "/vms/153": "on VMs (/vms)", "/vmsx": "", "/access/users": "", "/": "on the whole of Proxmox (/)",
		"/storage/tank": "on a datastore that this machine needs (/storage/...)", "/mapping/pci/gpu": "on a resource mapping that this machine needs (/mapping/...)",
		"/nodes/pve": "on nodes (/nodes)", "/pool/prod": "on the pool (/pool/...)", "/sdn/zones/z/v": "on a bridge or VNet that this machine needs (/sdn/zones/...)",
	} {
		if got := On(path); got != want {
			t.Errorf("On(%q): want %q, got %q", path, want, got)
		}
	}
}
