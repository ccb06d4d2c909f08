package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// tee is what plugin 0.111.1 sends to write a file.
const tee = `/bin/bash -c 'export TRY_SUDO_USE_SUDO=0; _try_sudo_check(){ if [ -z "${_try_sudo_cached:-}" ]; then _try_sudo_use_sudo="${TRY_SUDO_USE_SUDO:-0}"; _try_sudo_cached=1; fi; }; try_sudo(){ _try_sudo_check; if [ "$_try_sudo_use_sudo" = "1" ]; then sudo "$@"; else "$@"; fi; }; try_sudo /usr/bin/tee %s'`

func TestNodeSSH(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "x.yaml")

	if err := os.Mkdir(filepath.Join(dir, "snippets"), 0o750); err != nil {
		t.Fatal(err)
	}

	s, err := StartNodeSSH(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = s.Close() })

	cases := map[string]struct {
		reason  string
		command string
		fails   bool
		refused bool
	}{
		"Probe":     {reason: "The plugin asks whether it needs sudo.", command: `/bin/bash -c 'if [ "$(id -u)" = "0" ]; then echo "0"; elif true; fi'`},
		"Write":     {reason: "It writes a file.", command: fmt.Sprintf(tee, filepath.Join(dir, "snippets", "a.yaml"))},
		"Elsewhere": {reason: "A path outside of the host's directory is refused.", command: fmt.Sprintf(tee, outside), fails: true},
		"Upwards":   {reason: "Also on a way around.", command: fmt.Sprintf(tee, dir+"/snippets/../../x"), fails: true},
		"TwoNames":  {reason: "The plugin does not quote a name; one that a shell would take apart is refused.", command: fmt.Sprintf(tee, dir+"/a b"), fails: true, refused: true},
		"Injection": {reason: "So is one that a shell would run.", command: fmt.Sprintf(tee, dir+"/a;id"), fails: true, refused: true},
		"Other":     {reason: "Nothing else is run.", command: "id", fails: true, refused: true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := len(s.Refused())

			stdin := "text"
			if !strings.Contains(tc.command, "tee") {
				// What does not read may end before all is written, which the client then takes for a failure.
				stdin = ""
			}

			err := run(t, s, tc.command, stdin)
			if (err != nil) != tc.fails {
				t.Errorf("\n%s\nwant failure: %t, got: %v", tc.reason, tc.fails, err)
			}

			if got := len(s.Refused()) > before; got != tc.refused {
				t.Errorf("\n%s\nwant refused: %t, got: %t", tc.reason, tc.refused, got)
			}
		})
	}

	b, err := os.ReadFile(filepath.Join(dir, "snippets", "a.yaml"))
	if diff := cmp.Diff("text", string(b)); diff != "" || err != nil {
		t.Errorf("file: -want, +got:\n%s%v", diff, err)
	}

	if _, err := os.Stat(outside); !os.IsNotExist(err) {
		t.Errorf("%s was written", outside)
	}
}

func TestNodeSFTP(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")

	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}

	s, err := StartNodeSSH(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = s.Close() })

	c, err := sftp.NewClient(dial(t, s, s.Key))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	i, err := c.Stat(file)
	if err != nil || i.Size() != 4 {
		t.Errorf("Stat(): want 4 bytes, got %v: %v", i, err)
	}

	if err := c.Chmod(file, 0o640); err != nil {
		t.Error(err)
	}

	if i, err := os.Stat(file); err != nil || i.Mode().Perm() != 0o640 {
		t.Errorf("Chmod(): want 0640, got %v: %v", i, err)
	}

	if _, err := c.Stat("/etc/passwd"); err == nil {
		t.Error("a file outside of the host's directory was found")
	}

	if err := c.Remove(file); err == nil {
		t.Error("a file was removed")
	}
}

func TestNodeSSHRefusesAnotherKey(t *testing.T) {
	s, err := StartNodeSSH(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = s.Close() })

	_, other, err := newKey()
	if err != nil {
		t.Fatal(err)
	}

	if _, err := login(s, other); err == nil {
		t.Error("logged in with a key that nobody allowed")
	}
}

func run(t *testing.T, s *NodeSSH, command, stdin string) error {
	t.Helper()

	session, err := dial(t, s, s.Key).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	session.Stdin = strings.NewReader(stdin)

	return session.Run(command)
}

func dial(t *testing.T, s *NodeSSH, key string) *ssh.Client {
	t.Helper()

	c, err := login(s, key)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = c.Close() })

	return c
}

func login(s *NodeSSH, key string) (*ssh.Client, error) {
	signer, err := ssh.ParsePrivateKey([]byte(key))
	if err != nil {
		return nil, err
	}

	return ssh.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port), &ssh.ClientConfig{
		User: s.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
}
