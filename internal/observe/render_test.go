package observe

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// TestWithRender runs a machine through package render itself: what it names and writes is what status reads.
func TestWithRender(t *testing.T) {
	in := dns01()
	m := in.Machine
	m.Boot = machine.Boot{
		Image: "debian-13", Source: machine.SourceImport, OS: machine.OSDebian, Volume: "local:import/debian.qcow2", DiskGiB: 30, CloudInit: true, GuestAgent: true,
	}
	m.Disks = []machine.Disk{{Name: "data", SizeGiB: 500, Datastore: "tank"}}
	m.DNS, m.Access = []string{"192.168.4.1"}, machine.Access{AdminUser: "ops", SSHAuthorizedKeys: []string{"ssh-ed25519 AAAA ops"}}

	run := func(state proxmox.State) Output {
		t.Helper()

		b, errs := bootstrap.New(m, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}

		r, err := render.Render(render.Request{Machine: m, Bootstrap: b, Flavour: proxmox.Cluster, State: state})
		if err != nil {
			t.Fatal(err)
		}

		in.Bootstrap, in.Rendered, in.State = b, r, state

		return Machine(in)
	}

	first := run(proxmox.State{})
	if c := first.condition(TypeMachineReady); c.Reason != ReasonCreating {
		t.Fatalf("a machine that waits for nothing: %+v", c)
	}

	// Found as it was rendered, with what the provider fills in.
	vm, err := proxmox.ObserveVM(in.Rendered.Manifests[render.VMName])
	if err != nil {
		t.Fatal(err)
	}

	like := observed(t, vmRunning).VMs[render.VMName]
	vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = "153"
	vm.Status = like.Status
	state := proxmox.State{VMs: map[string]proxmox.ObservedVM{render.VMName: vm}}
	in.Previous = after(run(state))

	if c := run(state).condition(TypeReplacementRequired); c.Reason != ReasonNotRequired {
		t.Fatalf("a machine that nobody edited: %+v", c)
	}

	m.Boot.Image, m.Boot.Volume, m.Boot.DiskGiB, m.Placement.Node = "debian-14", "local:import/forky.qcow2", 10, "pve2"
	got := run(state)

	var held []string
	for _, h := range in.Rendered.Held {
		held = append(held, h.Field)
	}

	if diff := cmp.Diff([]string{nodeField, imageField, "spec.size.disk"}, held); diff != "" {
		t.Errorf("fields that render holds back: -want, +got:\n%s", diff)
	}

	want := made(nil)
	want.Image, want.Bootstrap = "debian-13", nil

	if diff := cmp.Diff(want, got.Status); diff != "" {
		t.Errorf("status repeats what the VM has: -want, +got:\n%s", diff)
	}
}
