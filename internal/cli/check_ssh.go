package cli

import (
	"context"
	"net"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/installation"
)

// sshTimeout is that of a login and of a command, each.
const sshTimeout = 10 * time.Second

// runOnNode logs in to a node as the provider does, and runs a command. No error leaves here: one can have what is secret in it.
func runOnNode(ctx context.Context) installation.SSH {
	return func(l installation.Login, command string) installation.SSHAnswer {
		key, err := ssh.ParsePrivateKey([]byte(l.Key))
		if err != nil {
			return installation.SSHAnswer{Failure: installation.SSHKey}
		}

		ctx, cancel := context.WithTimeout(ctx, sshTimeout)
		defer cancel()

		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.Address)

		switch {
		case errors.Is(err, syscall.ECONNREFUSED):
			return installation.SSHAnswer{Failure: installation.SSHRefused}
		case err != nil:
			return installation.SSHAnswer{Failure: installation.SSHUnreachable}
		}

		defer func() { _ = conn.Close() }()

		// Also where the other side says nothing.
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		defer stop()

		client, channels, requests, err := ssh.NewClientConn(conn, l.Address, &ssh.ClientConfig{
			User: l.User, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)},
			HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // Nothing secret is sent: a signature proves the key, and it is of no use elsewhere.
		})
		if err != nil {
			return installation.SSHAnswer{Failure: sshFailureOf(ctx, err)}
		}

		session, err := ssh.NewClient(client, channels, requests).NewSession()
		if err != nil {
			return installation.SSHAnswer{Failure: sshFailureOf(ctx, err)}
		}

		var exit *ssh.ExitError

		switch err := session.Run(command); {
		case err == nil:
			return installation.SSHAnswer{}
		case errors.As(err, &exit):
			return installation.SSHAnswer{Status: exit.ExitStatus()}
		default:
			return installation.SSHAnswer{Failure: sshFailureOf(ctx, err)}
		}
	}
}

// sshFailureOf a login.
func sshFailureOf(ctx context.Context, err error) installation.SSHFailure {
	var network net.Error

	if ctx.Err() != nil || errors.As(err, &network) {
		return installation.SSHUnreachable
	}

	return installation.SSHDenied
}
