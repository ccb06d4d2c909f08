package k3s

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	snapshot = "etcd-snapshot-k3s-cp-1-1732240800"
	etcdData = "var/lib/rancher/k3s/server/db/etcd"
	s3Secret = "s3-secret-key-of-the-bucket"
)

// What K3s and its start do to a machine whose state of etcd counts.
const (
	stubRestore = `
status=$?
if [[ $1 == server ]]; then
	DB=$R/var/lib/rancher/k3s/server/db/etcd
	[[ ! -e $DB/served ]] || touch "$W/lost" # K3s moves the state aside.
	rm -rf "$DB"; mkdir -p "$DB"
	config=${2#--config=}
	cat "$config" "$config".d/*.yaml >"$W/restored-with"
	touch "$DB/half"
	! once restore-fails || exit 1
	[[ ! -e $W/restores-nothing ]] || { rm -rf "$DB"; exit 0; }
	mv "$DB/half" "$DB/snapshot"
	status=0
fi
exit $status
`
	stubServes = `
status=$?
if [[ $1 == start ]]; then
	DB=$R/var/lib/rancher/k3s/server/db/etcd
	[[ -e $DB/snapshot ]] || touch "$W/empty"
	mkdir -p "$DB"; touch "$DB/served"
fi
exit $status
`
)

// restorer is a first server that begins with a snapshot, and whose address is nobody's yet.
func restorer() Node {
	n := first()
	n.ServerURL, n.Restore = "", snapshot

	return n
}

// restores plays S3, etcd and K3s.
func (r *rig) restores() {
	r.write(RestoreS3Path, "etcd-s3-endpoint: s3.home.arpa\netcd-s3-secret-key: "+s3Secret+"\n", 0o600)
	r.write("world/k3s", r.read("world/k3s")+stubRestore, 0o755)
	r.write("bin/systemctl", r.read("bin/systemctl")+stubServes, 0o755)
}

// restored judges a machine that is done: K3s began with the snapshot, nothing was lost since, and what K3s needed for it is in no settings of K3s.
func (r *rig) restored(reason string) {
	r.t.Helper()

	if !r.exists(etcdData+"/snapshot") || !r.exists(etcdData+"/served") || r.exists("world/empty") || r.exists("world/lost") {
		r.t.Errorf("%s\netcd did not begin with the snapshot, or lost what it had since: empty %v, lost %v", reason, r.exists("world/empty"), r.exists("world/lost"))
	}

	if r.exists("etc/rancher/k3s/config.yaml.d") {
		r.t.Errorf("%s\nK3s' own settings were changed", reason)
	}
}

func TestBootstrapRestores(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, restorer())
	r.restores()
	out := r.expect("A new first server begins with the snapshot.", 0, "restores etcd from snapshot "+snapshot, "done: k3s-cp-1 runs K3s as server")
	r.restored("The first run.")

	if want := "k3s server --config=" + r.root + "/run/k3s-restore/config.yaml --cluster-reset --cluster-reset-restore-path=" + snapshot + "\n"; !strings.Contains(r.read("calls"), want) {
		t.Errorf("K3s was called otherwise than %q:\n%s", want, r.read("calls"))
	}

	want := r.read("etc/rancher/k3s/config.yaml") + r.read(RestoreS3Path) + "etcd-s3: true\netcd-s3-config-secret: \"\"\n"
	if diff := cmp.Diff(want, r.read("world/restored-with")); diff != "" {
		t.Errorf("K3s restored with other settings: -want, +got:\n%s", diff)
	}

	if strings.Contains(out, s3Secret) || strings.Contains(r.read("calls"), s3Secret) || r.exists("run/k3s-restore") {
		t.Errorf("the key of S3 was shown, or stays in /run:\n%s", out)
	}

	r.try(os.Remove(filepath.Join(r.root, "var/lib/k3s-bootstrap/done")))

	if out := r.expect("Another run restores nothing.", 0, "done"); strings.Contains(out, "restores etcd") {
		t.Errorf("it restored again:\n%s", out)
	}

	r.restored("The second run.")
}

func TestBootstrapRestoresAfterFaults(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, restorer())
	r.restores()
	options := r.read(RestoreS3Path)

	r.try(os.Remove(filepath.Join(r.root, RestoreS3Path)))
	r.expect("Nobody says where S3 is.", 1, "there is no "+r.root+RestoreS3Path)

	r.write(RestoreS3Path, options, 0o600)
	r.write("world/restore-fails", "1\n", 0o644)
	r.expect("S3 does not answer, or the token is another one.", 1, "K3s did not restore snapshot "+snapshot)

	r.write("world/restores-nothing", "", 0o644)
	r.expect("K3s ends well without a word.", 1, "has restored nothing")

	if r.exists("world/active") {
		t.Error("K3s was started with an empty state")
	}

	r.try(os.Remove(filepath.Join(r.root, "world/restores-nothing")))
	r.expect("Then it restores.", 0, "restores etcd from snapshot", "done")
	r.restored("After faults.")
}

// TestBootstrapRestoresNothing: a state that is there stays, and beside a living cluster there is nothing to restore.
func TestBootstrapRestoresNothing(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, restorer())
	r.restores()
	r.write(etcdData+"/served", "", 0o600)
	r.expect("Somebody's state is on the disk.", 1, "there is the data of a cluster in "+r.root+"/var/lib/rancher/k3s", "nothing was restored")

	if r.exists("world/lost") || r.exists("world/active") {
		t.Error("the state was lost, or K3s was started")
	}

	n := first()
	n.Restore = snapshot

	r = newRig(t, n)
	r.restores()
	r.write("world/endpoint", "", 0o644)
	out := r.expect("A VM that was made again joins its cluster.", 0, "serves a cluster already: joins it", "done")

	if strings.Contains(out, "restores etcd") || strings.Contains(r.read("calls"), "cluster-reset") {
		t.Errorf("it restored a second cluster:\n%s", out)
	}
}

func TestRestoreIsForAFirstServer(t *testing.T) {
	n := joiner()
	n.Restore = snapshot

	if _, err := n.Files(); err == nil || !strings.Contains(err.Error(), "cannot begin with a snapshot of etcd") {
		t.Errorf("a server that joins: %v", err)
	}
}
