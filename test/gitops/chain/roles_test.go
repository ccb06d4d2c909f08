package chain

import (
	"testing"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// The files of the fleet that the role of example/workload/flux/roles.yaml has, and what it makes.
const (
	roleFile = "roles/docker01/role.yaml"
	roleName = "role-of-docker01"
	role     = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + roleName + ", namespace: infra-machines}\ndata: {version: first}\n"
)

// TestRoles holds the real Flux to example/workload/flux/roles.yaml: a role is applied when its machine has converged and not before; later it goes on as it
// is, and its next commit waits while the machine has not converged.
func TestRoles(t *testing.T) {
	r := newRigOfWorkload(t, "roles", "Machine")
	revision := r.commitRoles()

	r.until("the claim is applied", func() (bool, string) { return r.get("Machine", machines, "docker01") != nil, "there is none" })

	for _, says := range []struct{ status, reason string }{{"Unknown", "NotReported"}, {"False", "RolledBack"}} {
		r.converges(says.status, says.reason)
		r.awaits("")
	}

	r.converges("True", "Applied")
	r.until("the role is applied", r.readyAt(revision, "machine-docker01", "docker01"))
	r.hasRole("first")

	r.converges("False", "RolledBack")
	r.fleet.edit(roleFile, "first", "second")
	revision = r.commit("The role's next commit")
	r.until("the machine's layer has the commit", func() (bool, string) {
		k := r.layer("machine-docker01")

		return text(k, "status", "lastAttemptedRevision") == revision || text(k, "status", "lastAppliedRevision") == revision, conditionOf(k, "Ready").String()
	})
	r.awaits("first")

	r.converges("True", "Applied")
	r.until("the role has its next commit", r.readyAt(revision, "machine-docker01", "docker01"))
	r.hasRole("second")
}

// commitRoles commits the example, its claim, and what it needs of example/flux: the account, and layers that have nothing to do.
func (r *rig) commitRoles() (revision string) {
	r.t.Helper()

	return r.commitWorkload(map[string]string{
		"clusters/roles/roles.yaml":       "workload/flux/roles.yaml",
		"clusters/roles/team.yaml":        "flux/infrastructure/base/team.yaml",
		"machines/docker01/docker01.yaml": "nixos/docker01.yaml",
	}, map[string]string{roleFile: role})
}

// converges is what the function says of the machine: that its VM runs as the claim says, and how far the guest has come.
func (r *rig) converges(status, reason string) {
	r.t.Helper()
	r.tells("Machine", "docker01", [3]string{"Ready", "True", "Available"}, [3]string{"Converged", status, reason})
}

// awaits: for longer than a health check's poll, neither the machine's layer nor that of its role becomes ready, and the role is as it was; empty where it was
// not there.
func (r *rig) awaits(was string) {
	r.t.Helper()

	r.until("the role waits for its machine", func() (bool, string) {
		c := conditionOf(r.layer("docker01"), "Ready")

		return c.Status == "False" && c.Reason == "DependencyNotReady", c.String()
	})
	plane.Rest(r.t.Context(), 8*time.Second)

	for _, layer := range []string{"machine-docker01", "docker01"} {
		if c := conditionOf(r.layer(layer), "Ready"); c.Status == "True" {
			r.t.Errorf("%s says that it is ready: %s", layer, c)
		}
	}

	r.hasRole(was)
}

// hasRole of a version; empty for none.
func (r *rig) hasRole(version string) {
	r.t.Helper()

	if got := text(r.get("ConfigMap", machines, roleName), "data", "version"); got != version {
		r.t.Errorf("the role is of version %q, want %q", got, version)
	}
}
