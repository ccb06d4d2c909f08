package secrets

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// An issuer signs the certificates of machines.
type issuer struct {
	t           *testing.T
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()

	i := &issuer{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "machines " + t.Name()}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, &i.key.PublicKey, i.key)
	if err != nil {
		t.Fatal(err)
	}

	if i.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}

	return i
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return key
}

func (i *issuer) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.certificate.Raw}))
}

// signs a certificate for a machine, and places it with its key.
func (i *issuer) signs(g *guest, name string) {
	i.t.Helper()

	key := newKey(i.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Minute),
		NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}

	der, err := x509.CreateCertificate(rand.Reader, template, i.certificate, &key.PublicKey, i.key)
	if err != nil {
		i.t.Fatal(err)
	}

	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		i.t.Fatal(err)
	}

	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	g.secrets = append(g.secrets, strings.Split(text, "\n")[1])
	g.write(g.config.TLS.CertificateFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), 0o644)
	g.write(g.config.TLS.KeyFile, text, 0o600)
}

// certified is a guest that logs in with a certificate, which the role of its name takes from machines called app01.
func certified(t *testing.T, address string) (*guest, *role, *issuer) {
	t.Helper()

	g, r := aGuest(t, address, 1)
	i := newIssuer(t)

	vault.must(t, "POST", "auth/cert/certs/"+r.name, map[string]any{
		"certificate": i.pem(), "allowed_common_names": "app01", "token_policies": []string{r.name}, "token_ttl": "10m", "token_type": "service",
	}, nil)

	g.config.Mount, g.config.RoleID, g.config.SecretIDFile, g.config.Refresh = "cert", "", "", "12h0m0s"
	g.config.TLS = &login{Role: r.name, CertificateFile: "/etc/machine-secrets/tls.crt", KeyFile: "/etc/machine-secrets/tls.key"}
	g.config.Files[0].Restart, g.config.Files[1].Once = []string{"myapp.service"}, true
	g.configure()
	g.write("stubs/systemctl", "#!/bin/sh\necho \"$@\" >>/restarted\n", 0o755)

	return g, r, i
}

// TestCertificate is the first boot, and a refresh after somebody has changed the secrets, with and without the name of the role.
func TestCertificate(t *testing.T) {
	for _, named := range []bool{true, false} {
		g, r, i := certified(t, "https://"+vault.Address)
		if !named {
			g.config.TLS.Role = ""
			g.configure()
		}

		i.signs(g, "app01")
		g.succeeds()
		g.hasAll()
		g.wants("has logged in with its certificate", "has revoked the token")

		if g.read("etc/machine-secrets/tls.crt") == "" || g.read("etc/machine-secrets/tls.key") == "" {
			t.Error("the machine has lost its certificate")
		}

		if !g.run("refresh") || g.read("restarted") != "" {
			t.Errorf("a refresh of what is equal: systemctl %q\n%s", g.read("restarted"), g.out)
		}

		r.stores("app", map[string]any{"password": "another password"})
		r.stores("home", map[string]any{"token": "another token"})
		g.secrets = append(g.secrets, "another password", "another token")

		if !g.run("refresh") {
			t.Errorf("the refresh failed:\n%s", g.out)
		}

		g.has(appFile, "another password", 0o640)
		g.has(tokenFile, k3sToken, 0o600)
		g.wants("refreshed: 1 of 1 files are new", "has revoked the token")

		if got := g.read("restarted"); got != "try-restart --no-block -- myapp.service\n" {
			t.Errorf("systemctl %q", got)
		}
	}
}

// TestCertificateRefused: what the server says of certificates that it does not take. Nothing is sent twice.
func TestCertificateRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(g *guest, i *issuer)
		words  []string
	}{
		"Name":      {"The role is for another machine.", func(g *guest, i *issuer) { i.signs(g, "app02") }, []string{"(status 400)", "does not allow its names"}},
		"Authority": {"Another authority has signed it.", func(g *guest, _ *issuer) { newIssuer(g.t).signs(g, "app01") }, []string{"(status 400)", "does not trust its authority"}},
		"Role": {
			"There is no such role.",
			func(g *guest, i *issuer) { i.signs(g, "app01"); g.config.TLS.Role = "nobody"; g.configure() },
			[]string{"(status 400)", "the role nobody"},
		},
		"Mount": {
			"There is no such auth method.",
			func(g *guest, i *issuer) { i.signs(g, "app01"); g.config.Mount = "certs"; g.configure() },
			[]string{"(status 403)", "there is no such auth method"},
		},
		"Gate": {
			"A load balancer ends TLS, and the server sees no certificate.",
			func(g *guest, i *issuer) { i.signs(g, "app01"); g.config.Address = newGate(g.t).URL; g.configure() },
			[]string{"(status 400)", "a proxy before the server ends TLS"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, _, i := certified(t, "https://"+vault.Address)
			tc.change(g, i)
			g.fails(tc.words...)

			for _, again := range []string{"refused at", "tried again"} {
				g.fails(again)
			}

			i.signs(g, "app01")
			g.config.Address, g.config.Mount, g.config.TLS.Role = "https://"+vault.Address, "cert", ""
			g.configure()
			g.succeeds()
			g.hasAll()
		})
	}
}

// TestRefreshFails: what the store has no longer leaves the files as they are.
func TestRefreshFails(t *testing.T) {
	g, r, i := certified(t, "https://"+vault.Address)
	i.signs(g, "app01")
	g.succeeds()
	vault.must(t, "DELETE", "secret/metadata/"+r.name+"/app", nil, nil)

	if g.run("refresh") {
		t.Errorf("the refresh succeeds:\n%s", g.out)
	}

	g.wants("FATAL: ", "there is no secret", "has revoked the token")
	g.hasAll()
}
