package cli

import (
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/homelab-io/function-proxmox-machine/internal/installation"
)

// newKey is a private key as ssh-keygen writes it, and what signs with it.
func newKey(t *testing.T, passphrase string) (string, ssh.Signer) {
	t.Helper()

	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}

	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}

	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}

	if err != nil {
		t.Fatal(err)
	}

	return string(pem.EncodeToMemory(block)), signer
}

// sshNode takes the user machine-snippets with one key, and answers the command `fails` with 1 and any other with 0.
func sshNode(t *testing.T, takes ssh.PublicKey) string {
	t.Helper()

	_, host := newKey(t, "")
	config := &ssh.ServerConfig{PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if c.User() != "machine-snippets" || string(key.Marshal()) != string(takes.Marshal()) {
			return nil, context.Canceled
		}

		return &ssh.Permissions{}, nil
	}}
	config.AddHostKey(host)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = listener.Close() })

	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			go serveSSH(conn, config)
		}
	}()

	return listener.Addr().String()
}

func serveSSH(conn net.Conn, config *ssh.ServerConfig) {
	defer func() { _ = conn.Close() }()

	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}

	go ssh.DiscardRequests(requests)

	for ch := range channels {
		session, asked, err := ch.Accept()
		if err != nil {
			return
		}

		for r := range asked {
			var payload struct{ Command string }

			_ = ssh.Unmarshal(r.Payload, &payload)
			_ = r.Reply(true, nil)

			status := uint32(0)
			if payload.Command == "fails" {
				status = 1
			}

			_, _ = session.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
			_ = session.Close()
		}
	}
}

// TestRunOnNode logs in to a real server of SSH.
func TestRunOnNode(t *testing.T) {
	key, signer := newKey(t, "")
	other, _ := newKey(t, "")
	locked, _ := newKey(t, "secret")
	node := sshNode(t, signer.PublicKey())

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = silent.Close() })

	for name, tc := range map[string]struct {
		reason  string
		login   installation.Login
		command string
		wait    time.Duration
		want    installation.SSHAnswer
	}{
		"May":     {reason: "The command runs.", login: installation.Login{Address: node, User: "machine-snippets", Key: key}, command: "works"},
		"MayNot":  {reason: "The command fails.", login: installation.Login{Address: node, User: "machine-snippets", Key: key}, command: "fails", want: installation.SSHAnswer{Status: 1}},
		"User":    {reason: "Another user.", login: installation.Login{Address: node, User: "root", Key: key}, want: installation.SSHAnswer{Failure: installation.SSHDenied}},
		"Other":   {reason: "Another key.", login: installation.Login{Address: node, User: "machine-snippets", Key: other}, want: installation.SSHAnswer{Failure: installation.SSHDenied}},
		"Locked":  {reason: "Nobody types a passphrase.", login: installation.Login{Address: node, User: "machine-snippets", Key: locked}, want: installation.SSHAnswer{Failure: installation.SSHKey}},
		"NoKey":   {reason: "A public key.", login: installation.Login{Address: node, User: "machine-snippets", Key: "ssh-ed25519 AAAA"}, want: installation.SSHAnswer{Failure: installation.SSHKey}},
		"Refused": {reason: "Nothing listens.", login: installation.Login{Address: refusing(t), User: "machine-snippets", Key: key}, want: installation.SSHAnswer{Failure: installation.SSHRefused}},
		"Silent": {
			reason: "Something listens that says nothing.", login: installation.Login{Address: silent.Addr().String(), User: "machine-snippets", Key: key}, wait: time.Millisecond,
			want: installation.SSHAnswer{Failure: installation.SSHUnreachable},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()

			if tc.wait > 0 {
				short, cancel := context.WithTimeout(ctx, tc.wait)
				defer cancel()

				ctx = short
			}

			if diff := cmp.Diff(tc.want, runOnNode(ctx)(tc.login, tc.command)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
