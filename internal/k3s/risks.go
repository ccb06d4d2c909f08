package k3s

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Risks are values of a node's config with which K3s starts, and that are right only where somebody knows more than the config says: in the order of the
// checks.
func Risks(config map[string]any) []Contradiction {
	return slices.Concat(bindsToItself(config), nodePortsTaken(config), morePodsThanAddresses(config), asksItself(config),
		otherPlugin(config), ownDriver(config), kubeletAlone(config), lateReports(config))
}

// bindsToItself: the API and the supervisor listen on one address.
func bindsToItself(config map[string]any) []Contradiction {
	value, _ := config["bind-address"].(string)

	a, err := netip.ParseAddr(strings.TrimSpace(value))
	if err != nil || !a.IsLoopback() {
		return nil
	}

	return []Contradiction{{"bind-address", value + " is the guest itself: no other node joins this server, and nobody else reaches the API. Leave it out"}}
}

const (
	portOfSSH = 22
	// mostPods is how many addresses for pods a node has in its piece of the network of pods.
	mostPods = 1<<(32-podsOfNode4) - 2
)

// nodePortsTaken: Kubernetes gives a Service of type NodePort any port of the range, and does not look who listens there.
func nodePortsTaken(config map[string]any) []Contradiction {
	const key = "service-node-port-range"

	value, _ := config[key].(string)
	from, to, _ := strings.Cut(value, "-")

	first, errFirst := strconv.Atoi(from)
	last, errLast := strconv.Atoi(to)

	if errFirst != nil || errLast != nil {
		return nil
	}

	taken := map[int]string{portOfSSH: "SSH", 6443: "the API of K3s"}
	maps.Copy(taken, ports)

	for _, port := range slices.Sorted(maps.Keys(taken)) {
		if port >= first && port <= last {
			return []Contradiction{{key, fmt.Sprintf("%s has port %d, which is that of %s on the nodes: a Service that gets the port takes it away. Take a range without it, such as 30000-32767", value, port, taken[port])}}
		}
	}

	return nil
}

// morePodsThanAddresses: pods beyond the node's piece of the network get no address, and stay in ContainerCreating. Another network plugin than flannel has
// pieces of its own.
func morePodsThanAddresses(config map[string]any) []Contradiction {
	if backend, _ := setting(config, keyBackend); backend == BackendNone || len(nodeSizes(config)) > 0 {
		return nil
	}

	for _, item := range itemsOf(config["kubelet-arg"]) {
		name, value := argumentOf(item)
		if most, err := strconv.Atoi(value); name == "max-pods" && err == nil && most > mostPods {
			return []Contradiction{{"kubelet-arg", fmt.Sprintf("max-pods is %d, and a node has %d addresses for pods, a /%d of %s: further pods get none, unless node-cidr-mask-size in "+
				"kube-controller-manager-arg of the servers was smaller than %d when the node joined", most, mostPods, podsOfNode4, keyPods, podsOfNode4)}}
		}
	}

	return nil
}

const keyResolvConf = "resolv-conf"

// asksItself: the name server in this file is the guest's own, which is CoreDNS itself inside of CoreDNS' pod: it ends at the loop
// (onedr0p/cluster-template issue 649, coredns/coredns issue 6321). K3s finds the right file by itself.
func asksItself(config map[string]any) []Contradiction {
	const stub = "/run/systemd/resolve/stub-resolv.conf"

	text := ": CoreDNS forwards names to the servers in " + stub + ", which is systemd-resolved at 127.0.0.53 and in a pod the pod itself, and ends at that loop. " +
		"Leave it out: K3s takes /run/systemd/resolve/resolv.conf by itself"

	switch key, file := ResolvConf(config); {
	case file != stub:
		return nil
	case key == keyResolvConf:
		return []Contradiction{{key, "asks the guest itself" + text}}
	default:
		return []Contradiction{{key, "resolv-conf asks the guest itself" + text}}
	}
}

// ResolvConf is the file from which CoreDNS and other pods with the node's name servers have them, and the key that says it; empty where K3s looks for it.
// K3s takes one that is said as it is (pkg/agent/config, locateOrGenerateResolvConf).
func ResolvConf(config map[string]any) (key, file string) {
	if value, _ := config[keyResolvConf].(string); value != "" {
		key, file = keyResolvConf, strings.TrimSpace(value)
	}

	for _, item := range itemsOf(config["kubelet-arg"]) {
		if name, value := argumentOf(item); name == keyResolvConf {
			key, file = "kubelet-arg", value
		}
	}

	return key, file
}

// ownDriver: K3s tells containerd and the kubelet alike who keeps the groups of processes, which is systemd where it runs as a service (pkg/agent/run.go and
// pkg/daemons/agent of k3s-io/k3s).
func ownDriver(config map[string]any) []Contradiction {
	for _, item := range itemsOf(config["kubelet-arg"]) {
		if name, value := argumentOf(item); name == "cgroup-driver" && value != "systemd" {
			return []Contradiction{{"kubelet-arg", "cgroup-driver is the kubelet's alone, and K3s sets containerd's by itself, to systemd: where the two differ, pods do not start, or lose their limits. Leave it out"}}
		}
	}

	return nil
}
