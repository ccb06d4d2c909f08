package status

import (
	"net/netip"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// births are the moments until a machine runs.
func births() map[string]scenario {
	return map[string]scenario{
		"WaitingForSnippets": {
			reason: "Nothing is there yet: the VM waits for its snippets and its image, which are named.",
			in: func(*testing.T) Input {
				in := dns01()
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Waiting = []string{image, metaData, userData}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: []Condition{specValid, {
					"MachineReady", "False", "WaitingForSnippets", "The provider creates the VM when its cloud-init snippets are on datastore local of node pve (meta-data-0123456789, user-data-0123456789) " +
						"and its cloud image is on datastore local of node pve (image-0123456789).",
				}, current, notRequired, nothingPending, numberOurs, noError},
			},
		},
		"OneSnippetThere": {
			reason: "Snippets come within a second: what is said of them changes once, when all are there.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				delete(in.State.Files, metaData)
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Waiting = []string{metaData}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "WaitingForSnippets",
					"The provider creates the VM when its cloud-init snippets are on datastore local of node pve (meta-data-0123456789, user-data-0123456789) " +
						"and its cloud image is on datastore local of node pve (image-0123456789).",
				}),
			},
		},
		"WaitingForImage": {
			reason: "The snippets are written, the image still downloads.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Waiting = []string{image}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "WaitingForImage", "The provider creates the VM when its cloud image is on datastore local of node pve (image-0123456789)."},
					current, notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
		"AddressPoolExhausted": {
			reason: "Every address of the pool is in use; the message says how many there are, and where more can be had.",
			in: func(*testing.T) Input {
				in := dns01()
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.PoolAddress = &lifecycle.PoolAddress{Size: 50, InUse: 50, Path: "EnvironmentConfig machine-catalog: data.sites.home.network.pool"}
				in.Plan.Waiting = []string{image, metaData, userData}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "AddressPoolExhausted",
					"The site's address pool is exhausted: 50 of 50 addresses are in use. Add a range to EnvironmentConfig machine-catalog: data.sites.home.network.pool, " +
						"delete a machine, or write an address into spec.network.ip. The function then continues by itself.",
				}),
			},
		},
		"AddressInUse": {
			reason: "All that the VM needs is there, but another machine that runs has its address: it is named, and what helps.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.Shares = &lifecycle.SharedAddress{
					Address: machine.Address{Kind: "ipv4", Value: "192.168.4.53"}, With: "infra/web", Held: lifecycle.HeldOn,
				}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: true, metaData: true, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "AddressInUse",
					"The VM is not created, because 192.168.4.53 of spec.network.ip is the address of infra/web, which runs in the same network: neither would be reached reliably. " +
						"Give one of them another address, or stop or delete the other one. If they are two networks of one name, set spec.lifecycle.force to a new value.",
				}),
			},
		},
		"ServersBehind": {
			reason: "All that an agent's VM needs is there, but a server runs an earlier minor release: it is named, and both ways out.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				delete(in.Desired.VMs, lifecycle.FirstVM)
				in.Plan.ServerBehind = &lifecycle.ServerBehind{Server: "server-2", Runs: "v1.35.6+k3s1", Wanted: "v1.36.5+k3s1"}

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: true, metaData: true, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "ServersBehind",
					"The VM is not created, because it would run K3s v1.36.5+k3s1, and server server-2 runs v1.35.6+k3s1: no agent may be newer than its servers. It is created " +
						"when they run that release: upgrade the servers first. Or set spec.k3s.version to v1.35.6+k3s1 for this agent.",
				}),
			},
		},
		"ReservingAddress": {
			reason: "All that the VM needs is there, but two machines have reserved one address.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere)
				in.Plan.PoolAddress = &lifecycle.PoolAddress{Address: netip.MustParseAddr("192.168.4.50"), Rival: "infra/web", Size: 50, InUse: 1}

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status {
					s := unmade(v1alpha1.PhaseCreating)
					s.Node = "pve"

					return s
				}(),
				Ready: map[string]bool{userData: true, metaData: true, image: false, lifecycle.FirstVM: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "ReservingAddress",
					"The machine reserves address 192.168.4.50 of the site's pool. The provider creates the VM when no other machine has reserved the address. " +
						"Machine `infra/web` reserved it at the same time, and takes another address.",
				}),
			},
		},
		"ClaimingAddress": {
			reason: "A pool of Cluster API gives the address, and has given none yet: its provider says why.",
			in:     claimingAddress(lifecycle.ClaimedAddress{Stage: lifecycle.ClaimOpen, Pool: labPool(), Claim: "dns01-x7k2p", Says: "no free address"}),
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "ClaimingAddress",
					"The provider creates the VM when InClusterIPPool lab has given it an address. IPAddressClaim dns01-x7k2p in namespace infra asks for it, and its provider " +
						"says: `no free address`.",
				}),
			},
		},
		"AddressClaimsMissing": {
			reason: "Nobody can claim an address of a pool of Cluster API where its kinds are not installed.",
			in:     claimingAddress(lifecycle.ClaimedAddress{Stage: lifecycle.ClaimImpossible, Pool: labPool()}),
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "AddressClaimsMissing",
					"The VM gets its address from InClusterIPPool lab, and the kind IPAddressClaim (ipam.cluster.x-k8s.io/v1beta1) is not installed, or is served in " +
						"another version. Install Cluster API's IPAM, or change EnvironmentConfig machine-catalog: data.sites.home.network.pool. The function then " +
						"continues by itself.",
				}),
			},
		},
		"ClaimedAddressUnfit": {
			reason: "A pool of Cluster API gave an address that the VM cannot have.",
			in: claimingAddress(lifecycle.ClaimedAddress{
				Stage: lifecycle.ClaimUnfit, Pool: labPool(), Claim: "dns01-x7k2p", Given: "192.168.4.60/24", Unfit: "is the address of machine infra/web",
			}),
			want: Output{
				Status: unmade(v1alpha1.PhasePending),
				Ready:  map[string]bool{userData: false, metaData: false, image: false},
				Conditions: unmadeConditions(Condition{
					"MachineReady", "False", "ClaimedAddressUnfit",
					"InClusterIPPool lab gave the address 192.168.4.60/24, which is the address of machine infra/web. Correct the pool, and delete IPAddressClaim dns01-x7k2p in " +
						"namespace infra: Crossplane creates it again, and the pool gives another address. The provider creates the VM then.",
				}),
			},
		},
		"WaitingForToken": {
			reason: "Without the Secret of its K3s token nothing is rendered, and the Secret is named.",
			in: func(*testing.T) Input {
				in := dns01()
				in.Desired = proxmox.Desired{}
				in.Bootstrap.Hash, in.Bootstrap.Lack = "", tokenLack()
				in.Machine.K3s = &machine.K3s{Version: "v1.33.6+k3s1"}

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status {
					s := unmade(v1alpha1.PhasePending)
					s.Bootstrap, s.K3sVersion = nil, "v1.33.6+k3s1"

					return s
				}(),
				Ready: map[string]bool{},
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "WaitingForToken", "The provider creates the VM when its K3s token exists: Secret k3s-join-token in the claim's namespace, with the key that the claim names."},
					{
						"BootstrapCurrent", "Unknown", "TokenSecretMissing", "Secret k3s-join-token with the K3s token, in the claim's namespace, cannot be read, so the function cannot compare the bootstrap data of claim and VM. A running VM keeps running. Apply the Secret.",
					},
					notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
		"WaitingForSecret": {
			reason: "The VM would start without a file that its first boot writes; its keys are named.",
			in: func(*testing.T) Input {
				in := dns01()
				in.Desired = proxmox.Desired{}
				in.Bootstrap.Hash, in.Bootstrap.Lack = "", registryLack([]string{"config", "user"}, "")

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status {
					s := unmade(v1alpha1.PhasePending)
					s.Bootstrap = nil

					return s
				}(),
				Ready: map[string]bool{},
				Conditions: []Condition{
					specValid,
					{"MachineReady", "False", "WaitingForSecret", noRegistryKey + " The provider creates the VM when this is corrected."},
					{"BootstrapCurrent", "Unknown", "SecretMissing", noRegistryKey + " So the function cannot compare the bootstrap data of claim and VM. A running VM keeps running."},
					notRequired, nothingPending, numberOurs, noError,
				},
			},
		},
		"JustRendered": {
			reason: "The VM is in this very response: the provider is about to make it.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere, imageThere)

				return in
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseCreating), Ready: readiness(false, true, true),
				Conditions: []Condition{specValid, {"MachineReady", "False", "Creating", "The provider creates the VM on node pve, and starts it."}, current, notRequired, nothingPending, numberOurs, noError},
			},
		},
		"FirstStart": {
			reason: "The provider created the VM stopped, and starts it now: that is still the creation, and its VMID is known.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(edit(running(t), silent), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.Started = false })
				in.Plan.Steps = map[string]lifecycle.Step{lifecycle.FirstVM: {Action: lifecycle.ActionFollow, Power: lifecycle.Power{Started: true, Phase: lifecycle.PowerFirstStart}}}
				in.Previous = v1alpha1.Status{Phase: v1alpha1.PhaseCreating}

				return in
			},
			want: Output{
				Status:     made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseCreating, "", nil }),
				Ready:      readiness(false, true, true),
				Conditions: []Condition{specValid, creating, current, notRequired, nothingPending, numberOurs, noError},
				Events:     []Event{{Reason: "VMCreated", Message: "The provider created the VM."}},
			},
		},
		"ToBeStopped": {
			reason: "A VM that is not to run is created, and not started.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, snippetsThere, imageThere)
				in.Machine.Power = v1alpha1.PowerStopped

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status { s := unmade(v1alpha1.PhaseCreating); s.Power = v1alpha1.PowerStopped; return s }(), Ready: readiness(false, true, true),
				Conditions: unmadeConditions(Condition{"MachineReady", "False", "Creating", "The provider creates the VM on node pve."}),
			},
		},
		"MissingStatus": {
			reason: "The managed resource was just created and has no status at all; its VM may be in the making.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := dns01()
				in.State = observed(t, "# vm\nkind: EnvironmentVM\nmetadata: {annotations: {homelab.io/bootstrap-hash: aaaaaaaaaa}}\nspec: {forProvider: {nodeName: pve, vmId: 153}}\n", snippetsThere, imageThere)

				return in
			},
			want: Output{
				Status: func() v1alpha1.Status { s := unmade(v1alpha1.PhaseCreating); s.Node = "pve"; return s }(), Ready: readiness(false, true, true),
				Conditions: []Condition{specValid, {"MachineReady", "False", "Creating", "The provider creates the VM on node pve, and starts it."}, current, notRequired, nothingPending, numberOurs, noError},
			},
		},
		"FoundBeforeItsStatus": {
			reason: "The provider says Ready one reconcile before it fills in the status: the VM is there, and nothing is told before all of it is known.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(running(t), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} })
			},
			want: Output{
				Status: unmade(v1alpha1.PhaseCreating), Ready: readiness(false, true, true), Conditions: unmadeConditions(),
			},
		},
		"WaitingForAddress": {
			reason: "The VM runs and its guest agent is not up yet: no address, not ready, and a word on what to check.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := edit(running(t), silent)
				in.Previous = v1alpha1.Status{Phase: v1alpha1.PhaseCreating}

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.Phase, s.PrimaryAddress, s.Addresses = v1alpha1.PhaseStarting, "", nil }),
				Ready:  readiness(false, true, true),
				Conditions: []Condition{specValid, {
					"MachineReady", "False", "WaitingForAddress", "VM 153 on node pve runs, but its guest agent has not reported an address yet; the provider asks every few minutes. If this stays, check that qemu-guest-agent runs in the guest, and that the provider's token may ask it (VM.GuestAgent.Audit, before Proxmox VE 9 VM.Monitor).",
				}, current, notRequired, nothingPending, numberOurs, noError},
				Events: []Event{{Reason: "VMCreated", Message: "The provider created the VM."}},
			},
		},
	}
}

// claimingAddress is a machine without a VM, whose site has a pool of Cluster API.
func claimingAddress(claimed lifecycle.ClaimedAddress) func(*testing.T) Input {
	return func(*testing.T) Input {
		in := dns01()
		delete(in.Desired.VMs, lifecycle.FirstVM)
		in.Machine.Identity.Namespace = "infra"
		in.Plan.PoolAddress = &lifecycle.PoolAddress{Path: "EnvironmentConfig machine-catalog: data.sites.home.network.pool", Claimed: &claimed}
		in.Plan.Waiting = []string{image, metaData, userData}

		return in
	}
}

// labPool is a pool of Cluster API.
func labPool() ipam.Pool {
	return ipam.Pool{APIGroup: ipam.Group, Kind: "InClusterIPPool", Name: "lab"}
}
