package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// replaced is the plan of a claim whose new container runs, and whose old one, changed by edit, is to go.
func replaced(claim func(*machine.Container), old func(*proxmox.ObservedContainer)) *Plan {
	const name = "container-old"

	p := following(claim, nil, nil)
	p.Observed.Containers[name] = living(aContainer(nil), old)
	p.Roles = succession.Roles{Active: p.Guest, Retired: []string{name}}
	p.Departures = departuresOf(p)

	return p
}

// TestLeaving: what is written of a container that another one has replaced, until it goes. It is stopped as the provider has read it, no boot of its node
// starts it, and it may be destroyed where nobody protects it.
func TestLeaving(t *testing.T) {
	t.Parallel()

	type want struct {
		Started, OnBoot bool
		StoppedFor      string
		Policies        []string
	}

	stops, leaves, at := proxmox.Policies(proxmox.DeletionDestroys), proxmox.Policies(proxmox.DeletionOrphans), "replacement"

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		old    func(*proxmox.ObservedContainer)
		want   want
	}{
		"Runs":      {reason: "It is stopped.", want: want{StoppedFor: at, Policies: stops}},
		"Orphaned":  {reason: "It stays in Proxmox.", claim: func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }, want: want{StoppedFor: at, Policies: leaves}},
		"Protected": {reason: "Its claim is protected.", claim: func(c *machine.Container) { c.Protection = true }, want: want{StoppedFor: at, Policies: leaves}},
		"Proxmox": {
			reason: "Proxmox protects it.", old: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = new(true) },
			want: want{StoppedFor: at, Policies: leaves},
		},
		"Off": {
			reason: "It is off, and at rest.", old: func(o *proxmox.ObservedContainer) { off(o); o.Status.AtProvider.Parameters.StartOnBoot = false },
			want: want{StoppedFor: at, Policies: proxmox.WithoutUpdate(stops)},
		},
		"Unread": {
			reason: "Nobody knows how it is: it stays as it was written.", old: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters = nil },
			want: want{Started: true, OnBoot: true, Policies: []string{"Observe", "Create", "Delete"}},
		},
		"Making": {
			reason: "Nobody knows whether there is one.",
			old: func(o *proxmox.ObservedContainer) {
				annotated(o, map[string]string{proxmox.CreatingAnnotation: "true"})
				o.Status.AtProvider.ID, o.Status.Conditions = "", proxmox.Conditions{{Type: "Synced", Status: "True"}}
				o.Metadata.Annotations["crossplane.io/external-create-pending"] = "2026-11-20T10:00:00Z"
			},
			want: want{Started: true, OnBoot: true, Policies: []string{"Observe", "Create", "Delete"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := leaving(*replaced(tc.claim, tc.old), "container-old")
			p := c.Spec.ForProvider

			got := want{p.Started, p.StartOnBoot, c.Metadata.Annotations[proxmox.StoppedForAnnotation], c.Spec.ManagementPolicies}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLeftBy: a container that stays in Proxmox is remembered when it goes, and not before.
func TestLeftBy(t *testing.T) {
	t.Parallel()

	orphans := func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }
	told := func(o *proxmox.ObservedContainer) {
		off(o)

		o.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionOrphans)
	}

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		old    func(*proxmox.ObservedContainer)
		has    string // What the new one remembers.
		want   []string
	}{
		"Stays":     {reason: "It stays, and its managed resource goes.", claim: orphans, old: told, want: []string{"pve/150"}},
		"Another":   {reason: "It is not the first one.", claim: orphans, old: told, has: "pve/120", want: []string{"pve/120", "pve/150"}},
		"Again":     {reason: "It is remembered once.", claim: orphans, old: told, has: "pve/150", want: []string{"pve/150"}},
		"Runs":      {reason: "It is stopped first.", claim: orphans},
		"Destroyed": {reason: "Nothing stays.", old: off},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := replaced(tc.claim, tc.old)
			o := p.guest()
			annotated(&o, map[string]string{proxmox.LeftAnnotation: tc.has})

			if diff := cmp.Diff(tc.want, leftBy(*p, o)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestUndergo: a container is stopped for the new one, and one that was stopped for a replacement which was taken back starts when no other one runs.
func TestUndergo(t *testing.T) {
	t.Parallel()

	type want struct{ Started, OnBoot, MayUpdate bool }

	wasStopped := func(o *proxmox.ObservedContainer) {
		off(o)
		annotated(o, map[string]string{proxmox.StoppedForAnnotation: stoppedForReplacement})

		o.Spec.ForProvider.StartOnBoot, o.Status.AtProvider.Parameters.StartOnBoot = false, false
	}
	untouched := want{Started: true, OnBoot: true}

	cases := map[string]struct {
		reason string
		has    func(*proxmox.ObservedContainer)
		other  func(*proxmox.ObservedContainer) // Another container of the claim, which is none any more; nil for none.
		edit   func(*Plan)
		want   want
	}{
		"Nothing": {reason: "Nobody asked.", want: untouched},
		"Stops":   {reason: "The new one is ready.", edit: func(p *Plan) { p.Replacement = &replacement.Decision{Stage: lifecycle.StageStopping} }, want: want{MayUpdate: true}},
		"Keeps": {reason: "It is not followed.", edit: func(p *Plan) {
			p.Action, p.Replacement = ActionKeep, &replacement.Decision{Stage: lifecycle.StageStopping}
		}, want: untouched},
		"TakenBack": {reason: "It starts again.", has: wasStopped, want: untouched},
		"Beside":    {reason: "The other one still runs.", has: wasStopped, other: func(*proxmox.ObservedContainer) {}, want: want{}},
		"BesideOff": {reason: "The other one is off.", has: wasStopped, other: off, want: untouched},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := following(nil, tc.has, tc.edit)
			p.Parameters = p.Described
			p.Parameters.Started = true

			if tc.other != nil {
				p.Observed.Containers["container-other"] = living(aContainer(nil), tc.other)
				p.Roles.Retired = []string{"container-other"}
			}

			undergo(p, p.guest())

			if diff := cmp.Diff(tc.want, want{p.Parameters.Started, p.Parameters.StartOnBoot, p.MayUpdate}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChecksOfAVMID: which managed resource looks for a VM. In a search through a range, it is the first one, whichever VMID it has come to.
func TestChecksOfAVMID(t *testing.T) {
	t.Parallel()

	r := request(aContainer(nil), nil)
	fresh := Check(r)

	look := func(id int64, from, created string) proxmox.ObservedVM {
		o := proxmox.ObservedVM{Kind: proxmox.VMKind}
		o.Metadata.Name, o.Metadata.CreationTimestamp = "look", created
		o.Metadata.Annotations = map[string]string{proxmox.SearchedFromAnnotation: from}
		o.Spec.ManagementPolicies, o.Spec.ProviderConfigRef, o.Spec.ForProvider.VMID = proxmox.ObserveOnly(), r.Owner.ProviderConfigRef, &id

		return o
	}
	edited := func(o proxmox.ObservedVM, edit func(*proxmox.ObservedVM)) proxmox.ObservedVM {
		edit(&o)
		return o
	}

	type want struct{ Check, Search string }

	cases := map[string]struct {
		reason string
		vms    map[string]proxmox.ObservedVM
		want   want
	}{
		"None":      {"Nobody looks yet.", nil, want{Check: fresh}},
		"OtherNode": {"It looks for the VMID, from another node.", map[string]proxmox.ObservedVM{"a": look(150, "", "1")}, want{Check: "a"}},
		"OtherVMID": {"It looks for another one.", map[string]proxmox.ObservedVM{"a": look(151, "", "1")}, want{Check: fresh}},
		"Searches":  {"It has come to another one.", map[string]proxmox.ObservedVM{"a": look(151, "149", "1")}, want{"a", "a"}},
		"First":     {"The older one has waited longer.", map[string]proxmox.ObservedVM{"a": look(151, "149", "2"), "b": look(152, "149", "1")}, want{"b", "b"}},
		"Elsewhere": {
			"It is of another Proxmox cluster.",
			map[string]proxmox.ObservedVM{"a": edited(look(150, "149", "1"), func(o *proxmox.ObservedVM) { o.Spec.ProviderConfigRef.Name = "away" })},
			want{Check: fresh},
		},
		"VM": {
			"It is a VM.",
			map[string]proxmox.ObservedVM{"a": edited(look(150, "149", "1"), func(o *proxmox.ObservedVM) { o.Spec.ManagementPolicies = proxmox.CreatePolicies() })},
			want{Check: fresh},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := request(aContainer(nil), nil)
			r.Observed.VMs = tc.vms

			if diff := cmp.Diff(tc.want, want{Check(r), Search(tc.vms, r.Owner.ProviderConfigRef)}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWhatReserves: what a container that does not exist yet keeps for itself, by the managed resource that looks at its VMID.
func TestWhatReserves(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason   string
		claim    func(*machine.Container)
		reserves string // Without the name of the look.
		address  string
		networks string
	}{
		"Nothing": {reason: "Nobody counts.", address: "192.168.4.50", networks: "vmbr0/20"},
		"Memory":  {reason: "Who chooses a node counts memory.", claim: func(c *machine.Container) { c.Placement.Reserves = machine.ReservesMemory }, reserves: " 1024", address: "192.168.4.50", networks: "vmbr0/20"},
		"Size":    {reason: "A quota counts all.", claim: func(c *machine.Container) { c.Placement.Reserves = machine.ReservesSize }, reserves: " 1024 1 18", address: "192.168.4.50", networks: "vmbr0/20"},
		"DHCP":    {reason: "There is nothing to compare.", claim: func(c *machine.Container) { c.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodDHCP} }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := request(aContainer(tc.claim), nil)
			check, p := Check(r), Plan{Request: r, Described: Describe(r.Container, replacement.First)}
			m := p.checks().VMs[check].Metadata

			if tc.reserves != "" {
				tc.reserves = check + tc.reserves
			}

			got := []string{m.Annotations[proxmox.ReservesAnnotation], m.Labels[proxmox.AddressLabel("ipv4", 0)], m.Annotations[proxmox.NetworksAnnotation]}
			if diff := cmp.Diff([]string{tc.reserves, tc.address, tc.networks}, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReservation of an address of the site's pool: it stays until the container is seen.
func TestReservation(t *testing.T) {
	t.Parallel()

	r := request(aContainer(nil), nil)
	p := Plan{Request: r, State: StateCreating, Described: Describe(r.Container, replacement.First)}

	if got := p.reservation().VMs; got != nil {
		t.Errorf("an address that is not the pool's is reserved: %v", got)
	}

	p.PoolAddress = &lifecycle.PoolAddress{}
	if _, there := p.reservation().VMs[Check(r)]; !there {
		t.Error("the reservation goes before the container is seen")
	}

	if p.State = StateFailed; p.reservation().VMs != nil {
		t.Error("the reservation of a creation that failed is written twice")
	}
}

// TestUnsupported: what the provider could not keep as it is, is not adopted.
func TestUnsupported(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		edit   func(*proxmox.FoundContainer)
		want   string
	}{
		"Container": {"It can.", func(*proxmox.FoundContainer) {}, ""},
		"Template":  {"It never runs.", func(f *proxmox.FoundContainer) { f.Rest = isTemplate() }, "It is a template, not a container."},
		"Nameless":  {"The provider knows interfaces by their names.", func(f *proxmox.FoundContainer) { f.NetworkInterface[0].Name = "" }, "One of its network interfaces has no name."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := living(aContainer(nil), nil).Status.AtProvider.Parameters
			tc.edit(f)

			if diff := cmp.Diff(tc.want, unsupported(f)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKeepsNetwork: an address that a container refuses is no one's.
func TestKeepsNetwork(t *testing.T) {
	t.Parallel()

	adopted := func(o *proxmox.ObservedContainer) {
		annotated(o, map[string]string{proxmox.AdoptedAnnotation: "true"})
	}
	elsewhere := func(c *machine.Container) { c.NICs[0].IPv4.Address = "192.168.4.60" }

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		has    func(*proxmox.ObservedContainer)
		want   bool
	}{
		"Made":    {reason: "It takes the other one up.", claim: elsewhere},
		"Adopted": {reason: "It keeps its own.", claim: elsewhere, has: adopted, want: true},
		"Says":    {reason: "Its own network is what an adopted one keeps, whatever its claim says.", has: adopted, want: true},
		"Unread":  {reason: "Nobody knows what it has.", claim: elsewhere, has: func(o *proxmox.ObservedContainer) { adopted(o); o.Status.AtProvider.Parameters = nil }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := request(aContainer(tc.claim), map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), tc.has)})
			r.Guest = replacement.First

			if got := KeepsNetwork(r); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestAddressOf: the address that was written, where it is known whose it is.
func TestAddressOf(t *testing.T) {
	t.Parallel()

	static, dynamic := living(aContainer(nil), nil), living(aContainer(func(c *machine.Container) { c.NICs[0].IPv4 = machine.Addressing{Method: machine.MethodDHCP} }), nil)

	if diff := cmp.Diff(resolve.Address{IP: "192.168.4.50", Prefix: 24, Gateway: "192.168.4.1"}, AddressOf(static)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(resolve.Address{}, AddressOf(dynamic)); diff != "" {
		t.Errorf("of DHCP: -want, +got:\n%s", diff)
	}

	has := EntriesOf(static)
	if diff := cmp.Diff([]any{int64(1), v1alpha1.Quantity("1024Mi"), v1alpha1.Quantity("8Gi"), "vmbr0", []string{"ssh-ed25519 AAAA ops@home"}},
		[]any{has.Class.Cores, has.Class.Memory, has.Class.Disk, has.Site.Network.Bridge, has.Access.SSHAuthorizedKeys}); diff != "" {
		t.Errorf("EntriesOf(): -want, +got:\n%s", diff)
	}
}
