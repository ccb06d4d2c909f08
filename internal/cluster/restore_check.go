package cluster

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

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
