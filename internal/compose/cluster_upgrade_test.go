package compose

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
)

// An upgradeCall is a call for a cluster of a server and an agent that system-upgrade-controller upgrades, and that are at rest.
type upgradeCall struct {
	t     *testing.T
	req   *fnv1.RunFunctionRequest
	spec  map[string]any
	entry map[string]any
	runs  map[string]string // The releases of nodes that run another one than v1.33.6+k3s1.
	plans map[string]any    // The status of a Plan's Object, by composed resource name; nil where there are none.
	names map[string]any    // The nodes that a Plan names.
}

func newUpgradeCall(t *testing.T) *upgradeCall {
	t.Helper()

	written := func() any {
		return map[string]any{
			"conditions": []any{map[string]any{"type": "Synced", "status": "True"}},
			"atProvider": map[string]any{"manifest": map[string]any{"metadata": map[string]any{"name": "home"}}},
		}
	}

	return &upgradeCall{
		t: t, req: clusterRequest(t), runs: map[string]string{}, names: map[string]any{},
		spec:  map[string]any{"cluster": "home", "upgrade": "SystemUpgrade", "servers": map[string]any{"count": 1.0, "class": "medium"}},
		entry: map[string]any{"server": "https://192.168.4.210:6443", "version": "v1.33.6+k3s1", "observe": "Object", "providerConfig": "home"},
		plans: map[string]any{"upgrade-plan-servers": written(), "upgrade-plan-agents": written()},
	}
}

// request is the call with all that it has.
func (u *upgradeCall) request() *fnv1.RunFunctionRequest {
	u.t.Helper()

	o := u.req.GetObserved().GetComposite().GetResource().AsMap()
	spec, _ := o["spec"].(map[string]any)
	delete(spec, "version")
	delete(spec, "endpoint")
	maps.Copy(spec, u.spec)
	u.req.Observed.Composite.Resource = content(u.t, o)

	catalogue := u.req.GetRequiredResources()[catalogRequirement].GetItems()[0]
	c := catalogue.GetResource().AsMap()
	data, _ := c["data"].(map[string]any)
	data["clusters"] = map[string]any{"home": u.entry}
	catalogue.Resource = content(u.t, c)

	u.req.RequiredResources[clusterVMsRequirement] = &fnv1.Resources{}
	u.req.RequiredResources[objectKindRequirement] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content(u.t, map[string]any{
		"metadata": map[string]any{"name": "objects.kubernetes.m.crossplane.io"},
		"spec":     map[string]any{"versions": []any{map[string]any{"name": "v1alpha1", "served": true}}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
	})}}}
	u.req.Observed.Resources = map[string]*fnv1.Resource{}

	// The first answers are what the nodes were created with.
	for range 2 {
		for name, r := range u.answer().GetDesired().GetResources() {
			if _, there := u.req.GetObserved().GetResources()[name]; !there && r.GetResource().GetFields()["kind"].GetStringValue() == claim.KindK3sNode {
				u.req.Observed.Resources[name] = &fnv1.Resource{Resource: content(u.t, u.joined(name, r.GetResource().AsMap()))}
			}
		}
	}

	for name, status := range u.plans {
		u.req.Observed.Resources[name] = &fnv1.Resource{Resource: content(u.t, map[string]any{
			"apiVersion": "kubernetes.m.crossplane.io/v1alpha1", "kind": "Object", "metadata": map[string]any{"name": name}, "status": status,
			"spec": map[string]any{"forProvider": map[string]any{"manifest": map[string]any{"spec": map[string]any{
				"version":      "v1.33.6+k3s1",
				"nodeSelector": map[string]any{"matchExpressions": []any{map[string]any{"key": "kubernetes.io/hostname", "operator": "In", "values": u.names[name]}}},
			}}}},
		})}
	}

	return u.req
}

func (u *upgradeCall) answer() *fnv1.RunFunctionResponse {
	u.t.Helper()

	for i := range 3 {
		u.req.RequiredResources[fmt.Sprintf("%sserver-%d", memberRequirement, i)] = &fnv1.Resources{}
		u.req.RequiredResources[fmt.Sprintf("%sworker-%d", memberRequirement, i)] = &fnv1.Resources{}
	}

	return Answer(u.req)
}

// plansOf an answer are the composed resources that are Plans.
func (*upgradeCall) plansOf(rsp *fnv1.RunFunctionResponse) []string {
	var out []string

	for name, r := range rsp.GetDesired().GetResources() {
		if object.IsPlan(name, r.GetResource()) {
			out = append(out, name)
		}
	}

	return out
}

// joined is a node that has joined its cluster, and answers its spec.
func (u *upgradeCall) joined(name string, o map[string]any) map[string]any {
	u.t.Helper()

	o["status"] = map[string]any{
		"kubernetes": map[string]any{"name": "home-" + name, "joined": true, "ready": true, "version": "v1.33.6+k3s1"},
		"conditions": []any{
			map[string]any{"type": "Ready", "status": "True"},
			map[string]any{"type": "Synced", "status": "True"},
			map[string]any{"type": "NodeJoined", "status": "True", "reason": "Joined"},
			map[string]any{"type": cluster.TypeSpecObserved, "status": "True", "message": claim.Intent(o)},
		},
	}

	return o
}

// runsNow lets a node run another release.
func (u *upgradeCall) runsNow(name, release string) {
	u.t.Helper()

	o := u.req.GetObserved().GetResources()[name].GetResource().AsMap()
	status, _ := o["status"].(map[string]any)
	kubernetes, _ := status["kubernetes"].(map[string]any)
	kubernetes["version"] = release
	u.req.Observed.Resources[name].Resource = content(u.t, o)
}

// planned are the Nodes and the release of the Plans in an answer, by composed resource name, and whether the Plans go with the claim.
func planned(t *testing.T, rsp *fnv1.RunFunctionResponse) map[string]string {
	t.Helper()

	out := map[string]string{}

	for name, r := range rsp.GetDesired().GetResources() {
		if !object.IsPlan(name, r.GetResource()) {
			continue
		}

		o, err := object.Read[object.ObservedPlan](r.GetResource())
		if err != nil {
			t.Fatal(err)
		}

		out[name] = fmt.Sprintf("%s %v", o.Version(), o.Nodes())

		if slices.Contains(o.Spec.ManagementPolicies, "Delete") {
			out[name] += " goes"
		}
	}

	return out
}

func TestClusterUpgrade(t *testing.T) {
	const asIs = "All nodes are as the claim describes them."

	failed := func(message string) any {
		return map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "False", "message": message}}}
	}
	rests := map[string]string{"upgrade-plan-servers": "v1.33.6+k3s1 [] goes", "upgrade-plan-agents": "v1.33.6+k3s1 [] goes"}

	cases := map[string]struct {
		reason  string
		edit    func(*upgradeCall)
		plans   map[string]string
		state   string
		message string
	}{
		"AtRest": {reason: "The Plans are there, and name nobody.", plans: rests, state: "Complete", message: asIs},
		"Upgrade": {
			reason:  "The server has its turn.",
			edit:    func(u *upgradeCall) { u.spec["version"] = "v1.33.7+k3s3" },
			plans:   map[string]string{"upgrade-plan-servers": "v1.33.7+k3s3 [home-server-0] goes", "upgrade-plan-agents": "v1.33.6+k3s1 [] goes"},
			state:   "Progressing",
			message: "K3s v1.33.7+k3s3 is being rolled out by system-upgrade-controller: 0 of 2 nodes run it; waits for server-0.",
		},
		"UnknownEtcd": {
			reason: "Nobody knows whether its etcd is 3.6: a person has to look.",
			edit:   func(u *upgradeCall) { u.spec["version"] = "v1.33.99+k3s1" },
			plans:  map[string]string{"upgrade-plan-servers": "v1.33.99+k3s1 [home-server-0] goes", "upgrade-plan-agents": "v1.33.6+k3s1 [] goes"},
			state:  "Progressing",
			message: "K3s v1.33.99+k3s1 is being rolled out by system-upgrade-controller: 0 of 2 nodes run it; waits for server-0. The function does not know the etcd of " +
				"one of the two releases: servers with an etcd before 3.5.26 must not get etcd 3.6; see docs/clusters.md, Upgrades and etcd.",
		},
		"Catalogue": {
			reason: "The release may be the catalogue's; the agent follows.",
			edit: func(u *upgradeCall) {
				u.entry["version"], u.runs["server-0"], u.names["upgrade-plan-servers"] = "v1.33.7+k3s1", "v1.33.7+k3s1", []any{"home-server-0"}
			},
			plans:   map[string]string{"upgrade-plan-servers": "v1.33.6+k3s1 [] goes", "upgrade-plan-agents": "v1.33.7+k3s1 [home-worker-0] goes"},
			state:   "Progressing",
			message: "K3s v1.33.7+k3s1 is being rolled out by system-upgrade-controller: 1 of 2 nodes run it; waits for worker-0.",
		},
		"NotWritten": {
			reason: "The Plans come first.",
			edit:   func(u *upgradeCall) { u.spec["version"], u.plans = "v1.33.7+k3s3", nil },
			plans:  rests, state: "Waiting", message: "The next turn waits for provider-kubernetes; 0 of 2 nodes are done.",
		},
		"NoController": {
			reason: "A person has to install it.",
			edit: func(u *upgradeCall) {
				u.spec["version"] = "v1.33.7+k3s3"
				u.plans["upgrade-plan-servers"] = failed(`observe failed: cannot get object: no matches for kind "Plan" in version "upgrade.cattle.io/v1"`)
			},
			plans: rests, state: "Blocked",
			message: "The cluster has no system-upgrade-controller, so K3s is not upgraded: apply " + object.PlanManifests + "/crd.yaml and " +
				object.PlanManifests + "/system-upgrade-controller.yaml there.",
		},
		"Silent": {
			reason: "The API server of a cluster with one server is away while that is upgraded, which is for nobody to decide.",
			edit: func(u *upgradeCall) {
				u.spec["version"] = "v1.33.7+k3s3"
				u.plans["upgrade-plan-servers"] = failed("observe failed: cannot get object: dial tcp 192.168.4.210:6443: i/o timeout")
			},
			plans: rests, state: "Waiting",
			message: "The next turn waits for provider-kubernetes (it cannot reach the API server of the cluster); 0 of 2 nodes are done.",
		},
		"NoControllerAtRest": {
			reason: "The claim says it before an upgrade waits for it, and repeats nothing of what an API server says.",
			edit: func(u *upgradeCall) {
				u.plans["upgrade-plan-servers"] = failed(`observe failed: plans is forbidden: User "secret" cannot get`)
			},
			plans: rests, state: "Complete",
			message: asIs + " provider-kubernetes may not write Plans into namespace system-upgrade: apply install/observe/provider-kubernetes-plans.yaml in the cluster.",
		},
		"NoProvider": {
			reason: "Crossplane could apply nothing of an answer with a kind that it does not know.",
			edit: func(u *upgradeCall) {
				u.plans = nil
				u.req.RequiredResources[objectKindRequirement] = &fnv1.Resources{}
			},
			plans: map[string]string{}, state: "Complete",
			message: asIs + " provider-kubernetes is not installed, which writes the Plans of system-upgrade-controller: see docs/node.md, With provider-kubernetes.",
		},
		"Off": {
			reason: "The Plans go.",
			edit:   func(u *upgradeCall) { u.spec["upgrade"] = "None" }, plans: map[string]string{}, state: "Complete", message: asIs,
		},
		"Goes": {
			reason: "Nobody could delete a Plan in a cluster that goes, too.",
			edit:   func(u *upgradeCall) { u.spec["deletionPolicy"], u.spec["deletionProtection"] = "Delete", false },
			plans:  map[string]string{"upgrade-plan-servers": "v1.33.6+k3s1 []", "upgrade-plan-agents": "v1.33.6+k3s1 []"}, state: "Complete", message: asIs,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := newUpgradeCall(t)
			noKind := false

			if tc.edit != nil {
				tc.edit(u)
				noKind = name == "NoProvider"
			}

			req := u.request()
			if noKind {
				req.RequiredResources[objectKindRequirement] = &fnv1.Resources{}
			}

			for node, release := range u.runs {
				u.runsNow(node, release)
			}

			rsp := u.answer()

			for _, r := range rsp.GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					t.Fatal(r.GetMessage())
				}
			}

			if diff := cmp.Diff(tc.plans, planned(t, rsp)); diff != "" {
				t.Errorf("%s\nPlans: -want, +got:\n%s", tc.reason, diff)
			}

			rollout := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["rollout"].GetStructValue().GetFields()
			if got := rollout["message"].GetStringValue(); got != tc.message || rollout["state"].GetStringValue() != tc.state {
				t.Errorf("%s\nthe status says %s, %q; want %s, %q", tc.reason, rollout["state"].GetStringValue(), got, tc.state, tc.message)
			}
		})
	}
}

// TestClusterUpgradeRefused: a release that the running nodes cannot be upgraded to is refused, however nodes are upgraded, and the rest of the claim takes
// effect: another agent is created, with the release that the servers run.
func TestClusterUpgradeRefused(t *testing.T) {
	const (
		refused = "This part of the cluster's claim is refused, and the rest takes effect: "
		etcd    = refused + `spec.version: "v1.34.2+k3s1": would have etcd 3.6 count removed members again: server server-0 runs v1.33.6+k3s1, with an etcd before 3.5.26; ` +
			`upgrade to v1.33.7+k3s3 first.`
	)

	cases := map[string]struct {
		reason, version, upgrade string
		runs                     map[string]string
		unread                   bool // Whether the catalogue's entry of the cluster has no observe any more.
		want                     string
	}{
		"Skip": {
			reason: "Kubernetes supports no skip.", version: "v1.35.0+k3s1", upgrade: "SystemUpgrade",
			want: refused + `spec.version: "v1.35.0+k3s1": skips a minor release: node server-0 runs v1.33.6+k3s1; upgrade to a release of v1.34 first: one after the other, v1.33.7+k3s3, v1.34.9+k3s1, v1.35.0+k3s1.`,
		},
		"EtcdInPlace":     {reason: "The cluster would stop.", version: "v1.34.2+k3s1", upgrade: "SystemUpgrade", want: etcd},
		"EtcdReplacement": {reason: "So it would with new VMs.", version: "v1.34.2+k3s1", upgrade: "Replace", want: etcd},
		"EtcdRepaired": {
			reason: "Etcd has forgotten the members that were removed.", version: "v1.34.2+k3s1", upgrade: "SystemUpgrade",
			runs: map[string]string{"server-0": "v1.33.7+k3s3", "worker-0": "v1.33.7+k3s3"}, want: "The claim is valid.",
		},
		"ObserveLeaves": {
			reason: "Nobody can tell what runs: the Plans stay.", version: "v1.33.6+k3s1", upgrade: "SystemUpgrade", unread: true,
			want: refused + `spec.upgrade: "SystemUpgrade": needs providerConfig and observe in the catalogue's entry of cluster home: provider-kubernetes writes the Plans ` +
				`into the cluster, and the Nodes say what runs.`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u := newUpgradeCall(t)
			req := u.request()

			for node, release := range tc.runs {
				u.runsNow(node, release)
			}

			spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()
			maps.Copy(spec, content(t, map[string]any{"version": tc.version, "upgrade": tc.upgrade}).GetFields())
			spec["agents"].GetListValue().GetValues()[0].GetStructValue().GetFields()["count"] = structpb.NewNumberValue(2)

			if tc.unread {
				catalogue := req.GetRequiredResources()[catalogRequirement].GetItems()[0]
				c := catalogue.GetResource().AsMap()
				c["data"].(map[string]any)["clusters"] = map[string]any{"home": map[string]any{"server": "https://192.168.4.210:6443", "version": "v1.33.6+k3s1"}}
				catalogue.Resource = content(t, c)
			}

			rsp := u.answer()

			for _, r := range rsp.GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					t.Fatal(r.GetMessage())
				}
			}

			if diff := cmp.Diff(tc.want, validity(rsp)); diff != "" {
				t.Errorf("%s\nSpecValid: -want, +got:\n%s", tc.reason, diff)
			}

			if got := len(u.plansOf(rsp)); tc.upgrade == "SystemUpgrade" && got != 2 {
				t.Errorf("%s\nwant both Plans, got %d", tc.reason, got)
			}

			worker := rsp.GetDesired().GetResources()["worker-1"].GetResource().GetFields()["spec"].GetStructValue().GetFields()["k3s"].GetStructValue().GetFields()
			if got := worker["version"].GetStringValue(); tc.want != "The claim is valid." && got != "v1.33.6+k3s1" {
				t.Errorf("%s\nwant another agent with v1.33.6+k3s1, got %q", tc.reason, got)
			}
		})
	}
}

// TestClusterUpgradedByHand: where a person upgraded the nodes beyond the release of the claim, or of the catalogue, the next VMs come with what runs, and
// RolledOut says so.
func TestClusterUpgradedByHand(t *testing.T) {
	const runs = "v1.34.2+k3s1"

	const done = "All nodes are as the claim describes them. The next VM of server-0, worker-0 comes with K3s v1.34.2+k3s1, and not with v1.33.6+k3s1, " +
		"which is older than what runs: write v1.34.2+k3s1 as the version."

	for name, tc := range map[string]struct {
		reason  string
		version any
		agents  float64
		want    string
	}{
		"Claim":     {"The claim did not follow.", "v1.33.6+k3s1", 1, done},
		"Catalogue": {"Nor did the catalogue.", nil, 1, done},
		"Follows":   {"The claim names it.", runs, 1, "All nodes are as the claim describes them."},
		"New": {
			"A node is added.", "v1.33.6+k3s1", 2, "worker-1 is being created: it does not exist yet, and comes with K3s v1.34.2+k3s1, since that runs, " +
				"not with the earlier v1.33.6+k3s1; 2 of 3 nodes are done.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpgradeCall(t)
			req := u.request()

			u.runsNow("server-0", runs)
			u.runsNow("worker-0", runs)

			spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue().GetFields()
			maps.Copy(spec, content(t, map[string]any{"version": tc.version, "upgrade": "None"}).GetFields())
			spec["agents"].GetListValue().GetValues()[0].GetStructValue().GetFields()["count"] = structpb.NewNumberValue(tc.agents)

			rsp := u.answer()
			if diff := cmp.Diff(tc.want, saysOf(rsp, cluster.TypeRolledOut)); diff != "" {
				t.Errorf("%s\nRolledOut: -want, +got:\n%s", tc.reason, diff)
			}

			for name, r := range rsp.GetDesired().GetResources() {
				k := r.GetResource().GetFields()["spec"].GetStructValue().GetFields()["k3s"].GetStructValue().GetFields()
				if got := k["version"].GetStringValue(); got != runs {
					t.Errorf("%s\nthe next VM of %s comes with %q", tc.reason, name, got)
				}
			}
		})
	}
}

// TestClusterUpgradeKeepsPlans: a call that cannot decide yet writes the Plans as they are.
func TestClusterUpgradeKeepsPlans(t *testing.T) {
	u := newUpgradeCall(t)
	u.names["upgrade-plan-servers"] = []any{"home-server-0"}
	req := u.request()
	delete(req.GetRequiredResources(), catalogRequirement)

	want := map[string]string{"upgrade-plan-servers": "v1.33.6+k3s1 [home-server-0]", "upgrade-plan-agents": "v1.33.6+k3s1 []"}
	if diff := cmp.Diff(want, planned(t, Answer(req))); diff != "" {
		t.Errorf("Plans: -want, +got:\n%s", diff)
	}
}

// validity is the message of condition SpecValid.
func validity(rsp *fnv1.RunFunctionResponse) string { return saysOf(rsp, "SpecValid") }

// saysOf is the message of a condition; empty where there is none.
func saysOf(rsp *fnv1.RunFunctionResponse, condition string) string {
	i := slices.IndexFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool { return c.GetType() == condition })
	if i < 0 {
		return ""
	}

	return rsp.GetConditions()[i].GetMessage()
}
