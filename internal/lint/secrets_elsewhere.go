package lint

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// elsewhereBeside are the warnings of Secrets that claims name, and that stand in their folder with another namespace: no claim reads a Secret of another
// namespace. Where Flux or Kustomize decides the namespace, nobody can tell by the files alone; see [fluxRepository.secretsElsewhere].
func elsewhereBeside(claims, secrets []object, files []manifest.Raw) []Fault {
	var out []Fault

	for _, c := range claims {
		own := c.namespace()
		if own == "" || c.placed != "" || substituted(own) || namespaced(filepath.Dir(filepath.Clean(c.file)), files) {
			continue
		}

		for _, ref := range secretsOf(c) {
			named := slices.DeleteFunc(slices.Clone(secrets), func(s object) bool { return s.name() != ref.name })
			if len(named) == 0 || slices.ContainsFunc(named, func(s object) bool { return !isElsewhere(s, c) }) {
				continue
			}

			path := ref.path + ".name"
			out = append(out, c.fault(position(c.node, path), path, fmt.Sprintf("%q: the Secret of this name beside the claim is of namespace %s, and a claim reads those of its own one: "+
				"write namespace: %s there, unless something else makes one there", message.Excerpt(ref.name), message.Excerpt(named[0].namespace()), message.Excerpt(own)), Warning))
		}
	}

	return out
}

// isElsewhere says whether a Secret of a claim's folder is certainly of another namespace.
func isElsewhere(secret, claim object) bool {
	where := secret.namespace()

	return where != "" && where != claim.namespace() && secret.placed == "" && !substituted(where) &&
		filepath.Dir(filepath.Clean(secret.file)) == filepath.Dir(filepath.Clean(claim.file))
}

// namespaced says whether a kustomization.yaml in a folder, or above it, gives all objects a namespace.
func namespaced(folder string, files []manifest.Raw) bool {
	return slices.ContainsFunc(files, func(f manifest.Raw) bool {
		return manifest.IsKustomization(f.File) && manifest.IsBelow(folder, filepath.Dir(filepath.Clean(f.File))) &&
			slices.ContainsFunc(parse(f, false).objects, func(o object) bool { return text(o.value["namespace"]) != "" })
	})
}
