package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestPlannedOutage holds which outages a server's claim asks for, whether the server may be away now, and what it announces.
func TestPlannedOutage(t *testing.T) {
	note := func(key, value string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[key] = value }
	}
	says := func(what string) func(vm *proxmox.ObservedVM) { return note(proxmox.OutageAnnotation, what) }
	stoppedFor := note(proxmox.StoppedForAnnotation, StoppedForRestart)
	written := func(started bool) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Started = started }
	}
	unknown := func(vm *proxmox.ObservedVM) { vm.Status.AtProvider = proxmox.VMObservation{} }
	agent := func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.Agent = []proxmox.Agent{{Enabled: true}} }
	stale := func(vm *proxmox.ObservedVM) { vm.Metadata.Generation = 3 }

	two := []proxmox.ObservedVM{server("b"), server("c")}
	one := []proxmox.ObservedVM{server("b"), stopped(server("c"))}

	reboot, stop := v1alpha1.Lifecycle{Reboot: "a"}, v1alpha1.PowerStopped
	awaited := func(kind Outage) PlannedOutage {
		return PlannedOutage{Wanted: []Outage{kind}, Decision: Decision{Permission: PermissionAwaited}, Announcement: Announcement{Outage: kind}}
	}
	begins := func(kind Outage) PlannedOutage {
		return PlannedOutage{Wanted: []Outage{kind}, Decision: Decision{Permission: PermissionAnnounced}, Announcement: Announcement{Outage: kind, Begun: true}}
	}
	goesOn := func(kind Outage, wanted ...Outage) PlannedOutage {
		return PlannedOutage{Wanted: wanted, Decision: Decision{Permission: PermissionAnnounced}, Announcement: Announcement{Outage: kind, Begun: true}}
	}
	refused := func(kind Outage, b Blocker) PlannedOutage {
		return PlannedOutage{Wanted: []Outage{kind}, Decision: refuse(b)}
	}
	withBoot := func(o PlannedOutage) PlannedOutage {
		o.Announcement.BootID = "1"

		return o
	}
	hosts := func(kind Outage) PlannedOutage {
		return refused(kind, Blocker{Reason: BlockedByCrossplane, Outage: kind, VMID: 100})
	}
	withForce := func(o PlannedOutage, used string) PlannedOutage {
		o.Forced = []string{used}

		return o
	}
	here := machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home", Observe: machine.ObserveHere}
	draining := here
	draining.Drain.Outages = true
	drainedServer := draining
	drainedServer.NodesConfig = "home"
	uid := func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.SMBIOS = []proxmox.SMBIOS{{UUID: nodesUUID}} }
	booted := func(id string) *node.Node {
		n := votingNode(nodesUUID)
		n.Status.NodeInfo.BootID = id

		return &n
	}
	quorum := Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: 3, Ready: 1, Needed: 2, Missing: []MissingServer{{Machine: "c", Reason: MissingStopped}}}

	beats := func(at string) *node.Node {
		n := votingNode(nodesUUID)
		for i := range n.Status.Conditions {
			n.Status.Conditions[i].LastHeartbeatTime = at
		}

		return &n
	}
	kubelet := func(boot, at string) *node.Node {
		n := beats(at)
		n.Status.NodeInfo.BootID = boot

		return n
	}
	restarts := func(boot string, reports ...string) PlannedOutage {
		a := Announcement{Outage: OutageReboot, Begun: true, BootID: boot}
		copy(a.Reports[:], reports)

		return PlannedOutage{Decision: Decision{Permission: PermissionAnnounced}, Announcement: a}
	}
	marked := func(o PlannedOutage, at string) PlannedOutage {
		o.Announcement.BootID = at

		return o
	}

	cases := map[string]struct {
		reason  string
		vm      proxmox.ObservedVM
		k3s     machine.K3s // A server of cluster home unless it says otherwise.
		plain   bool        // No K3s node at all.
		runs    bool        // Whether the claim says that Crossplane runs on it.
		trial   bool        // A candidate that has not proven itself.
		replace string      // What asks for a replacement.
		power   v1alpha1.Power
		ask     v1alpha1.Lifecycle
		pending bool
		moves   bool
		plugs   bool // Whether its interface is to be connected to another bridge.
		others  []proxmox.ObservedVM
		node    *node.Node // The VM's own; nil where nobody reads it.
		want    PlannedOutage
	}{
		"Nothing": {reason: "Nobody asks for anything.", vm: settledVM(), others: two},
		"Machine": {reason: "A machine without K3s asks nobody.", vm: settledVM(), plain: true, ask: reboot},
		"Agent":   {reason: "An agent asks nobody.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sAgent, Cluster: "home"}, ask: reboot},
		"Candidate": {
			reason: "Nobody counts on a VM that has not proven itself; what was forced is remembered.",
			vm:     settledVM(note(proxmox.ForceTriggersAnnotation, "x")), trial: true, ask: reboot, others: two, want: PlannedOutage{Forced: []string{"x"}},
		},

		"Reboot":          {reason: "It is announced first.", vm: settledVM(), ask: reboot, others: two, want: awaited(OutageReboot)},
		"RebootAnnounced": {reason: "The others could see it, and none is away.", vm: settledVM(says("Reboot announced")), ask: reboot, others: two, want: begins(OutageReboot)},
		"RebootFollowed":  {reason: "A trigger counts once.", vm: settledVM(note(proxmox.RebootTriggersAnnotation, "a")), ask: reboot, others: two, want: PlannedOutage{}},
		"PowerCycle":      {reason: "A change waits, and the claim lets it happen.", vm: settledVM(), ask: v1alpha1.Lifecycle{RebootPolicy: v1alpha1.RebootWhenNeeded}, pending: true, others: two, want: awaited(OutagePowerCycle)},
		"OnRequest":       {reason: "A change waits for a person.", vm: settledVM(), pending: true, others: two, want: PlannedOutage{}},
		"Stop":            {reason: "A stop is an outage, too.", vm: settledVM(), power: stop, others: two, want: awaited(OutageStop)},
		"StopAndReboot":   {reason: "A stop is longer.", vm: settledVM(), power: stop, ask: reboot, others: two, want: awaited(OutageStop)},
		"Migration":       {reason: "A move can end badly.", vm: settledVM(), moves: true, others: two, want: awaited(OutageMigration)},
		"MigrationOfAStopped": {
			reason: "Whoever is away already takes no quorum.", vm: settledVM(off), moves: true, others: one, want: PlannedOutage{},
		},
		"StopOfAStopped":   {reason: "The same.", vm: settledVM(off, written(false)), power: stop, others: one, want: PlannedOutage{}},
		"RebootOfAStopped": {reason: "The same.", vm: settledVM(off), ask: reboot, others: one, want: PlannedOutage{}},
		"StopWritten": {
			reason: "It was written by an earlier call, or somebody started the VM against its claim: the provider stops it.",
			vm:     settledVM(written(false)), power: stop, others: one, want: PlannedOutage{},
		},

		"Reconnects":          {reason: "One edit of a site asks the same of all servers.", vm: settledVM(), plugs: true, others: two, want: awaited(OutageReconnection)},
		"ReconnectsAnnounced": {reason: "None of the others is away.", vm: settledVM(says("Reconnection announced")), plugs: true, others: two, want: begins(OutageReconnection)},
		"ReconnectsNoQuorum":  {reason: "The network of the other one may be the cure.", vm: settledVM(), plugs: true, others: one, want: refused(OutageReconnection, quorum)},
		"ReconnectsAgent":     {reason: "An agent asks nobody.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sAgent, Cluster: "home"}, plugs: true},
		"ReconnectsStopped":   {reason: "It is in no network.", vm: settledVM(off), plugs: true, others: two},
		"ReconnectsAway": {
			reason: "What brings it back waits for nobody.", vm: settledVM(uid, says("Reconnection begun 10:00")), plugs: true, others: two, node: beats("10:00"),
			want: PlannedOutage{Announcement: Announcement{Outage: OutageReconnection, Begun: true, BootID: "10:00"}},
		},
		"ReconnectsAndReboots": {
			reason: "A drain comes before a restart, and nobody can drain it yet.", vm: settledVM(uid, says("Reconnection begun 10:00")), ask: reboot, plugs: true, others: two, node: beats("10:00"),
			want: PlannedOutage{
				Wanted: []Outage{OutageReboot}, Decision: Decision{Permission: PermissionAwaited}, Announcement: Announcement{Outage: OutageReconnection, Begun: true, BootID: "10:00"},
			},
		},
		"ReconnectsForced": {
			reason: "A person knows better.", vm: settledVM(uid, says("Reconnection begun 10:00")), ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, others: two, node: beats("10:00"),
			want: marked(goesOn(OutageReconnection, OutageReboot), "10:00"),
		},
		"ReconnectsWithNode": {
			reason: "A Node is Ready for some time after nobody reaches it: its next heartbeat says that it is back.", vm: settledVM(uid, says("Reconnection announced")), plugs: true, others: two,
			node: beats("10:00"), want: marked(begins(OutageReconnection), "10:00"),
		},
		"Reconnecting": {
			reason: "A heartbeat from before the provider has done its part proves nothing.", vm: settledVM(uid, stale, says("Reconnection begun 10:00")), others: two, node: beats("10:05"),
			want: PlannedOutage{Announcement: Announcement{Outage: OutageReconnection, Begun: true, BootID: "10:05"}},
		},
		"NoHeartbeatYet": {
			reason: "Nobody knows whether it is reached.", vm: settledVM(uid, says("Reconnection begun 10:05")), others: two, node: beats("10:05"),
			want: PlannedOutage{Announcement: Announcement{Outage: OutageReconnection, Begun: true, BootID: "10:05"}},
		},
		"Reconnected": {reason: "Its kubelet has reported since.", vm: settledVM(uid, says("Reconnection begun 10:05")), others: two, node: beats("10:10")},

		"BootWhileOff": {
			reason: "K3s tells late of a restart before this one.", vm: settledVM(uid, off, written(false), stoppedFor, says("Reboot begun 1")), others: two, node: kubelet("2", "10:00"),
			want: restarts("2"),
		},
		"BootWhileStarting": {
			reason: "The provider waits for the guest agent before it says that the VM runs.", vm: settledVM(uid, off, says("Reboot begun 1")), others: two, node: kubelet("2", "10:00"),
			want: restarts("1"),
		},
		"BootNotYet": {reason: "The Node is Ready as before.", vm: settledVM(uid, says("Reboot begun 1")), others: two, node: kubelet("1", "10:00"), want: restarts("1", "10:00")},
		"BootBack":   {reason: "The Node has another boot.", vm: settledVM(uid, says("Reboot begun 1 10:00")), others: two, node: kubelet("2", "10:01")},
		"ReportsOnce": {
			reason: "The report may be from before the stop, and read late.", vm: settledVM(uid, says("Reboot begun 1 10:00")), others: two, node: kubelet("1", "10:05"),
			want: restarts("1", "10:00", "10:05"),
		},
		"ReportsNoMore": {reason: "It is the same report.", vm: settledVM(uid, says("Reboot begun 1 10:00 10:05")), others: two, node: kubelet("1", "10:05"), want: restarts("1", "10:00", "10:05")},
		"ReportsAgain":  {reason: "A kubelet runs there, such as that of a VM that was resumed.", vm: settledVM(uid, says("Reboot begun 1 10:00 10:05")), others: two, node: kubelet("1", "10:10")},
		"ReportsForgotten": {
			reason: "What was reported before the VM went off once more proves nothing.", vm: settledVM(uid, off, says("Reboot begun 1 10:00 10:05")), others: two, node: kubelet("1", "10:10"),
			want: restarts("1"),
		},

		"NoQuorum":          {reason: "One of three is none.", vm: settledVM(), ask: reboot, others: one, want: refused(OutageReboot, quorum)},
		"NoQuorumAnnounced": {reason: "It takes back what it announced: another one may be the cure.", vm: settledVM(says("Reboot announced")), ask: reboot, others: one, want: refused(OutageReboot, quorum)},
		"OnlyServer":        {reason: "Nobody can wait for others where there are none; it is announced all the same, since its view may be old.", vm: settledVM(), ask: reboot, want: awaited(OutageReboot)},
		"OnlyServerSaid":    {reason: "There are none.", vm: settledVM(says("Reboot announced")), ask: reboot, want: begins(OutageReboot)},
		"TwoWithDatastore": {
			reason: "The other one is enough.", vm: settledVM(says("Reboot announced")), ask: reboot, others: []proxmox.ObservedVM{server("b")},
			k3s: machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home", Etcd: proxmox.EtcdOutside}, want: begins(OutageReboot),
		},
		"Two": {
			reason: "An etcd of two stands still without one.", vm: settledVM(), ask: reboot, others: []proxmox.ObservedVM{server("b")},
			want: refused(OutageReboot, Blocker{Reason: BlockedByQuorum, Cluster: "home", Servers: 2, Ready: 1, Needed: 2}),
		},
		"NoClusterFirst": {reason: "The first server of a cluster without a name is the only one, as far as anybody can tell.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sServer}, ask: reboot, want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: Decision{Permission: PermissionGranted}}},
		"NoClusterJoiner": {
			reason: "There are other servers, and nobody can find them.", vm: settledVM(), ask: reboot,
			k3s: machine.K3s{Role: v1alpha1.K3sServer, ServerURL: "https://192.168.4.50:6443"}, want: refused(OutageReboot, Blocker{Reason: BlockedByNoCluster}),
		},

		"Begun":          {reason: "What has begun is finished, whatever became of the others.", vm: settledVM(says("Reboot begun"), stoppedFor), ask: reboot, others: one, want: goesOn(OutageReboot, OutageReboot)},
		"BegunBefore":    {reason: "A release before wrote no announcement.", vm: settledVM(stoppedFor), ask: reboot, others: one, want: goesOn(OutageReboot, OutageReboot)},
		"BegunAndOff":    {reason: "It is off, and started again with this call.", vm: settledVM(off, says("Reboot begun"), stoppedFor), ask: reboot, others: one, want: goesOn(OutageReboot)},
		"Starting":       {reason: "It is not up yet.", vm: settledVM(off, says("Reboot begun")), others: one, want: goesOn(OutageReboot)},
		"NotAnswering":   {reason: "Its guest agent does not answer yet.", vm: settledVM(agent, mute, says("Reboot begun")), others: two, want: goesOn(OutageReboot)},
		"ReportIsOlder":  {reason: "What the provider reported is older than the start.", vm: settledVM(agent, stale, says("Reboot begun")), others: two, want: goesOn(OutageReboot)},
		"Back":           {reason: "It is back, and the others may know.", vm: settledVM(agent, says("Reboot begun")), others: two, want: PlannedOutage{}},
		"BackAndAgain":   {reason: "Another outage is another announcement.", vm: settledVM(says("Reboot begun")), ask: reboot, others: two, want: awaited(OutageReboot)},
		"Stopping":       {reason: "It is written to stop, and has not yet.", vm: settledVM(written(false), says("Stop begun")), power: stop, others: two, want: goesOn(OutageStop)},
		"StoppedAtLast":  {reason: "It is away for good, and everybody sees that.", vm: settledVM(off, written(false), says("Stop begun")), power: stop, others: two, want: PlannedOutage{}},
		"NothingAsked":   {reason: "What was announced and is asked for no more is taken back.", vm: settledVM(says("Reboot announced")), others: two, want: PlannedOutage{}},
		"Unreported":     {reason: "Nobody knows whether it runs: nothing begins, and what was announced stays.", vm: settledVM(unknown, says("Reboot announced")), ask: reboot, others: two, want: awaited(OutageReboot)},
		"CancelledAfter": {reason: "A replacement that was given up leaves the VM away until it is up again.", vm: settledVM(off, written(false), note(proxmox.StoppedForAnnotation, StoppedForReplacement)), others: two, want: goesOn(OutageReplacement)},

		"WithNode":      {reason: "The Node's boot ID says later whether K3s is back.", vm: settledVM(uid, says("Reboot announced")), ask: reboot, others: two, node: booted("1"), want: withBoot(begins(OutageReboot))},
		"StopWithNode":  {reason: "A VM that stops does not come back.", vm: settledVM(uid, says("Stop announced")), power: stop, others: two, node: booted("1"), want: begins(OutageStop)},
		"NoMember":      {reason: "A server that does not vote before is not awaited as a voter.", vm: settledVM(uid, says("Reboot announced")), ask: reboot, others: two, node: &node.Node{Status: node.Status{NodeInfo: booted("1").Status.NodeInfo}}, want: begins(OutageReboot)},
		"NodeIsOld":     {reason: "The VM runs, and its Node says what it said before.", vm: settledVM(uid, says("Reboot begun 1")), others: two, node: booted("1"), want: withBoot(goesOn(OutageReboot))},
		"NodeIsBack":    {reason: "K3s runs again, and votes.", vm: settledVM(uid, says("Reboot begun 1")), others: two, node: booted("2"), want: PlannedOutage{}},
		"NoVoteYet":     {reason: "Its kubelet is faster than its etcd.", vm: settledVM(uid, says("Reboot begun 1")), others: two, node: &node.Node{Status: node.Status{NodeInfo: booted("2").Status.NodeInfo}}, want: withBoot(goesOn(OutageReboot))},
		"NodeNotRead":   {reason: "Nobody reads the Node any more.", vm: settledVM(uid, says("Reboot begun 1")), others: two, want: PlannedOutage{}},
		"NodeReadSince": {reason: "Nobody read the Node when the outage began.", vm: settledVM(uid, says("Reboot begun")), others: two, node: booted("1"), want: PlannedOutage{}},
		"OffForAMoment": {reason: "It starts, and until the cluster notices, its Node is Ready and votes as before.", vm: settledVM(uid, off, written(false)), power: v1alpha1.PowerRunning, others: two, node: booted("1"), want: withBoot(PlannedOutage{Announcement: Announcement{Outage: OutageStart, Begun: true}})},
		"OffByHand":     {reason: "The same, whoever stopped it.", vm: settledVM(uid, off), power: v1alpha1.PowerRunning, others: two, node: booted("1"), want: withBoot(PlannedOutage{Announcement: Announcement{Outage: OutageStart, Begun: true}})},
		"OffLong":       {reason: "Everybody sees that its Node does not serve.", vm: settledVM(uid, off, written(false)), power: v1alpha1.PowerRunning, others: two, node: &node.Node{Status: node.Status{NodeInfo: booted("1").Status.NodeInfo}}},
		"OffUnmanaged":  {reason: "Nobody knows whether somebody starts it.", vm: settledVM(uid, off), power: v1alpha1.PowerUnmanaged, others: two, node: booted("1")},
		"OffForGood":    {reason: "It does not start.", vm: settledVM(uid, off, written(false)), power: stop, others: two, node: booted("1")},
		"Starts":        {reason: "The VM runs, and its Node says what it said before.", vm: settledVM(uid, says("Start begun 1")), others: two, node: booted("1"), want: withBoot(PlannedOutage{Announcement: Announcement{Outage: OutageStart, Begun: true}, Decision: Decision{Permission: PermissionAnnounced}})},
		"Started":       {reason: "K3s runs again, and votes.", vm: settledVM(uid, says("Start begun 1")), others: two, node: booted("2")},
		"AskedMeanwhile": {
			reason: "K3s does not come back: another restart may help, and need not wait.", vm: settledVM(uid, says("Reboot begun 1")), ask: reboot, others: two, node: booted("1"),
			want: withBoot(goesOn(OutageReboot, OutageReboot)),
		},

		"Forced": {reason: "A person knows better.", vm: settledVM(), ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, others: one, want: begins(OutageReboot)},
		"ForcedBefore": {
			reason: "A value forces once.", vm: settledVM(note(proxmox.ForceTriggersAnnotation, "f")), ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, others: one,
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: refuse(quorum), Forced: []string{"f"}},
		},
		"HostsCrossplane":     {reason: "Nothing could start the only server of the cluster in which Crossplane runs.", vm: settledVM(), k3s: here, ask: reboot, want: hosts(OutageReboot)},
		"HostsCrossplaneStop": {reason: "The same.", vm: settledVM(), k3s: here, power: stop, want: hosts(OutageStop)},
		"HostsAndDrains":      {reason: "A drain would evict Crossplane.", vm: settledVM(), k3s: draining, ask: v1alpha1.Lifecycle{Reboot: "a"}, want: hosts(OutageReboot)},
		"HostsAndMoves":       {reason: "A move is a live migration.", vm: settledVM(), k3s: here, moves: true, want: awaited(OutageMigration)},
		"HostsAndReconnects": {
			reason: "The restart waits for a person, and the interface for the others.", vm: settledVM(), k3s: here, ask: reboot, plugs: true,
			want: PlannedOutage{Wanted: []Outage{OutageReboot, OutageReconnection}, Decision: refuse(Blocker{Reason: BlockedByCrossplane, Outage: OutageReboot, VMID: 100}), Announcement: Announcement{Outage: OutageReconnection}},
		},
		"HostsAndReconnectsNow": {
			reason: "The interface waits for nobody else.", vm: settledVM(says("Reconnection announced")), k3s: here, ask: reboot, plugs: true,
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: refuse(Blocker{Reason: BlockedByCrossplane, Outage: OutageReboot, VMID: 100}), Announcement: Announcement{Outage: OutageReconnection, Begun: true}},
		},
		"HostsAndReconnecting": {
			reason: "An interface that was plugged in elsewhere is no reason to stop the VM.", vm: settledVM(stale, says("Reconnection begun")), k3s: here, ask: reboot,
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: refuse(Blocker{Reason: BlockedByCrossplane, Outage: OutageReboot, VMID: 100}), Announcement: Announcement{Outage: OutageReconnection, Begun: true}},
		},
		"HostsAndMoving": {
			reason: "Nor is a move that has begun.", vm: settledVM(stale, says("Migration begun")), k3s: here, ask: reboot,
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: refuse(Blocker{Reason: BlockedByCrossplane, Outage: OutageReboot, VMID: 100}), Announcement: Announcement{Outage: OutageMigration, Begun: true}},
		},
		"Moving": {
			reason: "It votes while it moves, and the others were not asked for more.", vm: settledVM(stale, says("Migration begun")), ask: reboot, others: one,
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: Decision{Permission: PermissionAwaited}, Announcement: Announcement{Outage: OutageMigration, Begun: true}},
		},
		"HostsWithOthers":    {reason: "The others go on, and their quorum decides.", vm: settledVM(), k3s: here, ask: reboot, others: two, want: awaited(OutageReboot)},
		"HostsElsewhere":     {reason: "Crossplane runs in another cluster.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home", Observe: machine.ObserveObject}, ask: reboot, want: awaited(OutageReboot)},
		"HostsAndBegun":      {reason: "What has begun ends, or the VM stays stopped.", vm: settledVM(says("Reboot begun"), stoppedFor), k3s: here, ask: reboot, want: goesOn(OutageReboot, OutageReboot)},
		"HostsAndForced":     {reason: "A person knows how to start it.", vm: settledVM(), k3s: here, ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, want: begins(OutageReboot)},
		"SaysSo":             {reason: "The claim of a machine says that Crossplane runs on it.", vm: settledVM(), plain: true, runs: true, ask: reboot, want: hosts(OutageReboot)},
		"SaysSoAndForced":    {reason: "The value is used up.", vm: settledVM(), plain: true, runs: true, ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, want: PlannedOutage{Forced: []string{"f"}}},
		"SaysSoForcedBefore": {reason: "A value forces once.", vm: settledVM(note(proxmox.ForceTriggersAnnotation, "f")), plain: true, runs: true, ask: v1alpha1.Lifecycle{Reboot: "b", Force: "f"}, want: withForce(hosts(OutageReboot), "f")},
		"SaysSoSince": {
			reason: "The restart was written before, and the VM runs still: it is taken back.", vm: settledVM(written(false), note(proxmox.StoppedForAnnotation, StoppedForRestart)),
			plain: true, runs: true, ask: reboot, want: hosts(OutageReboot),
		},
		"SaysSoSinceTheStop": {
			reason: "So is a stop.", vm: settledVM(written(false)), plain: true, runs: true, power: stop, want: hosts(OutageStop),
		},
		"SaysSoSinceOfAServer": {
			reason: "So it is for a server, which tells the others.", vm: settledVM(written(false), says("Reboot begun"), note(proxmox.StoppedForAnnotation, StoppedForRestart)),
			runs: true, ask: reboot, others: two, want: hosts(OutageReboot),
		},
		"SaysSoSinceAndForced": {
			reason: "The word may have begun the restart.",
			vm:     settledVM(written(false), note(proxmox.StoppedForAnnotation, StoppedForRestart), note(proxmox.ForceTriggersAnnotation, "f")),
			plain:  true, runs: true, ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, want: PlannedOutage{Forced: []string{"f"}},
		},
		"SaysSoSinceItStopped": {
			reason: "It would stay stopped.", vm: settledVM(off, written(false), note(proxmox.StoppedForAnnotation, StoppedForRestart)), plain: true, runs: true, ask: reboot, want: PlannedOutage{},
		},
		"SaysSoOfAnAgent":    {reason: "Its servers may keep pods away.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sAgent, Cluster: "home"}, runs: true, ask: reboot, want: hosts(OutageReboot)},
		"SaysSoNotYet":       {reason: "A value that the claim had before it says so is no word about Crossplane.", vm: settledVM(), plain: true, ask: v1alpha1.Lifecycle{Reboot: "a", Force: "f"}, want: PlannedOutage{Forced: []string{"f"}}},
		"SaysSoNoMore":       {reason: "The claim may say so again.", vm: settledVM(note(proxmox.ForceTriggersAnnotation, "f")), plain: true, want: PlannedOutage{Forced: []string{"f"}}},
		"CandidateSaysSo":    {reason: "A machine remembers what its VM was created with.", vm: settledVM(note(proxmox.ForceTriggersAnnotation, "f")), plain: true, trial: true, want: PlannedOutage{Forced: []string{"f"}}},
		"HostsAndReplaced":   {reason: "Nobody can force its replacement, so that the value would stop it for an edit that comes later.", vm: settledVM(), k3s: here, replace: "r", ask: v1alpha1.Lifecycle{Force: "f"}, want: PlannedOutage{Forced: []string{"f"}}},
		"ReplacedWithOthers": {reason: "The value is for the replacement, which waits.", vm: settledVM(), replace: "r", ask: v1alpha1.Lifecycle{Force: "f"}, others: one, want: PlannedOutage{}},
		"Drains": {
			reason: "The drain begins with the others' permission, and is part of the restart.", vm: settledVM(uid, says("Reboot announced")), k3s: drainedServer, ask: reboot, others: two, node: booted("1"),
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Decision: Decision{Permission: PermissionAnnounced}, Announcement: Announcement{Outage: OutageReboot}, Drains: true},
		},
		"DrainRuns": {
			reason: "What was announced stays.", vm: settledVM(uid, says("Reboot announced"), note(proxmox.DrainAnnotation, "1 Draining")), k3s: drainedServer, ask: reboot, others: two, node: booted("1"),
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Announcement: Announcement{Outage: OutageReboot}, Drains: true},
		},
		"DrainIsBlocked": {
			reason: "It holds no other server.", vm: settledVM(says("Reboot announced")), k3s: draining, ask: reboot, others: two,
			want: PlannedOutage{Wanted: []Outage{OutageReboot}, Drains: true},
		},
		"DrainIsAskedForAndBlocked": {reason: "Without a Node that is known there is none to drain.", vm: settledVM(), ask: v1alpha1.Lifecycle{Drain: "d"}, others: two},
		"JoinedACluster": {
			reason: "The cluster has a name, so that its servers can be counted.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home", ServerURL: "https://home:6443"}, ask: reboot, others: two,
			want: awaited(OutageReboot),
		},
		"JoinedNobodyKnowsWhat": {
			reason: "The others have no name, so that nobody can count them.", vm: settledVM(), k3s: machine.K3s{Role: v1alpha1.K3sServer, ServerURL: "https://home:6443"}, ask: reboot,
			want: refused(OutageReboot, Blocker{Reason: BlockedByNoCluster}),
		},
		"ForcedForNothing": {reason: "A value is not kept for later.", vm: settledVM(), ask: v1alpha1.Lifecycle{Force: "f"}, others: one, want: PlannedOutage{Forced: []string{"f"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{Power: tc.power, Lifecycle: tc.ask, K3s: &tc.k3s, RunsCrossplane: tc.runs}

			switch {
			case tc.plain:
				m.K3s = nil
			case tc.k3s.Role == "":
				tc.k3s.Role, tc.k3s.Cluster = v1alpha1.K3sServer, "home"
			}

			s := &Situation{Request: Request{Machine: m, Servers: Servers{Known: true, VMs: tc.others}}, vm: tc.vm}
			s.Roles.Trigger = tc.replace

			if tc.node != nil {
				s.Roles.Active, s.Observed.VMs = FirstVM, map[string]proxmox.ObservedVM{FirstVM: tc.vm}
				s.Node = ReadNode{Name: "server-1", Node: tc.node}
			}

			if tc.trial {
				s.Roles.Candidate, s.trial = "vm-0123456789", trialUnderWay
			}

			var changes []change.Change
			if tc.pending {
				changes = []change.Change{{}}
			}

			g := change.Guarded{VM: tc.vm.Spec.ForProvider}
			if tc.moves {
				g.VM.NodeName, g.VM.Migrate = "pve2", true
			}

			if tc.plugs {
				s.vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}}
				g.VM.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr1"}}
			}

			if diff := cmp.Diff(tc.want, plannedOutage(s, g, changes).outage, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nplannedOutage(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestServersAreAskedForFirst: nothing is decided about an outage before the other servers are known.
func TestServersAreAskedForFirst(t *testing.T) {
	m := &machine.Machine{Lifecycle: v1alpha1.Lifecycle{Reboot: "a"}, K3s: &machine.K3s{Role: v1alpha1.K3sServer, Cluster: "home"}}
	s := &Situation{Request: Request{Machine: m}, vm: settledVM()}

	out := plannedOutage(s, change.Guarded{VM: settledVM().Spec.ForProvider}, nil).outage
	if !out.AsksServers || !out.Waits() {
		t.Errorf("plannedOutage(): want a question and no outage, got %+v", out)
	}
}

// TestAnnouncementOf holds what other servers read off a VM, also off one that an earlier release wrote.
func TestAnnouncementOf(t *testing.T) {
	for name, tc := range map[string]struct {
		annotations map[string]string
		want        Announcement
	}{
		"None":       {},
		"Announced":  {map[string]string{proxmox.OutageAnnotation: "Stop announced"}, Announcement{Outage: OutageStop}},
		"Begun":      {map[string]string{proxmox.OutageAnnotation: "Migration begun"}, Announcement{Outage: OutageMigration, Begun: true}},
		"Restarts":   {map[string]string{proxmox.OutageAnnotation: "Reboot begun 3f0c6d3e"}, Announcement{Outage: OutageReboot, Begun: true, BootID: "3f0c6d3e"}},
		"Replacing":  {map[string]string{proxmox.ReplacingAnnotation: "a"}, Announcement{Outage: OutageReplacement}},
		"Stopped":    {map[string]string{proxmox.ReplacingAnnotation: "a", proxmox.StoppedForAnnotation: "replacement"}, Announcement{Outage: OutageReplacement, Begun: true}},
		"Restarting": {map[string]string{proxmox.StoppedForAnnotation: "restart"}, Announcement{Outage: OutageReboot, Begun: true}},
		"Candidate":  {map[string]string{proxmox.CandidateAnnotation: "true"}, Announcement{Outage: OutageReplacement, Begun: true}},
	} {
		t.Run(name, func(t *testing.T) {
			vm := proxmox.ObservedVM{}
			vm.Spec.ManagementPolicies = proxmox.Policies(true)
			vm.Metadata.Annotations = tc.annotations

			if diff := cmp.Diff(tc.want, announcementOf(vm)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}

	for _, a := range []Announcement{{}, {Outage: OutageReboot}, {Outage: OutageStop, Begun: true}, {Outage: OutageReboot, Begun: true, BootID: "x"}, restarted("10:00", ""), restarted("10:00", "10:05")} {
		vm := proxmox.ObservedVM{}
		vm.Metadata.Annotations = map[string]string{proxmox.OutageAnnotation: a.String()}

		if got := announcementOf(vm); got != a {
			t.Errorf("%+v is written as %q and read as %+v", a, a.String(), got)
		}
	}
}

// restarted is a restart whose Node has the boot ID of before, with the reports of its kubelet that count.
func restarted(first, second string) Announcement {
	return Announcement{Outage: OutageReboot, Begun: true, BootID: "x", Reports: [2]string{first, second}}
}
