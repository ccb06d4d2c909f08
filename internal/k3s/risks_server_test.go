package k3s

import "testing"

func TestServerRisks(t *testing.T) {
	cases := map[string]struct {
		reason   string
		config   map[string]any
		disabled []string
		domains  []string
		want     []string
	}{
		"Nothing":       {reason: "K3s' defaults.", domains: []string{"home.arpa", ""}},
		"Room":          {reason: "The third of three servers gets no pods.", config: map[string]any{"cluster-cidr": "10.42.0.0/23"}, want: []string{"cluster-cidr: 10.42.0.0/23 has room for 2 of the cluster's nodes, each with a /24 for its pods, and it cannot be changed later: pods of further nodes do not start. Take a larger network, such as 10.42.0.0/16"}},
		"Room6":         {reason: "A /64 is for one.", config: map[string]any{"cluster-cidr": "10.42.0.0/16,fd42::/64", "service-cidr": "10.43.0.0/16,fd43::/112"}, want: []string{"cluster-cidr: fd42::/64 has room for 1 of the cluster's nodes"}},
		"RoomSaid":      {reason: "The pieces are small.", config: map[string]any{"cluster-cidr": "10.42.0.0/23", "kube-controller-manager-arg": []any{"node-cidr-mask-size=27"}}},
		"RoomTight":     {reason: "The pieces are large.", config: map[string]any{"kube-controller-manager-arg": []any{"node-cidr-mask-size=18"}}, want: []string{"cluster-cidr: 10.42.0.0/16 has room for 4 of the cluster's nodes, each with a /18 for its pods, and it cannot be changed later: pods of further nodes do not start. Take a larger network, or a larger number for node-cidr-mask-size"}},
		"RoomEnough":    {reason: "Eight nodes.", config: map[string]any{"cluster-cidr": "10.42.0.0/21"}},
		"RoomOther":     {reason: "Calico has pieces of its own.", config: map[string]any{"cluster-cidr": "10.42.0.0/24", "flannel-backend": "none", "disable-network-policy": true}},
		"Relative":      {reason: "The service starts in /.", config: map[string]any{"write-kubeconfig": "kube/config", "etcd-snapshot-dir": "snapshots"}, want: []string{"write-kubeconfig: is no absolute path, and the service starts in /: what it writes is at /kube/config.", "etcd-snapshot-dir: is no absolute path, and the service starts in /: what it writes is at /snapshots."}},
		"Home":          {reason: "As a shell has it.", config: map[string]any{"write-kubeconfig": "~/.kube/config", "etcd-snapshot-dir": "$HOME/snapshots"}, want: []string{"write-kubeconfig: no shell reads it", "etcd-snapshot-dir: no shell reads it"}},
		"Absolute":      {reason: "There it is.", config: map[string]any{"write-kubeconfig": "/root/.kube/config", "etcd-snapshot-dir": "/srv/snapshots"}},
		"KeepsAll":      {reason: "K3s deletes none.", config: map[string]any{"etcd-snapshot-retention": 0}, want: []string{"etcd-snapshot-retention: 0 keeps all snapshots"}},
		"Keeps":         {reason: "K3s' default, written out.", config: map[string]any{"etcd-snapshot-retention": 5}},
		"KeepsNone":     {reason: "There are none.", config: map[string]any{"etcd-snapshot-retention": 0, "etcd-disable-snapshots": true}},
		"NoBucket":      {reason: "K3s says so with each snapshot.", config: map[string]any{"etcd-s3": true, "etcd-s3-endpoint": "s3.lab"}, want: []string{"etcd-s3: uploads no snapshot without a bucket: set etcd-s3-bucket"}},
		"Bucket":        {reason: "As K3s' documentation has it.", config: map[string]any{"etcd-s3": true, "etcd-s3-bucket": "k3s"}},
		"BucketSecret":  {reason: "The Secret has it.", config: map[string]any{"etcd-s3": true, "etcd-s3-config-secret": "s3"}},
		"BucketOff":     {reason: "Nothing is uploaded.", config: map[string]any{"etcd-s3": false}},
		"NoAgent":       {reason: "As old guides keep pods away.", config: map[string]any{"disable-agent": true}, want: []string{"disable-agent: the server has no kubelet, so there is no Node of it"}},
		"Agent":         {reason: "K3s' default, written out.", config: map[string]any{"disable-agent": false}},
		"Charts":        {reason: "Traefik is a HelmChart.", config: map[string]any{"disable-helm-controller": true}, want: []string{"disable-helm-controller: K3s deploys Traefik with that controller"}},
		"ChartsNone":    {reason: "There is no chart of K3s.", config: map[string]any{"disable-helm-controller": true}, disabled: []string{"traefik"}},
		"NotDeployed":   {reason: "They are settings of what is disabled.", config: map[string]any{"default-local-storage-path": "/data", "servicelb-namespace": "lb"}, disabled: []string{"local-storage", "servicelb"}, want: []string{"default-local-storage-path: has no effect: local-storage is in disable", "servicelb-namespace: has no effect: servicelb is in disable"}},
		"Deployed":      {reason: "They are there.", config: map[string]any{"default-local-storage-path": "/data", "cluster-dns": "10.43.0.10"}, disabled: []string{"coredns"}},
		"Names":         {reason: "Pods find no machine.", config: map[string]any{"cluster-domain": "home.arpa"}, domains: []string{"home.arpa"}, want: []string{"cluster-domain: CoreDNS answers for all of home.arpa"}},
		"NamesAbove":    {reason: "The network's is inside of it.", config: map[string]any{"cluster-domain": "example"}, domains: []string{"", "Home.Example"}, want: []string{"cluster-domain: CoreDNS answers for all of example"}},
		"NamesBelow":    {reason: "Only what is below is the cluster's.", config: map[string]any{"cluster-domain": "k8s.home.arpa"}, domains: []string{"home.arpa"}},
		"NamesBeside":   {reason: "Another domain that ends alike.", config: map[string]any{"cluster-domain": "home.arpa"}, domains: []string{"myhome.arpa"}},
		"Grace":         {reason: "Each lease is older.", config: map[string]any{"kube-controller-manager-arg": []any{"v=2", "--node-monitor-grace-period=5s"}}, want: []string{"kube-controller-manager-arg: node-monitor-grace-period is 5s, and each Node gives a sign every 10 s"}},
		"GraceFine":     {reason: "Two signs may be lost.", config: map[string]any{"kube-controller-manager-arg": []any{"node-monitor-grace-period=20s"}}},
		"GraceMinutes":  {reason: "Other units are longer.", config: map[string]any{"kube-controller-manager-arg": []any{"node-monitor-grace-period=1m"}}},
		"GraceReported": {reason: "The kubelets report more often.", config: map[string]any{"kube-controller-manager-arg": []any{"node-monitor-grace-period=8s"}, "kubelet-arg": []any{"node-status-update-frequency=2s"}}},
		"GraceSlower":   {reason: "They report later still.", config: map[string]any{"kube-controller-manager-arg": []any{"node-monitor-grace-period=8s"}, "kubelet-arg": []any{"node-status-update-frequency=8s"}}, want: []string{"kube-controller-manager-arg: node-monitor-grace-period is 8s, and each Node gives a sign every 10 s"}},
		"GraceFile":     {reason: "A file of the kubelet may say how often it reports.", config: map[string]any{"kube-controller-manager-arg": []any{"node-monitor-grace-period=8s"}, "kubelet-arg": []any{"config=/etc/kubelet.yaml"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			contradictionsAre(t, tc.reason, ServerRisks(tc.config, tc.disabled, tc.domains), tc.want)
		})
	}
}
