package cluster

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func texts(errs field.ErrorList) []string {
	var out []string
	for _, err := range errs {
		out = append(out, err.Error())
	}

	return out
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		want   []string
	}{
		"Right": {reason: "The cluster of the other tests.", edit: func(*v1alpha1.K3sClusterSpec) {}},
		"Two": {
			reason: "Two servers are no safer than one.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Count = new(int64(2)) },
			want: []string{"spec.servers.count: Invalid value: 2: must be 1, 3 or 5: etcd needs more than half of its members, so two and four servers are no safer than one and three"},
		},
		"PoolNames": {
			reason: "Names of nodes are made of them.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Agents = []v1alpha1.AgentPool{{Name: "server"}, {Name: "gpu"}, {Name: "gpu", Count: 101}, {}}
			},
			want: []string{
				`spec.agents[0].name: Invalid value: "server": must start with a letter, hold at most 16 lower case letters, digits and hyphens, and differ from server`,
				`spec.agents[2].name: Duplicate value: "gpu"`,
				"spec.agents[2].count: Invalid value: 101: must be 0 to 100",
				"spec.agents[3].name: Required value: must be the name of the pool, such as worker",
			},
		},
		"Template": {
			reason: "Who writes a field in the wrong place reads where it belongs.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Template = v1alpha1.NodeTemplate{"network": map[string]any{"ip": "192.168.4.211"}}
				s.Agents[0].Template = v1alpha1.NodeTemplate{"class": "small"}
			},
			want: []string{
				"spec.servers.template.network.ip: Forbidden: an address belongs to a single machine: write spec.nodes[].ip",
				"spec.agents[0].template.class: Forbidden: write class of the pool",
			},
		},
		"Nodes": {
			reason: "A typing error would be an action on nobody.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Nodes = []v1alpha1.ClusterNode{{Name: "sever-0"}, {Name: "server-1"}, {Name: "server-1"}}
			},
			want: []string{
				`spec.nodes[0].name: Invalid value: "sever-0": is no node of this cluster; did you mean server-0? There are: server-0 to server-2, worker-0`,
				`spec.nodes[2].name: Duplicate value: "server-1"`,
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			tc.edit(&spec)

			if diff := cmp.Diff(tc.want, texts(Check(identity, spec))); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCheckVersion(t *testing.T) {
	cases := map[string]struct {
		reason, wants, runs string
		made                bool             // Nobody reads the Node.
		replaces            bool             // upgrade: Replace.
		config              map[string]any   // Of the server.
		others              map[string]Child // Beside it.
		want                []string
	}{
		"Same": {reason: "Nothing changes.", wants: "v1.33.6+k3s1", runs: "v1.33.6+k3s1"},
		"Next": {reason: "One minor release at a time.", wants: "v1.34.2+k3s1", runs: "v1.33.7+k3s3"},
		"Back": {reason: "It is for new nodes alone.", wants: "v1.32.9+k3s1", runs: "v1.34.2+k3s1"},
		"BackInTheMiddle": {
			reason: "An upgrade is taken back while a server has not had its turn.", wants: "v1.33.7+k3s3", runs: "v1.34.2+k3s1", replaces: true,
			others: map[string]Child{"server-1": {Role: v1alpha1.K3sServer, Version: "v1.33.7+k3s3"}},
		},
		"BackForAll": {
			reason: "No API server reads what a later one has written.", wants: "v1.33.7+k3s3", runs: "v1.34.2+k3s1", replaces: true,
			others: map[string]Child{"worker-0": {Role: v1alpha1.K3sAgent, Version: "v1.33.7+k3s3"}},
			want: []string{`spec.version: Invalid value: "v1.33.7+k3s3": is a minor release before v1.34.2+k3s1, which all servers run: Kubernetes cannot go back. ` +
				"Write the release that they run, or restore a snapshot of etcd from before the upgrade"},
		},
		"BackAPatch":  {reason: "A patch release reads the same.", wants: "v1.34.1+k3s1", runs: "v1.34.2+k3s1", replaces: true},
		"BackUnknown": {reason: "A server of which nobody knows what it runs may be the one.", wants: "v1.33.7+k3s3", runs: "", replaces: true},
		"Unknown":     {reason: "Nobody knows what it runs yet.", wants: "v1.35.0+k3s1"},
		"Made":        {reason: "Somebody may have upgraded the node since.", wants: "v1.35.0+k3s1", runs: "v1.33.6+k3s1", made: true},
		"None":        {reason: "The catalogue says the release.", runs: "v1.33.6+k3s1"},
		"Skip": {
			reason: "Kubernetes supports no skip.", wants: "v1.35.0+k3s1", runs: "v1.33.6+k3s1",
			want: []string{`spec.version: Invalid value: "v1.35.0+k3s1": skips a minor release: node server-0 runs v1.33.6+k3s1; upgrade to a release of v1.34 first: one after the other, v1.33.7+k3s3, v1.34.9+k3s1, v1.35.0+k3s1`},
		},
		"Etcd": {
			reason: "Etcd 3.6 would count removed members again.", wants: "v1.34.2+k3s1", runs: "v1.33.6+k3s1",
			want: []string{`spec.version: Invalid value: "v1.34.2+k3s1": would have etcd 3.6 count removed members again: server server-0 runs v1.33.6+k3s1, ` +
				"with an etcd before 3.5.26; upgrade to v1.33.7+k3s3 first"},
		},
		"EtcdMade":    {reason: "Somebody may have upgraded the server since.", wants: "v1.34.2+k3s1", runs: "v1.33.6+k3s1", made: true},
		"EtcdUnknown": {reason: "What nobody knows is allowed.", wants: "v1.33.99+k3s1", runs: "v1.33.6+k3s1"},
		"EtcdCrossed": {
			reason: "Another server has etcd 3.6, and cannot go back in place.", wants: "v1.34.2+k3s1", runs: "v1.33.6+k3s1",
			others: map[string]Child{"server-1": {Role: v1alpha1.K3sServer, Version: "v1.34.2+k3s1", VersionSeen: true}},
		},
		"EtcdOutside": {
			reason: "The state of the cluster is elsewhere.", wants: "v1.34.2+k3s1", runs: "v1.33.6+k3s1",
			config: map[string]any{"datastore-endpoint": "postgres://db"},
		},
		"Agents": {
			reason: "Agents have no members.", wants: "v1.34.2+k3s1",
			others: map[string]Child{"worker-0": {Role: v1alpha1.K3sAgent, Version: "v1.33.6+k3s1", VersionSeen: true}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			spec.Version = tc.wants

			if tc.replaces {
				spec.Upgrade = v1alpha1.UpgradeReplace
			}

			children := map[string]Child{"server-0": {
				Role: v1alpha1.K3sServer, Version: tc.runs, VersionSeen: !tc.made, Spec: map[string]any{"k3s": map[string]any{"config": tc.config}},
			}}
			maps.Copy(children, tc.others)

			if diff := cmp.Diff(tc.want, texts(CheckVersion(spec, children))); diff != "" {
				t.Errorf("%s\nCheckVersion(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoUpgradeBringsMembersBack: whatever way upgrades take, no release that is accepted takes a server from an etcd before 3.5.26 to etcd 3.6.
func TestNoUpgradeBringsMembersBack(t *testing.T) {
	keeps := []string{"v1.32.11+k3s1", "v1.33.0+k3s1", "v1.33.6+k3s1", "v1.33.7+k3s1"}
	others := []string{"v1.32.11+k3s3", "v1.33.7+k3s3"}

	for _, how := range []v1alpha1.Upgrade{v1alpha1.UpgradeNone, v1alpha1.UpgradeReplace, v1alpha1.UpgradeSystem} {
		for _, wants := range []string{"v1.34.1+k3s1", "v1.34.9+k3s1", "v1.34.99+k3s1", "v1.35.0+k3s1", "v1.37.0+k3s1"} {
			for _, runs := range slices.Concat(keeps, others) {
				spec := claimed(3, 1)
				spec.Version, spec.Upgrade = wants, how

				errs := CheckUpgrade(spec, wants, true, map[string]Child{
					"server-0": {Role: v1alpha1.K3sServer, Version: "v1.33.7+k3s3", VersionSeen: true},
					"server-1": {Role: v1alpha1.K3sServer, Version: runs, VersionSeen: true},
				})

				if slices.Contains(keeps, runs) && len(errs) == 0 {
					t.Errorf("%s: %s is accepted for servers that run %s", how, wants, runs)
				}

				if next := runs == "v1.33.7+k3s3" && strings.HasPrefix(wants, "v1.34."); next && len(errs) > 0 {
					t.Errorf("%s: %s is refused for servers that run %s: %v", how, wants, runs, errs)
				}
			}
		}
	}
}

// TestNames: the longest names that a claim can ask for, beside the limits that they meet.
func TestNames(t *testing.T) {
	const (
		forty   = "abcdefghij-abcdefghij-abcdefghij-abcdefg"
		sixteen = "abcdefghij-abcde"
	)

	cases := map[string]struct {
		reason          string
		name, composite string
		pool            string
		count           int64
		want            []string
	}{
		"Namespaced": {reason: "A composite without a claim has no suffix: the longest names of all fit.", name: forty, composite: forty, pool: sixteen, count: 100},
		"Claim":      {reason: "The longest name of a claim, and a pool that fits.", name: forty, composite: forty + "-x7k2p", pool: "abcdefghij-abc", count: 10},
		"ClaimOver": {
			reason: "One agent more has a number of two digits.", name: forty, composite: forty + "-x7k2p", pool: "abcdefghij-abc", count: 11,
			want: []string{`spec.agents[0].name: Invalid value: "abcdefghij-abc": the nodes' names would have up to 64 characters, such as ` + forty +
				"-x7k2p-abcdefghij-abc-10, and 63 are possible: a name of at most 13 characters fits the count of 11"},
		},
		"LongPool": {
			reason: "The longest name of a pool does not fit the longest name of a claim.", name: forty, composite: forty + "-x7k2p", pool: sixteen, count: 1,
			want: []string{`spec.agents[0].name: Invalid value: "` + sixteen + `": the nodes' names would have up to 65 characters, such as ` + forty +
				"-x7k2p-" + sixteen + "-0, and 63 are possible: a name of at most 14 characters fits the count of 1"},
		},
		"NoAgents":    {reason: "A pool without agents has no names.", name: forty, composite: forty + "-x7k2p", pool: sixteen},
		"UsualClaim":  {reason: "A usual name with the longest pool.", name: "home", composite: "home-x7k2p", pool: sixteen, count: 100},
		"ServersOnly": {reason: "Servers always fit.", name: forty, composite: forty + "-x7k2p", pool: "a", count: 100},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(5, tc.count)
			spec.Agents[0].Name = tc.pool
			id := machine.Identity{Name: tc.name, Composite: tc.composite}

			if diff := cmp.Diff(tc.want, texts(Check(id, spec))); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}

			// What is not refused is what every name of a node has to be.
			members, err := Members(id, spec, false)
			if err != nil {
				t.Fatal(err)
			}

			for _, m := range members {
				if hostname, _ := m.Spec["hostname"].(string); len(hostname) > 63 {
					t.Errorf("host name %s has %d characters", hostname, len(hostname))
				}

				if len(m.Machine) > 63 && tc.want == nil {
					t.Errorf("machine %s has %d characters", m.Machine, len(m.Machine))
				}
			}
		})
	}
}
