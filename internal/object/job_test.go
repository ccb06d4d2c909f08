package object

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestNewJob(t *testing.T) {
	o := NewJob(Namespaced, "home", Work{
		Task: TaskDrain, Node: "server-2", Key: "server-2-0123456789", Identity: BySystemUUID("7F3C"), Image: "mirror/kubectl:v1", Minutes: 3,
	}, proxmox.Metadata{})

	if diff := cmp.Diff([]string{"Observe", "Create"}, o.Spec.ManagementPolicies); diff != "" {
		t.Errorf("policies: -want, +got:\n%s", diff)
	}

	job := o.Spec.ForProvider.Manifest
	pod := job.Spec.Template.Spec

	if job.Metadata.Name != "drain-server-2-0123456789" || job.Metadata.Namespace != "node-drain" {
		t.Errorf("got %+v", job.Metadata)
	}

	if got := job.Spec.ActiveDeadlineSeconds; got != 3*60+120 {
		t.Errorf("want the time of the drain and of its start, got %d s", got)
	}

	want := [][]string{
		{"kubectl", "wait", "node/server-2", "--for=jsonpath={.status.nodeInfo.systemUUID}=7F3C", "--timeout=30s"},
		{"kubectl", "drain", "server-2", "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=180s", "--skip-wait-for-delete-timeout=120"},
	}
	if diff := cmp.Diff(want, [][]string{pod.InitContainers[0].Command, pod.Containers[0].Command}); diff != "" {
		t.Errorf("commands: -want, +got:\n%s", diff)
	}

	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		if c.Image != "mirror/kubectl:v1" {
			t.Errorf("%s has image %s", c.Name, c.Image)
		}
	}

	terms := []NodeSelectorTerm{{[]NodeSelectorRequirement{{"metadata.name", "NotIn", []string{"server-2"}}}}}
	if diff := cmp.Diff(terms, pod.Affinity.NodeAffinity.Required.Terms); diff != "" {
		t.Errorf("it may run on the node that it drains: -want, +got:\n%s", diff)
	}

	uncordon := NewJob(Cluster, "home", Work{Task: TaskUncordon, Node: "a", Key: "a-0", Identity: ByLabel("x")}, proxmox.Metadata{}).Spec.ForProvider.Manifest
	pod = uncordon.Spec.Template.Spec
	want = [][]string{
		{"kubectl", "wait", "node/a", `--for=jsonpath={.metadata.labels.homelab\.io/machine-uid}=x`, "--timeout=30s"}, {"kubectl", "uncordon", "a"},
	}

	if diff := cmp.Diff(want, [][]string{pod.InitContainers[0].Command, pod.Containers[0].Command}); diff != "" || pod.Affinity != nil {
		t.Errorf("uncordon: -want, +got:\n%s", diff)
	}

	if pod.Containers[0].Image != DefaultDrainImage {
		t.Errorf("got image %s", pod.Containers[0].Image)
	}
}

func TestOutcome(t *testing.T) {
	synced := func(status, message string) []proxmox.Condition {
		return []proxmox.Condition{{Type: "Synced", Status: status, Message: message}}
	}
	is := func(typ, status string) []proxmox.Condition { return []proxmox.Condition{{Type: typ, Status: status}} }

	cases := map[string]struct {
		reason  string
		seen    string // The name of the Job that the provider read.
		job     []proxmox.Condition
		synced  []proxmox.Condition
		outcome JobOutcome
		sight   Sight
	}{
		"New":       {reason: "The provider has not worked on it.", outcome: JobUnknown, sight: SightPending},
		"Runs":      {reason: "It has no conditions.", seen: "x", synced: synced("True", ""), outcome: JobRunning},
		"Suspended": {reason: "No other condition is an end.", seen: "x", job: is("Suspended", "True"), synced: synced("True", ""), outcome: JobRunning},
		"Complete":  {reason: "It ended well.", seen: "x", job: is("Complete", "True"), synced: synced("True", ""), outcome: JobComplete},
		"Failed":    {reason: "It failed.", seen: "x", job: is("Failed", "True"), synced: synced("True", ""), outcome: JobFailed},
		"NotFailed": {reason: "A condition can be False.", seen: "x", job: is("Failed", "False"), synced: synced("True", ""), outcome: JobRunning},
		"CompleteAndUnreachable": {
			reason: "What has ended stays so.", seen: "x", job: is("Complete", "True"), synced: synced("False", "connect failed"), outcome: JobComplete,
		},
		"Other":       {reason: "It is another Job's.", seen: "y", job: is("Complete", "True"), synced: synced("True", ""), outcome: JobUnknown},
		"Forbidden":   {reason: "Nobody gave the right.", synced: synced("False", "create failed: jobs.batch is forbidden"), outcome: JobUnknown, sight: SightForbidden},
		"NoNamespace": {reason: "Nobody created it.", synced: synced("False", `create failed: namespaces "node-drain" not found`), outcome: JobUnknown, sight: SightNoNamespace},
		"Unreachable": {reason: "The cluster is down.", seen: "x", synced: synced("False", "observe failed: timeout"), outcome: JobRunning, sight: SightUnreachable},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := ObservedJob{}
			o.Spec.ForProvider.Manifest.Metadata.Name = "x"
			o.Status.Conditions = tc.synced
			o.Status.AtProvider.Manifest.Metadata.Name, o.Status.AtProvider.Manifest.Status.Conditions = tc.seen, tc.job

			if outcome, sight := o.Outcome(); outcome != tc.outcome || sight != tc.sight {
				t.Errorf("%s: want %s %q, got %s %q", tc.reason, tc.outcome, tc.sight, outcome, sight)
			}
		})
	}
}
