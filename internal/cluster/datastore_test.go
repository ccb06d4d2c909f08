package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestCheckDatastore: an edit that is refused for the servers that exist reaches no new one either.
func TestCheckDatastore(t *testing.T) {
	outside := map[string]any{"datastore-cafile": "/etc/ssl/x.crt"}
	server := func(config map[string]any) Child {
		return Child{Role: v1alpha1.K3sServer, Joined: true, Spec: map[string]any{"k3s": map[string]any{"config": config}}}
	}
	refused := server(outside)
	refused.Refused = "the server was made with a member of etcd"

	for name, tc := range map[string]struct {
		reason   string
		role     Role
		config   map[string]any
		children Children
		want     []string
	}{
		"Outside": {
			reason: "server-0 has a member of etcd.", config: outside, children: Children{"server-0": server(nil)},
			want: []string{"spec.servers.template.k3s.config[datastore-cafile]: Forbidden: the servers of the cluster keep its state in etcd on their own disks (server-0), and this one " +
				"would keep it in a datastore outside of them: K3s would serve another cluster from there. Remove the key"},
		},
		"RefusedTells": {
			reason: "What a server refuses says nothing of it.", config: outside, children: Children{"server-0": server(nil), "server-1": refused},
			want: []string{"spec.servers.template.k3s.config[datastore-cafile]: Forbidden: the servers of the cluster keep its state in etcd on their own disks (server-0), and this one " +
				"would keep it in a datastore outside of them: K3s would serve another cluster from there. Remove the key"},
		},
		"Alike": {reason: "All are in one datastore.", config: outside, children: Children{"server-0": server(outside)}},
		"First": {reason: "There is nobody else.", config: outside},
		"Agent": {reason: "An agent keeps no state.", role: v1alpha1.K3sAgent, config: outside, children: Children{"server-0": server(nil)}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 0)
			spec.Servers.Template = v1alpha1.NodeTemplate{"k3s": map[string]any{"config": tc.config}}
			m := Member{Node: "server-1", Role: v1alpha1.K3sServer, Spec: map[string]any{"k3s": map[string]any{"config": tc.config}}}

			if tc.role != "" {
				m.Role = tc.role
			}

			var got []string
			for _, err := range CheckDatastore(m, tc.children, spec, "infra") {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheckDatastore(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRequestsOfNodesThatGo: what helps a node on its way, and what counts it for the others.
func TestRequestsOfNodesThatGo(t *testing.T) {
	spec := claimed(1, 0)
	spec.Nodes = []v1alpha1.ClusterNode{
		{Name: "server-1", Lifecycle: v1alpha1.NodeLifecycle{Joined: "2026-01-01T00-00-02Z", Force: "now", Retry: "again"}, Lost: true},
		{Name: "server-2", IP: "192.168.4.63"},
	}

	want := map[string]map[string]any{"server-1": {"joined": "2026-01-01T00-00-02Z", "force": "now", "retry": "again", "lost": true}}
	if diff := cmp.Diff(want, Requests(spec)); diff != "" {
		t.Errorf("Requests(...): -want, +got:\n%s", diff)
	}
}

// TestOfNodesThatGo: a pool that leaves the claim leaves entries of its nodes behind, which are no faults while the nodes are there.
func TestOfNodesThatGo(t *testing.T) {
	spec := claimed(1, 1)
	spec.Nodes = []v1alpha1.ClusterNode{{Name: "gpu-0", Lost: true}, {Name: "gpu-1", IP: "192.168.4.80"}, {Name: "gpu-2", Lost: true}, {Name: "gpu-3", IP: "192.168.4.81"}, {Name: "server-0", IP: "192.168.4.61"}}

	rest, useless := OfNodesThatGo(Check(identity, spec), spec, Children{"gpu-0": {}, "gpu-1": {}, "server-0": {}})

	var got []string
	for _, f := range rest {
		got = append(got, "fault "+f.Field)
	}

	for _, f := range useless {
		got = append(got, "useless "+f.Error())
	}

	want := []string{
		"fault spec.nodes[3].name",
		`useless spec.nodes[1].name: Invalid value: "gpu-1": has no effect: the node goes, since its pool is not in the claim any more`,
		`useless spec.nodes[2].name: Invalid value: "gpu-2": has no effect: there is no such node, and no such pool in the claim`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("OfNodesThatGo(...): -want, +got:\n%s", diff)
	}
}
