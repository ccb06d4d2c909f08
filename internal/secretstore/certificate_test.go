package secretstore

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// A certificate of a machine, which signs itself: the auth method trusts it, and no authority.
type certificate struct {
	der       []byte
	cert, key string // PEM.
}

func newCertificate(t *testing.T, since, until time.Time) certificate {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "app01"}, NotBefore: since, NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}

	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}

	return certificate{
		der:  der,
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

func validCertificate(t *testing.T) certificate {
	t.Helper()

	return newCertificate(t, time.Now().Add(-time.Hour), time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)) // After 2049 the time has another form.
}

// newTLSGuest is a guest that logs in with a certificate, fetches a password and a K3s token, and refreshes.
func newTLSGuest(t *testing.T) *fakeGuest {
	t.Helper()

	g := newFakeGuest(t)
	g.configureTLS("")
	g.write("bin/systemctl", "#!/bin/sh\necho \"$@\" >>"+g.root+"/restarted\nexit $(cat "+g.root+"/status 2>/dev/null || echo 0)\n")

	if err := os.Chmod(g.root+"/bin/systemctl", 0o700); err != nil {
		t.Fatal(err)
	}

	g.path = g.root + "/bin:"

	return g
}

func (g *fakeGuest) configureTLS(role string) {
	g.t.Helper()

	s := store()
	s.Address, s.Namespace, s.Mount, s.RoleID, s.SecretIDFile, s.Refresh = g.store.URL, "", "cert", "", "", 12*time.Hour
	s.CACertificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: g.store.Certificate().Raw}))
	s.TLS = &machine.CertificateLogin{Role: role, CertificateFile: g.root + "/etc/tls.crt", KeyFile: g.root + "/etc/tls.key"}
	s.Files[0].Path, s.Files[0].Restart = g.root+"/app/password", []string{"myapp.service"}
	s.Files[1].Path, s.Files[1].Once = g.root+"/k3s/token", true

	files, err := Files(s)
	if err != nil {
		g.t.Fatal(err)
	}

	g.write("etc/config.json", files[0].Content)
}

// has the certificate, which the store trusts.
func (g *fakeGuest) has(c certificate) {
	g.write("etc/tls.crt", c.cert)
	g.write("etc/tls.key", c.key)
	g.store.secrets = append(g.store.secrets, strings.Split(c.key, "\n")[1])
	g.store.trusted[string(c.der)] = true
}

// TestCertificate: the machine logs in with a certificate, and says in one sentence why not.
func TestCertificate(t *testing.T) {
	var (
		login = []string{"auth/cert/login"}
		fetch = []string{
			"auth/cert/login", "sys/internal/ui/mounts/secret/app", "secret/data/app", "sys/internal/ui/mounts/secret/home", "secret/data/home",
			"auth/token/revoke-self",
		}
		good    = func(g *fakeGuest) { g.has(validCertificate(g.t)) }
		unknown = func(g *fakeGuest) { good(g); clear(g.store.trusted) }
		nothing = func(*fakeGuest) {}
		valid   = func(since, until time.Duration) func(g *fakeGuest) {
			return func(g *fakeGuest) { g.has(newCertificate(g.t, time.Now().Add(since), time.Now().Add(until))) }
		}
		mode = func(file string, mode os.FileMode) func(g *fakeGuest) {
			return func(g *fakeGuest) { good(g); _ = os.Chmod(g.root+file, mode) }
		}
		writes = func(file, content string) func(g *fakeGuest) {
			return func(g *fakeGuest) { good(g); g.write(file, content) }
		}
	)

	cases := map[string]struct {
		reason string
		steps  []step
	}{
		"Good": {
			reason: "It reads, writes and revokes.",
			steps:  []step{{after: "the boot", do: good, calls: fetch, says: "done: 2 files", ends: true}},
		},
		"Role": {
			reason: "The login names the role of the claim; another one is something new.",
			steps: []step{
				{after: "another role", do: func(g *fakeGuest) { good(g); g.store.role = "web"; g.configureTLS("other") }, calls: login, says: "the role other does not trust its authority"},
				{after: "a minute", do: nothing, says: "not tried again"},
				{after: "the right one", do: func(g *fakeGuest) { g.configureTLS("web") }, calls: fetch, says: "done: 2 files", ends: true},
			},
		},
		"Refused": {
			reason: "A certificate that was refused is no better a minute later.",
			steps: []step{
				{after: "an unknown certificate", do: unknown, calls: login, says: "each role does not trust its authority"},
				{after: "a minute", do: nothing, says: "not tried again; to try the same once more, remove"},
				{after: "another one", do: good, calls: fetch, says: "done: 2 files", ends: true},
			},
		},
		"Alert": {
			// It is asked again where the client writes before it has read why the connection has ended.
			reason: "A listener that demands a certificate of its authority ends the connection.",
			steps: []step{
				{after: "the boot", do: func(g *fakeGuest) { good(g); g.store.demand(); g.env = []string{"STORE_TIMEOUT=20"} }, says: "accepts no connection with the certificate in"},
				{after: "a minute", do: nothing, says: "not tried again"},
			},
		},
		"Late": {
			reason: "Somebody brings the certificate an hour later.",
			steps: []step{
				{after: "the boot", do: nothing, says: "/etc/tls.crt and no "},
				{after: "the certificate", do: func(g *fakeGuest) { good(g); _ = os.Remove(g.root + "/etc/tls.key") }, says: "/etc/tls.key: a snippet of bootstrap.snippets.vendorData writes it"},
				{after: "both", do: good, calls: fetch, says: "done: 2 files", ends: true},
			},
		},
		"Early":     {reason: "A clock may be wrong.", steps: []step{{after: "the boot", do: valid(time.Hour, 2*time.Hour), says: "is not valid before"}}},
		"Expired":   {reason: "No server takes it.", steps: []step{{after: "the boot", do: valid(-2*time.Hour, -time.Hour), says: "has expired at"}}},
		"OtherKey":  {reason: "Two requests were mixed up.", steps: []step{{after: "the boot", do: writes("etc/tls.key", validCertificate(t).key), says: "is not that of the certificate"}}},
		"OpenKey":   {reason: "Everybody in the guest is the machine then.", steps: []step{{after: "the boot", do: mode("/etc/tls.key", 0o644), says: "tls.key has mode 0644, so that others have access to it; run: chmod 0600"}}},
		"OpenCert":  {reason: "A certificate is no secret, and nobody else may replace it.", steps: []step{{after: "the boot", do: mode("/etc/tls.crt", 0o666), says: "tls.crt has mode 0666"}}},
		"ReadCert":  {reason: "A certificate is no secret.", steps: []step{{after: "the boot", do: mode("/etc/tls.crt", 0o644), calls: fetch, says: "done", ends: true}}},
		"NoPEM":     {reason: "It is DER, or empty after a power cut.", steps: []step{{after: "the boot", do: writes("etc/tls.crt", ""), says: "has no certificate that can be read"}}},
		"NoKey":     {reason: "It is the certificate once more.", steps: []step{{after: "the boot", do: writes("etc/tls.key", validCertificate(t).cert), says: "cannot be read as PEM"}}},
		"Encrypted": {reason: "Nobody types a passphrase.", steps: []step{{after: "the boot", do: writes("etc/tls.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"), says: "has a passphrase"}}},
		"Folder": {reason: "It is no file.", steps: []step{{after: "the boot", do: func(g *fakeGuest) {
			good(g)
			_ = os.Remove(g.root + "/etc/tls.key")
			_ = os.Mkdir(g.root+"/etc/tls.key", 0o700)
		}, says: "tls.key is not a file"}}},
		"Policy": {
			reason: "The token is revoked where the role may read nothing, too.",
			steps: []step{{
				after: "the boot", do: func(g *fakeGuest) { good(g); g.store.denied = true },
				calls: []string{
					"auth/cert/login", "sys/internal/ui/mounts/secret/app", "secret/data/app", "sys/internal/ui/mounts/secret/home", "secret/data/home",
					"auth/token/revoke-self",
				},
				says: "the role's policy does not allow to read secret/data/app",
			}},
		},
		"Sealed": {
			reason: "No answer is no refusal.",
			steps: []step{
				{after: "a seal", do: func(g *fakeGuest) { good(g); g.store.down = true }, calls: login, says: "the server is sealed"},
				{after: "it is unsealed", do: func(g *fakeGuest) { g.store.down = false }, calls: fetch, says: "done: 2 files", ends: true},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			g := newTLSGuest(t)

			for _, s := range tc.steps {
				s.do(g)

				out, ended := g.run()
				if diff := cmp.Diff(s.calls, g.store.took()); diff != "" || ended != s.ends || !strings.Contains(out, s.says) {
					t.Fatalf("%s\nafter %s: succeeds %t, want %q:\n%s\nrequests: -want, +got:\n%s", tc.reason, s.after, ended, s.says, out, diff)
				}

				if _, err := os.Stat(g.root + "/state/token"); err == nil || s.ends && (g.read("etc/tls.key") == "" || g.read("app/password") != fakePassword) {
					t.Errorf("%s\nafter %s: the token was kept, the key was not, or the file is wrong", tc.reason, s.after)
				}

				if s.ends != (g.read("k3s/token") != "") {
					t.Errorf("%s\nafter %s: not all files, or none", tc.reason, s.after)
				}
			}
		})
	}
}

// demand has the listener end the connections of clients whose certificate no authority of its own has signed.
func (s *fakeStore) demand() {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())

	s.TLS.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: s.TLS.Certificates, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}, nil
	}
}

// TestRefresh: what the store has now gets into the guest, and nothing else of the guest changes.
func TestRefresh(t *testing.T) {
	const restart = "try-restart --no-block -- myapp.service\n"

	rotates := func(g *fakeGuest) { g.store.rotated++ }
	nothing := func(*fakeGuest) {}

	cases := map[string]struct {
		reason    string
		do        func(g *fakeGuest)
		says      string
		fails     bool
		password  string
		mode      os.FileMode
		restarted string
	}{
		"Equal":   {reason: "An equal file is not written.", do: nothing, says: "refreshed: 0 of 1 files are new", password: fakePassword, mode: 0o640},
		"Rotated": {reason: "It is replaced, and its service restarted.", do: rotates, says: "refreshed: 1 of 1", password: fakePassword + "-1", mode: 0o640, restarted: restart},
		"Mode": {
			reason: "A person has changed the mode.", do: func(g *fakeGuest) { rotates(g); _ = os.Chmod(g.root+"/app/password", 0o600) }, says: "refreshed: 1 of 1",
			password: fakePassword + "-1", mode: 0o600, restarted: restart,
		},
		"Edited": {
			reason: "The store's content counts.", do: func(g *fakeGuest) { g.write("app/password", "by hand") }, says: "refreshed: 1 of 1",
			password: fakePassword, mode: 0o640, restarted: restart,
		},
		"Removed": {
			reason: "It is written again.", do: func(g *fakeGuest) { _ = os.Remove(g.root + "/app/password") }, says: "refreshed: 1 of 1",
			password: fakePassword, mode: 0o640, restarted: restart,
		},
		"Policy": {
			reason: "The files stay as they are.", do: func(g *fakeGuest) { rotates(g); g.store.denied = true }, says: "FATAL: ", fails: true,
			password: fakePassword, mode: 0o640,
		},
		"Away": {
			reason: "The files stay as they are.", do: func(g *fakeGuest) { rotates(g); g.store.down = true }, says: "FATAL: no answer from", fails: true,
			password: fakePassword, mode: 0o640,
		},
		"Expired": {
			reason: "The files stay as they are.", fails: true, says: "has expired", password: fakePassword, mode: 0o640,
			do: func(g *fakeGuest) {
				rotates(g)
				g.has(newCertificate(g.t, time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour)))
			},
		},
		"Unfinished": {
			reason: "The first run fetches, and nothing else does.", do: func(g *fakeGuest) { rotates(g); _ = os.Remove(g.root + "/state/done") },
			says: "nothing to refresh", password: fakePassword, mode: 0o640,
		},
		"Systemd": {
			reason: "What could not be restarted is restarted by the next refresh.", fails: true, says: "cannot restart myapp.service",
			do: func(g *fakeGuest) { rotates(g); g.write("status", "1") }, password: fakePassword + "-1", mode: 0o640, restarted: restart,
		},
		"Pending": {
			reason: "An earlier refresh was killed before the restart.", do: func(g *fakeGuest) { g.write("state/restart", "myapp.service\n--force\n") },
			says: "restarts myapp.service", password: fakePassword, mode: 0o640, restarted: restart,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			g := newTLSGuest(t)
			g.has(validCertificate(t))

			if out, ended := g.run(); !ended {
				t.Fatal(out)
			}

			before, err := os.Stat(g.root + "/app/password")
			if err != nil {
				t.Fatal(err)
			}

			tc.do(g)

			out, ended := g.run("refresh")
			if ended == tc.fails || !strings.Contains(out, tc.says) {
				t.Errorf("%s\nsucceeds %t, want %q:\n%s", tc.reason, ended, tc.says, out)
			}

			if status, _ := g.run("status"); tc.says != "nothing to refresh" && !strings.Contains(status, "the last refresh ended at") {
				t.Errorf("%s\nstatus: %s", tc.reason, status)
			}

			after, err := os.Stat(g.root + "/app/password")
			if err != nil {
				t.Fatal(err)
			}

			if g.read("app/password") != tc.password || after.Mode().Perm() != tc.mode || name == "Equal" && !os.SameFile(before, after) {
				t.Errorf("%s\nthe file is %q with mode %o, the same: %t", tc.reason, g.read("app/password"), after.Mode().Perm(), os.SameFile(before, after))
			}

			if got := g.read("restarted"); got != tc.restarted {
				t.Errorf("%s\nsystemctl %q, want %q", tc.reason, got, tc.restarted)
			}

			if got := g.read("k3s/token"); got != "K10token0" {
				t.Errorf("%s\nthe K3s token was written again: %q", tc.reason, got)
			}
		})
	}
}

// TestRefreshOfAppRole: NixOS takes the program and another configuration from a flake at any time.
func TestRefreshOfAppRole(t *testing.T) {
	g := newFakeGuest(t)
	g.write("etc/secret-id", g.store.wrap("good")+"\n")

	if out, ended := g.run(); !ended {
		t.Fatal(out)
	}

	g.store.took()

	if out, ended := g.run("refresh"); ended || !strings.Contains(out, "needs a login with a certificate") || len(g.store.took()) > 0 {
		t.Errorf("a refresh with a secret id:\n%s", out)
	}
}

// TestPowerCutAtEachWriteOfARefresh kills the program at each write of a refresh: the file is the old one or the new one, and the next refresh
// ends with the new one, and with its service restarted.
func TestPowerCutAtEachWriteOfARefresh(t *testing.T) {
	t.Parallel()

	cuts := 0

	for cut := 1; ; cut += stride() {
		g := newTLSGuest(t)
		g.has(validCertificate(t))

		if out, ended := g.run(); !ended {
			t.Fatal(out)
		}

		g.store.rotated++

		g.env = []string{fmt.Sprint("CUT_AT=", cut)}
		if _, ended := g.run("refresh"); ended {
			break
		}

		cuts++
		g.env = nil

		if got := g.read("app/password"); got != fakePassword && got != fakePassword+"-1" {
			t.Errorf("power cut at write %d: the file is %q", cut, got)
		}

		if out, ended := g.run("refresh"); !ended {
			t.Errorf("power cut at write %d: the next refresh fails:\n%s", cut, out)
		}

		if g.read("app/password") != fakePassword+"-1" || g.read("restarted") == "" || g.read("k3s/token") != "K10token0" {
			t.Errorf("power cut at write %d: the file is %q, the token %q, systemctl %q", cut, g.read("app/password"), g.read("k3s/token"), g.read("restarted"))
		}
	}

	if cuts < 8/stride() {
		t.Errorf("the power was cut at %d places only", cuts)
	}
}
