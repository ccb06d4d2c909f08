package k3s

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateLabels checks labels that the kubelet gives its own node. Names below
// kubernetes.io and k8s.io belong to Kubernetes: the kubelet refuses to start
// with one that it may not set (k8s.io/kubelet/pkg/apis/well_known_labels.go), and
// nobody may give himself a node-role.
func ValidateLabels(labels map[string]string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for _, key := range sortedKeys(labels) {
		at := path.Key(shown(key))

		if problems := validation.IsQualifiedName(key); len(problems) > 0 {
			faults = append(faults, field.Invalid(at, field.OmitValueType{}, "is not a label's name: "+strings.Join(problems, "; ")))
		} else if problem := kubeletProblem(key); problem != "" {
			faults = append(faults, field.Forbidden(at, problem))
		}

		if problems := validation.IsValidLabelValue(labels[key]); len(problems) > 0 {
			faults = append(faults, field.Invalid(at, labels[key], strings.Join(problems, "; ")))
		}
	}

	return faults
}

// kubeletProblem says why the kubelet may not set a label, or nothing.
func kubeletProblem(key string) string {
	prefix, name, prefixed := strings.Cut(key, "/")
	if !prefixed || !belowAny(prefix, "kubernetes.io", "k8s.io") {
		return ""
	}

	switch {
	case prefix == "node-role.kubernetes.io":
		return "a node cannot give itself a role; label it from the cluster: kubectl label node NAME " + key + "="
	case key == "kubernetes.io/hostname", key == "kubernetes.io/os", key == "kubernetes.io/arch":
		return "the kubelet sets it by itself"
	case belowAny(prefix, "kubelet.kubernetes.io", "node.kubernetes.io"):
		return ""
	case prefix == "topology.kubernetes.io" && (name == "zone" || name == "region"):
		return ""
	default:
		return "the kubelet may not set this label of Kubernetes; use a prefix of your own, or topology.kubernetes.io/zone, " +
			"topology.kubernetes.io/region or node.kubernetes.io/..."
	}
}

// belowAny says whether a domain is one of the others or below it.
func belowAny(domain string, parents ...string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool {
		return domain == parent || strings.HasSuffix(domain, "."+parent)
	})
}

// ValidateTaints wants key=value:Effect or key:Effect, each key and effect once.
func ValidateTaints(taints []string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	seen := map[string]bool{}

	for i, taint := range taints {
		at := path.Index(i)

		keyValue, effect, _ := strings.Cut(taint, ":")
		key, value, _ := strings.Cut(keyValue, "=")

		if len(validation.IsQualifiedName(key)) > 0 || len(validation.IsValidLabelValue(value)) > 0 {
			faults = append(faults, field.Invalid(at, taint, "must be key=value:Effect or key:Effect, such as gpu=true:NoSchedule"))

			continue
		}

		if effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}; !slices.Contains(effects, effect) {
			faults = append(faults, field.Invalid(at, taint, "the effect behind the colon must be one of "+strings.Join(effects, ", ")))
		}

		if seen[key+":"+effect] {
			faults = append(faults, field.Duplicate(at, taint))
		}

		seen[key+":"+effect] = true
	}

	return faults
}
