package k3s

import (
	"fmt"
	"strings"
)

// A goneArgument is one that a program of Kubernetes does not know from a minor release on, or never knew.
type goneArgument struct {
	since   int // 0: it is a field of the program's configuration, and never was an argument.
	instead string
}

const (
	leaveOut    = "leave it out"
	kubeletFile = "write it into a file of the folder agent/etc/kubelet.conf.d in K3s' data-dir"
)

// gone are the arguments by key and name: kubernetes/kubernetes pull requests 97252 (dockershim), 114017, 115840 and others, and the fields of
// KubeletConfiguration that have no argument.
var gone = map[string]map[string]goneArgument{ //nolint:gochecknoglobals // A constant table.
	"kubelet-arg": {
		"container-runtime": {27, leaveOut + ": K3s brings containerd"}, "network-plugin": {24, leaveOut},
		"cni-bin-dir": {24, leaveOut}, "cni-conf-dir": {24, leaveOut},
		"docker-endpoint": {24, leaveOut}, "image-pull-progress-deadline": {24, leaveOut},
		"memory-swap-behavior":  {0, kubeletFile + ", as memorySwap.swapBehavior"},
		"shutdown-grace-period": {0, kubeletFile}, "shutdown-grace-period-critical-pods": {0, kubeletFile},
	},
	"kube-apiserver-arg": {"insecure-port": {24, leaveOut}, "insecure-bind-address": {24, leaveOut}},
	"kube-controller-manager-arg": {
		"pod-eviction-timeout": {27, "set default-not-ready-toleration-seconds and default-unreachable-toleration-seconds in kube-apiserver-arg"},
		"enable-taint-manager": {27, leaveOut}, "port": {24, leaveOut},
	},
	"kube-scheduler-arg": {"port": {24, leaveOut}},
}

// gonePlugins are admission plugins that the API server does not know from a minor release on.
var gonePlugins = map[string]int{"PodSecurityPolicy": 25, "SecurityContextDeny": 30} //nolint:gochecknoglobals // A constant table.

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
			name, value, _ := argumentOf(item)

			if why := goneOf(key, name, value, minor); why != "" {
				out = append(out, Contradiction{Key: key, Why: fmt.Sprintf("item %d: %s", i+1, why)})
			}
		}
	}

	return out
}

// goneOf says why a program does not start with one argument; empty if nobody knows a reason.
func goneOf(key, name, value string, minor int) string {
	switch arg, ok := gone[key][name]; {
	case ok && minor >= arg.since:
		return fmt.Sprintf("%s has no argument %s%s, and K3s does not start: %s", programOf(key), name, sinceOf(arg.since), arg.instead)
	case key == "kubelet-arg" && name == "node-labels":
		return goneLabel(value)
	case name == "feature-gates":
		return goneGate(key, value, minor)
	case key == "kube-apiserver-arg" && (name == "enable-admission-plugins" || name == "disable-admission-plugins"):
		return gonePlugin(value, minor)
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

// goneGates are features that programs of Kubernetes do not know from a minor release on, since what they switched is always on or was given up:
// https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates-removed/, kubernetes/kubernetes pull request 116255,
// siderolabs/talos issue 13480.
var goneGates = map[string]int{ //nolint:gochecknoglobals // A constant table.
	"CSIMigration": 27, "CronJobTimeZone": 29, "DynamicKubeletConfig": 26, "EphemeralContainers": 27, "IPv6DualStack": 27, "LocalStorageCapacityIsolation": 27,
	"MixedProtocolLBService": 28, "PodSecurity": 28, "ServerSideApply": 32, "TTLAfterFinished": 25, "UserNamespacesPodSecurityStandards": 35,
	"ValidatingAdmissionPolicy": 32,
}

func goneGate(key, value string, minor int) string {
	for gate := range strings.SplitSeq(value, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(gate), "=")
		if since, ok := goneGates[name]; ok && minor >= since {
			return fmt.Sprintf("%s has no feature gate %s%s, and K3s does not start: remove it", programOf(key), name, sinceOf(since))
		}
	}

	return ""
}

func gonePlugin(value string, minor int) string {
	for plugin := range strings.SplitSeq(value, ",") {
		if since, ok := gonePlugins[strings.TrimSpace(plugin)]; ok && minor >= since {
			return fmt.Sprintf("kube-apiserver has no admission plugin %s%s, and K3s does not start: remove it", strings.TrimSpace(plugin), sinceOf(since))
		}
	}

	return ""
}

func programOf(key string) string {
	if key == keyKubelet {
		return "the kubelet"
	}

	return strings.TrimSuffix(key, "-arg")
}

func sinceOf(minor int) string {
	if minor == 0 {
		return ""
	}

	return fmt.Sprintf(" since v1.%d", minor)
}
