package cluster

import (
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// A cluster can begin with a snapshot of etcd. Only the spec with which its first server is created says so: the template of the servers does not, so that
// servers.restore is no reason to change or to replace a server that exists, and neither is its removal from the claim.

// withRestore is the spec of a first server that begins with a snapshot.
func withRestore(spec map[string]any, r *v1alpha1.EtcdRestore) (map[string]any, error) {
	if r == nil {
		return spec, nil
	}

	out := maps.Clone(spec)
	k := maps.Clone(group(out, "k3s"))
	k["restore"], out["k3s"] = r.Snapshot, k

	if r.SecretRef == nil {
		return out, nil
	}

	options, err := plain(map[string]any{"path": k3s.RestoreS3Path, "secretRef": r.SecretRef, "allowPlaintext": r.AllowPlaintext})
	b := maps.Clone(group(out, "bootstrap"))
	files, _ := b["secrets"].([]any)
	b["secrets"], out["bootstrap"] = append(slices.Clone(files), options), b

	return out, err
}

// withoutRestore is the spec of a server without what it began with.
func withoutRestore(spec map[string]any) map[string]any {
	if restored(spec) == "" {
		return spec
	}

	out := maps.Clone(spec)
	k := maps.Clone(group(out, "k3s"))
	delete(k, "restore")

	out["k3s"] = k

	b := maps.Clone(group(out, "bootstrap"))
	files, _ := b["secrets"].([]any)
	files = slices.DeleteFunc(slices.Clone(files), isRestoreFile)

	if b["secrets"] = files; len(files) == 0 {
		delete(b, "secrets")
	}

	if out["bootstrap"] = b; len(b) == 0 {
		delete(out, "bootstrap")
	}

	return out
}

// keepRestore is a spec with what a server that exists began with.
func keepRestore(spec, has map[string]any) map[string]any {
	snapshot := restored(has)
	if snapshot == "" {
		return spec
	}

	out := maps.Clone(spec)
	k := maps.Clone(group(out, "k3s"))
	k["restore"], out["k3s"] = snapshot, k

	had, _ := group(has, "bootstrap")["secrets"].([]any)
	if i := slices.IndexFunc(had, isRestoreFile); i >= 0 {
		b := maps.Clone(group(out, "bootstrap"))
		files, _ := b["secrets"].([]any)
		b["secrets"], out["bootstrap"] = append(slices.Clone(files), had[i]), b
	}

	return out
}

// restored is the snapshot with which a server began; empty where there was none.
func restored(spec map[string]any) string {
	snapshot := text(group(spec, "k3s"), "restore")
	return snapshot
}

func isRestoreFile(file any) bool {
	f, _ := file.(map[string]any)
	return f["path"] == k3s.RestoreS3Path
}
