package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// following is the plan of a claim whose container lives and is followed, with a new one that can be made beside it, changed by edit.
func following(claim func(*machine.Container), has func(*proxmox.ObservedContainer), edit func(*Plan)) *Plan {
	m := aContainer(claim)
	r := request(m, map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), has)})
	r.Guest = replacement.First

	p := &Plan{Request: r, State: StateLiving, Action: ActionFollow, Described: Describe(m, replacement.First), Power: Power{Started: true}}
	p.Next = &Plan{Request: r, Action: ActionCreate}

	if edit != nil {
		edit(p)
	}

	return p
}

func (p *Plan) guest() proxmox.ObservedContainer { return p.Observed.Containers[p.Guest] }

// TestHindrance: what keeps a container from being replaced, before anything of it stops.
func TestHindrance(t *testing.T) {
	t.Parallel()

	orphans := func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		has    func(*proxmox.ObservedContainer)
		edit   func(*Plan)
		want   replacement.Hindrance
	}{
		"Nothing":    {reason: "It can be replaced.", want: replacement.HinderedByNothing},
		"Adopted":    {reason: "The claim has nothing that it could make another one of.", edit: func(p *Plan) { p.Adopted = true }, want: replacement.HinderedByAdoption},
		"NotFollows": {reason: "Something else is under way.", edit: func(p *Plan) { p.Action = ActionKeep }, want: replacement.HinderedBySilence},
		"Unread":     {reason: "Nobody knows how it is.", has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters = nil }, want: replacement.HinderedBySilence},
		"Unsynced":   {reason: "The provider fails with it.", has: func(o *proxmox.ObservedContainer) { o.Status.Conditions = none() }, want: replacement.HinderedBySilence},
		"Kept":       {reason: "The new one would lack a part.", claim: func(c *machine.Container) { c.Kept = []machine.Kept{{Part: machine.PartFirewall}} }, want: replacement.HinderedByFaults},
		"Site":       {reason: "It is in another Proxmox cluster.", has: func(o *proxmox.ObservedContainer) { o.Spec.ProviderConfigRef.Name = "away" }, want: replacement.HinderedBySite},
		"Power":      {reason: "The new one would not run, and not be proven.", claim: func(c *machine.Container) { c.Power = v1alpha1.PowerStopped }, want: replacement.HinderedByPower},
		"Protected": {
			reason: "Proxmox protects it.", has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = new(true) }, want: replacement.HinderedByProxmox,
		},
		"Protects": {reason: "Proxmox is to protect it.", claim: func(c *machine.Container) { c.ProxmoxProtection = new(true) }, want: replacement.HinderedByProxmox},
		"Written":  {reason: "Its protection was written.", has: func(o *proxmox.ObservedContainer) { o.Spec.ForProvider.Protection = new(true) }, want: replacement.HinderedByProxmox},
		"Claim":    {reason: "Its claim is protected.", claim: func(c *machine.Container) { c.Protection = true }, want: replacement.HinderedByClaim},
		"ProtectedStays": {
			reason: "It is not destroyed.", claim: func(c *machine.Container) { orphans(c); c.Protection = true },
			has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = new(true) }, want: replacement.HinderedByNothing,
		},
		"SameVMID":  {reason: "Two have no VMID at once.", edit: func(p *Plan) { p.NamedVMID = 150 }, want: replacement.HinderedBySameVMID},
		"OtherVMID": {reason: "The claim names another one.", edit: func(p *Plan) { p.NamedVMID = 151 }, want: replacement.HinderedByNothing},
		"NoRange":   {reason: "Nobody knows a VMID for the new one.", edit: func(p *Plan) { p.Next = nil }, want: replacement.HinderedByNoRange},
		"InUse": {
			reason: "Something has the VMID of the new one.", edit: func(p *Plan) { p.Next.Check = &VMIDCheck{Outcome: lifecycle.OutcomeTaken} }, want: replacement.HinderedByVMIDInUse,
		},
		"Free": {reason: "Nothing has it.", edit: func(p *Plan) { p.Next.Check = &VMIDCheck{Outcome: lifecycle.OutcomeFree} }, want: replacement.HinderedByNothing},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := following(tc.claim, tc.has, tc.edit)
			if diff := cmp.Diff(tc.want, hindrance(p, p.guest())); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLeaver: what is known of a container that another one has replaced, before it goes.
func TestLeaver(t *testing.T) {
	t.Parallel()

	const old = "container-old"

	is := func(edit func(*replacement.Leaver)) replacement.Leaver {
		out := replacement.Leaver{Existence: succession.Exists, Power: replacement.Off, Fate: replacement.Destroyed, Written: replacement.Told}
		edit(&out)

		return out
	}
	orphans := func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }
	candidate := func(o *proxmox.ObservedContainer) {
		annotated(o, map[string]string{proxmox.CandidateAnnotation: "true"})
	}

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		old    func(*proxmox.ObservedContainer)
		active func(*proxmox.ObservedContainer)
		edit   func(*Plan)
		want   replacement.Leaver
	}{
		"Goes":     {reason: "It is off, and may go.", want: is(func(*replacement.Leaver) {})},
		"Runs":     {reason: "It was written to run.", old: func(o *proxmox.ObservedContainer) { o.Spec.ForProvider.Started = true }, want: is(func(l *replacement.Leaver) { l.Power = replacement.On })},
		"Started":  {reason: "It was read to run.", old: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Started = true }, want: is(func(l *replacement.Leaver) { l.Power = replacement.On })},
		"Silent":   {reason: "What cannot be read may run.", old: func(o *proxmox.ObservedContainer) { o.Status.Conditions = none() }, want: is(func(l *replacement.Leaver) { l.Power = replacement.On })},
		"Untold":   {reason: "The provider would leave it.", old: func(o *proxmox.ObservedContainer) { o.Spec.ManagementPolicies = proxmox.CreatePolicies() }, want: is(func(l *replacement.Leaver) { l.Written = "" })},
		"Orphaned": {reason: "The claim destroys nothing; the provider would.", claim: orphans, want: is(func(l *replacement.Leaver) { l.Fate, l.Written = replacement.Left, "" })},
		"Left": {
			reason: "The claim destroys nothing.", claim: orphans, old: func(o *proxmox.ObservedContainer) { o.Spec.ManagementPolicies = proxmox.CreatePolicies() },
			want: is(func(l *replacement.Leaver) { l.Fate = replacement.Left }),
		},
		"Unproven":  {reason: "It never ran: nobody misses it.", claim: func(c *machine.Container) { orphans(c); c.Protection = true }, old: candidate, want: is(func(*replacement.Leaver) {})},
		"Proxmox":   {reason: "Proxmox protects it.", old: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Protection = new(true) }, want: is(func(l *replacement.Leaver) { l.Permission = replacement.KeptByProxmox })},
		"Protected": {reason: "Its claim is protected.", claim: func(c *machine.Container) { c.Protection = true }, want: is(func(l *replacement.Leaver) { l.Permission = replacement.KeptByClaim })},
		"NotMade":   {reason: "The new one is not there yet.", edit: func(p *Plan) { p.State = StateCreating }, want: is(func(l *replacement.Leaver) { l.Successor = succession.Unproven })},
		"Making": {
			reason: "The provider makes the new one.", active: func(o *proxmox.ObservedContainer) {
				annotated(o, map[string]string{proxmox.CreatingAnnotation: "true"})
			},
			want: is(func(l *replacement.Leaver) { l.Successor = succession.Unproven }),
		},
		"FirstStart": {
			reason: "The new one has not run yet.", active: func(o *proxmox.ObservedContainer) {
				annotated(o, map[string]string{proxmox.FirstStartAnnotation: "true"})
			},
			want: is(func(l *replacement.Leaver) { l.Successor = succession.Unproven }),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := following(tc.claim, tc.active, tc.edit)
			p.Observed.Containers[old] = living(aContainer(nil), func(o *proxmox.ObservedContainer) {
				off(o)

				if tc.old != nil {
					tc.old(o)
				}
			})
			p.Roles = succession.Roles{Active: p.Guest, Retired: []string{old}, Unknown: []string{"container-any"}}

			got := leaver(p, old)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			departs := map[string]replacement.Departure{old: replacement.Depart(got), "container-any": replacement.Stays}
			if diff := cmp.Diff(departs, departuresOf(p)); diff != "" {
				t.Errorf("%s\nDepartures: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestStanding: a container is proven when it was seen to run as its claim wants it, and not before.
func TestStanding(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		has    func(*proxmox.ObservedContainer)
		edit   func(*Plan)
		want   succession.Standing
	}{
		"Runs":     {reason: "It runs as it is to.", want: succession.Proven},
		"First":    {reason: "It replaces nothing.", has: off, edit: func(p *Plan) { p.Beside = 0 }, want: succession.Proven},
		"Off":      {reason: "It does not run.", has: off, want: succession.Unproven},
		"Asked":    {reason: "It is asked to run, and was not read to.", has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Started = false }, want: succession.Unproven},
		"ByHand":   {reason: "Somebody has started it.", has: func(o *proxmox.ObservedContainer) { o.Spec.ForProvider.Started = false }, want: succession.Unproven},
		"Changes":  {reason: "It is not as its claim wants it.", edit: func(p *Plan) { p.MayUpdate = true }, want: succession.Unproven},
		"Making":   {reason: "It is being made.", edit: func(p *Plan) { p.State = StateCreating }, want: succession.Unproven},
		"Disowned": {reason: "It is somebody else's.", edit: func(p *Plan) { p.Action = ActionDisown }, want: succession.Unproven},
		"Firewall": {reason: "Its firewall is on its way.", edit: func(p *Plan) { p.Firewall.Stage = lifecycle.FirewallAwaitsVM }, want: succession.Unproven},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := following(nil, tc.has, func(p *Plan) { p.Beside = 149 })
			if tc.edit != nil {
				tc.edit(p)
			}

			if diff := cmp.Diff(tc.want, standing(p, p.guest())); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReadiness of the container that is to replace another one.
func TestReadiness(t *testing.T) {
	t.Parallel()

	cases := map[string]struct {
		reason string
		next   *Plan
		want   replacement.Readiness
	}{
		"None":     {"There is none.", nil, replacement.Unready},
		"Checks":   {"Nobody knows whether its VMID is free.", &Plan{Action: ActionCheck, State: StateAbsent, Standing: succession.Unproven}, replacement.Unready},
		"Creates":  {"It can be made.", &Plan{Action: ActionCreate, State: StateAbsent, Standing: succession.Unproven}, replacement.Ready},
		"Creating": {"It is being made.", &Plan{Action: ActionKeep, State: StateCreating, Standing: succession.Unproven}, replacement.Begun},
		"Failed":   {"It could not be made.", &Plan{Action: ActionCreate, State: StateFailed, Standing: succession.Unproven}, replacement.Begun},
		"Living":   {"It was not seen to run.", &Plan{Action: ActionFollow, State: StateLiving, Standing: succession.Unproven}, replacement.Begun},
		"Proven":   {"It runs.", &Plan{Action: ActionFollow, State: StateLiving, Standing: succession.Proven}, replacement.Runs},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if diff := cmp.Diff(tc.want, readiness(tc.next)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVolumesOf: a person reads which volumes go, before they do.
func TestVolumesOf(t *testing.T) {
	t.Parallel()

	all := []string{"the root file system, 8 GiB", "/srv/data, 10G"}

	cases := map[string]struct {
		reason string
		claim  func(*machine.Container)
		has    func(*proxmox.ObservedContainer)
		edit   func(*Plan)
		want   []string
	}{
		"All":      {reason: "All of them.", want: all},
		"Unsized":  {reason: "Proxmox does not say.", has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.MountPoint[0].Size = "" }, want: []string{all[0], "/srv/data, of unknown size"}},
		"Orphaned": {reason: "Nothing goes.", claim: func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }},
		"NotMade":  {reason: "There is none.", edit: func(p *Plan) { p.State = StateFailed }},
		"Unread":   {reason: "Nobody knows them.", has: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters = nil }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if diff := cmp.Diff(tc.want, destroyed(following(tc.claim, tc.has, tc.edit))); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOfConsequence: notes alone need nobody's approval.
func TestOfConsequence(t *testing.T) {
	t.Parallel()

	cores := change.Change{Field: "cpu.cores"}

	if diff := cmp.Diff([]change.Change{cores}, ofConsequence([]change.Change{{Field: notesField}, cores})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
