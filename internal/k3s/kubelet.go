package k3s

import (
	"fmt"
	"strconv"
	"strings"
)

// The kubelet removes images above the first percentage of the disk, until the second one is reached: its defaults.
const gcHigh, gcLow = 85, 80

// imageGarbage: the kubelet ends unless it removes images down to less than where it begins (ValidateKubeletConfiguration in
// pkg/kubelet/apis/config/validation of Kubernetes; https://github.com/openshift/openshift-docs/pull/89161). Whoever says one of the two has the default of the
// other one, unless a file of the kubelet says that.
func imageGarbage(config map[string]any) (why string, certain bool) {
	high, low := ofKubelet(config, "image-gc-high-threshold"), ofKubelet(config, "image-gc-low-threshold")
	if high == "" && low == "" {
		return "", false
	}

	of := func(said string, otherwise int) int {
		if n, err := strconv.Atoi(said); err == nil {
			return n
		}

		return otherwise
	}

	begins, ends := of(high, gcHigh), of(low, gcLow)
	if ends < begins {
		return "", false
	}

	return fmt.Sprintf("the kubelet removes images above %d %% of the disk (image-gc-high-threshold) until %d %% are reached (image-gc-low-threshold), which is not less, so it does not start: "+
		"set both, such as image-gc-high-threshold=%d and image-gc-low-threshold=%d", begins, ends, begins, max(begins-10, 0)), high != "" && low != ""
}

// KubeletEnds is why the kubelet does not start with the arguments of a config, whatever the machine is.
func KubeletEnds(config map[string]any) []Contradiction {
	if why, certain := imageGarbage(config); certain {
		return []Contradiction{{keyKubelet, why}}
	}

	return nil
}

// inFile ends what is right only where a file says the rest.
const inFile = ", unless a file of agent/etc/kubelet.conf.d in K3s' data-dir says it"

// kubeletAlone are arguments with which the kubelet does not start without other ones.
func kubeletAlone(config map[string]any) []Contradiction {
	var out []Contradiction

	if why, certain := imageGarbage(config); why != "" && !certain {
		out = append(out, Contradiction{keyKubelet, why + inFile})
	}

	// ParseThresholdConfig in pkg/kubelet/eviction/helpers.go of Kubernetes.
	graces := ofKubelet(config, "eviction-soft-grace-period")

	for part := range strings.SplitSeq(ofKubelet(config, "eviction-soft"), ",") {
		signal, _, _ := strings.Cut(strings.TrimSpace(part), "<")
		if signal == "" || hasPart(graces, signal) {
			continue
		}

		out = append(out, Contradiction{keyKubelet, fmt.Sprintf("eviction-soft has %s, and the kubelet does not start without its grace period: set eviction-soft-grace-period=%s=2m, too%s", signal, signal, inFile)})

		break
	}

	// https://github.com/kubernetes/kubernetes/issues/70161
	if _, cpu := reserved(config); ofKubelet(config, "cpu-manager-policy") == "static" && cpu.IsZero() && ofKubelet(config, "reserved-cpus") == "" {
		out = append(out, Contradiction{keyKubelet, "cpu-manager-policy=static needs CPUs that no pod gets for itself, and the kubelet does not start without: set kube-reserved=cpu=500m, or reserved-cpus, too" + inFile})
	}

	// ValidateKubeletConfiguration in pkg/kubelet/apis/config/validation of Kubernetes: a cgroup for each of the two, which somebody has to make
	// before (k3s-io/k3s issue 2502, kubernetes/kops issue 12324).
	for _, kept := range []string{"kube-reserved", "system-reserved"} {
		if hasWord(ofKubelet(config, "enforce-node-allocatable"), kept) && ofKubelet(config, kept+"-cgroup") == "" {
			out = append(out, Contradiction{keyKubelet, fmt.Sprintf("enforce-node-allocatable has %s, and the kubelet does not start without %s-cgroup, a cgroup that is there: leave it at pods, "+
				"with which %s is kept from pods all the same%s", kept, kept, kept, inFile)})
		}
	}

	return out
}

// hasWord says whether a list has a word, or the word for what can be compressed of it.
func hasWord(list, word string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == word || part == word+"-compressible" {
			return true
		}
	}

	return false
}

// ofKubelet is the value of an argument of the kubelet.
func ofKubelet(config map[string]any, name string) string {
	return lastArgument(config, keyKubelet, name)
}
