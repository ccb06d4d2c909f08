package validate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// cpuType checks a CPU type against the provider's list (bpg, proxmoxtf/resource/vm/validators.go).
func cpuType(at *field.Path, t string) field.ErrorList {
	if t == "" || customCPUPattern.MatchString(t) || slices.Contains(cpuTypes(), t) {
		return nil
	}

	var meant string
	if i := slices.IndexFunc(cpuTypes(), func(known string) bool { return strings.EqualFold(known, t) }); i >= 0 {
		meant = cpuTypes()[i]
	}

	return field.ErrorList{field.Invalid(at, message.Excerpt(t), "must be a CPU type of Proxmox, such as host or x86-64-v3, or custom-<name>"+write(meant))}
}

func cpuTypes() []string {
	return []string{
		"host", "max", "x86-64-v2", "x86-64-v2-AES", "x86-64-v3", "x86-64-v4",
		"kvm32", "kvm64", "qemu32", "qemu64",
		"486", "athlon", "core2duo", "coreduo", "pentium", "pentium2", "pentium3", "phenom",
		"Conroe", "Penryn", "Nehalem", "Nehalem-IBRS", "Westmere", "Westmere-IBRS",
		"SandyBridge", "SandyBridge-IBRS", "IvyBridge", "IvyBridge-IBRS",
		"Haswell", "Haswell-IBRS", "Haswell-noTSX", "Haswell-noTSX-IBRS",
		"Broadwell", "Broadwell-IBRS", "Broadwell-noTSX", "Broadwell-noTSX-IBRS",
		"Skylake-Client", "Skylake-Client-IBRS", "Skylake-Client-noTSX-IBRS", "Skylake-Client-v4",
		"Skylake-Server", "Skylake-Server-IBRS", "Skylake-Server-noTSX-IBRS", "Skylake-Server-v4", "Skylake-Server-v5",
		"Cascadelake-Server", "Cascadelake-Server-noTSX", "Cascadelake-Server-v2", "Cascadelake-Server-v4", "Cascadelake-Server-v5",
		"Cooperlake", "Cooperlake-v2", "Icelake-Client", "Icelake-Client-noTSX", "Icelake-Server", "Icelake-Server-noTSX",
		"Icelake-Server-v3", "Icelake-Server-v4", "Icelake-Server-v5", "Icelake-Server-v6", "SapphireRapids", "KnightsMill",
		"Opteron_G1", "Opteron_G2", "Opteron_G3", "Opteron_G4", "Opteron_G5",
		"EPYC", "EPYC-IBPB", "EPYC-v3", "EPYC-v4", "EPYC-Rome", "EPYC-Rome-v2", "EPYC-Rome-v3", "EPYC-Rome-v4", "EPYC-Milan", "EPYC-Genoa",
	}
}
