package cluster

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
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

// placeOfRestore is the path in the claim of the cluster of a field of the first server that comes from servers.restore; empty for other fields.
func placeOfRestore(path string, m Member, spec v1alpha1.K3sClusterSpec) string {
	if r := spec.Servers.Restore; m.Founder == nil || r == nil || r.SecretRef == nil {
		return ""
	}

	const secrets = "bootstrap.secrets"

	of, _ := group(m.Spec, "bootstrap")["secrets"].([]any)
	if path == secrets && len(of) == 0 {
		return "servers.restore.secretRef"
	}

	to, _ := renamed(path, map[string]string{fmt.Sprintf("%s[%d]", secrets, len(of)): "servers.restore"})

	return to
}

// restored is the snapshot with which a server began; empty where there was none.
func restored(spec map[string]any) string {
	snapshot, _ := group(spec, "k3s")["restore"].(string)
	return snapshot
}

func isRestoreFile(file any) bool {
	f, _ := file.(map[string]any)
	return f["path"] == k3s.RestoreS3Path
}

// checkRestore checks what the claim alone says of the snapshot with which the cluster begins.
func checkRestore(at *field.Path, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	r := spec.Servers.Restore
	if r == nil {
		return nil
	}

	errs := k3s.ValidateSnapshotName(r.Snapshot, at.Child("snapshot"))

	if s := spec.Servers.Snapshots; s == nil || s.S3 == nil {
		errs = append(errs, field.Forbidden(at,
			"a new VM has no snapshot on its disk, so it comes from S3: write servers.snapshots: {s3: {secretRef: {name: etcd-s3}}}, where the restored cluster saves its state, too"))
	}

	if spec.Token == nil {
		errs = append(errs, field.Forbidden(at, "K3s decrypts the snapshot with the token of the time when it was taken: write token, with the Secret that has it"))
	}

	return errs
}

// CheckRestore refuses to restore a cluster that has a server already. The claim of a cluster that began with the snapshot may still name it.
func CheckRestore(spec v1alpha1.K3sClusterSpec, children map[string]Child) field.ErrorList {
	r, exists := spec.Servers.Restore, false
	if r == nil {
		return nil
	}

	for _, c := range children {
		if c.Role != v1alpha1.K3sServer {
			continue
		}

		if exists = true; restored(c.Spec) == r.Snapshot {
			return nil
		}
	}

	if !exists {
		return nil
	}

	return field.ErrorList{field.Invalid(field.NewPath("spec", "servers", "restore", "snapshot"), message.Excerpt(r.Snapshot),
		"the cluster has servers, and only a new cluster begins with a snapshot, so nothing is restored: remove servers.restore; if all servers are lost, restore one by hand, "+
			"or delete the claim and commit it again with servers.restore: docs/clusters.md#all-servers-are-lost")}
}
