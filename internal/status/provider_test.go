package status

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// ran is what an error of a VM says that ran when the provider last read it.
const ran = " VM 153 on node pve ran when the provider last read it."

// files of cloud-init.
var files = proxmox.Initialization{MetaDataFileID: "local:snippets/meta.yaml", UserDataFileID: "local:snippets/user.yaml"}

// cicustom lets the provider refuse to make a VM anew of which it has seen the files of cloud-init.
func cicustom(in Input, seen proxmox.Initialization) Input {
	vm := in.Desired.VMs["vm"]
	vm.Spec.ForProvider.Initialization = []proxmox.Initialization{files}
	in.Desired.VMs = maps.Clone(in.Desired.VMs)
	in.Desired.VMs["vm"] = vm

	return edit(fails(in, "observe failed: cannot run plan: plan failed: Instance cannot be destroyed: Resource x has lifecycle.prevent_destroy set"), func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider.Initialization = []proxmox.Initialization{seen}
	})
}

// fileFails lets the provider fail with the snippet of the user-data.
func fileFails(in Input, message string) Input {
	f := in.State.Files[userData]
	f.Status.Conditions = set(f.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: message})
	in.State.Files[userData] = f

	return in
}

func TestProviderHealthy(t *testing.T) {
	immutable, _ := diagnose.Named(diagnose.RowImmutable)

	const unreachable = "observe failed: cannot run refresh: refresh failed: dial tcp 192.168.4.2:8006: connect: connection refused"

	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		want   Condition
		phase  v1alpha1.Phase
	}{
		"OnePerError": {
			reason: "An outage hits all resources alike: the error is told once, with all their names, in a fixed order.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := fails(settled(t), unreachable)
				for name, f := range in.State.Files {
					f.Status.Conditions = set(f.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: unreachable})
					in.State.Files[name] = f
				}

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "NetworkError", "vm (EnvironmentVM), meta-data-0123456789, user-data-0123456789 (EnvironmentFile): The provider cannot reach the Proxmox API. Check endpoint in the credentials Secret (https://host:8006/), " +
					"whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy blocks port 8006 for the provider's pod. The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
		"UrgentFirst": {
			reason: "Of two errors, the one that somebody has to see to gives the reason.",
			in: func(t *testing.T) Input {
				t.Helper()

				return fileFails(fails(settled(t), unreachable), "create failed: apply failed: unable to authenticate user \"root\" over SSH")
			},
			want: Condition{
				"ProviderHealthy", "False", "AuthenticationError", "user-data-0123456789 (EnvironmentFile): Node pve refuses the provider's SSH key. The credentials Secret needs ssh_username and ssh_private_key " +
					"(a key without a passphrase). Add the public key to ~/.ssh/authorized_keys of this user on the node. vm (EnvironmentVM): The provider cannot reach the Proxmox API. " +
					"Check endpoint in the credentials Secret (https://host:8006/), whether its name resolves in the cluster, and whether a firewall or a NetworkPolicy blocks port 8006 " +
					"for the provider's pod. The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning, // The snippet of a VM that was made does not keep it from running.
		},
		"NodeOfTheSnippet": {
			reason: "A snippet can be on another node than its VM, which the HA manager has moved: the dead one is named.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := fileFails(settled(t), "observe failed: cannot run refresh: refresh failed: received an HTTP 595 response - Reason: No route to host")
				f := in.State.Files[userData]
				f.Spec.ForProvider.NodeName = "pve9"
				in.State.Files[userData] = f

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "NodeUnhealthy", "user-data-0123456789 (EnvironmentFile): Proxmox cannot reach node pve9. " +
					"Check that the node is on and in the cluster (`pvecm status`), and that its pveproxy runs; `pvecm updatecerts` on the node renews its certificate. " +
					"The provider continues with its machines when the node is back. The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
		"CICustomGone": {
			reason: "Somebody took the files of cloud-init off in Proxmox: nobody edited the managed resource, and a replacement is not needed.",
			in: func(t *testing.T) Input {
				t.Helper()

				return cicustom(settled(t), proxmox.Initialization{DatastoreID: "local-zfs"})
			},
			want: Condition{
				"ProviderHealthy", "False", "ImmutableChange", "vm (EnvironmentVM): Somebody changed which files cloud-init reads (cicustom) of VM 153 in Proxmox. The guest has read them at its first boot and does not " +
					"notice; all other changes of the VM wait. Undo it on node pve: `qm set 153 --cicustom meta=local:snippets/meta.yaml,user=local:snippets/user.yaml`. The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
		"CICustomIsTheSame": {
			reason: "It is something else that cannot change.",
			in: func(t *testing.T) Input {
				t.Helper()

				return cicustom(settled(t), files)
			},
			want: Condition{
				"ProviderHealthy", "False", "ImmutableChange", "vm (EnvironmentVM): " + immutable.Meaning + " " + immutable.Remedy + " The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
		"NotRetryableFailsTheMachine": {
			reason: "An error that does not pass by itself makes the phase Failed.",
			in: func(t *testing.T) Input {
				t.Helper()

				return fails(settled(t), "observe failed: cannot run refresh: refresh failed: received an HTTP 401 response - Reason: invalid token value!")
			},
			want: Condition{
				"ProviderHealthy", "False", "AuthenticationError", "vm (EnvironmentVM): Proxmox refuses the provider's credentials. Check api_token in the credentials Secret: its form is user@realm!name=uuid, on one line. " +
					"`pveum user token list <user@realm>` shows whether the token exists and has not expired. Proxmox shows the secret part only once; create a new token if in doubt." + ran,
			},
			phase: v1alpha1.PhaseFailed,
		},
		"OneFaultOfSeveralKinds": {
			reason: "What is to be said of several resources is said once, also where they are of several kinds.",
			in: func(t *testing.T) Input {
				t.Helper()

				const refused = "observe failed: cannot run refresh: refresh failed: received an HTTP 401 response - Reason: invalid token value!"

				in := fails(settled(t), refused)
				f := in.State.DownloadFiles[image]
				f.Status.Conditions = set(f.Status.Conditions, proxmox.Condition{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: refused})
				in.State.DownloadFiles[image] = f

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "AuthenticationError", "vm (EnvironmentVM), image-0123456789 (EnvironmentDownloadFile): Proxmox refuses the provider's credentials. " +
					"Check api_token in the credentials Secret: its form is user@realm!name=uuid, on one line. " +
					"`pveum user token list <user@realm>` shows whether the token exists and has not expired. Proxmox shows the secret part only once; create a new token if in doubt." + ran,
			},
			phase: v1alpha1.PhaseFailed,
		},
		"ImageOfARunningVM": {
			reason: "An image that fails later is told, and neither the VM nor its image is less ready for it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				f := in.State.DownloadFiles[image]
				f.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"},
					{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: Could not get file metadata, unexpected error: invalid server response: '404 Not Found'"},
				}
				in.State.DownloadFiles[image] = f

				return in
			},
			want: Condition{
				"ProviderHealthy", "False", "ConfigurationError", "image-0123456789 (EnvironmentDownloadFile): The catalogue's URL does not lead to an image. " +
					"Correct images.nixos-25.05.url in the catalogue. Servers remove old builds: use the URL of a release that stays." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
		"ImageThatIsThereAlready": {
			reason: "An image that somebody else put on the node is no error.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				f := in.State.DownloadFiles[image]
				f.Status.Conditions = []proxmox.Condition{
					{Type: "Ready", Status: "False", Reason: "Creating"},
					{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: File already exists in the datastore, it was created outside of Terraform"},
				}
				in.State.DownloadFiles[image] = f

				return in
			},
			want:  noError,
			phase: v1alpha1.PhaseRunning,
		},
		"StaleLastAsyncOperation": {
			reason: "LastAsyncOperation can stay False for ever after all is well again; it says nothing then.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure", Message: "apply failed: Cannot shrink local-lvm:x"})
				})
			},
			want:  noError,
			phase: v1alpha1.PhaseRunning,
		},
		"ResizeOfAnotherVM": {
			reason: "A VM that somebody else made in the moment of the creation is not the one that never ran: nothing is said of its disk.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) {
					vm.Metadata.Annotations = map[string]string{
						proxmox.ExternalNameAnnotation: "153", proxmox.CreatingAnnotation: "none", proxmox.CreatePendingAnnotation: "2026-01-01T00:00:00Z",
					}
					vm.Status.AtProvider.Name = "nas"
					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{
						Type: "Synced", Status: "False", Reason: "ReconcileError",
						Message: "create failed: apply failed: VM disk resize: task failed with exit code: shrinking disks is not supported: ",
					})

					vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{
						Type: "LastAsyncOperation", Status: "False", Reason: "ApplyFailure",
						Message: "apply failed: VM disk resize: task failed with exit code: shrinking disks is not supported: ",
					})
				})
			},
			want:  noError,
			phase: v1alpha1.PhaseRunning,
		},
		"UnknownNamesTheObject": {
			reason: "An error that is not in the table says how to read it, with the whole name of the kind.",
			in: func(t *testing.T) Input {
				t.Helper()

				return fails(settled(t), "something new")
			},
			want: Condition{
				"ProviderHealthy", "False", "ProviderError", "vm (EnvironmentVM): The provider reports an error that is not in the table of docs/errors.md. This message does not repeat the provider's text, because it may contain secrets. " +
					"Read it with `kubectl get environmentvms.virtualenvironmentvm.proxmoxbpg.crossplane.io -l homelab.io/machine=dns01,homelab.io/namespace=infra -o yaml`, and please report its first line, without secrets. " +
					"The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
		"UnknownOfANamespacedObject": {
			reason: "A namespaced managed resource is in the claim's namespace.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(fails(settled(t), "something new"), func(vm *proxmox.ObservedVM) {
					vm.APIVersion = "virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1"
				})
			},
			want: Condition{
				"ProviderHealthy", "False", "ProviderError", "vm (EnvironmentVM): The provider reports an error that is not in the table of docs/errors.md. This message does not repeat the provider's text, because it may contain secrets. " +
					"Read it with `kubectl get environmentvms.virtualenvironmentvm.proxmoxbpg.m.crossplane.io -n infra -l homelab.io/machine=dns01 -o yaml`, and please report its first line, without secrets. " +
					"The provider retries automatically." + ran,
			},
			phase: v1alpha1.PhaseRunning,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Machine(tc.in(t))
			if diff := cmp.Diff(tc.want, got.condition(TypeProviderHealthy)); diff != "" {
				t.Errorf("%s\nMachine(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got.Status.Phase != tc.phase {
				t.Errorf("%s\nphase: want %s, got %s", tc.reason, tc.phase, got.Status.Phase)
			}
		})
	}
}
