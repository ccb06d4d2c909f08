package k3s

import (
	"cmp"
	"fmt"
	"strings"
)

// A goneName is what a program of Kubernetes does not know by that name from a minor release on, or never knew.
type goneName struct {
	since   int    // 0: it is a field of the program's configuration, and never was an argument.
	instead string // Empty: remove it.
}

// goneNames by what they are.
type goneNames map[string]goneName

const (
	leaveOut    = "leave it out"
	kubeletFile = "write it into a file of the folder agent/etc/kubelet.conf.d in K3s' data-dir"
)

// gone are the arguments by key and name: kubernetes/kubernetes pull requests 97252 (dockershim), 114017, 115840 and others, and the fields of
// KubeletConfiguration that have no argument.
var gone = map[string]goneNames{ //nolint:gochecknoglobals // A constant table.
	"kubelet-arg": {
		"container-runtime": {27, leaveOut + ": K3s brings containerd"}, "network-plugin": {24, leaveOut},
		"cni-bin-dir": {24, leaveOut}, "cni-conf-dir": {24, leaveOut},
		"docker-endpoint": {24, leaveOut}, "image-pull-progress-deadline": {24, leaveOut},
		"memory-swap-behavior":  {0, kubeletFile + ", as memorySwap.swapBehavior"},
		"shutdown-grace-period": {0, kubeletFile}, "shutdown-grace-period-critical-pods": {0, kubeletFile},
	},
	keyAPIServer: {"insecure-port": {24, leaveOut}, "insecure-bind-address": {24, leaveOut}},
	"kube-controller-manager-arg": {
		"pod-eviction-timeout": {27, "set default-not-ready-toleration-seconds and default-unreachable-toleration-seconds in kube-apiserver-arg"},
		"enable-taint-manager": {27, leaveOut}, "port": {24, leaveOut},
	},
	keyScheduler: {"port": {24, leaveOut}},
}

// goneGates are features whose switch is no more, since what they switched is always on or was given up:
// https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates-removed/, kubernetes/kubernetes pull request 116255,
// siderolabs/talos issue 13480.
var goneGates = goneNames{ //nolint:gochecknoglobals // A constant table.
	"CSIMigration": {since: 27}, "CronJobTimeZone": {since: 29}, "DynamicKubeletConfig": {since: 26}, "EphemeralContainers": {since: 27},
	"IPv6DualStack": {since: 27}, "LocalStorageCapacityIsolation": {since: 27}, "MixedProtocolLBService": {since: 28}, "PodSecurity": {since: 28},
	"ServerSideApply":  {since: 32},
	"TTLAfterFinished": {since: 25}, "UserNamespacesPodSecurityStandards": {since: 35}, "ValidatingAdmissionPolicy": {since: 32},
}

// gonePlugins are admission plugins of the API server.
var gonePlugins = goneNames{ //nolint:gochecknoglobals // A constant table.
	"PodSecurityPolicy": {since: 25}, "SecurityContextDeny": {since: 30},
}

// goneBackends are those of flannel (pkg/agent/flannel/setup.go of k3s-io/k3s: "will be removed in k3s v1.26, please switch to wireguard-native").
var goneBackends = goneNames{ //nolint:gochecknoglobals // A constant table.
	"wireguard": {26, "write wireguard-native"}, "ipsec": {27, "write wireguard-native"},
}

// GoneArguments are why a program that K3s runs does not start with an argument, and K3s with it: the release does not know the argument, or not what it names.
// Sorted by key.
func GoneArguments(config map[string]any, release string) []Contradiction {
	minor, known := MinorOf(release)
	if !known {
		return nil
	}

	var out []Contradiction

	for _, key := range sortedKeys(config) {
		for i, item := range itemsOf(config[key]) {
			name, value := argumentOf(item)

			if why := goneOf(key, name, value, minor); why != "" {
				out = append(out, Contradiction{Key: key, Why: fmt.Sprintf("item %d: %s", i+1, why)})
			}
		}
	}

	backend, _ := setting(config, keyBackend)
	if why := goneBackends.why("flannel", "backend", backend, minor); why != "" {
		out = append(out, Contradiction{Key: keyBackend, Why: why})
	}

	return out
}

// goneOf says why a program does not start with one argument; empty if nobody knows a reason.
func goneOf(key, name, value string, minor int) string {
	switch why := gone[key].why(key, "argument", name, minor); {
	case why != "":
		return why
	case key == keyKubelet && name == "node-labels":
		return goneLabel(value)
	case name == "feature-gates":
		return goneGates.whyAny(key, "feature gate", value, minor)
	case key == keyAPIServer && (name == "enable-admission-plugins" || name == "disable-admission-plugins"):
		return gonePlugins.whyAny(key, "admission plugin", value, minor)
	}

	return ""
}

// why a program does not start with a name; empty where it knows the name.
func (g goneNames) why(key, what, name string, minor int) string {
	is, ok := g[name]
	if !ok || minor < is.since {
		return ""
	}

	return fmt.Sprintf("%s has no %s %s%s, and K3s does not start: %s", programOf(key), what, name, sinceOf(is.since), cmp.Or(is.instead, "remove it"))
}

// whyAny is why a program does not start with the first such name of a list, whose items may have values.
func (g goneNames) whyAny(key, what, list string, minor int) string {
	for item := range strings.SplitSeq(list, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(item), "=")
		if why := g.why(key, what, name, minor); why != "" {
			return why
		}
	}

	return ""
}

func goneLabel(value string) string {
	for label := range strings.SplitSeq(value, ",") {
		key, _, _ := strings.Cut(strings.TrimSpace(label), "=")
		if kubeletProblem(key) != "" && key != "kubernetes.io/hostname" && key != "kubernetes.io/os" && key != "kubernetes.io/arch" {
			return "the kubelet does not start with a label of Kubernetes that it may not set: set labels in spec.k3s.labels, which says what it may"
		}
	}

	return ""
}

func sinceOf(minor int) string {
	if minor == 0 {
		return ""
	}

	return fmt.Sprintf(" since v1.%d", minor)
}
