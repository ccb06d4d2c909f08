package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// inBridge has one interface in vmbr0, with its address.
func inBridge(vm *proxmox.ObservedVM) {
	vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}}
	labelled(0, "10.0.0.60")(vm)
}

// bringing announces the address with an edit.
func bringing(vm *proxmox.ObservedVM) {
	vm.Metadata.Annotations[proxmox.BringsAnnotation] = "10.0.0.60@" + proxmox.Network("vmbr0", 0)
}

// addressed is a machine with the address, and the VM that it has; none for one that is to be made.
func addressed(own ...proxmox.ObservedVM) Request {
	r := requestOf(AddressClaims{})
	r.Owner.Root, r.Roles.Active = "self", FirstVM
	r.Machine.NICs = []machine.NIC{{Bridge: "vmbr0", IPv4: machine.Addressing{Method: machine.MethodStatic, Address: "10.0.0.60", Prefix: 24}}}
	r.Observed.VMs = vms{}

	for _, vm := range own {
		r.Observed.VMs[FirstVM] = vm
	}

	return r
}

// TestSharedAddress: who has the address of a machine, too; which of several is said; and whether the machine is made beside it.
func TestSharedAddress(t *testing.T) {
	a := machine.Address{Kind: "ipv4", Value: "10.0.0.60"}
	written := func(on bool) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { inBridge(vm); vm.Spec.ForProvider.Started = on }
	}
	looks := func(second string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { inBridge(vm); observeOnly(vm); createdAt(second)(vm) }
	}
	container := func(name string, edit func(c *proxmox.ObservedContainer)) proxmox.ObservedContainer {
		c := pooledContainer(name, "10.0.0.60/24")
		c.Spec.ForProvider.NetworkInterface[0].Bridge = "vmbr0"
		edit(&c)

		return c
	}
	with := func(name string, held AddressHold) *SharedAddress {
		return &SharedAddress{Address: a, With: "infra/" + name, Held: held}
	}

	cases := map[string]struct {
		reason     string
		own        []proxmox.ObservedVM
		vms        []proxmox.ObservedVM
		containers []proxmox.ObservedContainer
		force      string
		adopts     bool
		want       *SharedAddress
		unmade     bool // Whether the machine is not made.
		again      bool // Whether an existing one is compared with the next call, too.
	}{
		"Nobody":    {reason: "It is the machine's alone."},
		"Runs":      {reason: "The other one would be reached no more.", vms: []proxmox.ObservedVM{pooledVM("a", written(true))}, want: with("a", HeldOn), unmade: true},
		"Off":       {reason: "One takes the place of another one that is off.", vms: []proxmox.ObservedVM{pooledVM("a", written(false))}, want: with("a", HeldOff)},
		"Forced":    {reason: "A person says that it is another network.", vms: []proxmox.ObservedVM{pooledVM("a", written(true))}, force: "1", want: with("a", HeldOn)},
		"Adopts":    {reason: "The VM that it adopts has it already.", vms: []proxmox.ObservedVM{pooledVM("a", written(true))}, adopts: true, want: with("a", HeldOn)},
		"First":     {reason: "It asked before this one.", own: []proxmox.ObservedVM{pooledVM("self", looks("06"))}, vms: []proxmox.ObservedVM{pooledVM("a", looks("05"))}, want: with("a", HeldFirst), unmade: true},
		"Second":    {reason: "It asked later.", own: []proxmox.ObservedVM{pooledVM("self", looks("04"))}, vms: []proxmox.ObservedVM{pooledVM("a", looks("05"))}, want: with("a", HeldOff)},
		"Strongest": {reason: "The one that holds it most is said.", vms: []proxmox.ObservedVM{pooledVM("a", written(false)), pooledVM("b", written(true))}, want: with("b", HeldOn), unmade: true},
		"Least":     {reason: "Of equals, always the same one.", vms: []proxmox.ObservedVM{pooledVM("b", written(true)), pooledVM("a", written(true))}, want: with("a", HeldOn), unmade: true},
		"Own":       {reason: "Its own VM is no other one.", vms: []proxmox.ObservedVM{pooledVM("self", written(true))}},
		"Network": {reason: "In another network it is another address.", vms: []proxmox.ObservedVM{pooledVM("a", written(true), func(vm *proxmox.ObservedVM) {
			vm.Spec.ForProvider.NetworkDevice[0].Bridge = "vmbr1"
		})}},
		"Site": {reason: "So it is in another Proxmox.", vms: []proxmox.ObservedVM{pooledVM("a", written(true), func(vm *proxmox.ObservedVM) {
			vm.Spec.ProviderConfigRef.Name = "lab"
		})}},
		"Container": {reason: "A container runs with it.", containers: []proxmox.ObservedContainer{container("a", func(c *proxmox.ObservedContainer) {
			c.Spec.ForProvider.Started = true
		})}, want: with("a", HeldOn), unmade: true},
		"ContainerOff":   {reason: "It is off.", containers: []proxmox.ObservedContainer{container("a", func(*proxmox.ObservedContainer) {})}, want: with("a", HeldOff)},
		"ContainerLooks": {reason: "What looks for a container is counted as what looks for a VM.", containers: []proxmox.ObservedContainer{container("a", func(c *proxmox.ObservedContainer) { c.Spec.ManagementPolicies = proxmox.ObserveOnly() })}},
		"ContainerBrings": {reason: "Its edit brings it in.", containers: []proxmox.ObservedContainer{container("a", func(c *proxmox.ObservedContainer) {
			c.Spec.ForProvider.Initialization = nil
			c.Metadata.Annotations[proxmox.BringsAnnotation] = "10.0.0.60@vmbr0/0"
		})}, want: with("a", HeldOff)},
		"Exists":   {reason: "What runs goes on, and is told.", own: []proxmox.ObservedVM{pooledVM("self", written(true))}, vms: []proxmox.ObservedVM{pooledVM("a", written(true))}, want: with("a", HeldOn), again: true},
		"ForcedOn": {reason: "A person's word is not asked for again.", own: []proxmox.ObservedVM{pooledVM("self", written(true))}, vms: []proxmox.ObservedVM{pooledVM("a", written(true))}, force: "1", want: with("a", HeldOn)},
		"AtRest":   {reason: "It has its address, and nobody else has.", own: []proxmox.ObservedVM{pooledVM("self", written(true))}},
		"Edited":   {reason: "Its edit is not written yet: others may bring in the same one in this moment.", own: []proxmox.ObservedVM{pooledVM("self")}, again: true},
		"BothEdit": {reason: "Of two edits of one moment, the one of the younger VM is told.", own: []proxmox.ObservedVM{pooledVM("self", bringing, createdAt("04"))}, vms: []proxmox.ObservedVM{pooledVM("a", inBridge, bringing)}, again: true},
		"Younger":  {reason: "It is the younger one.", own: []proxmox.ObservedVM{pooledVM("self", bringing, createdAt("06"))}, vms: []proxmox.ObservedVM{pooledVM("a", inBridge, bringing)}, want: with("a", HeldOff), again: true},
		"Brings":   {reason: "It has it, and the other one brings it in.", own: []proxmox.ObservedVM{pooledVM("self", inBridge, createdAt("04"))}, vms: []proxmox.ObservedVM{pooledVM("a", inBridge, bringing)}, want: with("a", HeldOff), again: true},
		"Brought":  {reason: "The other one has it, and this one brings it in.", own: []proxmox.ObservedVM{pooledVM("self", bringing, createdAt("04"))}, vms: []proxmox.ObservedVM{pooledVM("a", inBridge)}, want: with("a", HeldOff), again: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := addressed(tc.own...)
			r.Machine.Lifecycle.Force = tc.force

			if tc.adopts {
				r.Machine.Adopt = &v1alpha1.Adopt{}
			}

			c := ComparisonOf(r)
			got := c.Shared(a, Neighbours{VMs: tc.vms, Containers: tc.containers})

			if diff := cmp.Diff([]any{tc.want, tc.unmade, tc.again}, []any{got, c.KeepsUnmade(got), c.Again(a, got)}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestComparedAddresses: all addresses of a guest that is to be made are compared, and of one that exists those that it does not have yet, or brought in with
// the call before.
func TestComparedAddresses(t *testing.T) {
	all := []machine.Address{{Kind: "ipv4", Value: "10.0.0.60"}}
	has := pooledContainer("self", "10.0.0.60/24")
	has.Spec.ForProvider.NetworkInterface[0].Bridge = "vmbr0"
	other := pooledContainer("self", "10.0.0.61/24")
	pool := func(m *machine.Machine) { m.NICs[0].IPv4.Pool = &machine.AddressPool{} }
	fromPool := []machine.Address{{Kind: "ipv4", Value: "10.0.0.60", Origin: machine.OriginPool}}

	vm := func(own ...proxmox.ObservedVM) AddressComparison { return ComparisonOf(addressed(own...)) }
	container := func(c *proxmox.ObservedContainer) AddressComparison {
		return ComparisonOfContainer(addressed().Machine, addressed().Owner, c, Newcomer{})
	}

	cases := map[string]struct {
		reason string
		of     AddressComparison
		edit   func(m *machine.Machine)
		want   []machine.Address
	}{
		"New":            {reason: "Nobody has compared them.", of: vm(), want: all},
		"Zone":           {reason: "Of an address with a zone there is no label to look for.", of: vm(), edit: func(m *machine.Machine) { m.NICs[0].IPv4.Address = "fe80::1%eth0" }},
		"NewFromPool":    {reason: "That of a pool was compared when it was chosen.", of: vm(), edit: pool},
		"Looks":          {reason: "What looks for a VMID has no address.", of: vm(pooledVM("self", inBridge, observeOnly)), want: all},
		"AtRest":         {reason: "It has it.", of: vm(pooledVM("self", inBridge))},
		"Edited":         {reason: "It is to get it.", of: vm(pooledVM("self")), want: all},
		"EditedFromPool": {reason: "Also of a pool.", of: vm(pooledVM("self")), edit: pool, want: fromPool},
		"Brought":        {reason: "What others wrote in the same moment is seen now.", of: vm(pooledVM("self", inBridge, bringing)), want: all},
		"Container":      {reason: "So it is with a container.", of: container(nil), want: all},
		"ContainerRests": {reason: "It has it.", of: container(&has)},
		"ContainerEdit":  {reason: "It is to get it.", of: container(&other), want: all},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.edit != nil {
				tc.edit(tc.of.Machine)
			}

			if diff := cmp.Diff(tc.want, tc.of.Addresses(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSharedHostName: a machine that is to be made is told of another one with its host name, where one of the two would not be found by it.
func TestSharedHostName(t *testing.T) {
	named := func(name string, edits ...func(vm *proxmox.ObservedVM)) proxmox.ObservedVM {
		return pooledVM(name, append(edits, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Name = "DB" })...)
	}
	domain := func(d string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) {
			vm.Spec.ForProvider.Initialization = []proxmox.Initialization{{DNS: []proxmox.DNS{{Domain: d}}}}
		}
	}
	cluster := func(vm *proxmox.ObservedVM) { vm.Metadata.Labels[proxmox.ClusterLabel] = "home" }
	k3s := func(r *Request) { r.Machine.K3s = &machine.K3s{Cluster: "home"} }

	const says = "spec.hostname: db is the host name of infra/a, too: a name server knows one of them. Give one of them another one."

	cases := map[string]struct {
		reason string
		edit   func(r *Request)
		others []proxmox.ObservedVM
		want   string
	}{
		"Nobody":    {reason: "It is its alone.", others: []proxmox.ObservedVM{pooledVM("a")}},
		"Same":      {reason: "Host names have no case.", others: []proxmox.ObservedVM{named("b"), named("a")}, want: says},
		"Domain":    {reason: "The domain is the same.", others: []proxmox.ObservedVM{named("a", domain("home.arpa lan"))}, want: says},
		"Elsewhere": {reason: "In another domain it is another name.", others: []proxmox.ObservedVM{named("a", domain("lab.arpa"))}},
		"NoDomain":  {reason: "Nobody says that the other one is in another domain.", others: []proxmox.ObservedVM{named("a", domain(""))}, want: says},
		"AnyDomain": {reason: "Nobody says that this one is.", edit: func(r *Request) { r.Machine.Domain = "" }, others: []proxmox.ObservedVM{named("a", domain("lab.arpa"))}, want: says},
		"Own":       {reason: "Its own VM is no other one.", others: []proxmox.ObservedVM{named("self")}},
		"Site":      {reason: "Another Proxmox is another site.", others: []proxmox.ObservedVM{named("a", func(vm *proxmox.ObservedVM) { vm.Spec.ProviderConfigRef.Name = "lab" })}},
		"Lives":     {reason: "It exists, and was told before.", edit: func(r *Request) { r.Observed.VMs = vms{FirstVM: pooledVM("self")} }, others: []proxmox.ObservedVM{named("a")}},
		"Node": {
			reason: "A cluster refuses the second node of a name.", edit: k3s, others: []proxmox.ObservedVM{named("a", cluster)},
			want: "spec.hostname: db is the host name of infra/a, too: K3s refuses the second node of a name. Give one of them another one.",
		},
		"NoNode": {reason: "A machine that is no node of the cluster is another one.", edit: k3s, others: []proxmox.ObservedVM{named("a")}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := addressed()
			r.Machine.Hostname, r.Machine.Domain = "db", "home.arpa"

			if tc.edit != nil {
				tc.edit(&r)
			}

			if diff := cmp.Diff(tc.want, SharedHostName(r, tc.others)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
