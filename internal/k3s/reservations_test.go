package k3s

import "testing"

// TestReservations: each is a kubelet that ends at its first look at the machine (gardener/gardener issue 6106), or one that does not.
func TestReservations(t *testing.T) {
	const memory, cores = 4096, 2

	of := func(items ...any) map[string]any { return map[string]any{"kubelet-arg": items} }

	cases := map[string]struct {
		reason        string
		config        map[string]any
		memory, cores int64
		want          []string
	}{
		"Nothing":   {reason: "The kubelet's defaults.", memory: memory, cores: cores},
		"Fits":      {reason: "As the documentation has it.", config: of("system-reserved=cpu=500m,memory=500Mi", "kube-reserved=cpu=250m,memory=1Gi"), memory: memory, cores: cores},
		"Memory":    {reason: "The sum is the machine's.", config: of("system-reserved=cpu=500m,memory=2Gi", "--kube-reserved=memory=1536Mi", "eviction-hard=memory.available<512Mi,nodefs.available<10%"), memory: memory, cores: cores, want: []string{"kubelet-arg: system-reserved, kube-reserved and eviction-hard keep 4Gi of memory, and the machine has 4096Mi: the kubelet does not start"}},
		"CPU":       {reason: "Taken over from a larger node.", config: of("kube-reserved=cpu=9400m,memory=1Gi"), memory: memory, cores: cores, want: []string{"kubelet-arg: system-reserved and kube-reserved keep 9400m CPUs, and the machine has 2"}},
		"Percent":   {reason: "No amount: nobody adds it.", config: of("eviction-hard=memory.available<95%"), memory: memory, cores: cores},
		"NoAmount":  {reason: "The kubelet's own words say what is wrong.", config: of("system-reserved=memory=lots", "kube-reserved"), memory: memory, cores: cores},
		"Unknown":   {reason: "Nobody knows the size.", config: of("kube-reserved=cpu=64,memory=1Ti")},
		"Elsewhere": {reason: "Another program's.", config: map[string]any{"kube-scheduler-arg": "system-reserved=memory=1Ti"}, memory: memory, cores: cores},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			contradictionsAre(t, tc.reason, Reservations(tc.config, tc.memory, tc.cores), tc.want)
		})
	}
}
