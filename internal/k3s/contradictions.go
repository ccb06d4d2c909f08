package k3s

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A Contradiction is a value that cannot be beside another one of the same config, or beside what K3s does.
type Contradiction struct {
	Key string
	// Why it cannot be, and what to write.
	Why string
}

// Contradictions are why a server with a config does not start, or its cluster does not work, although each value has its form: in the order of the checks.
// release is the server's, disabled what it does not deploy.
func Contradictions(config map[string]any, release string, disabled []string) []Contradiction {
	var out []Contradiction

	ranges := Ranges(config)
	of := func(n Network) []netip.Prefix {
		var out []netip.Prefix

		for _, r := range ranges {
			if r.Of == n {
				out = append(out, r.Prefix)
			}
		}

		return out
	}

	pods, services := of(NetworkPods), of(NetworkServices)

	out = append(out, oneOfEach(config, keyPods, pods)...)
	out = append(out, oneOfEach(config, keyServices, services)...)
	out = append(out, podSizes(config, pods)...)
	out = append(out, serviceSizes(services, release)...)
	out = append(out, apart(config, pods, services)...)
	out = append(out, dnsInside(config, services, disabled)...)

	out = append(out, elections(config)...)
	out = append(out, companionsOf(config, true)...)

	return append(out, portTaken(config)...)
}

// oneOfEach: kube-controller-manager and kube-apiserver end with two networks of one family, and with three ("they are not configured as dual stack",
// validateCIDRs in cmd/kube-controller-manager/app/core.go of Kubernetes; validateClusterIPFlags in cmd/kube-apiserver/app/options says it of services).
func oneOfEach(config map[string]any, key string, networks []netip.Prefix) []Contradiction {
	if _, said := config[key]; !said || len(networks) < 2 || len(networks) == 2 && networks[0].Addr().Is4() != networks[1].Addr().Is4() {
		return nil
	}

	return []Contradiction{{Key: key, Why: fmt.Sprintf("has %d networks, and K3s starts with one, or with one of IPv4 and one of IPv6: take one larger network in place of two of one family", len(networks))}}
}

// Timings of etcd in ms: K3s' own (pkg/etcd/etcd.go), and the longest that etcd takes (maxElectionMs in server/embed/config.go of etcd).
const ownHeartbeat, ownElection, longestElection = 500, 5000, 50000

// elections: etcd ends where an election may begin before five heartbeats could have come (Validate in server/embed/config.go of etcd). Who says one of the two
// has K3s' own of the other one.
func elections(config map[string]any) []Contradiction {
	heartbeat, election, said := ownHeartbeat, ownElection, false

	for _, item := range itemsOf(config[keyEtcd]) {
		name, value := argumentOf(item)

		ms, err := strconv.Atoi(value)
		if err != nil {
			continue
		}

		switch name {
		case "heartbeat-interval":
			heartbeat, said = ms, true
		case "election-timeout":
			election, said = ms, true
		}
	}

	switch {
	case !said:
		return nil
	case heartbeat <= 0 || election <= 0 || election > longestElection:
		return []Contradiction{{keyEtcd, fmt.Sprintf("heartbeat-interval and election-timeout are milliseconds above 0, and election-timeout at most %d: etcd does not start with others, and K3s neither", longestElection)}}
	case election < 5*heartbeat:
		return []Contradiction{{keyEtcd, fmt.Sprintf("election-timeout (%d ms) is less than five times heartbeat-interval (%d ms), and etcd does not start: set both. Without them, K3s takes %d and %d",
			election, heartbeat, ownElection, ownHeartbeat)}}
	}

	return nil
}

// Sizes of the networks of a node's pods: the defaults of kube-controller-manager.
const (
	podsOfNode4, podsOfNode6 = 24, 64
	// mostNodes6 is by how many bits the network of all pods may be wider than that of a node: clusterSubnetMaxDiff in pkg/controller/nodeipam/ipam/cidrset of
	// Kubernetes, which has no such limit for IPv4.
	mostNodes6 = 16
)

// podSizes: each node gets a piece of the network of pods, and kube-controller-manager ends where there is none for the first node
// (NewNodeIpamController in pkg/controller/nodeipam of Kubernetes).
func podSizes(config map[string]any, pods []netip.Prefix) []Contradiction {
	if why := sizeOfOtherFamilies(config, pods); why != "" {
		return []Contradiction{{Key: keyController, Why: why}}
	}

	var out []Contradiction

	for _, p := range pods {
		size, said := nodeSize(config, p)

		first := 0
		if p.Addr().Is6() {
			first = size - mostNodes6
		}

		if p.Bits() >= first && p.Bits() <= size {
			continue
		}

		why := fmt.Sprintf("%s is too small: each node gets a /%d of it for its pods, and K3s does not start: take at least a /%d, such as %s, or set "+
			"%s in %s", p, size, size, suchPods(p), nodeSizeOf, keyController)

		switch {
		case p.Bits() < first:
			why = fmt.Sprintf("%s is too large: Kubernetes cuts it into at most 65536 networks of a /%d each, and K3s does not start: take /%d to /%d, such as %s", p, size, first, size, suchPods(p))
		case said:
			why = fmt.Sprintf("%s is too small: %s gives each node a /%d of it for its pods, and K3s does not start: take a larger network, or a number from %d on there", p, nodeSizeOf, size, p.Bits())
		}

		out = append(out, Contradiction{Key: keyPods, Why: why})
	}

	return out
}

func suchPods(p netip.Prefix) string {
	if p.Addr().Is6() {
		return "fd00:42::/56"
	}

	return effects[keyPods].Default
}

// nodeSizeOf is the argument with the size of a node's piece of the network of pods, and with a family behind it that of one family.
const (
	nodeSizeOf    = "node-cidr-mask-size"
	keyController = "kube-controller-manager-arg"
)

// nodeSizes are the sizes of a node's pieces that a config says, by their arguments.
func nodeSizes(config map[string]any) map[string]int {
	out := map[string]int{}

	for _, item := range itemsOf(config[keyController]) {
		name, value := argumentOf(item)
		if bits, err := strconv.Atoi(value); err == nil && bits != 0 && strings.HasPrefix(name, nodeSizeOf) {
			out[name] = bits
		}
	}

	return out
}

// nodeSize is how long the prefix of a node's piece of a network of pods is, and whether the config says so.
func nodeSize(config map[string]any, pods netip.Prefix) (bits int, said bool) {
	sizes := nodeSizes(config)

	family, otherwise := "-ipv4", podsOfNode4
	if pods.Addr().Is6() {
		family, otherwise = "-ipv6", podsOfNode6
	}

	for _, name := range []string{nodeSizeOf, nodeSizeOf + family} {
		if bits, said := sizes[name]; said {
			return bits, true
		}
	}

	return otherwise, false
}

// sizeOfOtherFamilies is why kube-controller-manager ends at the argument of a size, and K3s with it: setNodeCIDRMaskSizes in
// cmd/kube-controller-manager/app/core.go of Kubernetes (https://github.com/kubernetes/kubernetes/issues/90251,
// https://github.com/Azure/aks-engine/issues/4144).
func sizeOfOtherFamilies(config map[string]any, pods []netip.Prefix) string {
	sizes := nodeSizes(config)
	has := func(family string) bool { _, said := sizes[nodeSizeOf+family]; return said }

	const write = ": write "

	switch {
	case len(pods) > 1 && has(""):
		return nodeSizeOf + " is for one family of addresses, pods have two (" + keyPods + "), and K3s does not start" +
			write + nodeSizeOf + "-ipv4 and " + nodeSizeOf + "-ipv6"
	case has("") && (has("-ipv4") || has("-ipv6")):
		return nodeSizeOf + " beside that of a family keeps K3s from starting" + write + "one of them"
	case len(pods) == 1 && pods[0].Addr().Is4() && has("-ipv6"):
		return nodeSizeOf + "-ipv6 is there, pods have IPv4 alone (" + keyPods + "), and K3s does not start" + write + nodeSizeOf + "-ipv4"
	case len(pods) == 1 && pods[0].Addr().Is6() && has("-ipv4"):
		return nodeSizeOf + "-ipv4 is there, pods have IPv6 alone (" + keyPods + "), and K3s does not start" + write + nodeSizeOf + "-ipv6"
	}

	return ""
}

const (
	// serviceBits is how many bits of the network of services are free at most, in releases before wideServices: validateMaxCIDRRange in
	// cmd/kube-apiserver/app/options of Kubernetes.
	serviceBits  = 20
	wideServices = 34
)

func serviceSizes(services []netip.Prefix, release string) []Contradiction {
	minor, known := MinorOf(release)
	if !known || minor >= wideServices {
		return nil
	}

	var out []Contradiction

	for _, s := range services {
		if least := s.Addr().BitLen() - serviceBits; s.Bits() < least {
			such := "10.43.0.0/16"
			if s.Addr().Is6() {
				such = "fd00:43::/112"
			}

			out = append(out, Contradiction{Key: keyServices, Why: fmt.Sprintf("%s is too large: K3s before v1.%d does not start with more than a /%d for services: take %s", s, wideServices, least, such)})
		}
	}

	return out
}

// apart: kube-controller-manager leaves out of the pods' network what services have, so a network that services have wholly is left for nobody.
func apart(config map[string]any, pods, services []netip.Prefix) []Contradiction {
	for _, p := range pods {
		for _, s := range services {
			if s.Bits() > p.Bits() || !s.Contains(p.Addr()) {
				continue
			}

			key := keyPods
			if _, said := config[keyPods]; !said {
				key = keyServices
			}

			return []Contradiction{{Key: key, Why: fmt.Sprintf("the network of the pods, %s, is inside that of the services, %s, so no node gets addresses for its pods: take another %s", p, s, key)}}
		}
	}

	return nil
}

// dnsInside: CoreDNS gets its address as a Service.
func dnsInside(config map[string]any, services []netip.Prefix, disabled []string) []Contradiction {
	texts, _ := asList(config[keyDNS]).([]string)
	if slices.Contains(disabled, "coredns") || len(services) == 0 {
		return nil
	}

	for _, text := range texts {
		a, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil || slices.ContainsFunc(services, func(s netip.Prefix) bool { return s.Contains(a) }) {
			continue
		}

		such := services[0].Addr()
		for range 10 {
			such = such.Next()
		}

		return []Contradiction{{Key: keyDNS, Why: fmt.Sprintf("%s is outside of %s (%s), where the Service of CoreDNS gets this address, so no pod could resolve a name: take %s, or leave %s out. "+
			"The name servers of the nodes are spec.network.dns", a, services[0], keyServices, such, keyDNS)}}
	}

	return nil
}

// ports that K3s' own programs have on every server: https://docs.k3s.io/installation/requirements and the defaults of Kubernetes' programs.
var ports = map[int]string{ //nolint:gochecknoglobals // A constant table.
	2379: "etcd", 2380: "etcd", 2381: "etcd", 2382: "etcd", 10010: "containerd", 10248: "the kubelet", 10249: "kube-proxy",
	10250: "the kubelet", 10256: "kube-proxy", 10257: "kube-controller-manager", 10258: "the cloud controller", 10259: "kube-scheduler",
}

func portTaken(config map[string]any) []Contradiction {
	var out []Contradiction

	for _, key := range []string{keyListenPort, keySupervisor} {
		value, said := setting(config, key)
		port, err := strconv.Atoi(value)

		if !said || err != nil {
			continue
		}

		switch whose := ports[port]; {
		case port < 1 || port > 65535:
			out = append(out, Contradiction{Key: key, Why: "must be a port, from 1 to 65535"})
		case whose != "":
			out = append(out, Contradiction{Key: key, Why: fmt.Sprintf("%d is the port of %s on the same server: take another one, such as 6443", port, whose)})
		}
	}

	return out
}

// WithoutEffect are keys of a config that K3s passes over because of another one, sorted by key.
func WithoutEffect(config map[string]any) []Contradiction {
	var out []Contradiction

	s3, _ := setting(config, KeyS3)
	off, _ := setting(config, KeySnapshotsOff)
	encrypts, _ := setting(config, "secrets-encryption")

	others := slices.DeleteFunc(sortedKeys(config), func(key string) bool { return !HidesS3Secret(key) })

	for _, key := range sortedKeys(config) {
		switch {
		case key == KeySnapshotSchedule && off == yes:
			out = append(out, Contradiction{key, "has no effect: " + KeySnapshotsOff + " is true"})
		case strings.HasPrefix(key, KeyS3+"-") && s3 != yes:
			out = append(out, Contradiction{key, "has no effect on scheduled snapshots without " + KeyS3 + ": true"})
		case key == KeyS3Secret && len(others) > 0:
			out = append(out, Contradiction{key, "has no effect: K3s reads the Secret only where no other option of S3 is set, and " + strings.Join(others, ", ") +
				" is: write it into the Secret, which has the same keys"})
		case key == "secrets-encryption-provider" && encrypts != yes:
			out = append(out, Contradiction{key, "has no effect without secrets-encryption: true"})
		}
	}

	return out
}
