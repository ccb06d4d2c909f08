package diagnose

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// transports are what a connection of the provider fails with, as Go says it, and the row of each.
func transports() map[string]struct{ text, row string } {
	const (
		get  = `failed to perform HTTP GET request (path: nodes/pve/qemu) - Reason: Get "https://pve:8006/api2/json/nodes/pve/qemu": `
		post = `failed to perform HTTP POST request (path: nodes/pve/qemu) - Reason: Post "https://pve:8006/api2/json/nodes/pve/qemu": `
		auth = `failed to authenticate HTTP GET request (path: nodes) - Reason: failed to retrieve authentication response: ` +
			`Post "https://pve:8006/api2/json/access/ticket": `
	)

	return map[string]struct{ text, row string }{
		"Refused":        {get + "dial tcp 192.168.4.2:8006: connect: connection refused", "unreachable"},
		"RefusedAtLogin": {auth + "dial tcp 192.168.4.2:8006: connect: connection refused", "unreachable"},
		"NoRoute":        {post + "dial tcp 192.168.4.2:8006: connect: no route to host", "unreachable"},
		"NoNetwork":      {post + "dial tcp 192.168.4.2:8006: connect: network is unreachable", "unreachable"},
		"DialTimeout":    {get + "dial tcp 192.168.4.2:8006: i/o timeout", "unreachable"},
		"NoSuchHost":     {get + "dial tcp: lookup pve on 10.96.0.10:53: no such host", "unreachable"},
		"Resolver":       {get + "dial tcp: lookup pve on 10.96.0.10:53: server misbehaving", "unreachable"},
		"ResolverAway":   {get + "dial tcp: lookup pve: Temporary failure in name resolution", "unreachable"},
		"Reset":          {get + "read tcp 10.244.0.9:41022->192.168.4.2:8006: read: connection reset by peer", "unreachable"},
		"BrokenPipe":     {post + "write tcp 10.244.0.9:41022->192.168.4.2:8006: write: broken pipe", "unreachable"},
		"EOF":            {get + "EOF", "unreachable"},
		"UnexpectedEOF":  {post + "unexpected EOF", "unreachable"},
		"Deadline":       {get + "context deadline exceeded", "unreachable"},
		"ClientTimeout":  {get + "context deadline exceeded (Client.Timeout exceeded while awaiting headers)", "unreachable"},
		"TLSTimeout":     {get + "net/http: TLS handshake timeout", "unreachable"},
		"Proxy":          {get + "proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: connection refused", "unreachable"},
		"BodyCutOff":     {"failed to read HTTP GET response body (path: nodes/pve/qemu) - Reason: unexpected EOF", "unreachable"},
		"Certificate":    {get + "tls: failed to verify certificate: x509: certificate signed by unknown authority", "tls"},
		"CertificateOld": {get + "x509: certificate has expired or is not yet valid", "tls.time"},
		"OtherName":      {get + "tls: failed to verify certificate: x509: certificate is valid for pve1, not pve", "tls"},
		"Alert":          {get + "remote error: tls: handshake failure", "tls.handshake"},
		"NoTLS":          {get + "http: server gave HTTP response to HTTPS client", "tls.handshake"},
		"SSHRefused":     {"failed to open SSH client: unable to authenticate user \"root\" over SSH to \"pve:22\": failed to dial pve:22: dial tcp 192.168.4.2:22: connect: connection refused", "ssh.unreachable"},
		"SSHTimeout":     {"failed to open SSH client: unable to authenticate user \"root\" over SSH to \"pve:22\": SSH handshake to pve:22 timed out (dial timeout 10s): context deadline exceeded", "ssh.unreachable"},
		"SSHReset":       {"failed to open SSH client: unable to authenticate user \"root\" over SSH to \"pve:22\": failed SSH handshake to pve:22: ssh: handshake failed: EOF", "ssh.unreachable"},
		"SFTPLost":       {"failed to create SFTP client: EOF", "ssh.unreachable"},
	}
}

// TestTransport holds every row against every error of a connection: it begins with what the provider tried, in the words that the row
// matches, and nobody answered. The cause is the connection, never the row.
func TestTransport(t *testing.T) {
	ownRows := slices.Concat(lostRows, networkRows)

	for name, r := range reports(t) {
		if r.Synced == "" || slices.ContainsFunc(ownRows, func(own Row) bool { return own.Name == r.Row }) {
			continue
		}

		// What the message echoes may hold any words, and decides nothing.
		echoes := slices.ContainsFunc(echoRows, func(e Row) bool { return e.Name == r.Row })
		kubernetes := strings.HasPrefix(r.Synced, "ReconcileError: connect failed") || strings.HasPrefix(r.Synced, "ReconcileError: cannot ")

		for _, cause := range slices.Sorted(maps.Keys(transports())) {
			tr := transports()[cause]
			want := tr.row

			switch {
			case echoes:
				want = r.Row
			case kubernetes && !strings.Contains(tr.text, "https://"): // Kubernetes has no SSH.
				continue
			case kubernetes:
				want = "kubernetes.unreachable"
			}

			message := strings.TrimSuffix(strings.TrimSpace(r.Synced), ":") + ": " + tr.text
			if got := match(message, r.Last); got.Name != want {
				t.Errorf("%s with %s: want %s, got %s of %q", name, cause, want, got.Name, message)
			}
		}
	}
}

// TestTransportBefore: an object that is tainted because the connection broke says so, whatever the provider was about to do.
func TestTransportBefore(t *testing.T) {
	for name, r := range reports(t) {
		if !strings.HasPrefix(r.Row, "tainted.") || !strings.Contains(r.Synced, unplannable) {
			continue
		}

		for cause, tr := range transports() {
			if tr.row != "unreachable" || cause == "BodyCutOff" {
				continue
			}

			if got := match(r.Synced, r.Last+tr.text); got.Name != "tainted.unreachable" {
				t.Errorf("%s after %s: got %s", name, cause, got.Name)
			}
		}
	}
}

// TestLost: an SSH connection that breaks while a snippet is written is told from a node that does not take it.
func TestLost(t *testing.T) {
	for _, cause := range []string{
		"EOF", "wait: remote command exited without exit status or exit signal", "read tcp 10.0.0.1:41022->192.168.4.2:22: read: connection reset by peer",
		"write tcp 10.0.0.1:41022->192.168.4.2:22: write: broken pipe",
	} {
		if got := match("ReconcileError: create failed: apply failed: error transferring file: "+cause, ""); got.Name != "ssh.lost" {
			t.Errorf("%s: got %s", cause, got.Name)
		}
	}
}
