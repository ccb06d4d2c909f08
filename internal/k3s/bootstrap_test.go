package k3s

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestBootstrapJoins(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/endpoint-late", "1\n2\n3\n", 0o644)
	r.expect("A server waits for the cluster and joins it.", 0, "waits for https://k3s.home.arpa:6443", "done: k3s-cp-2 runs K3s as server")

	want := append(initial(), cacerts, installer, "installer server", "systemctl daemon-reload", "systemctl enable --quiet k3s.service", "systemctl start --no-block k3s.service", "systemctl is-active --quiet k3s.service")
	if diff := cmp.Diff(want, r.calls()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if diff := cmp.Diff("INSTALL_K3S_SKIP_DOWNLOAD=false\nINSTALL_K3S_SKIP_ENABLE=true\nINSTALL_K3S_SKIP_START=true\nINSTALL_K3S_VERSION=v1.33.6+k3s1\n", r.read("world/installer-env")); diff != "" {
		t.Errorf("The installer copies every K3S_ variable into K3s' unit; it must find none.\n%s", diff)
	}

	info, err := os.Stat(filepath.Join(r.root, DefaultTokenFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file is %v (%v), want 0600", info.Mode(), err)
	}

	if r.exists("etc/rancher/k3s/config.yaml.d") {
		t.Error("a server's configuration was changed")
	}
}

func TestBootstrapAgent(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := nodes()["agent"]
	n.Token = Token(bootstrapTok)

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("An agent joins, with a bootstrap token as well.", 0, "done: k3s-w-1 runs K3s as agent")

	want := append(initial(), cacerts, installer, "installer agent", "systemctl daemon-reload", "systemctl enable --quiet k3s-agent.service", "systemctl start --no-block k3s-agent.service",
		"systemctl is-active --quiet k3s-agent.service", "curl http://127.0.0.1:10248/healthz")
	if diff := cmp.Diff(want, r.calls()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestBootstrapKubelet: the folder is K3s' own, below its data-dir. What somebody has put there stays.
func TestBootstrapKubelet(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for _, data := range []string{"/var/lib/rancher/k3s", "/srv/k3s"} {
		n := joiner()
		n.Config = map[string]any{"data-dir": data}
		file := data + "/agent/etc/kubelet.conf.d/50-shutdown.conf"

		r := newRig(t, n)
		r.write("world/endpoint", "", 0o644)
		r.expect("A shutdown of the VM must not kill pods.", 0, "done")

		var got map[string]any
		if err := yaml.Unmarshal([]byte(r.read(file)), &got); err != nil {
			t.Fatal(err)
		}

		want := map[string]any{
			"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
			"shutdownGracePeriod": "60s", "shutdownGracePeriodCriticalPods": "15s",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", file, diff)
		}

		r.write(file, "mine", 0o600)
		r.try(os.Remove(filepath.Join(r.root, "var/lib/k3s-bootstrap/done")))

		if r.expect("Again.", 0, "done"); r.read(file) != "mine" {
			t.Errorf("somebody's own settings of the kubelet were replaced: %s", r.read(file))
		}
	}
}

func TestBootstrapInitAlone(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, first())
	r.expect("Where nobody answers, the first server starts a cluster.", 0, "starts a new cluster", "done: k3s-cp-1 runs K3s as server")

	if r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") {
		t.Error("it was told to join")
	}

	if count := strings.Count(r.read("calls"), "/cacerts"); count < 2 {
		t.Errorf("it asked %d times only; one lost packet must not make a second cluster", count)
	}
}

func TestBootstrapInitWithoutToken(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, nodes()["alone"])
	r.expect("K3s makes the token; without an address there is nothing to ask.", 0, "starts a new cluster")

	if strings.Contains(r.read("calls"), "/cacerts") {
		t.Error("it asked somebody")
	}
}

func TestBootstrapInitFindsItsCluster(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const want = "cluster-init: false\nserver: \"https://k3s.home.arpa:6443\"\n"

	r := newRig(t, first())
	r.write("world/endpoint", "", 0o644)
	r.write("world/endpoint-late", "1\n", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.expect("A rebuilt first server joins the living cluster.", 1, "serves a cluster already: joins it")

	if diff := cmp.Diff(want, r.read("etc/rancher/k3s/config.yaml.d/50-join.yaml")); diff != "" {
		t.Error(diff)
	}

	r.try(os.Remove(filepath.Join(r.root, "world/never-ready")))
	r.try(os.Remove(filepath.Join(r.root, "world/endpoint")))
	r.expect("The cluster goes away before the node is in: it waits, and does not change its mind.", 1, "as an earlier run has decided", "did not answer within 2s")

	r.write("world/endpoint", "", 0o644)
	r.expect("Then the cluster is back.", 0, "as an earlier run has decided", "is installed already", "done: k3s-cp-1")
}

func TestBootstrapInitWithData(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for _, data := range []string{"var/lib/rancher/k3s/server/db/etcd/member/wal", "var/lib/rancher/k3s/server/db/state.db"} {
		r := newRig(t, first())
		r.write(data, "", 0o600)
		r.write("world/endpoint", "", 0o644)
		r.expect("Its own cluster answers: it is a member already, and nothing is to be joined.", 0, "has the data of its cluster already")

		if r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") || !r.exists(data) {
			t.Error("a member was told to join, or lost its data")
		}
	}
}

func TestBootstrapDataDir(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := first()
	n.Config = map[string]any{"data-dir": "/srv/k3s"}

	r := newRig(t, n)
	r.write("srv/k3s/server/db/etcd/x", "", 0o600)
	r.write("world/endpoint", "", 0o644)
	r.expect("Data is where data-dir says.", 0, "has the data of its cluster already")
}

func TestBootstrapInitCannotJoinWithoutToken(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := nodes()["alone"]
	n.ServerURL = "https://k3s.home.arpa:6443"

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("Better no node than a second cluster.", 1, "FATAL: https://k3s.home.arpa:6443 serves a cluster already, and there is no token to join it with")

	if strings.Contains(r.read("calls"), "installer") || r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") {
		t.Error("it went on all the same")
	}
}

func TestBootstrapInitJoinsWithEitherToken(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for _, token := range []string{shortToken, serverToken} {
		n := first()
		n.Token, n.TokenFile = "", DefaultTokenFile

		r := newRig(t, n)
		r.write("world/endpoint", "", 0o644)
		r.write(DefaultTokenFile, token+"\n", 0o600)
		r.expect("A rebuilt first server may have been given the full token by now.", 0, "joins it")
	}
}

func TestBootstrapAgain(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.expect("The first time.", 0, "installs K3s v1.33.6+k3s1")
	r.expect("The second time it installs nothing.", 0, "K3s v1.33.6+k3s1 is installed already", "done")

	if strings.Contains(r.read("calls"), "installer") {
		t.Error("the installer ran again")
	}
}

func TestBootstrapVersions(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.expect("Once.", 0)

	r.write("world/version", "v1.32.1+k3s1\n", 0o644)
	r.expect("An image may carry another release that was never used.", 0, "installs K3s v1.33.6+k3s1")

	r.write("world/version", "v1.35.0+k3s1\n", 0o644)
	r.write("var/lib/rancher/k3s/agent/client-kubelet.crt", "", 0o600)
	r.expect("A node that was upgraded since is not set back.", 0, "K3s v1.35.0+k3s1 is installed and in use; it is left as it is, although v1.33.6+k3s1 is asked for")

	if strings.Contains(r.read("calls"), "installer") {
		t.Error("the installer ran")
	}
}
