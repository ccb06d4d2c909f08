package container

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// creating is a container that the provider was asked to create, changed by edit.
func creating(m *machine.Container, edit func(*proxmox.ObservedContainer)) proxmox.ObservedContainer {
	o := living(m, nil)
	annotated(&o, map[string]string{proxmox.CreatingAnnotation: "none"})
	o.Spec.ManagementPolicies = proxmox.CreatePolicies()
	o.Status.AtProvider, o.Status.Conditions = proxmox.ContainerObservation{}, nil

	if edit != nil {
		edit(&o)
	}

	return o
}

// TestStateOf: only a container that the provider began to create since, and that has the identity of the claim in its notes, is the claim's.
func TestStateOf(t *testing.T) {
	m := aContainer(nil)
	began := map[string]string{proxmox.CreatePendingAnnotation: "2026-11-20T10:00:00Z"}
	seen := living(m, nil).Status.AtProvider

	for name, tc := range map[string]struct {
		reason string
		o      proxmox.ObservedContainer
		absent bool
		want   State
	}{
		"Absent":   {reason: "There is none.", absent: true, want: StateAbsent},
		"Creating": {reason: "The provider has not shown it.", o: creating(m, nil), want: StateCreating},
		"Failed": {
			reason: "The provider could not create it.", want: StateFailed,
			o: creating(m, func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "LastAsyncOperation", Status: "False"}}
			}),
		},
		"Ours": {
			reason: "The provider began, and shows what was written.", want: StateLiving,
			o: creating(m, func(o *proxmox.ObservedContainer) { annotated(o, began); o.Status.AtProvider = seen }),
		},
		"NeverBegan": {
			reason: "Somebody else was faster: the provider found a container, and never began.", want: StateForeign,
			o: creating(m, func(o *proxmox.ObservedContainer) { o.Status.AtProvider = seen }),
		},
		"OtherNotes": {
			reason: "The provider began, failed, and found somebody else's container afterwards.", want: StateForeign,
			o: creating(m, func(o *proxmox.ObservedContainer) {
				annotated(o, began)
				o.Status.AtProvider = living(m, nil).Status.AtProvider
				o.Status.AtProvider.Parameters.Description = "mine"
			}),
		},
		"TakenOver": {
			reason: "It was deleted in Proxmox, and somebody made another one.", want: StateTakenOver,
			o: living(m, func(o *proxmox.ObservedContainer) {
				o.Status.AtProvider.Parameters.Description = "mine"
				o.Status.AtProvider.Parameters.Initialization = []proxmox.ContainerInit{{Hostname: "another"}}
			}),
		},
		"Renamed": {
			reason: "Somebody renamed it in Proxmox; the claim's identity is in its notes.", want: StateLiving,
			o: living(m, func(o *proxmox.ObservedContainer) {
				o.Status.AtProvider.Parameters.Initialization = []proxmox.ContainerInit{{Hostname: "another"}}
			}),
		},
		"AdoptedWithNotesOfItsOwn": {
			reason: "Nothing in what was written tells whose it is.", want: StateLiving,
			o: living(m, func(o *proxmox.ObservedContainer) {
				o.Spec.ForProvider.Description = "by hand"
				o.Status.AtProvider.Parameters.Description = "mine"
				o.Status.AtProvider.Parameters.Initialization = []proxmox.ContainerInit{{Hostname: "another"}}
			}),
		},
		"Living": {reason: "Once it was the claim's, it stays so, whatever is in its notes.", o: living(m, func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Description = "" }), want: StateLiving},
	} {
		t.Run(name, func(t *testing.T) {
			if got := StateOf(tc.o, !tc.absent); got != tc.want {
				t.Errorf("%s\nwant %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// checks of a VMID, by what they found.
func checks(r Request, ct, vm proxmox.Conditions) Request {
	p := Plan{Request: r, Described: Describe(r.Container, replacement.First)}
	name, vmName := p.checkNames()
	rendered := p.checks()

	c := proxmox.ObservedContainer{Kind: proxmox.ContainerKind}
	c.Metadata.Name, c.Metadata.Annotations = "ct", rendered.Containers[name].Metadata.Annotations
	c.Spec.ManagementPolicies, c.Status.Conditions = proxmox.ObserveOnly(), ct

	v := proxmox.ObservedVM{Kind: proxmox.VMKind}
	v.Metadata.Name, v.Metadata.Annotations = "vm", rendered.VMs[vmName].Metadata.Annotations
	v.Spec.ManagementPolicies, v.Status.Conditions = proxmox.ObserveOnly(), vm

	if ct != nil && ct.Of("Ready").IsTrue() {
		c.Status.AtProvider = living(aContainer(nil), nil).Status.AtProvider
	}

	if vm != nil && vm.Of("Ready").IsTrue() {
		v.Status.AtProvider = proxmox.VMObservation{ID: "150", Name: "web", NodeName: "pve2"}
	}

	r.Observed.Containers = map[string]proxmox.ObservedContainer{name: c}
	r.Observed.VMs = map[string]proxmox.ObservedVM{vmName: v}

	return r
}

// downloaded adds the template of a claim to what is observed.
func downloaded(r Request) Request {
	for name := range (Plan{Request: r, State: StateAbsent}).templates() {
		f := proxmox.ObservedDownloadFile{Kind: proxmox.DownloadFileKind}
		f.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "local:vztmpl/debian-12-ct.tar.zst"}
		f.Status.Conditions = found()
		r.Observed.DownloadFiles[name] = f
	}

	return r
}

// askedAt sets when the questions for a container and for a VM were put.
func askedAt(r Request, container, vm string) {
	for n, o := range r.Observed.Containers {
		o.Metadata.CreationTimestamp = container
		r.Observed.Containers[n] = o
	}

	for n, o := range r.Observed.VMs {
		o.Metadata.CreationTimestamp = vm
		r.Observed.VMs[n] = o
	}
}

// somebodys are the containers that were found.
func somebodys(r Request) Request {
	for name, o := range r.Observed.Containers {
		if found := o.Status.AtProvider.Parameters; found != nil {
			found.Description = "made by hand"
			r.Observed.Containers[name] = o
		}
	}

	return r
}

// TestBegin: nothing is created before both checks found nothing, nobody else asks for the VMID, and the template is on the node.
func TestBegin(t *testing.T) {
	adopting := aContainer(func(c *machine.Container) { c.Adopt = &v1alpha1.Adopt{VMID: 150} })
	another := lifecycle.Other{VMID: 150, ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}, Metadata: proxmox.ObservedMetadata{Name: "other", CreationTimestamp: "2026-01-01T00:00:00Z", Metadata: proxmox.Metadata{
		Labels: map[string]string{proxmox.NamespaceLabel: "infra", proxmox.MachineLabel: "web"},
	}}}

	later, elsewhere, checking := another, another, another
	checking.Checks = true
	later.Checks, later.Metadata.CreationTimestamp = true, "2027-01-01T00:00:00Z"
	elsewhere.ProviderConfigRef.Name = "cabin"

	for name, tc := range map[string]struct {
		reason  string
		request Request
		others  []lifecycle.Other
		action  Action
		outcome lifecycle.Outcome
		machine string // Condition MachineReady.
	}{
		"Nothing":      {"Nobody has looked yet.", request(aContainer(nil), nil), nil, ActionCheck, lifecycle.OutcomeChecking, "False WaitingForImage"},
		"HalfAnswered": {"One answer is not enough.", downloaded(checks(request(aContainer(nil), nil), none(), nil)), nil, ActionCheck, lifecycle.OutcomeChecking, "False LookingAtVMID"},
		"Free":         {"Both found nothing.", downloaded(checks(request(aContainer(nil), nil), none(), none())), nil, ActionCreate, lifecycle.OutcomeFree, "False Creating"},
		"NoTemplate":   {"The template is not there.", checks(request(aContainer(nil), nil), none(), none()), nil, ActionCheck, lifecycle.OutcomeFree, "False WaitingForImage"},
		"Container":    {"A container has the VMID.", downloaded(somebodys(checks(request(aContainer(nil), nil), found(), none()))), nil, ActionCheck, lifecycle.OutcomeTaken, "False VMIDInUse"},
		"Own":          {"A container that was made for the claim has it.", downloaded(checks(request(aContainer(nil), nil), found(), none())), nil, ActionCheck, lifecycle.OutcomeOwn, "False VMIDInUse"},
		"VM":           {"A VM has the VMID.", downloaded(checks(request(aContainer(nil), nil), none(), found())), nil, ActionCheck, lifecycle.OutcomeTaken, "False VMIDInUse"},
		"Claimed":      {"Another claim has a VM or a container with the VMID.", downloaded(checks(request(aContainer(nil), nil), none(), none())), []lifecycle.Other{another}, ActionCheck, lifecycle.OutcomeClaimed, "False VMIDInUse"},
		"First":        {"Another claim asked first.", downloaded(checks(request(aContainer(nil), nil), none(), none())), []lifecycle.Other{checking}, ActionCheck, lifecycle.OutcomeClaimed, "False VMIDInUse"},
		"Between":      {"Another claim asked between the two questions: the first one was ours.", downloaded(checks(request(aContainer(nil), nil), none(), none())), []lifecycle.Other{checking}, ActionCreate, lifecycle.OutcomeFree, "False Creating"},
		"Elsewhere":    {"VMIDs of another Proxmox cluster are others.", downloaded(checks(request(aContainer(nil), nil), none(), none())), []lifecycle.Other{elsewhere}, ActionCreate, lifecycle.OutcomeFree, "False Creating"},
		"AdoptNone":    {"There is nothing to adopt, and nothing is created.", checks(request(adopting, nil), none(), none()), nil, ActionCheck, lifecycle.OutcomeFree, "False AdoptionTargetMissing"},
		"AdoptAsk":     {"Somebody has to approve it.", checks(request(adopting, nil), found(), nil), nil, ActionCheck, lifecycle.OutcomeTaken, "False WaitingForApproval"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.request.Others = tc.others

			if name == "First" {
				askedAt(tc.request, "2026-06-01T00:00:00Z", "2026-06-01T00:00:01Z")
			}

			if name == "Between" {
				askedAt(tc.request, "2026-01-01T00:00:01Z", "2025-12-31T23:59:59Z")
			}

			p := Decide(tc.request)
			r := Render(p)

			if p.Action != tc.action || p.Check.Outcome != tc.outcome {
				t.Errorf("%s\nwant %s, %s, got %s, %s", tc.reason, tc.action, tc.outcome, p.Action, p.Check.Outcome)
			}

			if (rendered(r) != nil) != (tc.action == ActionCreate) {
				t.Errorf("%s\ncontainer: %v", tc.reason, rendered(r))
			}

			if got := conditionOf(t, ReportOn(p, r, nil, v1alpha1.ContainerStatus{}), status.TypeMachineReady); got != tc.machine {
				t.Errorf("%s\nwant %s, got %s", tc.reason, tc.machine, got)
			}
		})
	}

	// Somebody else's later question changes nothing.
	r := downloaded(checks(request(aContainer(nil), nil), none(), none()))
	r.Others = []lifecycle.Other{later}

	askedAt(r, "2026-06-01T00:00:00Z", "2026-06-01T00:00:01Z")

	if p := Decide(r); p.Action != ActionCreate {
		t.Errorf("want the first to ask to get the VMID, got %s, %s", p.Action, p.Check.Outcome)
	}
}

// TestClaimedByAnother: what becomes of a VMID that another claim has depends on whether it is to be adopted, and on whether the reader may change that claim.
func TestClaimedByAnother(t *testing.T) {
	adopting := aContainer(func(c *machine.Container) { c.Adopt = &v1alpha1.Adopt{VMID: 150} })
	of := func(namespace string) lifecycle.Other {
		return lifecycle.Other{VMID: 150, ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}, Metadata: proxmox.ObservedMetadata{
			Name: "other", CreationTimestamp: "2026-01-01T00:00:00Z", Metadata: proxmox.Metadata{Labels: map[string]string{proxmox.NamespaceLabel: namespace, proxmox.MachineLabel: "web"}},
		}}
	}

	for name, tc := range map[string]struct {
		reason    string
		container *machine.Container
		other     lifecycle.Other
		want      string
	}{
		"New":          {"A new container has another VMID.", aContainer(nil), of("vault"), "choose another one in spec.proxmox.vmId"},
		"Adopt":        {"The owner of both claims can move the container.", adopting, of("infra"), "To move the container to this claim, set deletionPolicy: Orphan in the other claim"},
		"AdoptAnother": {"A claim of another namespace is not the reader's to change.", adopting, of("vault"), "Only one claim can have a container: choose another VMID in spec.adopt.vmId, or ask who runs the site."},
	} {
		t.Run(name, func(t *testing.T) {
			r := downloaded(checks(request(tc.container, nil), none(), none()))
			r.Others = []lifecycle.Other{tc.other}

			p := Decide(r)
			out := ReportOn(p, Render(p), nil, v1alpha1.ContainerStatus{})

			i := slices.IndexFunc(out.Conditions, func(c status.Condition) bool { return c.Type == status.TypeVMIDInUse })
			if got := out.Conditions[i]; got.Reason != status.ReasonNumberClaimed || !strings.Contains(got.Message, tc.want) || strings.Contains(got.Message, "Orphan") != strings.Contains(tc.want, "Orphan") {
				t.Errorf("%s\nwant %q, got %s: %s", tc.reason, tc.want, got.Reason, got.Message)
			}
		})
	}
}

// TestManifests compares whole managed resources: what is created, what is only looked at, and what is adopted.
func TestManifests(t *testing.T) {
	created, err := Render(Decide(downloaded(checks(request(aContainer(nil), nil), none(), none())))).Manifests(nil)
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]any{
		"apiVersion": "virtualenvironmentcontainer.proxmoxbpg.crossplane.io/v1alpha1", "kind": "EnvironmentContainer",
		"metadata": map[string]any{
			"labels":      map[string]any{"homelab.io/machine": "dns01", "homelab.io/namespace": "infra", "homelab.io/vm-id": "150"},
			"annotations": map[string]any{"crossplane.io/external-name": "150", "homelab.io/creating": "none"},
		},
		"spec": map[string]any{
			"managementPolicies": []any{"Observe", "Create"}, "providerConfigRef": map[string]any{"name": "home"},
			"forProvider": map[string]any{
				"nodeName": "pve", "vmId": 150.0, "tags": []any{"core"}, "started": false, "startOnBoot": true, "unprivileged": true,
				"description":     "Container infra/dns01 (homelab.io, " + aContainer(nil).Identity.UUID(replacement.First) + "), managed by Crossplane: change the claim in Git.",
				"operatingSystem": []any{map[string]any{"templateFileId": "local:vztmpl/debian-12-ct.tar.zst", "type": "debian"}},
				"cpu":             []any{map[string]any{"cores": 1.0}}, "memory": []any{map[string]any{"dedicated": 1024.0, "swap": 512.0}},
				"features":         []any{map[string]any{"nesting": true}},
				"disk":             []any{map[string]any{"datastoreId": "local-lvm", "size": 8.0, "replicate": true}},
				"mountPoint":       []any{map[string]any{"path": "/srv/data", "volume": "tank", "size": "10G", "backup": true}},
				"networkInterface": []any{map[string]any{"name": "eth0", "bridge": "vmbr0", "vlanId": 20.0, "firewall": true}},
				"initialization": []any{map[string]any{
					"hostname": "dns01", "dns": []any{map[string]any{"domain": "home.arpa", "servers": []any{"192.168.4.1"}}},
					"ipConfig":    []any{map[string]any{"ipv4": []any{map[string]any{"address": "192.168.4.50/24", "gateway": "192.168.4.1"}}}},
					"userAccount": []any{map[string]any{"keys": []any{"ssh-ed25519 AAAA ops@home"}}},
				}},
			},
		},
	}

	if diff := cmp.Diff(want, created[replacement.First].AsMap()); diff != "" {
		t.Errorf("created: -want, +got:\n%s", diff)
	}

	// What is looked at is neither created, changed nor deleted.
	looked, err := Render(Decide(request(aContainer(nil), nil))).Manifests(nil)
	if err != nil {
		t.Fatal(err)
	}

	for name, m := range looked {
		kind := m.GetFields()["kind"].GetStringValue()
		if kind == proxmox.DownloadFileKind {
			continue
		}

		spec := m.GetFields()["spec"].GetStructValue()
		if diff := cmp.Diff([]any{"Observe"}, spec.GetFields()["managementPolicies"].GetListValue().AsSlice()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}

		if got := m.GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue().AsMap()["crossplane.io/external-name"]; got != "pve/150" {
			t.Errorf("%s: external name %v", name, got)
		}
	}

	if len(looked) != 3 {
		t.Errorf("want two checks and a template, got %d: %v", len(looked), looked)
	}
}

// TestAdopted: an adopted container is written as it was found, with what the models do not know, and the provider may not change it yet.
func TestAdopted(t *testing.T) {
	m := aContainer(func(c *machine.Container) {
		c.Adopt, c.Placement.VMID, c.Tags = &v1alpha1.Adopt{VMID: 150}, 0, []string{"new"}
		c.KeepsOwn = machine.ContainerKeeps{Network: true, Hostname: true, OnBoot: true, Notes: true, Startup: true, Disks: true}
	})

	r := checks(request(m, nil), found(), nil)

	rest, err := structpb.NewStruct(map[string]any{"console": []any{map[string]any{"ttyCount": 0.0}}, "features": []any{map[string]any{"keyctl": true}}})
	if err != nil {
		t.Fatal(err)
	}

	for n, o := range r.Observed.Containers {
		o.Status.AtProvider.Parameters.Rest = rest
		r.Observed.Containers[n] = o
	}

	p := Decide(r)
	if p.Adoption == nil || p.Adoption.Plan == "" {
		t.Fatalf("want a plan, got %+v", p.Adoption)
	}

	m.Adopt.Approve = p.Adoption.Plan

	manifests, err := Render(Decide(r)).Manifests(nil)
	if err != nil {
		t.Fatal(err)
	}

	spec := manifests[replacement.First].GetFields()["spec"].GetStructValue()
	if diff := cmp.Diff([]any{"Observe", "Create", "Delete"}, spec.GetFields()["managementPolicies"].GetListValue().AsSlice()); diff != "" {
		t.Errorf("policies: %s", diff)
	}

	got := spec.GetFields()["forProvider"].GetStructValue()
	for path, want := range map[string]*structpb.Value{
		"tags": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("core")}}), "console": rest.GetFields()["console"],
	} {
		if diff := cmp.Diff(want, got.GetFields()[path], protocmp.Transform()); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", path, diff)
		}
	}

	feature := got.GetFields()["features"].GetListValue().GetValues()[0].GetStructValue().AsMap()
	if diff := cmp.Diff(map[string]any{"nesting": true, "keyctl": true}, feature); diff != "" {
		t.Errorf("features: -want, +got:\n%s", diff)
	}

	// Another plan is not approved.
	m.Tags = []string{"other"}

	if p := Decide(r); p.Action != ActionCheck || p.Adoption.Consent != lifecycle.ConsentOtherPlan {
		t.Errorf("want another plan to wait, got %s, %+v", p.Action, p.Adoption)
	}
}

// TestFollow: what the provider may do with a container that exists, and with which power.
func TestFollow(t *testing.T) {
	type want struct {
		update, started, delete bool
		memory                  int64
		stoppedFor              string
		machine, reboot         string
	}

	idle := want{false, true, true, 1024, "", "True Running", "False NothingPending"}
	stopped := func(o *proxmox.ObservedContainer) {
		o.Status.AtProvider.Started, o.Status.AtProvider.Parameters.Started = false, false
	}
	more := func(c *machine.Container) { c.MemoryMiB = 2048 }

	for name, tc := range map[string]struct {
		reason string
		edit   func(*machine.Container)
		seen   func(*proxmox.ObservedContainer)
		want   want
	}{
		"Idle":   {"Nothing is to change, so the provider may change nothing.", func(*machine.Container) {}, nil, idle},
		"Orphan": {"The policy counts at once.", func(c *machine.Container) { c.DeletionPolicy = v1alpha1.DeletionOrphan }, nil, want{false, true, false, 1024, "", "True Running", "False NothingPending"}},
		"Tags":   {"What needs no restart is written.", func(c *machine.Container) { c.Tags = []string{"x"} }, nil, want{true, true, true, 1024, "", "True Running", "False NothingPending"}},
		"Memory": {"What needs one waits.", more, nil, want{false, true, true, 1024, "", "True Running", "True ChangesPending"}},
		"Drift": {
			"What somebody changed in Proxmox is not undone with a restart.", func(*machine.Container) {},
			func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Parameters.Memory[0].Dedicated = 4096 },
			want{false, true, true, 4096, "", "True Running", "True ChangesPending"},
		},
		"Reboot":     {"A trigger stops it, with the changes.", func(c *machine.Container) { more(c); c.Lifecycle.Reboot = "a" }, nil, want{true, false, true, 2048, "restart", "False Rebooting", "True Rebooting"}},
		"RebootBare": {"Also without changes.", func(c *machine.Container) { c.Lifecycle.Reboot = "a" }, nil, want{true, false, true, 1024, "restart", "False Rebooting", "True Rebooting"}},
		"RebootBegun": {"Once it is stopped, it starts.", func(c *machine.Container) { c.Lifecycle.Reboot = "a" }, func(o *proxmox.ObservedContainer) {
			stopped(o)
			annotated(o, map[string]string{proxmox.StoppedForAnnotation: "restart"})
		}, want{true, true, true, 1024, "start", "False Rebooting", "True Rebooting"}},
		"RebootDone": {"A trigger counts once.", func(c *machine.Container) { more(c); c.Lifecycle.Reboot = "a" }, func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.RebootTriggersAnnotation: "a"})
		}, want{false, true, true, 1024, "", "True Running", "True ChangesPending"}},
		"WhenNeeded": {"The policy restarts by itself.", func(c *machine.Container) { more(c); c.Lifecycle.RebootPolicy = v1alpha1.RebootWhenNeeded }, nil, want{true, false, true, 2048, "restart", "False Rebooting", "True Rebooting"}},
		"WhenNeeded2": {"Also where Crossplane calls before the provider did anything.", func(c *machine.Container) { more(c); c.Lifecycle.RebootPolicy = v1alpha1.RebootWhenNeeded }, func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.RestartedForAnnotation: identify(of(Restart, comparison{has: living(aContainer(nil), nil).Spec.ForProvider, wanted: Describe(aContainer(more), replacement.First), machine: aContainer(more)}.changes())), proxmox.StoppedForAnnotation: "restart"})
		}, want{true, false, true, 2048, "restart", "False Rebooting", "True Rebooting"}},
		"NoConvergence": {"A change that does not last restarts it once.", func(c *machine.Container) { more(c); c.Lifecycle.RebootPolicy = v1alpha1.RebootWhenNeeded }, func(o *proxmox.ObservedContainer) {
			annotated(o, map[string]string{proxmox.RestartedForAnnotation: identify(of(Restart, comparison{has: living(aContainer(nil), nil).Spec.ForProvider, wanted: Describe(aContainer(more), replacement.First), machine: aContainer(more)}.changes()))})
		}, want{false, true, true, 1024, "", "True Running", "True ChangesPending"}},
		"Stop":         {"A container that is to stop takes all changes.", func(c *machine.Container) { more(c); c.Power = v1alpha1.PowerStopped }, nil, want{true, false, true, 2048, "", "False Stopping", "False NothingPending"}},
		"Stopped":      {"One that is stopped, too.", func(c *machine.Container) { more(c); c.Power = v1alpha1.PowerStopped }, stopped, want{true, false, true, 2048, "", "True Stopped", "False NothingPending"}},
		"Crashed":      {"What stopped by itself is started, without the changes: the provider would start it and restart it.", more, stopped, want{true, true, true, 1024, "", "False Starting", "True ChangesPending"}},
		"Unmanaged":    {"What somebody stopped stays so.", func(c *machine.Container) { c.Power = v1alpha1.PowerUnmanaged }, stopped, want{false, false, true, 1024, "", "True Stopped", "False NothingPending"}},
		"UnmanagedAsk": {"A restart of what is stopped is its changes.", func(c *machine.Container) { more(c); c.Power, c.Lifecycle.Reboot = v1alpha1.PowerUnmanaged, "a" }, stopped, want{true, false, true, 2048, "", "True Stopped", "False NothingPending"}},
		"UnmanagedNew": {"A new one is started once.", func(c *machine.Container) { c.Power = v1alpha1.PowerUnmanaged }, func(o *proxmox.ObservedContainer) {
			stopped(o)
			annotated(o, map[string]string{proxmox.FirstStartAnnotation: "true"})
		}, want{true, true, true, 1024, "", "False Starting", "False NothingPending"}},
		"Unread": {
			"While the provider cannot read it, it stays as it was written.", more,
			func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "observe failed: connection refused"}}
			},
			want{false, true, true, 1024, "", "True Running", "False NothingPending"},
		},
		"Gone": {
			"One that is gone is created again as it was: what the provider read before says nothing any more.", func(c *machine.Container) { more(c); c.Lifecycle.Reboot = "a" },
			func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "Synced", Status: "True"}, {Type: "AsyncOperation", Status: "False", Reason: "Ongoing"}}
			},
			want{false, true, true, 1024, "", "False Creating", "False NothingPending"},
		},
		"Moved": {
			"One that somebody moved cannot be created again.", more,
			func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = proxmox.Conditions{
					{Type: "Ready", Status: "False", Reason: "Creating"},
					{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "create failed: apply failed: timeout while waiting for container 150 configuration to become unlocked: "},
				}
			},
			want{false, true, true, 1024, "", "False ProviderError", "False NothingPending"},
		},
		"Unread2": {
			"What the provider was asked to change, it goes on to change.", func(c *machine.Container) { c.Tags = []string{"x"} },
			func(o *proxmox.ObservedContainer) {
				o.Spec.ManagementPolicies = []string{"Observe", "Create", "Update", "Delete"}
				o.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "update failed: x"}}
			},
			want{true, true, true, 1024, "", "False ProviderError", "False NothingPending"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := aContainer(tc.edit)
			o := living(aContainer(nil), tc.seen)
			p := Decide(request(m, map[string]proxmox.ObservedContainer{replacement.First: o}))
			r := Render(p)
			report := ReportOn(p, r, nil, v1alpha1.ContainerStatus{})

			got := want{
				update: proxmox.MayUpdate(rendered(r).Spec.ManagementPolicies), delete: proxmox.MayDelete(rendered(r).Spec.ManagementPolicies),
				started: rendered(r).Spec.ForProvider.Started, memory: rendered(r).Spec.ForProvider.Memory[0].Dedicated,
				stoppedFor: rendered(r).Metadata.Annotations[proxmox.StoppedForAnnotation],
				machine:    conditionOf(t, report, status.TypeMachineReady), reboot: conditionOf(t, report, status.TypeRebootPending),
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRetry: a creation that failed is tried again as it was, without another look for its VMID; elsewhere, or without its address, it is looked for anew.
func TestRetry(t *testing.T) {
	failed := func(o *proxmox.ObservedContainer) {
		o.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "LastAsyncOperation", Status: "False"}}
	}

	cases := map[string]struct {
		reason  string
		claim   func(*machine.Container)
		request func(*Request)
		want    Action
	}{
		"Same":   {reason: "Nothing else has its VMID: the provider was about to make it.", want: ActionCreate},
		"Edited": {reason: "What failed may be what was edited.", claim: func(c *machine.Container) { c.MemoryMiB = 2048 }, want: ActionCreate},
		"VMID":   {reason: "Nobody knows what has the other one.", claim: func(c *machine.Container) { c.Placement.VMID = 151 }, want: ActionCheck},
		"Node":   {reason: "Nor what is on the other node.", claim: func(c *machine.Container) { c.Placement.Node = "pve2" }, want: ActionCheck},
		"Shared": {reason: "Somebody else has its address.", request: func(r *Request) { r.Shares = &lifecycle.SharedAddress{With: "infra/web"} }, want: ActionCheck},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aContainer(tc.claim)
			r := downloaded(request(m, map[string]proxmox.ObservedContainer{replacement.First: creating(aContainer(nil), failed)}))

			if tc.request != nil {
				tc.request(&r)
			}

			p := Decide(r)

			want := params{}
			if tc.want == ActionCreate {
				want = Describe(m, replacement.First)
			}

			if diff := cmp.Diff([]any{StateFailed, tc.want, want}, []any{p.State, p.Action, p.Parameters}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
