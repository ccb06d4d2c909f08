package k3s

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateLabels checks labels that the kubelet sets on its own node. Names below
// kubernetes.io and k8s.io belong to Kubernetes: the kubelet does not start
// with a label that it may not set (k8s.io/kubelet/pkg/apis/well_known_labels.go), and
// a node may not set its own node-role.
func ValidateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for _, key := range sortedKeys(labels) {
		at := path.Key(shown(key))

		if problems := validation.IsQualifiedName(key); len(problems) > 0 {
			faults = append(faults, field.Invalid(at, field.OmitValueType{}, "is not a valid label name: "+strings.Join(problems, "; ")))
		} else if problem := kubeletProblem(key); problem != "" {
			faults = append(faults, field.Forbidden(at, problem))
		}

		if problems := validation.IsValidLabelValue(labels[key]); len(problems) > 0 {
			faults = append(faults, field.Invalid(at, labels[key], strings.Join(problems, "; ")))
		}
	}

	return faults
}

// kubeletProblem returns why the kubelet may not set a label, or an empty string.
func kubeletProblem(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed || !belowAny(prefix, "kubernetes.io", "k8s.io") {
		return ""
	}

	switch {
	case prefix == "node-role.kubernetes.io":
		return "a node cannot set its own role; set the label in the cluster: kubectl label node NAME " + key + "="
	case key == "kubernetes.io/hostname", key == "kubernetes.io/os", key == "kubernetes.io/arch":
		return "the kubelet sets this label itself"
	case belowAny(prefix, "kubelet.kubernetes.io", "node.kubernetes.io"):
		return ""
	case prefix == "topology.kubernetes.io" && (name == "zone" || name == "region"):
		return ""
	default:
		return "the kubelet may not set this label of Kubernetes; use your own prefix, or topology.kubernetes.io/zone, " +
			"topology.kubernetes.io/region or node.kubernetes.io/..."
	}
}

// belowAny reports whether a domain is equal to, or below, one of the others.
func belowAny(domain string, parents ...string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool {
		return domain == parent || strings.HasSuffix(domain, "."+parent)
	})
}

// ValidateTaints checks taints: key=value:Effect or key:Effect, each key and effect once.
func ValidateTaints(taints []string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	seen := map[string]bool{}

	for i, taint := range taints {
		at := path.Index(i)

		keyValue, effect, hasEffect := strings.Cut(taint, ":")
		key, value, _ := strings.Cut(keyValue, "=")

		if len(validation.IsQualifiedName(key)) > 0 || len(validation.IsValidLabelValue(value)) > 0 {
			faults = append(faults, field.Invalid(at, taint, "must be key=value:Effect or key:Effect, such as gpu=true:NoSchedule"))

			continue
		}

		if effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}; !slices.Contains(effects, effect) {
			rule := "the effect after the colon must be one of " + strings.Join(effects, ", ")
			if !hasEffect {
				rule += ", as in " + taint + ":" + effects[0]
			}

			faults = append(faults, field.Invalid(at, taint, rule))
		}

		if seen[key+":"+effect] {
			faults = append(faults, field.Duplicate(at, taint))
		}

		seen[key+":"+effect] = true
	}

	return faults
}
