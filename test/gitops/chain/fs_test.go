package chain

import (
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// withoutSecrets hides the encrypted files of the example: nobody has the key to them.
type withoutSecrets struct{ fs.FS }

// ReadDir leaves them out.
func (w withoutSecrets) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	kept := entries[:0]

	for _, e := range entries {
		if _, secret := secretFiles[name+"/"+e.Name()]; !secret && e.Name() != ".sops.yaml" {
			kept = append(kept, e)
		}
	}

	return kept, err
}

// create an object.
func (r *rig) create(apiVersion, kind, namespace, name string, content map[string]any) {
	r.t.Helper()

	o := &unstructured.Unstructured{Object: content}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	must(r.t, r.Client.Create(r.t.Context(), o))
}
