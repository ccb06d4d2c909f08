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
		"Address":   {"It has a port of its own.", file("/etc/ssh/sshd_config.d/a.conf", "Port 2222\\nListenAddress 0.0.0.0:22\\nListenAddress fd00::7\\n"), []string{"22", "2222"}},
		"Added":     {"The image's socket listens at 22 still.", file("/etc/systemd/system/ssh.socket.d/a.conf", "[Socket]\\nListenStream=2222\\n"), []string{"22", "2222"}},
		"Unit":      {"In place of the image's.", file("/etc/systemd/system/ssh.socket", "[Socket]\\nListenStream=2222\\n"), []string{"2222"}},
		"Both":      {"A line each.", "#cloud-config\nruncmd:\n- |\n  cat > /etc/ssh/sshd_config.d/a.conf <<EOF\n  Port 22\n  Port 2222\n  EOF\n", []string{"22", "2222"}},
		"OneLine":   {"Two words of printf.", "#cloud-config\nruncmd:\n- printf '%s\\n' 'Port 22' 'Port 2222' > /etc/ssh/sshd_config.d/a.conf\n", []string{"22", "2222"}},
		"SedBoth":   {"It goes on listening at the first.", "#cloud-config\nruncmd:\n- sed -i 's/^#Port 22/Port 22\\nPort 2222/' /etc/ssh/sshd_config\n", []string{"22", "2222"}},
		"Deleted":   {"It is no more.", "#cloud-config\nruncmd:\n- sed -i '/^Port 2222/d' /etc/ssh/sshd_config\n", nil},
		"Searched":  {"It is only looked for, and talked of.", "#cloud-config\nruncmd:\n- |\n  # Port 2222 of /etc/ssh/sshd_config\n  grep -q 'Port 2222' /etc/ssh/sshd_config\n", nil},
		"Container": {"Port 22 is that of a container.", file("/etc/ssh/sshd_config.d/a.conf", "Port 2222") + "runcmd: [docker run -p 22:22 forgejo]\n", nil},
		"Redirect":  {"The guest passes it on.", file("/etc/ssh/sshd_config.d/a.conf", "Port 2222") + "runcmd: [iptables -t nat -A PREROUTING -p tcp --dport 22 -j REDIRECT --to-ports 2222]\n", nil},
	} {
		if diff := cmp.Diff(tc.want, Parse(tc.text).SSHPorts()); diff != "" {
			t.Errorf("%s: %s\n-want, +got:\n%s", name, tc.reason, diff)
		}
	}
}
