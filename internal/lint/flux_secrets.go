package lint

import (
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// secretsElsewhere are the Secrets of claims that are among the layers, and in other namespaces only.
func (r *fluxRepository) secretsElsewhere(l fluxLayer) []Fault {
	var out []Fault

	for _, s := range l.said("targetNamespace") {
		target := text(s.value)
		if target == "" {
			continue
		}

		for _, o := range l.objects {
			for _, name := range secretsOf(o) {
				if where := r.namespacesOf(name); len(where) > 0 && !slices.Contains(where, target) {
					out = append(out, s.at(fmt.Sprintf("%q: %s %s is put there, and the Secret %s that it names is in %s: a claim reads Secrets of its own namespace. Write one namespace for both%s",
						message.Excerpt(target), o.kind(), message.Excerpt(o.name()), message.Excerpt(name), message.Excerpt(where[0]), seeWrong)))
				}
			}
		}
	}

	return out
}

// secretsOf a claim are the names of the Secrets that it reads.
func secretsOf(o object) []string {
	if !isApplied(o) {
		return nil
	}

	return secretRefs(o.value)
}

func secretRefs(value any) []string {
	var out []string

	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if name := text(at(below, "name")); key == "secretRef" && name != "" {
				out = append(out, name)
			} else {
				out = append(out, secretRefs(below)...)
			}
		}
	case []any:
		for _, below := range v {
			out = append(out, secretRefs(below)...)
		}
	}

	slices.Sort(out)

	return slices.Compact(out)
}

// namespacesOf the Secrets of a name among the layers. Where nobody says the namespace of one, there is none to compare.
func (r *fluxRepository) namespacesOf(secret string) []string {
	var out []string

	for _, l := range r.layers {
		for _, o := range l.objects {
			if o.kind() != "Secret" || o.name() != secret {
				continue
			}

			namespace := o.namespace()
			for _, s := range l.said("targetNamespace") {
				namespace = text(s.value)
			}

			if namespace == "" {
				return nil
			}

			out = append(out, namespace)
		}
	}

	return out
}

// encrypted are the layers with a Secret that SOPS has encrypted and Flux does not decrypt, where there are claims among the layers.
func (r *fluxRepository) encrypted() []Fault {
	if !slices.ContainsFunc(r.layers, fluxLayer.matters) {
		return nil
	}

	var out []Fault

	for _, l := range r.layers {
		if len(l.said("decryption")) > 0 {
			continue
		}

		if i := slices.IndexFunc(l.objects, func(o object) bool { return isEncrypted(o.value) }); i >= 0 {
			o := l.objects[i]
			out = append(out, l.warning(fmt.Sprintf("applies %s %s, which is encrypted with SOPS, and does not decrypt it: write spec.decryption: {provider: sops, secretRef: {name: sops-age}}%s",
				message.Excerpt(o.kind()), message.Excerpt(o.name()), seeWrong)))
		}
	}

	return out
}
