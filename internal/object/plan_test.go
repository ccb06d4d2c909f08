package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	serversPlan = `
apiVersion: upgrade.cattle.io/v1
kind: Plan
metadata: {name: home-servers, namespace: system-upgrade, labels: {app.kubernetes.io/managed-by: function-proxmox-machine}}
spec:
  concurrency: 1
  cordon: true
  nodeSelector:
    matchExpressions:
      - {key: kubernetes.io/hostname, operator: In, values: [home-server-0]}
      - {key: node-role.kubernetes.io/control-plane, operator: In, values: ["true"]}
      - {key: k3s-upgrade, operator: NotIn, values: [disabled, "false"]}
  serviceAccountName: system-upgrade
  tolerations: [{operator: Exists}]
  upgrade: {image: rancher/k3s-upgrade}
  version: v1.34.2+k3s1
`
	agentsPlan = `
apiVersion: upgrade.cattle.io/v1
kind: Plan
metadata: {name: home-agents, namespace: upgrades, labels: {app.kubernetes.io/managed-by: function-proxmox-machine}}
spec:
  concurrency: 2
  cordon: true
  drain: {deleteEmptydirData: true, ignoreDaemonSets: true, timeout: 15m, skipWaitForDeleteTimeout: 120}
  jobActiveDeadlineSecs: 1500
  nodeSelector:
    matchExpressions:
      - {key: kubernetes.io/hostname, operator: DoesNotExist}
      - {key: node-role.kubernetes.io/control-plane, operator: NotIn, values: ["true"]}
      - {key: k3s-upgrade, operator: NotIn, values: [disabled, "false"]}
  prepare: {image: registry.home.arpa:5000/k3s-upgrade, args: [prepare, home-servers]}
  serviceAccountName: upgrader
  tolerations: [{operator: Exists}]
  upgrade: {image: registry.home.arpa:5000/k3s-upgrade}
  version: v1.34.2+k3s1
  window: {days: [saturday], startTime: "02:00", endTime: "05:00", timeZone: Europe/Berlin}
`
)

func TestNewPlan(t *testing.T) {
	cases := map[string]struct {
		reason    string
		upgrade   Upgrade
		mayDelete bool
		policies  []any
		want      string
	}{
		"Servers": {
			reason:    "The server that has its turn, with the controller's own settings.",
			upgrade:   Upgrade{Name: "home-servers", Nodes: []string{"home-server-0"}, Version: "v1.34.2+k3s1", Concurrency: 1},
			mayDelete: true, policies: []any{"Observe", "Create", "Update", "Delete"}, want: serversPlan,
		},
		"NoAgents": {
			reason: "No agent has its turn, so that the Plan chooses no Node.",
			upgrade: Upgrade{
				Agents: true,
				Name:   "home-agents", Servers: "home-servers", Version: "v1.34.2+k3s1", Concurrency: 2, DrainMinutes: 15,
				Window:    &PlanWindow{Days: []string{"saturday"}, StartTime: "02:00", EndTime: "05:00", TimeZone: "Europe/Berlin"},
				Namespace: "upgrades", ServiceAccount: "upgrader", Image: "registry.home.arpa:5000/k3s-upgrade",
			},
			policies: []any{"Observe", "Create", "Update"}, want: agentsPlan,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, err := ManifestOf(NewPlan(Namespaced, "home", tc.upgrade, tc.mayDelete, proxmox.Metadata{}))
			if err != nil {
				t.Fatal(err)
			}

			want := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}

			spec, _ := m.AsMap()["spec"].(map[string]any)
			forProvider, _ := spec["forProvider"].(map[string]any)

			if diff := cmp.Diff(want, forProvider["manifest"]); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.policies, spec["managementPolicies"]); diff != "" {
				t.Errorf("%s\npolicies: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPlanSees: whether a Plan is in its cluster. The texts are those of API servers.
func TestPlanSees(t *testing.T) {
	const there = "atProvider: {manifest: {metadata: {name: home-servers}, status: {applying: [home-server-0]}}}"

	failed := func(message string) string {
		return "conditions: [{type: Synced, status: 'False', message: '" + message + "'}]"
	}

	cases := map[string]struct {
		reason string
		status string
		want   Sight
	}{
		"New":     {reason: "The provider has not looked.", status: "{}", want: SightPending},
		"Written": {reason: "It is there.", status: "{" + there + ", conditions: [{type: Synced, status: 'True'}]}", want: SightClear},
		"Stale": {
			reason: "The Plan was written anew since.", status: "{" + there + ", conditions: [{type: Synced, status: 'True', observedGeneration: 1}]}",
			want: SightPending,
		},
		"NotRead": {reason: "The first poll leaves the status empty.", status: "{conditions: [{type: Synced, status: 'True'}]}", want: SightPending},
		"NoKind": {
			reason: "The kind is not installed.",
			status: "{" + failed(`observe failed: cannot get object: no matches for kind "Plan" in version "upgrade.cattle.io/v1"`) + "}", want: SightNoPlans,
		},
		"NoGroup": {
			reason: "Neither is its group.", want: SightNoPlans,
			status: "{" + failed("observe failed: cannot get object: failed to get API group resources: unable to retrieve the complete list of server APIs: "+
				"upgrade.cattle.io/v1: the server could not find the requested resource") + "}",
		},
		"NoNamespace": {
			reason: "Nor the namespace.", want: SightNoNamespace,
			status: "{" + failed(`create failed: cannot create object: namespaces "system-upgrade" not found`) + "}",
		},
		"Forbidden": {
			reason: "The rights are missing.", want: SightForbidden,
			status: "{" + failed(`observe failed: cannot get object: plans.upgrade.cattle.io "home-servers" is forbidden: User "x" cannot get resource`) + "}",
		},
		"Silent": {reason: "Nobody answers.", want: SightUnreachable, status: "{" + failed("observe failed: cannot get object: dial tcp: i/o timeout") + "}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			content := map[string]any{}
			if err := yaml.Unmarshal([]byte("kind: Object\nmetadata: {generation: 2}\nspec: {forProvider: {manifest: "+
				"{spec: {version: v1.34.2+k3s1, nodeSelector: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [home-server-0]}]}}}}}\n"+
				"status: "+tc.status), &content); err != nil {
				t.Fatal(err)
			}

			s, err := structpb.NewStruct(content)
			if err != nil {
				t.Fatal(err)
			}

			o, err := Read[ObservedPlan](s)
			if err != nil {
				t.Fatal(err)
			}

			if got := o.Sees(); got != tc.want {
				t.Errorf("%s\nSees() = %q, want %q", tc.reason, got, tc.want)
			}

			if got := o.Nodes(); len(got) != 1 || got[0] != "home-server-0" || o.Version() != "v1.34.2+k3s1" {
				t.Errorf("the Plan is read as one for %v with %s", got, o.Version())
			}
		})
	}
}
