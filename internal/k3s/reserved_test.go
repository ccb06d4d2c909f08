package k3s

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

// merge adds a user's cloud-config to a node's document.
func merge(t *testing.T, n Node, text string) []string {
	t.Helper()

	extra, faults := cloudinit.ParseUserData("#cloud-config\n"+text, at)
	if len(faults) > 0 {
		t.Fatal(faults.ToAggregate())
	}

	d := document(t, n)

	return messages(d.Merge(extra, n.Rules(), at))
}

func TestRules(t *testing.T) {
	const (
		bootstrap = " writes a file that cannot be set here: it belongs to the bootstrap of the K3s node; set spec.k3s"
		installer = " writes a file that cannot be set here: K3s's installer writes it; add a systemd drop-in instead"
		own       = " writes a file that the machine's bootstrap writes"
		line      = "spec.k3s.x: Forbidden: line "
	)

	got := merge(t, nodes()["server"], strings.Join([]string{
		"power_state: {mode: reboot}",
		"write_files:",
		"- path: /etc/rancher/k3s/config.yaml",
		"- path: /etc/rancher/k3s/config.yaml.d/99-mine.yaml",
		"- path: /etc/k3s-token",
		"- path: /etc/k3s-bootstrap/env",
		"- path: /etc/k3s-bootstrap/more",
		"- path: /var/lib/k3s-bootstrap/done",
		"- path: /usr/local/sbin/k3s-bootstrap",
		"- path: /usr/local/sbin/guest-report",
		"- path: /etc/systemd/system/k3s-report.service.d/x.conf",
		"- path: /etc/systemd/system/k3s-bootstrap.service.d/x.conf",
		"- path: /etc/systemd/system/k3s.service",
		"- path: /etc/systemd/system/k3s.service.env",
		"- path: /etc/systemd/system/k3s-agent.service",
	}, "\n"))

	want := []string{
		line + "2: power_state cannot be set here: it would power off or reboot the node before K3s is up",
		line + "4: write_files[0]" + own,
		line + "5: write_files[1] writes a file that cannot be set here: set spec.k3s.config",
		line + "6: write_files[2] writes a file that cannot be set here: set spec.k3s.token",
		line + "7: write_files[3]" + own,
		line + "8: write_files[4]" + bootstrap,
		line + "9: write_files[5]" + bootstrap,
		line + "10: write_files[6]" + own,
		line + "11: write_files[7]" + own,
		line + "12: write_files[8]" + bootstrap,
		line + "13: write_files[9]" + bootstrap,
		line + "14: write_files[10]" + installer,
		line + "15: write_files[11]" + installer,
		line + "16: write_files[12]" + installer,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("What the bootstrap needs stays ours.\n-want, +got:\n%s", diff)
	}
}

func TestRulesLeaveRoom(t *testing.T) {
	got := merge(t, nodes()["server"], strings.Join([]string{
		"write_files:",
		"- path: /etc/rancher/k3s/registries.yaml",
		"- path: /var/lib/rancher/k3s/server/manifests/kube-vip.yaml",
		"- path: /etc/systemd/system/k3s.service.d/limits.conf",
		"- path: /etc/k3s-bootstrap-of-mine",
	}, "\n"))
	if len(got) > 0 {
		t.Errorf("Files that K3s has for its users are refused: %v", got)
	}

	if got := merge(t, nodes()["alone"], "write_files: [{path: "+DefaultTokenFile+"}]\n"); len(got) > 0 {
		t.Errorf("A first server without a token has no such file: %v", got)
	}
}
