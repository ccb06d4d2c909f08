package k3s

import (
	"strings"
	"testing"
)

// contradictionsAre compares what there is with the beginnings of what is wanted, each as "key: why".
func contradictionsAre(t *testing.T, reason string, got []Contradiction, want []string) {
	t.Helper()

	var texts []string
	for _, c := range got {
		texts = append(texts, c.Key+": "+c.Why)
	}

	same := len(texts) == len(want)
	for i := range want {
		same = same && strings.HasPrefix(texts[i], want[i])
	}

	if !same {
		t.Errorf("%s\ngot  %q\nwant %q", reason, texts, want)
	}
}

func TestContradictions(t *testing.T) {
	cases := map[string]struct {
		reason   string
		config   map[string]any
		release  string
		disabled []string
		want     []string
	}{
		"Nothing":     {reason: "K3s' defaults fit each other."},
		"Fine":        {reason: "As K3s' documentation has two families.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,fd42::/56", "service-cidr": "10.43.0.0/16,fd43::/112", "cluster-dns": "10.43.0.10"}},
		"TwoAlike":    {reason: "kube-controller-manager ends.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,10.44.0.0/16"}, want: []string{"cluster-cidr: has 2 networks, and K3s starts with one, or with one of IPv4 and one of IPv6"}},
		"ThreeAlike":  {reason: "kube-apiserver ends.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,fd42::/56", "service-cidr": "10.43.0.0/16,fd43::/112,10.45.0.0/16"}, want: []string{"service-cidr: has 3 networks"}},
		"Election":    {reason: "K3s' own heartbeat is 500 ms.", config: map[string]any{"etcd-arg": []any{"election-timeout=1000"}}, want: []string{"etcd-arg: election-timeout (1000 ms) is less than five times heartbeat-interval (500 ms)"}},
		"Heartbeat":   {reason: "K3s' own election is 5000 ms.", config: map[string]any{"etcd-arg": "--heartbeat-interval=1500"}, want: []string{"etcd-arg: election-timeout (5000 ms) is less than five times heartbeat-interval (1500 ms)"}},
		"Elections":   {reason: "They fit.", config: map[string]any{"etcd-arg": []any{"election-timeout=1000", "heartbeat-interval=200", "quota-backend-bytes=8589934592"}}},
		"LateVote":    {reason: "etcd takes 50 s at most.", config: map[string]any{"etcd-arg": []any{"election-timeout=60000"}}, want: []string{"etcd-arg: heartbeat-interval and election-timeout are milliseconds above 0"}},
		"NoElection":  {reason: "Others are etcd's own matter.", config: map[string]any{"etcd-arg": []any{"quota-backend-bytes=1"}}},
		"Small":       {reason: "No node gets a piece.", config: map[string]any{"cluster-cidr": "10.42.0.0/25"}, want: []string{"cluster-cidr: 10.42.0.0/25 is too small"}},
		"Least":       {reason: "One node does.", config: map[string]any{"cluster-cidr": "10.42.0.0/24"}},
		"Small6":      {reason: "A node's piece is a /64.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,fd42::/80"}, want: []string{"cluster-cidr: fd42::/80 is too small"}},
		"Large6":      {reason: "There would be too many pieces.", config: map[string]any{"cluster-cidr": "fd42::/40", "service-cidr": "fd43::/112"}, want: []string{"cluster-cidr: fd42::/40 is too large"}},
		"SaidSize":    {reason: "Who says the pieces knows them.", config: map[string]any{"cluster-cidr": "fd42::/80", "service-cidr": "fd43::/112", "kube-controller-manager-arg": "node-cidr-mask-size-ipv6=96"}},
		"SaidSmall":   {reason: "There is no piece of that size.", config: map[string]any{"cluster-cidr": "10.42.0.0/24", "kube-controller-manager-arg": []any{"node-cidr-mask-size=22"}}, want: []string{"cluster-cidr: 10.42.0.0/24 is too small: node-cidr-mask-size gives each node a /22 of it for its pods, and K3s does not start: take a larger network, or a number from 24 on there"}},
		"SaidOne":     {reason: "A whole network for one node works.", config: map[string]any{"cluster-cidr": "10.42.0.0/22", "kube-controller-manager-arg": []any{"node-cidr-mask-size=22"}}},
		"SaidLarge6":  {reason: "There would be too many pieces.", config: map[string]any{"cluster-cidr": "fd42::/64", "service-cidr": "fd43::/112", "kube-controller-manager-arg": "node-cidr-mask-size-ipv6=112"}, want: []string{"cluster-cidr: fd42::/64 is too large: Kubernetes cuts it into at most 65536 networks of a /112 each"}},
		"SaidForBoth": {reason: "kube-controller-manager ends.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,fd42::/56", "service-cidr": "10.43.0.0/16,fd43::/112", "kube-controller-manager-arg": []any{"node-cidr-mask-size=23"}}, want: []string{"kube-controller-manager-arg: node-cidr-mask-size is for one family of addresses, pods have two (cluster-cidr), and K3s does not start: write node-cidr-mask-size-ipv4 and node-cidr-mask-size-ipv6"}},
		"SaidEach":    {reason: "As Kubernetes wants it.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,fd42::/56", "service-cidr": "10.43.0.0/16,fd43::/112", "kube-controller-manager-arg": []any{"node-cidr-mask-size-ipv4=23", "node-cidr-mask-size-ipv6=64"}}},
		"SaidTwice":   {reason: "It does not know which one counts.", config: map[string]any{"kube-controller-manager-arg": []any{"node-cidr-mask-size=23", "node-cidr-mask-size-ipv4=23"}}, want: []string{"kube-controller-manager-arg: node-cidr-mask-size beside that of a family keeps K3s from starting: write one of them"}},
		"SaidOther":   {reason: "Pods have no IPv6.", config: map[string]any{"kube-controller-manager-arg": []any{"node-cidr-mask-size-ipv6=64"}}, want: []string{"kube-controller-manager-arg: node-cidr-mask-size-ipv6 is there, pods have IPv4 alone"}},
		"SaidOther4":  {reason: "Pods have no IPv4.", config: map[string]any{"cluster-cidr": "fd42::/56", "service-cidr": "fd43::/112", "kube-controller-manager-arg": []any{"node-cidr-mask-size-ipv4=24"}}, want: []string{"kube-controller-manager-arg: node-cidr-mask-size-ipv4 is there, pods have IPv6 alone"}},
		"Services":    {reason: "A /64 as for a LAN.", config: map[string]any{"service-cidr": "10.43.0.0/16,fd43::/64"}, release: "v1.33.1+k3s1", want: []string{"service-cidr: fd43::/64 is too large: K3s before v1.34 does not start with more than a /108"}},
		"Services4":   {reason: "IPv4 has the same limit.", config: map[string]any{"cluster-cidr": "172.28.0.0/16", "service-cidr": "10.0.0.0/8"}, release: "v1.33.1+k3s1", want: []string{"service-cidr: 10.0.0.0/8 is too large"}},
		"ServicesNew": {reason: "Later releases have no such limit.", config: map[string]any{"service-cidr": "10.43.0.0/16,fd43::/64"}, release: "v1.34.1+k3s1"},
		"NoRelease":   {reason: "Nobody knows the release.", config: map[string]any{"service-cidr": "10.43.0.0/16,fd43::/64"}},
		"Same":        {reason: "The default of services.", config: map[string]any{"cluster-cidr": "10.43.0.0/16"}, want: []string{"cluster-cidr: the network of the pods, 10.43.0.0/16, is inside that of the services, 10.43.0.0/16"}},
		"Around":      {reason: "The default of pods.", config: map[string]any{"service-cidr": "10.40.0.0/13"}, want: []string{"service-cidr: the network of the pods, 10.42.0.0/16, is inside that of the services, 10.40.0.0/13"}},
		"Inside":      {reason: "Kubernetes leaves the services out of the pods' network.", config: map[string]any{"cluster-cidr": "10.32.0.0/12"}},
		"DNS":         {reason: "The default of kubeadm.", config: map[string]any{"cluster-dns": "10.96.0.10"}, want: []string{"cluster-dns: 10.96.0.10 is outside of 10.43.0.0/16 (service-cidr)"}},
		"DNSOfLAN":    {reason: "Somebody's own name servers.", config: map[string]any{"cluster-dns": "10.0.0.2,10.0.0.19", "service-cidr": "10.96.0.0/16"}, want: []string{"cluster-dns: 10.0.0.2 is outside of 10.96.0.0/16 (service-cidr), where the Service of CoreDNS gets this address, so no pod could resolve a name: take 10.96.0.10"}},
		"DNSOfOne":    {reason: "Without CoreDNS it may be anybody.", config: map[string]any{"cluster-dns": "169.254.20.10"}, disabled: []string{"coredns"}},
		"Port":        {reason: "Behind a load balancer.", config: map[string]any{"https-listen-port": 443}},
		"PortTaken":   {reason: "The kubelet has it.", config: map[string]any{"https-listen-port": 10250}, want: []string{"https-listen-port: 10250 is the port of the kubelet"}},
		"PortNone":    {reason: "There is no such port.", config: map[string]any{"supervisor-port": 99999}, want: []string{"supervisor-port: must be a port"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			contradictionsAre(t, tc.reason, Contradictions(tc.config, tc.release, tc.disabled), tc.want)
		})
	}
}

func TestWithoutEffect(t *testing.T) {
	cases := map[string]struct {
		reason string
		config map[string]any
		want   []string
	}{
		"Secret":      {reason: "As K3s' documentation has it.", config: map[string]any{"etcd-s3": true, "etcd-s3-config-secret": "s3"}},
		"SecretAlso":  {reason: "Any other option hides it.", config: map[string]any{"etcd-s3": true, "etcd-s3-config-secret": "s3", "etcd-s3-endpoint": "minio.lab"}, want: []string{"etcd-s3-config-secret: has no effect: K3s reads the Secret only where no other option of S3 is set, and etcd-s3-endpoint is"}},
		"NotOn":       {reason: "The switch is another key.", config: map[string]any{"etcd-s3-config-secret": "s3"}, want: []string{"etcd-s3-config-secret: has no effect on scheduled snapshots without etcd-s3: true"}},
		"NoSnapshots": {reason: "Nothing is scheduled; a snapshot by hand still takes the folder.", config: map[string]any{"etcd-disable-snapshots": true, "etcd-snapshot-schedule-cron": "@daily", "etcd-snapshot-dir": "/srv"}, want: []string{"etcd-snapshot-schedule-cron: has no effect: etcd-disable-snapshots is true"}},
		"Provider":    {reason: "Nothing is encrypted.", config: map[string]any{"secrets-encryption-provider": "secretbox"}, want: []string{"secrets-encryption-provider: has no effect without secrets-encryption: true"}},
		"Encrypted":   {reason: "Secrets are.", config: map[string]any{"secrets-encryption-provider": "secretbox", "secrets-encryption": true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { contradictionsAre(t, tc.reason, WithoutEffect(tc.config), tc.want) })
	}
}
