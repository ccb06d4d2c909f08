package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestReadyVM(t *testing.T) {
	condition := func(typ, status string) func(*proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: typ, Status: status})
		}
	}

	cases := map[string]struct {
		reason string
		change func(*proxmox.ObservedVM)
		power  v1alpha1.Power
		want   bool
	}{
		"AllIsWell":       {"Ready, Synced, found, running, with an address.", func(*proxmox.ObservedVM) {}, v1alpha1.PowerRunning, true},
		"NotReady":        {"The provider has not found it.", condition("Ready", "False"), v1alpha1.PowerRunning, false},
		"NotSynced":       {"The last look at it failed.", condition("Synced", "False"), v1alpha1.PowerRunning, false},
		"SyncedUnknown":   {"Nobody looked at it yet.", condition("Synced", "Unknown"), v1alpha1.PowerRunning, false},
		"NoConditions":    {"Nothing is known of it.", func(vm *proxmox.ObservedVM) { vm.Status.Conditions = nil }, v1alpha1.PowerRunning, false},
		"NoExternalName":  {"It has no identity yet.", func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations = nil }, v1alpha1.PowerRunning, false},
		"NoID":            {"Its status is not filled in yet.", func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.ID = "" }, v1alpha1.PowerRunning, false},
		"NotStarted":      {"It is to run, and does not.", func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false }, v1alpha1.PowerRunning, false},
		"NotStopped":      {"It is to be stopped, and runs.", func(*proxmox.ObservedVM) {}, v1alpha1.PowerStopped, false},
		"Stopped":         {"It is stopped, as requested.", func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false }, v1alpha1.PowerStopped, true},
		"StaleLastAsync":  {"LastAsyncOperation can stay False for ever.", condition("LastAsyncOperation", "False"), v1alpha1.PowerRunning, true},
		"UpdateUnderWay":  {"An update in place does not make it less ready.", condition("AsyncOperation", "False"), v1alpha1.PowerRunning, true},
		"MovedInProxmox":  {"Another node and another number in its status are the VM's own business.", func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.NodeName = "pve2" }, v1alpha1.PowerRunning, true},
		"NoAddressAtAll":  {"The agent answers and has no address of ours.", func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.NetworkDevice[0].MACAddress = mac1 }, v1alpha1.PowerRunning, false},
		"AgentNeverSpoke": {"The agent has not answered yet.", silent, v1alpha1.PowerRunning, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := edit(running(t), tc.change)
			in.Machine.Power = tc.power
			in.wants(tc.power == v1alpha1.PowerRunning)

			o := Machine(in)
			if got := o.Ready[lifecycle.FirstVM]; got != tc.want {
				t.Errorf("%s\nready: want %t, got %t", tc.reason, tc.want, got)
			}

			if got := o.condition(TypeMachineReady).Status == "True"; got != tc.want {
				t.Errorf("%s\n%s says %t", tc.reason, TypeMachineReady, got)
			}
		})
	}
}

func TestReadyFilesAndImages(t *testing.T) {
	all := []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}
	there := []proxmox.Condition{
		{Type: "Ready", Status: "False", Reason: "Creating"},
		{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: File already exists in the datastore, it was created outside of Terraform"},
	}
	failed := []proxmox.Condition{
		{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: x"},
	}
	name := proxmox.Metadata{Annotations: map[string]string{proxmox.ExternalNameAnnotation: "local:x/y"}}

	type resource struct {
		meta       proxmox.Metadata
		id         string
		conditions []proxmox.Condition
	}

	cases := map[string]struct {
		reason      string
		found       *resource // Nil: not observed.
		vm          bool      // Whether the VM was made.
		file, image bool
	}{
		"Found":          {"It is there.", &resource{name, "local:x/y", all}, false, true, true},
		"NotObserved":    {"It was rendered and nobody has seen it yet.", nil, false, false, false},
		"NotObservedVM":  {"A VM that was made has its disk: its image is ready, whatever became of it. Its snippets are read again.", nil, true, false, true},
		"NoID":           {"The provider found it, and reports its id one reconcile later: it is there, as for the VM that waits for it.", &resource{name, "", all}, false, true, true},
		"NoExternalName": {"Without an identity neither is there.", &resource{proxmox.Metadata{}, "local:x/y", all}, false, false, false},
		"AlreadyPresent": {"An image that was there before is as good as any; a snippet is not.", &resource{name, "", there}, false, false, true},
		"Failed":         {"Making it failed.", &resource{name, "", failed}, false, false, false},
		"FailedVM":       {"Making it failed, after the VM was made.", &resource{name, "", failed}, true, false, true},
	}

	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			in := running(t)
			in.State.Files, in.State.DownloadFiles = map[string]proxmox.ObservedFile{}, map[string]proxmox.ObservedDownloadFile{}

			if !tc.vm {
				in.State.VMs = nil
			}

			if r := tc.found; r != nil {
				var f proxmox.ObservedFile

				f.Metadata.Metadata, f.Status.AtProvider.ID, f.Status.Conditions = r.meta, r.id, r.conditions
				in.State.Files[userData] = f

				var d proxmox.ObservedDownloadFile

				d.Metadata.Metadata, d.Status.AtProvider.ID, d.Status.Conditions = r.meta, r.id, r.conditions
				in.State.DownloadFiles[image] = d
			}

			want := map[string]bool{lifecycle.FirstVM: tc.vm, userData: tc.file, metaData: false, image: tc.image}
			if diff := cmp.Diff(want, Machine(in).Ready); diff != "" {
				t.Errorf("%s\nready: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReadyOfOthers: a VM that was rendered and is not found is not ready.
func TestReadyOfOthers(t *testing.T) {
	in := running(t)
	in.Desired.VMs["vm-2"] = proxmox.VM{}

	got := Machine(in).Ready
	if got["vm-2"] {
		t.Errorf("resources that nobody looked at are ready: %v", got)
	}
}

func TestMachineReadyProviderError(t *testing.T) {
	const auth = `create failed: apply failed: unable to authenticate user "root" over SSH to "192.168.4.2:22": failed SSH handshake to 192.168.4.2:22: ssh: handshake failed: ssh: unable to authenticate, attempted methods [none], no supported methods remain`

	broken := func(f *proxmox.ObservedFile) {
		f.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "False"}, {Type: "Synced", Status: "False", Reason: "ReconcileError", Message: auth}}
	}

	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		want   Condition
		phase  v1alpha1.Phase
	}{
		"SnippetOfANewVM": {
			reason: "A snippet that cannot be written keeps the VM from being made: that is what the machine waits for.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Waiting = []string{userData}

				f := in.State.Files[userData]
				broken(&f)
				in.State.Files[userData] = f

				return in
			},
			want: Condition{
				"MachineReady", "False", "ProviderError",
				"user-data-0123456789 (EnvironmentFile): Node pve refuses the provider's SSH key. Condition ProviderHealthy says what to do.",
			},
			phase: v1alpha1.PhaseFailed,
		},
		"SnippetThatIsNotWanted": {
			reason: "A snippet that is rendered no more, and cannot be removed, keeps nothing from anything.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere, imageThere)

				f := in.State.Files[userData]
				broken(&f)
				in.State.Files["user-data-old"] = f
				in.State.Files[userData] = observed(t, snippetsThere).Files[userData]

				return in
			},
			want:  Condition{"MachineReady", "False", "Creating", "The provider creates the VM on node pve, and starts it."},
			phase: v1alpha1.PhaseCreating,
		},
		"SnippetOfARunningVM": {
			reason: "A VM that runs is ready, whatever becomes of its snippet; the snippet itself is not.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				f := in.State.Files[userData]
				broken(&f)
				in.State.Files[userData] = f

				return in
			},
			want:  machineRunning,
			phase: v1alpha1.PhaseRunning,
		},
		"CreateFailed": {
			reason: "Making the VM failed for a cause that may pass: not Failed, and the cause is named.",
			in: func(t *testing.T) Input {
				t.Helper()

				const message = "apply failed: received an HTTP 595 response - Reason: No route to host"

				in := dns01()
				in.State = observed(t, vmRunning, snippetsThere, imageThere)

				return edit(in, func(vm *proxmox.ObservedVM) {
					vm.Status.AtProvider = proxmox.VMObservation{}
					vm.Status.Conditions = []proxmox.Condition{
						{Type: "Ready", Status: "False", Reason: "Creating"},
						{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: " + message},
						{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: message},
					}
				})
			},
			want:  Condition{"MachineReady", "False", "ProviderError", "vm (EnvironmentVM): Proxmox cannot reach node pve. Condition ProviderHealthy says what to do."},
			phase: v1alpha1.PhaseCreating,
		},
		"CreateIsTriedAgain": {
			reason: "While making the VM is tried again, the cause of the last failure stays in reporter.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, vmRunning, snippetsThere, imageThere)

				return edit(in, func(vm *proxmox.ObservedVM) {
					vm.Status.AtProvider = proxmox.VMObservation{}
					vm.Status.Conditions = []proxmox.Condition{
						{Type: "Ready", Status: "False", Reason: "Creating"},
						{Type: "Synced", Status: "True", Reason: "ReconcileSuccess"},
						{Type: "AsyncOperation", Status: "False", Reason: "Ongoing"},
						{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: "apply failed: received an HTTP 595 response - Reason: No route to host"},
					}
				})
			},
			want:  Condition{"MachineReady", "False", "ProviderError", "vm (EnvironmentVM): Proxmox cannot reach node pve. Condition ProviderHealthy says what to do."},
			phase: v1alpha1.PhaseCreating,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Machine(tc.in(t))
			if diff := cmp.Diff(tc.want, got.condition(TypeMachineReady)); diff != "" {
				t.Errorf("%s\nMachine(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got.Status.Phase != tc.phase {
				t.Errorf("%s\nphase: want %s, got %s", tc.reason, tc.phase, got.Status.Phase)
			}
		})
	}
}
