package k3s

import "testing"

// TestKubelet: with each of them the kubelet ends when it starts, and the node never joins.
func TestKubelet(t *testing.T) {
	of := func(items ...any) map[string]any { return map[string]any{"kubelet-arg": items} }

	cases := map[string]struct {
		reason string
		config map[string]any
		ends   []string
		risks  []string
	}{
		"Nothing":       {reason: "The kubelet's defaults."},
		"Images":        {reason: "As people tighten them.", config: of("image-gc-high-threshold=70", "--image-gc-low-threshold=55")},
		"ImagesTurn":    {reason: "The two are mixed up.", config: of("image-gc-high-threshold=50", "image-gc-low-threshold=60"), ends: []string{"kubelet-arg: the kubelet removes images above 50 % of the disk (image-gc-high-threshold) until 60 % are reached (image-gc-low-threshold), which is not less, so it does not start: set both, such as image-gc-high-threshold=50 and image-gc-low-threshold=40"}},
		"ImagesSame":    {reason: "OpenShift's documentation had to say it.", config: of("image-gc-high-threshold=75", "image-gc-low-threshold=75"), ends: []string{"kubelet-arg: the kubelet removes images above 75 %"}},
		"ImagesHigh":    {reason: "The default of the other one is 80.", config: of("image-gc-high-threshold=70"), risks: []string{"kubelet-arg: the kubelet removes images above 70 % of the disk (image-gc-high-threshold) until 80 % are reached"}},
		"ImagesLow":     {reason: "The default of the other one is 85.", config: of("image-gc-low-threshold=90"), risks: []string{"kubelet-arg: the kubelet removes images above 85 % of the disk (image-gc-high-threshold) until 90 % are reached"}},
		"ImagesLater":   {reason: "It is above the default of the other one.", config: of("image-gc-high-threshold=95")},
		"ImagesNone":    {reason: "The form has a fault of its own.", config: of("image-gc-high-threshold=most")},
		"Soft":          {reason: "It lacks its grace period.", config: of("eviction-hard=memory.available<100Mi", "eviction-soft=memory.available<500Mi"), risks: []string{"kubelet-arg: eviction-soft has memory.available, and the kubelet does not start without its grace period: set eviction-soft-grace-period=memory.available=2m, too"}},
		"SoftOther":     {reason: "One of two lacks it.", config: of("eviction-soft=memory.available<500Mi, nodefs.available<15%", "eviction-soft-grace-period=memory.available=2m"), risks: []string{"kubelet-arg: eviction-soft has nodefs.available"}},
		"SoftFine":      {reason: "As Kubernetes' documentation has it.", config: of("eviction-soft=memory.available<500Mi,nodefs.available<15%", "eviction-soft-grace-period=memory.available=2m,nodefs.available=1m")},
		"Static":        {reason: "Pods could get all CPUs.", config: of("cpu-manager-policy=static", "kube-reserved=memory=500Mi"), risks: []string{"kubelet-arg: cpu-manager-policy=static needs CPUs that no pod gets for itself"}},
		"Enforced":      {reason: "There is no such cgroup.", config: of("enforce-node-allocatable=pods,kube-reserved", "kube-reserved=cpu=500m"), risks: []string{"kubelet-arg: enforce-node-allocatable has kube-reserved, and the kubelet does not start without kube-reserved-cgroup"}},
		"EnforcedGroup": {reason: "Who names one makes it.", config: of("enforce-node-allocatable=pods,kube-reserved", "kube-reserved-cgroup=/k3s.slice")},
		"EnforcedPods":  {reason: "The kubelet's own.", config: of("enforce-node-allocatable=pods")},
		"StaticKept":    {reason: "Some are kept.", config: of("cpu-manager-policy=static", "system-reserved=cpu=250m")},
		"StaticNamed":   {reason: "They are named.", config: of("cpu-manager-policy=static", "reserved-cpus=0,12")},
		"StaticOff":     {reason: "The default, written out.", config: of("cpu-manager-policy=none")},
		"Elsewhere":     {reason: "Another program's.", config: map[string]any{"kube-proxy-arg": []any{"cpu-manager-policy=static"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			contradictionsAre(t, tc.reason, KubeletEnds(tc.config), tc.ends)
			contradictionsAre(t, tc.reason, Risks(tc.config), tc.risks)
		})
	}
}
