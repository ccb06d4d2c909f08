package chain

import (
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// record a claim as it is now, with what changes from run to run replaced, for the tests beside this folder.
func (r *rig) record(state, claim string) {
	r.t.Helper()

	if !*update {
		return
	}

	r.write(state, r.claim(claim))
}

func (r *rig) write(state string, o *unstructured.Unstructured) {
	r.t.Helper()

	o = o.DeepCopy()
	o.SetUID("")
	o.SetResourceVersion("")

	content, err := yaml.Marshal(o.Object)
	must(r.t, err)

	dir := filepath.Join("..", "testdata", "objects", r.cluster)
	must(r.t, os.MkdirAll(dir, 0o755))
	must(r.t, os.WriteFile(filepath.Join(dir, state+".yaml"), content, 0o600))
}

// recordPackage records the Configuration and one of its kinds.
func (r *rig) recordPackage(state string) {
	r.t.Helper()

	if !*update {
		return
	}

	r.write("configuration-"+state, r.get("Configuration", "", "homelab-io-configuration-proxmox-machine"))

	for _, name := range []string{"k3snodes.homelab.io", "xk3snodes.homelab.io"} {
		if xrd := r.get("XRD", "", name); xrd != nil {
			unstructured.RemoveNestedField(xrd.Object, "spec", "versions") // What a kind looks like is not the question here.
			r.write("definition-"+state, xrd)
		}
	}
}
