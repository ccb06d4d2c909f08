package standin

import (
	"testing"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

const (
	observed = xpv2.ManagementActionObserve
	ready    = "Ready=True Available"
	synced   = "Synced=True ReconcileSuccess"
)

func snippet(data string) values {
	return values{
		"nodeName": "pve", "datastoreId": "local", "contentType": "snippets",
		"sourceRaw": []any{map[string]any{"fileName": "a.yaml", "data": data}},
	}
}

func image(url string) values {
	return values{"nodeName": "pve", "datastoreId": "local", "contentType": "import", "fileName": "a.qcow2", "url": url}
}

func TestAsync(t *testing.T) {
	b := newBench(t, NewWorld("pve"))
	b.Pace.VM = 200 * time.Millisecond
	vm := b.create("vm", "100", asked(nil))

	b.look(vm, 1)
	b.shows(vm, "A creation returns at once.", "Ready=False Creating", synced, "LastAsyncOperation=")

	b.look(vm, 1)
	b.shows(vm, "Meanwhile it is said to be under way, and nothing else is begun.", "AsyncOperation=False Ongoing", "LastAsyncOperation=")

	b.work.Wait()
	b.shows(vm, "Its end is reported by the operation itself.", "AsyncOperation=True Finished", "LastAsyncOperation=True Success", "Ready=False Creating")
	b.told("One creation.", "create VM 100 on pve", "start VM 100")

	b.look(vm, 1)
	b.shows(vm, "Ready comes with the next look.", ready, synced)

	if seen := vm.(*clusterScoped[vmKind]).Status.AtProvider; seen != nil {
		t.Errorf("the status is there with Ready already: %v", seen)
	}

	b.look(vm, 1)
	b.read(vm)

	if seen := vm.(*clusterScoped[vmKind]).Status.AtProvider; text(seen["id"]) != "100" {
		t.Errorf("the status does not come one look after Ready: %v", seen)
	}
}

// TestCreateOnly has a VM that the provider may create, and not change, as one is while nobody knows whose it is.
func TestCreateOnly(t *testing.T) {
	const uuid = "0d1e4f8a-5a0c-5a0e-9b1e-2f6a1c3d4e5f"

	b := newBench(t, NewWorld("pve"))
	fields := asked(values{"started": false, "smbios": []any{map[string]any{"uuid": uuid}}})
	vm := b.create("vm", "100", fields, observed, xpv2.ManagementActionCreate)

	b.look(vm, 1)
	b.read(vm)

	if meta.GetExternalCreatePending(vm).IsZero() {
		t.Error("the provider does not write down that it begins to create")
	}

	b.work.Wait()
	b.look(vm, 2)
	b.shows(vm, "What is stopped is Ready, too.", ready, synced)
	b.told("A VM is created as it is asked for.", "create VM 100 on pve")

	seen := vm.(*clusterScoped[vmKind]).Status.AtProvider
	if got := text(block(seen["smbios"])["uuid"]); got != uuid || flag(seen["started"]) {
		t.Errorf("seen is UUID %q, started %t; want %q, stopped", got, flag(seen["started"]), uuid)
	}

	b.edit(vm, func() { vm.forProvider()["started"] = true })
	b.settle(vm)
	b.shows(vm, "What may not be changed is no error.", ready, synced)
	b.told("Nothing is changed without leave.")

	b.edit(vm, func() {
		vm.SetManagementPolicies(xpv2.ManagementPolicies{
			observed, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate, xpv2.ManagementActionDelete,
		})
	})
	b.settle(vm)
	b.shows(vm, "With leave it is started.", ready, synced)
	b.told("A start is a change.", "change VM 100", "start VM 100")
}

func TestExternalNames(t *testing.T) {
	b := newBench(t, NewWorld("pve"))
	file := b.create("file", "", snippet("a"))
	vm := b.create("vm", "", asked(values{"vmId": nil}))

	for mr, want := range map[managedResource]string{file: "local:snippets/a.yaml", vm: "100"} {
		b.look(mr, 1)
		b.work.Wait()
		b.read(mr)

		if got := meta.GetExternalName(mr); got != "" {
			t.Errorf("%s has its external name before it was looked at: %s", mr.GetName(), got)
		}

		b.look(mr, 1)
		b.shows(mr, "External name and Ready come together.", ready)

		if got := meta.GetExternalName(mr); got != want {
			t.Errorf("external name of %s: got %q, want %q", mr.GetName(), got, want)
		}
	}
}

func TestFailures(t *testing.T) {
	b := newBench(t, NewWorld("pve"))
	vm := b.create("vm", "100", asked(nil))

	mend := b.World.Break("network", nil)

	// Its external name is known, so Proxmox is asked.
	b.settle(vm)
	b.shows(vm, "What has a name is looked for.", "Synced=False ReconcileError: observe failed: cannot run refresh: refresh failed: ")

	file := b.create("file", "", snippet("a"))
	b.settle(file)
	b.shows(file, "What has no name is not looked for, and fails to be made.", "Ready=False Creating",
		"Synced=False ReconcileError: create failed: apply failed: ", "LastAsyncOperation=False ApplyFailure: apply failed: ")

	if c := file.GetCondition(xpv2.TypeSynced); c.ObservedGeneration != 0 {
		t.Errorf("a failure that an operation reports has observedGeneration %d, want none", c.ObservedGeneration)
	}

	mend()
	b.settle(file)
	b.settle(vm)
	b.shows(file, "It heals by itself.", ready, synced, "LastAsyncOperation=True Success")

	b.edit(vm, func() { vm.forProvider()["disk"] = []any{map[string]any{"interface": "scsi0", "size": int64(10)}} })
	b.settle(vm)
	b.shows(vm, "A shrink fails again and again, and the VM stays Ready.", ready, "LastAsyncOperation=False ApplyFailure: Cannot shrink")

	b.edit(vm, func() { vm.forProvider()["disk"] = []any{map[string]any{"interface": "scsi0", "size": int64(20)}} })
	b.settle(vm)
	b.shows(vm, "The last failure stays where it is when all is well again.", ready, synced, "LastAsyncOperation=False ApplyFailure: Cannot shrink")
}

func TestTaint(t *testing.T) {
	world := NewWorld("pve")
	b := newBench(t, world)
	vm := b.create("vm", "100", asked(values{"initialization": []any{map[string]any{"userDataFileId": "local:snippets/a.yaml"}}}))

	b.settle(vm)
	b.shows(vm, "A VM that does not start is tainted, and Ready all the same.", ready,
		"Synced=False ReconcileError: observe failed: cannot run plan: plan failed: Instance cannot be destroyed: Resource proxmox_virtual_environment_vm.vm has",
		"LastAsyncOperation=False ApplyFailure: VM start: task")

	world.AddVolume(Volume{Node: "pve", ID: "local:snippets/a.yaml"})
	b.settle(vm)
	b.shows(vm, "What was missing does not heal it.", "Synced=False ReconcileError: Instance cannot be destroyed")
	b.told("Nothing is tried.", "create VM 100 on pve")

	b.restart()
	b.settle(vm)
	b.shows(vm, "A restart of the provider does.", ready, synced)
	b.told("The VM is started.", "change VM 100", "start VM 100")
}

func TestRestart(t *testing.T) {
	cases := map[string]struct {
		reason, external string
		vmID             any
		vms              []int
		told             []string
	}{
		"Number": {
			reason: "With a number, a second creation finds the first one's VM.", vmID: int64(100), vms: []int{100},
			told: []string{"create VM 100 on pve", "take over VM 100", "start VM 100"},
		},
		"ExternalName": {
			reason: "With an external name it is found by a look.", external: "100", vmID: int64(100), vms: []int{100},
			told: []string{"create VM 100 on pve", "change VM 100", "start VM 100"},
		},
		"NoNumber": {
			reason: "Without a number a VM is left behind.", vms: []int{100, 101},
			told: []string{"create VM 100 on pve", "create VM 101 on pve", "start VM 101"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, NewWorld("pve"))
			b.Pace.VM = time.Hour
			vm := b.create("vm", tc.external, asked(values{"vmId": tc.vmID}))

			b.look(vm, 1)

			for len(b.World.Journal()) == 0 {
				wait(t.Context(), time.Millisecond)
			}

			b.restart()
			b.settle(vm)
			b.shows(vm, tc.reason, ready, synced)
			b.told(tc.reason, tc.told...)

			if got := b.World.VMs(); len(got) != len(tc.vms) {
				t.Errorf("%s\nVMs: got %v, want %v", tc.reason, got, tc.vms)
			}
		})
	}
}

func TestDelete(t *testing.T) {
	made := func(t *testing.T) (*bench, managedResource) {
		t.Helper()

		b := newBench(t, NewWorld("pve"))
		vm := b.create("vm", "100", asked(nil))
		b.settle(vm)
		b.told("It is made.", "create VM 100 on pve", "start VM 100")

		return b, vm
	}
	remove := func(b *bench, mr managedResource) {
		if err := b.client.Delete(b.t.Context(), mr); err != nil {
			b.t.Fatal(err)
		}
	}

	t.Run("Gone", func(t *testing.T) {
		b, vm := made(t)
		remove(b, vm)
		b.settle(vm)

		if b.read(vm) {
			t.Error("it is still there")
		}

		b.told("A VM is stopped and destroyed.", "stop VM 100", "destroy VM 100")
	})

	t.Run("Protected", func(t *testing.T) {
		b, vm := made(t)
		b.World.Edit(func(vms map[int]*VM) { vms[100].Protected = true })
		remove(b, vm)
		b.settle(vm)
		b.shows(vm, "A protected VM is stopped, and stays.", "Ready=False Deleting",
			"LastAsyncOperation=False DestroyFailure: destroy failed: received an HTTP 500 response - Reason: can't remove VM 100 - protection mode enabled",
			"Synced=False ReconcileError: delete failed: ")
		b.told("It was stopped first.", "stop VM 100")
	})

	t.Run("WhileDown", func(t *testing.T) {
		b, vm := made(t)
		b.Stop()
		remove(b, vm)
		b.start(b.World)
		b.settle(vm)

		if b.read(vm) {
			t.Error("it is still there")
		}

		b.told("A provider that was away forgets the VM.")
	})

	t.Run("NotAllowed", func(t *testing.T) {
		b, vm := made(t)
		b.edit(vm, func() {
			vm.SetManagementPolicies(xpv2.ManagementPolicies{observed, xpv2.ManagementActionCreate, xpv2.ManagementActionUpdate})
		})
		remove(b, vm)
		b.settle(vm)

		if b.read(vm) {
			t.Error("it is still there")
		}

		b.told("Without the policy the VM stays.")
	})
}
