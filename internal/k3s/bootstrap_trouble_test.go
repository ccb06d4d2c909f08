package k3s

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Trouble that comes at a bad moment, and goes again.

func TestBootstrapSaysWhyNobodyAnswers(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/endpoint-says", `6 Could not resolve host: k3s.home.arpa
6 Could not resolve host: k3s.home.arpa
7 Failed to connect to k3s.home.arpa port 6443 after 12 ms: Connection refused
7 Failed to connect to k3s.home.arpa port 6443 after 13 ms: Connection refused
22 The requested URL returned error: 503
22 The requested URL returned error: 503
22 The requested URL returned error: 401
`, 0o644)

	output := r.expect("A missing name, a closed port and a 503 are mended in different places.", 0,
		"no answer from https://k3s.home.arpa:6443 yet: curl: (6) Could not resolve host", "curl: (7) Failed to connect", "error: 503", "error: 401")

	if count := strings.Count(output, "no answer"); count != 4 {
		t.Errorf("it said %d times that there is no answer, want once for each cause:\n%s", count, output)
	}
}

func TestBootstrapNetworkComesWithTheInstaller(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, first())
	r.write("world/network-comes", "", 0o644)

	output := r.expect("The cluster lives, and only this machine's network was away: it joins.", 0, "serves a cluster already: joins it")
	if strings.Contains(output, "starts a new cluster") || !r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") {
		t.Errorf("a second cluster was started:\n%s", output)
	}
}

func TestBootstrapAfterAPowerCut(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	t.Run("Decision", func(t *testing.T) {
		t.Parallel()

		r := newRig(t, first())
		r.write("world/endpoint", "", 0o644)
		r.write("etc/rancher/k3s/config.yaml.d/50-join.yaml", "", 0o600)
		r.expect("An empty decision is none: with it K3s would start a second cluster.", 0, "serves a cluster already: joins it")

		if !strings.Contains(r.read("etc/rancher/k3s/config.yaml.d/50-join.yaml"), "cluster-init: false") {
			t.Error("the decision is still empty")
		}
	})

	t.Run("Unit", func(t *testing.T) {
		t.Parallel()

		r := newRig(t, joiner())
		r.write("world/endpoint", "", 0o644)
		r.expect("The first time.", 0, "installs K3s")
		r.try(os.Remove(filepath.Join(r.root, "var/lib/k3s-bootstrap/done")))
		r.write("etc/systemd/system/k3s.service", "", 0o644)

		if r.expect("A unit without content never starts.", 0, "installs K3s"); r.read("etc/systemd/system/k3s.service") == "" {
			t.Error("the unit is still empty")
		}
	})

	t.Run("Config", func(t *testing.T) {
		t.Parallel()

		r := newRig(t, first())
		r.write("etc/rancher/k3s/config.yaml", "", 0o600)
		r.expect("Without its settings K3s would be a cluster of its own.", 1, "FATAL:", "config.yaml is missing or empty", "cloud-init clean --reboot")

		if r.read("calls") != "hostname\n" && r.read("calls") != "" {
			t.Errorf("it went on: %s", r.read("calls"))
		}
	})
}

func TestBootstrapWrongInstaller(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	cases := map[string]struct {
		reason  string
		trouble string
		content string
		said    string
	}{
		"Nothing": {"A script that was cut off ends well.", "world/installs-nothing", "", "ends without having installed K3s"},
		"Page":    {"A shell would run what it can of a page.", "world/install.sh", "<html>Sign in</html>\n", "serves a page and no script; it was not run"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			script := r.read("world/install.sh")
			r.write("world/endpoint", "", 0o644)
			r.write(tc.trouble, tc.content, 0o644)
			r.expect(tc.reason, 1, "FATAL: ", tc.said)

			r.try(os.Remove(filepath.Join(r.root, tc.trouble)))
			r.write("world/install.sh", script, 0o644)
			r.expect("The next try has the right one.", 0, "done")
		})
	}
}

func TestBootstrapInstallerHangs(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.env = append(r.env, "INSTALLER_LIMIT=10") // The second one has to end within it, on a busy machine, too.
	r.write("world/endpoint", "", 0o644)
	r.write("world/installer-hangs", "", 0o644)
	r.expect("A download that stalls has no end of its own.", 0, "done")

	if count := strings.Count(r.read("calls"), "installer server"); count != 2 {
		t.Errorf("the installer ran %d times, want 2", count)
	}
}

func TestBootstrapShowsWhyK3sFails(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.write("world/restarts", "3\n", 0o644)
	output := r.expect("A wrong token is seen in K3s' journal, long before the time is over.", 1, "k3s.service has failed and is started again; the end of its journal:\nthe journal")

	if count := strings.Count(output, "has failed"); count != 1 {
		t.Errorf("it was shown %d times, want once:\n%s", count, output)
	}
}

// TestBootstrapExplainsWhatLoops: an agent whose cluster refuses it does not end. It says the same every few seconds, under another time.
func TestBootstrapExplainsWhatLoops(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const delay = `Waiting to retrieve agent configuration; server is not ready: `

	cases := map[string]struct {
		reason string
		node   Node
		line   string
		want   string
	}{
		"Password": {
			"The Secret of the VM before it is in the cluster.", nodes()["agent"],
			`level=info msg="` + delay + `Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry, try enabling a unique node name with the --with-node-id flag"`,
			"the cluster knows a node k3s-w-1 with another password, as after a replacement of its VM: run on a server: kubectl delete node k3s-w-1; " +
				"if there is no such node: kubectl --namespace kube-system delete secret k3s-w-1.node-password.k3s",
		},
		"PasswordInASnapshot": {
			"With its Node, the only member of etcd would go.", restorer(),
			`level=info msg="` + delay + `Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry, try enabling a unique node name with the --with-node-id flag"`,
			"the snapshot knows node k3s-cp-1 with another password: run here: k3s kubectl --namespace kube-system delete secret k3s-cp-1.node-password.k3s; " +
				"do not delete the node, which is the only member of etcd",
		},
		"Member": {
			"etcd keeps the member of a server that was not deleted as a node.", joiner(),
			`level=fatal msg="starting kubernetes: preparing server: start managed database: joining etcd cluster: duplicate node name found, please choose a unique name for this node"`,
			"the cluster's etcd still has a member for k3s-cp-2, as after a replacement of its VM: run on another server: kubectl delete node k3s-cp-2",
		},
		"Token": {
			"The address leads to another cluster.", nodes()["agent"],
			`level=error msg="token CA hash does not match the Cluster CA certificate hash: 0123 != 4567"`,
			"the token in /etc/rancher/k3s/token belongs to another cluster than the one at https://k3s.home.arpa:6443: write the token of that cluster into it, " +
				"which is in /var/lib/rancher/k3s/server/token on its servers",
		},
		"Settings": {
			"All servers have the same.", joiner(),
			`level=fatal msg="Failed to start controller: critical configuration value mismatch between servers: ClusterIPRanges"`,
			"the settings of this server differ from those of its cluster's servers where all must be equal: correct /etc/rancher/k3s/config.yaml here, " +
				"and the config of the cluster in the catalogue for nodes to come",
		},
		"Unknown": {
			"What is not known is shown all the same.", nodes()["agent"],
			`level=error msg="failed to get CA certs: 401 Unauthorized"`,
			"",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, tc.node)
			r.env = append(r.env, "SHOW_AFTER=0", "READY_TIMEOUT=3")

			if tc.node.Restore != "" {
				r.restores()
			} else {
				r.write("world/endpoint", "", 0o644)
			}

			r.write("world/never-ready", "", 0o644)
			r.write("world/restarts", "0\n", 0o644)
			r.write("world/line", tc.line+"\n", 0o644)
			// The seconds of the time are the number of lines.
			r.write("bin/journalctl", `#!/bin/bash
W=$BOOTSTRAP_ROOT/world
[[ $* == *--since=@* ]] || exit 0
echo >>"$W/count"
echo 'I1122 07:10:22.000000     123 kubelet.go:1] "SyncLoop"'
for ((i = 0; i < $(wc -l <"$W/count"); i++)); do echo "time=\"2026-11-22T07:10:0${i}Z\" $(cat "$W/line")"; done
`, 0o755)

			output := r.expect(tc.reason, 1, "k3s", "is not ready after 0s; the end of its journal:\ntime=\"2026-11-22T07:10:00Z\" "+tc.line+"\n")

			if count := strings.Count(output, tc.line); count != 1 || strings.Contains(output, "SyncLoop") {
				t.Errorf("%s\nthe line was shown %d times, want once, and nothing of the kubelet's chatter:\n%s", tc.reason, count, output)
			}

			end := " is not ready after 3s\n"
			if tc.want != "" {
				end = " is not ready after 3s: " + tc.want + "\n"

				if count := strings.Count(output, "\nk3s-bootstrap: "+tc.want+"\n"); count != 1 {
					t.Errorf("%s\nwhat to do was said %d times, want once:\n%s", tc.reason, count, output)
				}
			}

			if !strings.HasSuffix(output, end) {
				t.Errorf("%s\nthe output does not end with %q:\n%s", tc.reason, end, output)
			}
		})
	}
}

// TestBootstrapGivesK3sTime: what a node says in its first seconds is of no interest if it is up then.
func TestBootstrapGivesK3sTime(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.write("world/restarts", "0\n", 0o644)

	if output := r.expect("It is not ready within a second.", 1, "is not ready after 1s"); strings.Contains(output, "end of its journal") {
		t.Errorf("its journal was shown before half a minute was over:\n%s", output)
	}
}

func TestBootstrapFullHostName(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("bin/hostname", "#!/bin/sh\necho k3s-cp-2.home.arpa\n", 0o755)
	r.expect("Some systems have the full name; K3s registers the node by its own.", 0, "done")
}

// TestBootstrapMachineID: what systemd made of the VM's UUID is its own; anything else came with the template.
func TestBootstrapMachineID(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const uuid, own, baked = "8B6C4F3A-1111-4222-8333-0123456789AB\n", "8b6c4f3a1111422283330123456789ab\n", "0123456789abcdef0123456789abcdef\n"

	for name, tc := range map[string]struct {
		reason         string
		virt, uuid, id string
		said           bool
	}{
		"Own":        {reason: "Made from the UUID.", virt: "kvm", uuid: uuid, id: own},
		"Baked":      {reason: "All clones of the template have it.", virt: "kvm", uuid: uuid, id: baked, said: true},
		"NotKVM":     {reason: "There systemd draws it by lot.", virt: "qemu", uuid: uuid, id: baked},
		"Unreadable": {reason: "Nothing is known, and nothing said.", virt: "kvm", id: baked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.write("world/endpoint", "", 0o644)
			r.write("world/virt", tc.virt+"\n", 0o644)
			r.write("etc/machine-id", tc.id, 0o444)

			if tc.uuid != "" {
				r.write("sys/class/dmi/id/product_uuid", tc.uuid, 0o400)
			}

			output := r.expect(tc.reason+" The node joins all the same.", 0, "done")
			if said := strings.Contains(output, "truncate --size=0 /etc/machine-id"); said != tc.said {
				t.Errorf("%s\nsaid: %v, want %v:\n%s", tc.reason, said, tc.said, output)
			}

			if r.read("etc/machine-id") != tc.id {
				t.Errorf("%s\nthe machine-id was changed", tc.reason)
			}
		})
	}
}

// TestBootstrapPackages has programs of its own, since curl is in the folders of every system.
func TestBootstrapPackages(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const apt = `#!/bin/sh
echo "apt-get $*" >>"$BOOTSTRAP_ROOT/calls"
[ ! -e "$BOOTSTRAP_ROOT/world/no-mirror" ] || exit 100
[ "$1" != install ] || cp "$BOOTSTRAP_ROOT/world/curl" "$BOOTSTRAP_ROOT/bin/curl"
`

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/no-mirror", "", 0o644)
	r.write("dev/virtio-ports/org.qemu.guest_agent.0", "", 0o600)
	r.try(os.Rename(filepath.Join(r.root, "bin/curl"), filepath.Join(r.root, "world/curl")))
	r.write("bin/apt-get", apt, 0o755)
	r.write("bin/dpkg", "#!/bin/sh\n", 0o755)

	for _, program := range []string{"bash", "sh", "env", "awk", "cat", "chmod", "cp", "date", "grep", "head", "install", "mkdir", "mv", "rm", "sed", "sha256sum", "sort", "sync", "timeout", "touch"} {
		path, err := exec.LookPath(program)
		r.try(err)
		r.try(os.Symlink(path, filepath.Join(r.root, "bin", program)))
	}

	r.env = append(r.env, "PATH="+r.root+"/bin")
	r.expect("cloud-init could not install it, and neither can the script yet.", 1, "installs what cloud-init did not: qemu-guest-agent ca-certificates curl", "FATAL: curl is not installed")

	r.try(os.Remove(filepath.Join(r.root, "world/no-mirror")))
	r.expect("The mirror is back.", 0, "done")

	if !strings.Contains(r.read("calls"), "apt-get install --yes --quiet --no-install-recommends qemu-guest-agent ca-certificates curl") {
		t.Errorf("apt was not asked: %s", r.read("calls"))
	}
}
