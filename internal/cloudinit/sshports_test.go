package cloudinit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSSHPorts: where sshd listens, as far as a cloud-config says it.
func TestSSHPorts(t *testing.T) {
	file := func(path, content string) string {
		return "#cloud-config\nwrite_files: [{path: " + path + ", content: \"" + content + "\"}]\n"
	}

	for name, tc := range map[string]struct {
		reason, text string
		want         []string
	}{
		"None":      {"The image's.", "#cloud-config\npackages: [git]\n", nil},
		"Empty":     {"No cloud-config at all.", "", nil},
		"Folder":    {"As Debian's sshd_config includes it.", file("/etc/ssh/sshd_config.d/10-port.conf", "Port 2222\\n"), []string{"2222"}},
		"Whole":     {"Two ports, and one that is no setting.", file("/etc/ssh/sshd_config", "port 22\\n#Port 23\\nPort=2222\\nGatewayPorts 24\\n"), []string{"22", "2222"}},
		"Client":    {"ssh's own settings.", file("/etc/ssh/ssh_config.d/a.conf", "Port 2222"), nil},
		"NoConf":    {"sshd reads no file of this name.", file("/etc/ssh/sshd_config.d/port", "Port 2222"), nil},
		"Socket":    {"Ubuntu's sshd is started by a socket.", file("/etc/systemd/system/ssh.socket.d/listen.conf", "[Socket]\\nListenStream=\\nListenStream=0.0.0.0:2222\\nListenStream=[::]:2222\\n"), []string{"2222"}},
		"Sed":       {"What it writes comes last.", "#cloud-config\nruncmd:\n- sed -i 's/#Port 22/Port 2222/' /etc/ssh/sshd_config\n", []string{"2222"}},
		"List":      {"The same in pieces.", "#cloud-config\nruncmd:\n- [sed, -i, 's/^#\\?Port .*/Port 2222/', /etc/ssh/sshd_config]\n", []string{"2222"}},
		"Elsewhere": {"The port of another program.", "#cloud-config\nruncmd:\n- echo 'Port 2222' > /etc/tinyproxy.conf\n", nil},
	} {
		if diff := cmp.Diff(tc.want, Parse(tc.text).SSHPorts()); diff != "" {
			t.Errorf("%s: %s\n-want, +got:\n%s", name, tc.reason, diff)
		}
	}
}
