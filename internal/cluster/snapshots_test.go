package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// inS3 are snapshots with every field.
func inS3() *v1alpha1.EtcdSnapshots {
	return &v1alpha1.EtcdSnapshots{
		Schedule: "0 */6 * * *", Retention: new(int64(12)), S3: &v1alpha1.SnapshotsInS3{SecretRef: v1alpha1.KubeSystemSecret{Name: "etcd-s3"}},
	}
}

func withConfig(config map[string]any) v1alpha1.NodeTemplate {
	return v1alpha1.NodeTemplate{"k3s": map[string]any{"config": config}}
}

// TestSnapshotsOfServers: the settings are in the config of each server, beside what the pool's template has, and in no agent's.
func TestSnapshotsOfServers(t *testing.T) {
	spec := claimed(1, 1)
	spec.Servers.Snapshots = inS3()
	spec.Servers.Template = withConfig(map[string]any{"secrets-encryption": true})
	spec.Agents[0].Template = withConfig(map[string]any{"kubelet-arg": []any{"max-pods=200"}})

	members, err := Members(identity, spec, false)
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]any{
		"secrets-encryption": true, "etcd-snapshot-schedule-cron": "0 */6 * * *", "etcd-snapshot-retention": 12.0, "etcd-s3": true, "etcd-s3-config-secret": "etcd-s3",
	}
	if diff := cmp.Diff(want, configOf(members[0].Spec)); diff != "" {
		t.Errorf("config of the server: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(want, configOf(members[0].Founder)); diff != "" {
		t.Errorf("config of the server that starts the cluster: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(map[string]any{"kubelet-arg": []any{"max-pods=200"}}, configOf(members[1].Spec)); diff != "" {
		t.Errorf("config of the agent: -want, +got:\n%s", diff)
	}

	if config := spec.Servers.Template["k3s"].(map[string]any)["config"].(map[string]any); len(config) != 1 {
		t.Errorf("the claim itself was written to: %v", config)
	}
}

// TestNoSnapshots: a claim that says nothing of snapshots has the specs that it had before there was the field.
func TestNoSnapshots(t *testing.T) {
	spec := claimed(1, 0)
	spec.Servers.Snapshots = &v1alpha1.EtcdSnapshots{}

	members, err := Members(identity, spec, false)
	if err != nil {
		t.Fatal(err)
	}

	if k := group(members[0].Spec, "k3s"); k["config"] != nil {
		t.Errorf("the server has the config %v", k["config"])
	}
}

// TestSnapshotsReachTheServers: an edit replaces the servers, one by one, and no agent; OnRequest leaves that to a person.
func TestSnapshotsReachTheServers(t *testing.T) {
	s := newStory(t, claimed(3, 1))
	s.complete(60)
	s.log = nil

	s.spec.Servers.Snapshots = inS3()
	s.complete(60)
	s.logged("server-0 Change", "server-0 Replace", "server-1 Change", "server-1 Replace", "server-2 Change", "server-2 Replace")

	s.spec.Rollout.ReplacePolicy = v1alpha1.ReplaceOnRequest
	s.spec.Servers.Snapshots.Retention = new(int64(3))
	s.settle(60)
	s.logged("server-0 Change", "server-1 Change", "server-2 Change")
}

func TestCheckSnapshots(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		want   []string
	}{
		"Right": {reason: "Every field.", edit: func(*v1alpha1.K3sClusterSpec) {}},
		"Values": {
			reason: "K3s would not start, or take none.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Snapshots = &v1alpha1.EtcdSnapshots{
					Schedule: "every hour", Retention: new(int64(0)), S3: &v1alpha1.SnapshotsInS3{SecretRef: v1alpha1.KubeSystemSecret{Name: "Etcd S3"}},
				}
			},
			want: []string{
				`spec.servers.snapshots.schedule: Invalid value: "every hour": must be the five fields of cron, such as 0 */6 * * *`,
				"spec.servers.snapshots.retention: Invalid value: 0: must be 1 to 1000",
				`spec.servers.snapshots.s3.secretRef.name: Invalid value: "Etcd S3": must be the name of a Secret, such as etcd-s3`,
			},
		},
		"Twice": {
			reason: "Which of two values counts nobody should have to know.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Template = withConfig(map[string]any{"etcd-snapshot-retention": 20.0, "etcd-s3": true})
			},
			want: []string{
				"spec.servers.template.k3s.config[etcd-snapshot-retention]: Forbidden: spec.servers.snapshots.retention says it; remove one of the two",
				"spec.servers.template.k3s.config[etcd-s3]: Forbidden: spec.servers.snapshots.s3 says it; remove one of the two",
			},
		},
		"OtherOptionsOfS3": {
			reason: "K3s would ignore the Secret.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Template = withConfig(map[string]any{"etcd-s3-bucket": "b"})
			},
			want: []string{
				"spec.servers.snapshots.s3: Forbidden: K3s ignores the Secret because of spec.servers.template.k3s.config[etcd-s3-bucket]: move it into the Secret, and remove it there",
			},
		},
		"Off": {
			reason: "The claim says both.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Template = withConfig(map[string]any{"etcd-disable-snapshots": true})
			},
			want: []string{
				"spec.servers.snapshots: Forbidden: spec.servers.template.k3s.config[etcd-disable-snapshots] is true, so that K3s takes none; remove one of the two",
			},
		},
		"NoEtcd": {
			reason: "There is nothing to save.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Template = withConfig(map[string]any{"disable-etcd": true})
			},
			want: []string{
				"spec.servers.snapshots: Forbidden: the servers have no etcd of their own, by spec.servers.template.k3s.config: save the datastore that has the cluster's state",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			spec.Servers.Snapshots = inS3()
			tc.edit(&spec)

			if diff := cmp.Diff(tc.want, texts(Check(identity, spec))); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCheckSnapshotsOfServers(t *testing.T) {
	const at = "EnvironmentConfig machine-catalog: data.clusters[home]"

	cases := map[string]struct {
		reason  string
		version string
		config  map[string]any
		own     map[string]any
		want    []string
	}{
		"Default": {reason: "The catalogue's is the default, and the claim's takes precedence.", config: map[string]any{"etcd-snapshot-retention": 20.0}},
		"Hidden": {
			reason: "K3s would ignore the Secret.", config: map[string]any{"etcd-s3-bucket": "b", "etcd-s3-region": "r"},
			want: []string{
				"spec.servers.snapshots.s3: Forbidden: K3s ignores the Secret because of " + at + ".config[etcd-s3-bucket]: move it into the Secret, and remove it there",
				"spec.servers.snapshots.s3: Forbidden: K3s ignores the Secret because of " + at + ".config[etcd-s3-region]: move it into the Secret, and remove it there",
			},
		},
		"Outside": {
			reason: "An external datastore.", config: map[string]any{"datastore-endpoint": "x"},
			want: []string{"spec.servers.snapshots: Forbidden: the servers have no etcd of their own, by " + at + ".config: save the datastore that has the cluster's state"},
		},
		"Off":     {reason: "The template takes precedence over the catalogue.", config: map[string]any{"etcd-disable-snapshots": true}, own: map[string]any{"etcd-disable-snapshots": false}},
		"Release": {reason: "It reads no Secret.", version: "v1.29.0+k3s1", want: []string{"spec.servers.snapshots.s3: Forbidden: K3s v1.29.0+k3s1 cannot read a Secret with the settings of S3: upgrade to v1.29.8+k3s1 or later"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(1, 1)
			spec.Version = tc.version
			spec.Servers.Snapshots = inS3()
			spec.Servers.Template = withConfig(tc.own)

			members, err := Members(identity, spec, false)
			if err != nil {
				t.Fatal(err)
			}

			entry := catalog.Cluster{From: at}
			entry.Config, entry.Version = tc.config, "v1.33.6+k3s1"
			cat := catalog.Catalog{Clusters: map[string]catalog.Cluster{"home": entry}}

			if diff := cmp.Diff(tc.want, texts(checkSnapshotsOf(spec, members[0], cat))); diff != "" {
				t.Errorf("%s\nof the server: -want, +got:\n%s", tc.reason, diff)
			}

			if got := checkSnapshotsOf(spec, members[1], cat); len(got) > 0 {
				t.Errorf("%s\nof the agent: %v", tc.reason, got)
			}
		})
	}
}
