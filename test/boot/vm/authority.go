package vm

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// authority is the one certificate authority that the image trusts beside those of Debian. Its key stays in the cache.
type authority struct {
	certificatePEM []byte
	keyPEM         []byte
}

func loadAuthority(folder string) (*authority, error) {
	certificate, errCertificate := os.ReadFile(filepath.Join(folder, "ca.crt"))
	key, errKey := os.ReadFile(filepath.Join(folder, "ca.key"))

	if errCertificate == nil && errKey == nil {
		return &authority{certificatePEM: certificate, keyPEM: key}, nil
	}

	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make an authority: %w", err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test of booting"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}

	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		return nil, fmt.Errorf("cannot make an authority: %w", err)
	}

	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("cannot make an authority: %w", err)
	}

	a := &authority{
		certificatePEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		keyPEM:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}

	return a, errors.Join(os.MkdirAll(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "ca.crt"), a.certificatePEM, 0o600),
		os.WriteFile(filepath.Join(folder, "ca.key"), a.keyPEM, 0o600))
}

// serverCertificate for names of the download site.
func (a *authority) serverCertificate(names ...string) (tls.Certificate, error) {
	ca, err := tls.X509KeyPair(a.certificatePEM, a.keyPEM)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("cannot read the authority: %w", err)
	}

	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("cannot make a certificate: %w", err)
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}

	der, err := x509.CreateCertificate(rand.Reader, template, ca.Leaf, private.Public(), ca.PrivateKey)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("cannot make a certificate: %w", err)
	}

	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, nil
}

// fingerprint of all that makes an image out of a root.
func fingerprint(ca *authority) string {
	h := sha256.New()
	h.Write(ca.certificatePEM)

	_ = fs.WalkDir(parts, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}

		b, err := parts.ReadFile(path)
		fmt.Fprintln(h, path, len(b))
		h.Write(b)

		return err
	})

	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintln(h, name, texts[name])
	}

	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(h, name, files[name])
	}

	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}
