package cluster

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

const snapshot = "etcd-snapshot-home-server-0-1732240800"

// restoring is a claim whose cluster begins with a snapshot.
func restoring(servers int64) v1alpha1.K3sClusterSpec {
	spec := claimed(servers, 1)
	spec.Servers.Snapshots = inS3()
	spec.Servers.Restore = &v1alpha1.EtcdRestore{Snapshot: snapshot, SecretRef: &v1alpha1.SecretFileRef{Name: "etcd-s3-restore", Key: "s3.yaml"}, AllowPlaintext: true}

	return spec
}

// ownSecret is a template with a file from a Secret of its own.
func ownSecret() v1alpha1.NodeTemplate {
	return v1alpha1.NodeTemplate{"bootstrap": map[string]any{"secrets": []any{map[string]any{"path": "/etc/a", "secretRef": map[string]any{"name": "a", "key": "a"}}}}}
}

// TestRestoreIsOfTheFounderAlone: no other node's spec has it, nor the template, by which nodes are changed and replaced.
func TestRestoreIsOfTheFounderAlone(t *testing.T) {
	spec := restoring(3)
	spec.Servers.Template = ownSecret()

	got, err := Members(identity, spec, false)
	if err != nil {
		t.Fatal(err)
	}

	spec.Servers.Restore = nil

	want, err := Members(identity, spec, false)
	if err != nil {
		t.Fatal(err)
	}

	f := got[0].Founder
	if f["k3s"].(map[string]any)["restore"] != snapshot {
		t.Errorf("the server that starts the cluster has %v", f["k3s"])
	}

	secrets := []any{
		map[string]any{"path": "/etc/a", "secretRef": map[string]any{"name": "a", "key": "a"}},
		map[string]any{"path": "/etc/rancher/k3s/restore-s3.yaml", "secretRef": map[string]any{"name": "etcd-s3-restore", "key": "s3.yaml"}, "allowPlaintext": true},
	}
	if diff := cmp.Diff(secrets, f["bootstrap"].(map[string]any)["secrets"]); diff != "" {
		t.Errorf("its files from Secrets: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(want[0].Founder, withoutRestore(f)); diff != "" {
		t.Errorf("the rest of it: -want, +got:\n%s", diff)
	}

	got[0].Founder, want[0].Founder = nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("everything else: -want, +got:\n%s", diff)
	}
}

// TestRestoreOnce: the cluster is born with a snapshot; afterwards neither its removal from the claim, nor its return, nor an edit changes what a server began with, and no
// VM that joins restores again. The next VM of an only server, which a person has to force, has nobody to join, and begins with the snapshot rather than with nothing.
func TestRestoreOnce(t *testing.T) {
	for _, servers := range []int64{1, 3} {
		spec := restoring(servers)
		spec.Servers.Template = ownSecret()
		s := newStory(t, spec)
		s.until(60, v1alpha1.RolloutComplete)

		began := func() string { return restored(s.site.nodes["server-0"].child.Spec) }
		files := func() int { return len(group(s.site.nodes["server-0"].child.Spec, "bootstrap")["secrets"].([]any)) }

		if began() != snapshot {
			t.Fatalf("%d servers: server-0 began with %q", servers, began())
		}

		s.log = nil

		for _, r := range []*v1alpha1.EtcdRestore{nil, {Snapshot: "later"}, restoring(1).Servers.Restore} {
			s.spec.Servers.Restore = r

			if s.call(); len(s.log) > 0 || began() != snapshot {
				t.Errorf("%d servers: %+v changed %v; server-0 began with %q", servers, r, s.log, began())
			}
		}

		// An edit that the VM follows: what it began with stays as it is, so that its bootstrap data is current.
		s.spec.Servers.Class = "large"

		if step := s.call().Steps[0]; !slices.Equal(step.Fields, []string{"class"}) {
			t.Errorf("%d servers: the edit changes %v", servers, step.Fields)
		}

		s.complete(80)

		if began() != snapshot || files() != 2 {
			t.Errorf("%d servers: after an edit, server-0 has %v", servers, s.site.nodes["server-0"].child.Spec)
		}

		s.setNode("server-0", func(n *v1alpha1.ClusterNode) { n.Lifecycle.Replace = "a" })
		s.call()

		if spec := s.site.nodes["server-0"].child.Spec; (began() != "") != (servers == 1) || (files() == 2) != (servers == 1) {
			t.Errorf("%d servers: the next VM of server-0 begins with %q: %v", servers, began(), spec)
		}
	}
}

// TestFaultsOfTheRestore: what is wrong with a file that the claim does not have is named by the field that it comes from.
func TestFaultsOfTheRestore(t *testing.T) {
	spec := restoring(1)
	member := Member{Node: "server-0", Role: v1alpha1.K3sServer, Founder: map[string]any{}, Spec: map[string]any{"bootstrap": map[string]any{"secrets": []any{map[string]any{"path": "/etc/a"}}}}}

	for path, want := range map[string]string{
		"spec.bootstrap.secrets[0].path":           "spec.servers.template.bootstrap.secrets[0].path",
		"spec.bootstrap.secrets":                   "spec.servers.template.bootstrap.secrets",
		"spec.bootstrap.secrets[1].secretRef.name": "spec.servers.restore.secretRef.name",
		"spec.bootstrap.secrets[1].allowPlaintext": "spec.servers.restore.allowPlaintext",
		"spec.k3s.restore":                         "spec.servers.restore.snapshot",
	} {
		if got := place(path, member, spec); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}

	member.Spec = map[string]any{}
	if got := place("spec.bootstrap.secrets", member, spec); got != "spec.servers.restore.secretRef" {
		t.Errorf("without other files: %s", got)
	}
}

func TestCheckRestore(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		want   []string
	}{
		"Right":   {reason: "All that it needs.", edit: func(*v1alpha1.K3sClusterSpec) {}},
		"OwnFile": {reason: "The options of S3 can come from elsewhere.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Restore.SecretRef = nil }},
		"OnDisk":  {reason: "A new VM has no snapshot.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Snapshots.S3 = nil }, want: []string{"spec.servers.restore: Forbidden: a new VM has no snapshot on its disk, so it comes from S3: write servers.snapshots: {s3: {secretRef: {name: etcd-s3}}}, where the restored cluster saves its state, too"}},
		"NoToken": {reason: "Nobody can decrypt it.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Token = nil }, want: []string{"spec.servers.restore: Forbidden: K3s decrypts the snapshot with the token of the time when it was taken: write token, with the Secret that has it"}},
		"NoName":  {reason: "Which one?", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Restore.Snapshot = "" }, want: []string{"spec.servers.restore.snapshot: Required value: must be the name of a snapshot in the bucket, without the folder, such as etcd-snapshot-home-server-0-1732240800"}},
		"APath":   {reason: "The folder is an option of S3.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Restore.Snapshot = "home/etcd" }, want: []string{`spec.servers.restore.snapshot: Invalid value: "home/etcd": must be the name of a snapshot in the bucket, without the folder, such as etcd-snapshot-home-server-0-1732240800`}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := restoring(3)
			tc.edit(&spec)

			var got []string
			for _, err := range Check(identity, spec) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoRestoreOfALivingCluster: one that has a server is not restored, and says so; one that began with the snapshot is silent.
func TestNoRestoreOfALivingCluster(t *testing.T) {
	const refused = `spec.servers.restore.snapshot: Invalid value: "` + snapshot + `": the cluster has servers, and only a new cluster begins with a snapshot, so nothing is restored: ` +
		"remove servers.restore; if all servers are lost, restore one by hand, or delete the claim and commit it again with servers.restore: docs/clusters.md#all-servers-are-lost"

	server := func(began string) Child {
		return Child{Role: v1alpha1.K3sServer, Spec: map[string]any{"k3s": map[string]any{"restore": began}}}
	}

	cases := map[string]struct {
		reason   string
		children map[string]Child
		none     bool // The claim does not ask for it.
		want     string
	}{
		"New":       {reason: "It begins with the snapshot."},
		"AgentOnly": {reason: "No server has a state.", children: map[string]Child{"worker-0": {Role: v1alpha1.K3sAgent}}},
		"Living":    {reason: "It has a state.", children: map[string]Child{"server-0": {Role: v1alpha1.K3sServer}}, want: refused},
		"Began":     {reason: "It was restored.", children: map[string]Child{"server-0": server(snapshot), "server-1": {Role: v1alpha1.K3sServer}}},
		"Another":   {reason: "It was restored from another one.", children: map[string]Child{"server-0": server("before")}, want: refused},
		"NotAsked":  {reason: "It may be removed.", children: map[string]Child{"server-0": server(snapshot)}, none: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := restoring(3)
			if tc.none {
				spec.Servers.Restore = nil
			}

			got := ""
			for _, err := range CheckRestore(spec, tc.children) {
				got += err.Error()
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
