package k3s

import "testing"

func TestGoneArguments(t *testing.T) {
	cases := map[string]struct {
		reason  string
		config  map[string]any
		release string
		want    []string
	}{
		"Runtime":       {reason: "Removed with v1.27.", config: map[string]any{"kubelet-arg": []any{"v=2", "container-runtime=remote"}}, release: "v1.34.1+k3s1", want: []string{"kubelet-arg: item 2: the kubelet has no argument container-runtime since v1.27, and K3s does not start: leave it out: K3s brings containerd"}},
		"RuntimeBefore": {reason: "It was there still.", config: map[string]any{"kubelet-arg": "container-runtime=remote"}, release: "v1.26.1+k3s1"},
		"Field":         {reason: "It never was an argument.", config: map[string]any{"kubelet-arg": "memory-swap-behavior=LimitedSwap"}, release: "v1.34.1+k3s1", want: []string{"kubelet-arg: item 1: the kubelet has no argument memory-swap-behavior, and K3s does not start: write it into a file"}},
		"Eviction":      {reason: "Taints do it.", config: map[string]any{"kube-controller-manager-arg": []any{"pod-eviction-timeout=1m"}}, release: "v1.34.1+k3s1", want: []string{"kube-controller-manager-arg: item 1: kube-controller-manager has no argument pod-eviction-timeout since v1.27"}},
		"Elsewhere":     {reason: "Another program may have an argument of that name.", config: map[string]any{"kube-proxy-arg": []any{"port=1"}}, release: "v1.34.1+k3s1"},
		"Plugin":        {reason: "There are no policies of that kind.", config: map[string]any{"kube-apiserver-arg": []any{"enable-admission-plugins=NodeRestriction, PodSecurityPolicy"}}, release: "v1.34.1+k3s1", want: []string{"kube-apiserver-arg: item 1: kube-apiserver has no admission plugin PodSecurityPolicy since v1.25, and K3s does not start: remove it"}},
		"PluginThere":   {reason: "This one is there.", config: map[string]any{"kube-apiserver-arg": []any{"enable-admission-plugins=NodeRestriction"}}, release: "v1.34.1+k3s1"},
		"Label":         {reason: "The kubelet ends.", config: map[string]any{"kubelet-arg": []any{"node-labels=a=b,node-role.kubernetes.io/worker=true"}}, release: "v1.34.1+k3s1", want: []string{"kubelet-arg: item 1: the kubelet does not start with a label of Kubernetes that it may not set"}},
		"LabelOwn":      {reason: "It goes around the field, and works.", config: map[string]any{"kubelet-arg": []any{"node-labels=a.example/b=c,node.kubernetes.io/x=y,kubernetes.io/os=linux"}}, release: "v1.34.1+k3s1"},
		"Gate":          {reason: "It is always on by now.", config: map[string]any{"kubelet-arg": []any{"feature-gates=NodeSwap=true, EphemeralContainers=true"}}, release: "v1.27.0+k3s1", want: []string{"kubelet-arg: item 1: the kubelet has no feature gate EphemeralContainers since v1.27, and K3s does not start: remove it"}},
		"GateOfProxy":   {reason: "Each program has the same list.", config: map[string]any{"kube-proxy-arg": "feature-gates=MixedProtocolLBService=true"}, release: "v1.34.1+k3s1", want: []string{"kube-proxy-arg: item 1: kube-proxy has no feature gate MixedProtocolLBService since v1.28"}},
		"GateGivenUp":   {reason: "An experiment that ended.", config: map[string]any{"kube-apiserver-arg": []any{"feature-gates=UserNamespacesPodSecurityStandards=true"}}, release: "v1.35.5+k3s1", want: []string{"kube-apiserver-arg: item 1: kube-apiserver has no feature gate UserNamespacesPodSecurityStandards since v1.35"}},
		"GateThere":     {reason: "Its last release, and gates that nobody knows here.", config: map[string]any{"kubelet-arg": []any{"feature-gates=ServerSideApply=true,KubeletInUserNamespace=true"}}, release: "v1.31.9+k3s1"},
		"IPsec":         {reason: "Removed with v1.27.", config: map[string]any{"flannel-backend": "ipsec"}, release: "v1.34.1+k3s1", want: []string{"flannel-backend: flannel has no backend ipsec since v1.27, and K3s does not start: write wireguard-native"}},
		"WireGuard":     {reason: "It was there still.", config: map[string]any{"flannel-backend": "wireguard"}, release: "v1.25.9+k3s1"},
		"Native":        {reason: "The one that there is.", config: map[string]any{"flannel-backend": "wireguard-native"}, release: "v1.34.1+k3s1"},
		"NoRelease":     {reason: "Nobody knows which one it is.", config: map[string]any{"kubelet-arg": "container-runtime=remote"}, release: "stable"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { contradictionsAre(t, tc.reason, GoneArguments(tc.config, tc.release), tc.want) })
	}
}

func TestRisks(t *testing.T) {
	cases := map[string]struct {
		reason string
		config map[string]any
		want   []string
	}{
		"Nothing":   {reason: "K3s' defaults."},
		"Driver":    {reason: "containerd has another one.", config: map[string]any{"kubelet-arg": []any{"v=2", "--cgroup-driver=cgroupfs"}}, want: []string{"kubelet-arg: cgroup-driver is the kubelet's alone"}},
		"DriverOwn": {reason: "What K3s sets by itself.", config: map[string]any{"kubelet-arg": []any{"cgroup-driver=systemd", "cgroups-per-qos=false"}}},
		"Late":      {reason: "The default of the servers.", config: map[string]any{"kubelet-arg": []any{"v=2", "--node-status-update-frequency=1m"}}, want: []string{"kubelet-arg: node-status-update-frequency is 1m, and without node-monitor-grace-period, the servers wait 40 s for a node: that the node is Ready again"}},
		"LateSaid":  {reason: "What this server says.", config: map[string]any{"kubelet-arg": []any{"node-status-update-frequency=20s"}, "kube-controller-manager-arg": []any{"node-monitor-grace-period=16s"}}, want: []string{"kubelet-arg: node-status-update-frequency is 20s, and node-monitor-grace-period is 16s: that the node"}},
		"LateFits":  {reason: "Both were set, as guides for large clusters have it.", config: map[string]any{"kubelet-arg": []any{"node-status-update-frequency=1m"}, "kube-controller-manager-arg": []any{"node-monitor-grace-period=5m"}}},
		"LateFine":  {reason: "The kubelet's default, and a faster one.", config: map[string]any{"kubelet-arg": []any{"node-status-update-frequency=4s"}, "kube-controller-manager-arg": []any{"node-monitor-grace-period=16s"}}},
		"LateBad":   {reason: "What is no time is another fault.", config: map[string]any{"kubelet-arg": "node-status-update-frequency=often"}},
		"Itself":    {reason: "Nobody joins.", config: map[string]any{"bind-address": "127.0.0.1"}, want: []string{"bind-address: 127.0.0.1 is the guest itself: no other node joins this server"}},
		"Stub":      {reason: "CoreDNS would ask itself.", config: map[string]any{"resolv-conf": "/run/systemd/resolve/stub-resolv.conf"}, want: []string{"resolv-conf: asks the guest itself: CoreDNS forwards names to"}},
		"StubArg":   {reason: "The same in the kubelet's own words.", config: map[string]any{"kubelet-arg": []any{"v=2", "resolv-conf=/run/systemd/resolve/stub-resolv.conf"}}, want: []string{"kubelet-arg: resolv-conf asks the guest itself: CoreDNS forwards names to"}},
		"Resolved":  {reason: "The file that has the real servers.", config: map[string]any{"resolv-conf": "/run/systemd/resolve/resolv.conf", "kubelet-arg": "resolv-conf=/etc/resolv.conf"}},
		"Everybody": {reason: "K3s' default, written out.", config: map[string]any{"bind-address": "0.0.0.0"}},
		"Ports":     {reason: "etcd is in it.", config: map[string]any{"service-node-port-range": "2000-32767"}, want: []string{"service-node-port-range: 2000-32767 has port 2379, which is that of etcd on the nodes"}},
		"PortsSSH":  {reason: "As somebody wants port 80.", config: map[string]any{"service-node-port-range": "1-32767"}, want: []string{"service-node-port-range: 1-32767 has port 22, which is that of SSH on the nodes"}},
		"PortsFine": {reason: "Nobody of K3s is there.", config: map[string]any{"service-node-port-range": "30000-40000"}},
		"PortsBad":  {reason: "Its form has a fault of its own.", config: map[string]any{"service-node-port-range": "many"}},
		"Pods":      {reason: "The network of a node has fewer.", config: map[string]any{"kubelet-arg": []any{"max-pods=300"}}, want: []string{"kubelet-arg: max-pods is 300, and a node has 254 addresses for pods, a /24 of cluster-cidr"}},
		"PodsFit":   {reason: "All get one.", config: map[string]any{"kubelet-arg": []any{"max-pods=250"}}},
		"PodsSaid":  {reason: "The pieces are larger.", config: map[string]any{"kubelet-arg": []any{"max-pods=500"}, "kube-controller-manager-arg": []any{"node-cidr-mask-size-ipv4=22"}}},
		"PodsOther": {reason: "Another plugin has other pieces.", config: map[string]any{"kubelet-arg": []any{"max-pods=500"}, "flannel-backend": "none", "disable-network-policy": true}},
		"Policies":  {reason: "Two controllers of policies.", config: map[string]any{"flannel-backend": "none", "disable-kube-proxy": true}, want: []string{"flannel-backend: none leaves K3s' own controller of network policies running"}},
		"NoProxy":   {reason: "Nobody makes Services work.", config: map[string]any{"disable-kube-proxy": true}, want: []string{"disable-kube-proxy: with flannel nothing brings packets to a Service"}},
		"Plugin":    {reason: "As Cilium's documentation has it.", config: map[string]any{"flannel-backend": "none", "disable-kube-proxy": true, "disable-network-policy": true}},
		"Flannel":   {reason: "Policies may be off, and kube-proxy on.", config: map[string]any{"flannel-backend": "host-gw", "disable-network-policy": true, "disable-kube-proxy": false}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { contradictionsAre(t, tc.reason, Risks(tc.config), tc.want) })
	}
}
