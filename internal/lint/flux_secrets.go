package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
			for _, ref := range secretsOf(o) {
				name := ref.name
				if where := r.namespacesOf(name); len(where) > 0 && !slices.Contains(where, target) {
					out = append(out, s.at(fmt.Sprintf("%q: %s %s is put there, and the Secret %s that it names is in %s: a claim reads Secrets of its own namespace. Write one namespace for both%s",
						message.Excerpt(target), o.kind(), message.Excerpt(o.name()), message.Excerpt(name), message.Excerpt(where[0]), seeWrong)))
				}
			}
		}
	}

	return out
}

// secretsNowhere are the Secrets of claims that no file has or mentions, where Secrets are in Git at all: who keeps them elsewhere has none there.
func (r *fluxRepository) secretsNowhere(l fluxLayer) []Fault {
	if !slices.ContainsFunc(r.layers, func(l fluxLayer) bool { return l.has(func(o object) bool { return o.kind() == "Secret" }) }) {
		return nil
	}

	var out []Fault

	for _, o := range l.objects {
		for _, ref := range secretsOf(o) {
			if substituted(ref.name) || r.mentions(ref.name) {
				continue
			}

			path := ref.path + ".name"
			out = append(out, o.fault(position(o.node, path), path, fmt.Sprintf("%q: no file has this Secret, although others are in Git, and the %s waits for it. "+
				"Commit it, encrypted, unless something else makes it%s", message.Excerpt(ref.name), o.kind(), seeWrong), Warning))
		}
	}

	return out
}

// mentions says whether any file has a Secret's name, other than to read the Secret: as its own name, be it of an ExternalSecret, or as what something writes.
func (r *fluxRepository) mentions(secret string) bool {
	for _, objects := range r.files {
		for _, o := range objects {
			for path, text := range texts(o.value) {
				if text == secret && !slices.Contains(path, "secretRef") {
					return true
				}
			}
		}
	}

	return false
}

// A fluxSecretRef is where a claim names a Secret.
type fluxSecretRef struct{ name, path string }

// secretsOf a claim are the Secrets that it reads, in the order of their names, each where the claim names it first.
func secretsOf(o object) []fluxSecretRef {
	if !isApplied(o) {
		return nil
	}

	out := secretRefs(o.value)
	slices.SortFunc(out, func(a, b fluxSecretRef) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.path, b.path)) })

	return slices.CompactFunc(out, func(a, b fluxSecretRef) bool { return a.name == b.name })
}

// secretRefs of a document. That of snapshots in S3 is one of the K3s cluster itself.
func secretRefs(document any) []fluxSecretRef {
	var out []fluxSecretRef

	for path, name := range texts(document) {
		at, named := strings.CutSuffix(joined(path), ".secretRef.name")
		if named && name != "" && !strings.HasSuffix(at, "s3") {
			out = append(out, fluxSecretRef{name, at + ".secretRef"})
		}
	}

	return out
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
