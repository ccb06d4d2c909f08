package node

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"
)

func TestObserve(t *testing.T) {
	type want struct {
		Health     Health
		Membership Membership
		Votes      bool
		Leaving    bool
		Roles      []string
		IPs        []netip.Addr
		Info       Info
	}

	cases := map[string]struct {
		reason string
		node   string
		want   want
		fails  bool
	}{
		"Server": {
			reason: "A server of K3s that votes.",
			node: `
metadata:
  name: server-1
  labels: {node-role.kubernetes.io/etcd: "true", node-role.kubernetes.io/control-plane: "true", kubernetes.io/os: linux}
  annotations: {etcd.k3s.cattle.io/local-snapshots-timestamp: "x"}
spec: {podCIDR: 10.42.0.0/24, providerID: "k3s://server-1"}
status:
  addresses: [{type: InternalIP, address: 192.168.4.211}, {type: Hostname, address: server-1}, {type: InternalIP, address: "fd00::1"}, {type: ExternalIP, address: 203.0.113.7}]
  capacity: {cpu: "2"}
  conditions: [{type: MemoryPressure, status: "False"}, {type: EtcdIsVoter, status: "True", reason: MemberNotLearner}, {type: Ready, status: "True", reason: KubeletReady}]
  nodeInfo: {systemUUID: 7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11, kubeletVersion: v1.33.6+k3s1, bootID: 3f0c6d3e-6a51-4b7b-8d0a-5a2f9f1c7e10, machineID: x}
  daemonEndpoints: {kubeletEndpoint: {Port: 10250}}
`,
			want: want{
				Health: HealthReady, Membership: MembershipVoter, Votes: true, Roles: []string{"control-plane", "etcd"},
				IPs: []netip.Addr{netip.MustParseAddr("192.168.4.211"), netip.MustParseAddr("fd00::1")},
				Info: Info{
					SystemUUID: "7f3c8f0e-5a44-5b39-9d0e-5f7c2f2f8a11", BootID: "3f0c6d3e-6a51-4b7b-8d0a-5a2f9f1c7e10", KubeletVersion: "v1.33.6+k3s1",
				},
			},
		},
		"Empty": {
			reason: "A Node without a status is silent.", node: `{}`,
			want: want{Health: HealthSilent, Membership: MembershipUnknown},
		},
		"DeadHost": {
			reason: "The condition on the vote stays as it was when the host dies: it does not vote.",
			node:   `status: {conditions: [{type: Ready, status: Unknown, reason: NodeStatusUnknown}, {type: EtcdIsVoter, status: "True"}]}`,
			want:   want{Health: HealthSilent, Membership: MembershipVoter},
		},
		"NotReady": {
			reason: "A kubelet that is not ready says so, and its vote does not count.",
			node:   `status: {conditions: [{type: Ready, status: "False", reason: KubeletNotReady}, {type: EtcdIsVoter, status: "True"}]}`,
			want:   want{Health: HealthNotReady, Membership: MembershipVoter},
		},
		"Learner": {
			reason: "A learner copies the data, and does not vote yet.",
			node:   `status: {conditions: [{type: Ready, status: "True"}, {type: EtcdIsVoter, status: "False", reason: MemberIsLearner}]}`,
			want:   want{Health: HealthReady, Membership: MembershipLearner},
		},
		"NoMember": {
			reason: "Nor does a server without a member.",
			node:   `status: {conditions: [{type: Ready, status: "True"}, {type: EtcdIsVoter, status: "False", reason: NotAMember}]}`,
			want:   want{Health: HealthReady, Membership: MembershipNone},
		},
		"Leaving": {
			reason: "A Node that somebody deleted waits for K3s, which removes its member: the vote counts no more.",
			node:   `{metadata: {deletionTimestamp: "2026-11-22T12:00:00Z"}, status: {conditions: [{type: Ready, status: "True"}, {type: EtcdIsVoter, status: "True"}]}}`,
			want:   want{Health: HealthReady, Membership: MembershipVoter, Leaving: true},
		},
		"Malformed":     {reason: "A value of another type is an error.", node: `status: {addresses: {}}`, fails: true},
		"BrokenAddress": {reason: "An address that is none is none.", node: `status: {addresses: [{type: InternalIP, address: x}]}`, want: want{Health: HealthSilent, Membership: MembershipUnknown}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			if err := yaml.Unmarshal([]byte(tc.node), &content); err != nil {
				t.Fatal(err)
			}

			object, err := structpb.NewStruct(content)
			if err != nil {
				t.Fatal(err)
			}

			n, err := Observe(object)
			if (err != nil) != tc.fails {
				t.Fatalf("%s\nObserve(...): error %v", tc.reason, err)
			}

			if tc.fails {
				return
			}

			got := want{n.Health(), n.Membership(), n.Votes(), n.Leaving(), n.Roles(), n.InternalIPs(), n.Status.NodeInfo}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Errorf("%s\nObserve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
