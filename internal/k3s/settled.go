package k3s

// Sentences of the table.
const (
	sameOnServers = "K3s has it equal on all servers, and a new server with another value does not join (\"critical configuration value mismatch\"): write the value into " +
		"/etc/rancher/k3s/config.yaml in the guest of every server, and restart K3s there, one server after the other; then new VMs join with it"
	ofFirstStart = "the nodes, Pods and Services of a cluster have addresses of the network with which it was first started, and K3s does not start with another one, or with a " +
		"second family of addresses: write the former value back, and make a new cluster for another network"
)

// settled says by key what is to be done about a new value in a cluster that exists, where a new VM is not the way to it: of every critical key, and of those
// whose effect is in the cluster and not in the guest. Sources: https://docs.k3s.io/cli/server#critical-configuration-values, k3s-io/k3s issues 93, 2603, 6136
// (networks), 6394, 4404 (two families), 7195, 4838 (encryption), 5103, 10793 (components), 5391 (backends) and rancher/rke2 issue 7152 (taints).
var settled = map[string]string{ //nolint:gochecknoglobals // A constant table.
	keyPods:     ofFirstStart,
	keyServices: ofFirstStart,
	keyDNS:      sameOnServers + ", and Pods that run keep the former one until they are made anew",
	keyDomain:   sameOnServers + ", and Pods that run keep the former one until they are made anew",
	keyBackend:  sameOnServers + ", then the agents: Pods of nodes with two backends do not reach each other, so plan an interruption",

	"flannel-ipv6-masq":        sameOnServers,
	"flannel-external-ip":      sameOnServers,
	"egress-selector-mode":     sameOnServers,
	"agent-token":              sameOnServers,
	"disable-cloud-controller": sameOnServers,
	"disable-network-policy":   sameOnServers,
	"disable-helm-controller":  sameOnServers,
	"embedded-registry":        sameOnServers,
	// Not in K3s' list; but nodes with and without it side by side have Services in two ways.
	"disable-kube-proxy": "the network plugin must serve Services before: then write the value into /etc/rancher/k3s/config.yaml in the guest of every server, and restart every node, " +
		"one after the other",
	"secrets-encryption": "a cluster without encryption does not get it by a restart, and servers that disagree do not start: `k3s secrets-encrypt enable` on one server, with a release " +
		"that takes it in a cluster that exists, then the value in /etc/rancher/k3s/config.yaml of every server, restarts one after the other, and `k3s secrets-encrypt rotate-keys`",
	"secrets-encryption-provider": sameOnServers + ", and run `k3s secrets-encrypt rotate-keys` on one server",
	keyDisable: "K3s removes a component, or brings it back, when servers restart, and servers that disagree undo each other's: write the list into /etc/rancher/k3s/config.yaml " +
		"in the guest of every server, and restart K3s there, one server after the other",
	"node-label": "run `kubectl label node` for the Node that exists, which keeps its Pods",
	"node-taint": "run `kubectl taint node` for the Node that exists: K3s sets taints only when a Node registers",
}

// SettledBy says what to do about a new value of a key in a cluster that exists, as a clause without a full stop; false where a new VM of the node does it,
// and for keys that are not known.
func SettledBy(key string) (advice string, ok bool) {
	advice, ok = settled[key]
	return advice, ok
}
