package k3s

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Reservations are why the kubelet does not start on a machine of a size: it keeps as much for the system and for itself as the machine has, or more
// ("invalid Node Allocatable configuration": gardener/gardener issue 6106, FootprintAI/Containarium issue 1456). A size of 0 is not known.
func Reservations(config map[string]any, memoryMiB, cores int64) []Contradiction {
	const mebi = 1 << 20

	memory, cpu := reserved(config)

	switch {
	case memoryMiB > 0 && memory.CmpInt64(memoryMiB*mebi) >= 0:
		return []Contradiction{{keyKubelet, fmt.Sprintf("system-reserved, kube-reserved and eviction-hard keep %s of memory, and the machine has %dMi: the kubelet does not start. Keep less, or take a larger class", memory.String(), memoryMiB)}}
	case cores > 0 && cpu.CmpInt64(cores) >= 0:
		return []Contradiction{{keyKubelet, fmt.Sprintf("system-reserved and kube-reserved keep %s CPUs, and the machine has %d: the kubelet does not start, or runs no pod. Keep less, such as cpu=500m, or take a larger class", cpu.String(), cores)}}
	}

	return nil
}

// reserved is what the kubelet keeps from pods, as far as the arguments say it in amounts.
func reserved(config map[string]any) (memory, cpu resource.Quantity) {
	add := func(sum *resource.Quantity, text string) {
		if q, err := resource.ParseQuantity(strings.TrimSpace(text)); err == nil {
			sum.Add(q)
		}
	}

	for _, item := range itemsOf(config[keyKubelet]) {
		name, value := argumentOf(item)

		for part := range strings.SplitSeq(value, ",") {
			switch {
			case name == "system-reserved" || name == "kube-reserved":
				of, amount, _ := strings.Cut(part, "=")

				switch strings.TrimSpace(of) {
				case "memory":
					add(&memory, amount)
				case "cpu":
					add(&cpu, amount)
				}
			case name == "eviction-hard":
				if amount, ok := strings.CutPrefix(strings.TrimSpace(part), "memory.available<"); ok {
					add(&memory, amount)
				}
			}
		}
	}

	return memory, cpu
}
