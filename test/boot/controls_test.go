package boot

import (
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/boot/documents"
)

// Parts of documents that are wrong on purpose.
const (
	header = "#cloud-config\nhostname: wrong\nfqdn: wrong.home.arpa\n"
	ops    = `users:
  - name: ops
    groups: [sudo]
    lock_passwd: true
    ssh_authorized_keys: ["ssh-ed25519 AAAA ops@home"]
`
	quiets = "manage_etc_hosts: localhost\nssh_pwauth: false\n"
)

// TestChecksCanFail boots documents with one fault each: the check of that fault must name it. The first is how the
// snippets were that this project replaces.
func TestChecksCanFail(t *testing.T) {
	const secret = "K10-a-token-that-nobody-may-read"

	cases := map[string]struct {
		reason   string
		userData string
		check    string
		says     string
	}{
		"PreserveHostname": {
			reason:   "with preserve_hostname cloud-init sets no name, and K3s registers the node as localhost",
			userData: header + "preserve_hostname: true\n" + ops,
			check:    "HostName",
			says:     `the host name is "localhost"; want "wrong"`,
		},
		"NoLineInHosts": {
			reason:   "without manage_etc_hosts sudo complains and the full name is not found",
			userData: header + ops,
			check:    "HostName",
			says:     "/etc/hosts has no line for wrong",
		},
		"OpenToken": {
			reason:   "write_files makes a file 0644 unless it is told otherwise",
			userData: header + ops + "write_files:\n  - path: /etc/rancher/k3s/token\n    content: " + secret + "\n",
			check:    "NoSecretIsOpen",
			says:     "everybody can read a secret in /etc/rancher/k3s/token",
		},
		"TokenInALog": {
			reason:   "what a command of runcmd prints ends up in cloud-init-output.log and on the console",
			userData: header + ops + "runcmd:\n  - echo joining with " + secret + " | tee /root/open; chmod 0644 /root/open; cp /root/open /var/lib/open\n",
			check:    "NoSecretIsOpen",
			says:     "everybody can read a secret in /var/lib/open",
		},
		"TokenAsArgument": {
			reason:   "arguments are seen by everybody, and land in the journal",
			userData: header + ops + "runcmd:\n  - [systemctl, set-environment, K3S_TOKEN=" + secret + "]\n",
			check:    "NoSecretIsOpen",
			says:     "a secret was printed: calls",
		},
		"PasswordLogin": {
			reason:   "ssh_pwauth: true opens sshd to passwords",
			userData: header + ops + "ssh_pwauth: true\n",
			check:    "SSH",
			says:     `sshd's passwordauthentication is "yes"`,
		},
		"Password": {
			reason:   "an account with a password is not locked",
			userData: header + strings.Replace(ops, "lock_passwd: true", "lock_passwd: false\n    plain_text_passwd: secret", 1) + quiets,
			check:    "Accounts",
			says:     "the account ops has a password",
		},
		"NoAccount": {
			reason:   "users replaces the image's own account",
			userData: header + quiets + "users: [{name: other}]\n",
			check:    "Accounts",
			says:     "there is no account ops",
		},
		"LaterFileWins": {
			reason:   "runcmd runs after write_files and may undo it",
			userData: header + ops + "write_files:\n  - {path: /etc/x, content: x, permissions: '0600'}\nruncmd:\n  - chmod 0644 /etc/x; echo y > /etc/x\n",
			check:    "WrittenFiles",
			says:     `the mode of /etc/x is "-rw-r--r--"; want "-rw-------"`,
		},
		"OwnerComesLater": {
			reason:   "files are written before accounts are made",
			userData: header + ops + "write_files:\n  - {path: /srv/x, content: x, owner: 'ops:ops'}\n",
			check:    "CloudInitIsContent",
			says:     "write-files",
		},
		"UnknownPackage": {
			reason:   "a package that cannot be had fails cloud-init",
			userData: header + ops + "packages: [no-such-package]\n",
			check:    "CloudInitIsContent",
			says:     "no-such-package",
		},
		"LastCommandFails": {
			reason:   "the status of runcmd's last command is cloud-init's",
			userData: header + ops + "runcmd:\n  - exit 7\n",
			check:    "CloudInitIsContent",
			says:     "scripts-user",
		},
		"Schema": {
			reason:   "an unquoted mode is the number 384",
			userData: header + ops + "write_files:\n  - {path: /etc/x, content: x, permissions: 0600}\n",
			check:    "SchemaIsValid",
			says:     "384 is not of type 'string'",
		},
		"UnitIsWrong": {
			reason:   "systemd starts a unit without the settings that it does not know",
			userData: header + ops + "write_files:\n  - {path: /etc/systemd/system/x.service, content: \"[Service]\\nExecStart=/bin/true\\nRestartSecs=5\\n\"}\n",
			check:    "Units",
			says:     "Unknown key 'RestartSecs' in section",
		},
		"K3sKeyIsUnknown": {
			reason:   "K3s does not start with a key that it does not know",
			userData: header + ops + "write_files:\n  - {path: /etc/rancher/k3s/config.yaml, content: 'tls-sans: [x]', permissions: '0600'}\n",
			check:    "K3sConfig",
			says:     "tls-sans is no key of K3s",
		},
		"K3sSecretInConfig": {
			reason:   "a token belongs into its own file",
			userData: header + ops + "write_files:\n  - {path: /etc/rancher/k3s/config.yaml, content: 'token: x', permissions: '0600'}\n",
			check:    "K3sConfig",
			says:     "token is a secret",
		},
		"K3sKeyOfAServer": {
			reason:   "an agent does not start with a key of servers",
			userData: header + ops + "write_files:\n  - {path: /etc/rancher/k3s/config.yaml, content: 'tls-san: [x]', permissions: '0600'}\n  - {path: /etc/k3s-bootstrap/env, content: 'NODE_ROLE=agent'}\n",
			check:    "K3sConfig",
			says:     "tls-san is no key of an agent",
		},
		"K3sType": {
			reason:   "K3s takes a list where a list is written down, and no map",
			userData: header + ops + "write_files:\n  - {path: /etc/rancher/k3s/config.yaml, content: 'cluster-init: [x]', permissions: '0600'}\n",
			check:    "K3sConfig",
			says:     "cluster-init is a []interface {}; K3s wants a bool",
		},
		"UnitNotStarted": {
			reason:   "a unit that is written during the boot is not started by it",
			userData: header + ops + "write_files:\n  - {path: /etc/systemd/system/k3s-bootstrap.service, content: \"[Service]\\nExecStart=/bin/true\\n\"}\n",
			check:    "Units",
			says:     "nobody asked systemd to start k3s-bootstrap.service",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := want{name: "wrong", domain: "home.arpa", admin: "ops", keys: []string{"ssh-ed25519 AAAA ops@home"}, secrets: []string{secret}}
			w.readUserData(t, tc.userData)

			g := boot(t, documents.Drive{UserData: tc.userData, MetaData: "instance-id: control\n"})

			found := checks[tc.check](w, g)
			if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, tc.says) }) {
				t.Errorf("%s\n%s found %q; want %q among it", tc.reason, tc.check, found, tc.says)
			}
		})
	}
}
