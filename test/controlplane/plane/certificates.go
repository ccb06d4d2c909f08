package plane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Names of files, and of keys in Secrets, of a certificate.
const (
	fileCA   = "ca.crt"
	fileCert = corev1.TLSCertKey
	fileKey  = corev1.TLSPrivateKeyKey
)

// writeFiles writes files that only their owner may read.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}

	return nil
}

// serverCertificate makes a certificate for programs on localhost, signed by the authority that a Secret of type TLS holds.
// Crossplane does the same for the Functions that it runs in containers.
func serverCertificate(authority *corev1.Secret) (files map[string][]byte, err error) {
	caKey, err := keyutil.ParsePrivateKeyPEM(authority.Data[fileKey])
	if err != nil {
		return nil, fmt.Errorf("cannot read key of Secret %s: %w", authority.Name, err)
	}

	cas, err := cert.ParseCertsPEM(authority.Data[fileCert])
	if err != nil {
		return nil, fmt.Errorf("cannot read certificate of Secret %s: %w", authority.Name, err)
	}

	signer, ok := caKey.(crypto.Signer)
	if !ok {
		return nil, errors.New("the key of the certificate authority cannot sign")
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: "function"},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}

	der, err := x509.CreateCertificate(rand.Reader, template, cas[0], key.Public(), signer)
	if err != nil {
		return nil, err
	}

	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}

	certPEM, err := cert.EncodeCertificates(leaf)
	if err != nil {
		return nil, err
	}

	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, err
	}

	return map[string][]byte{fileCert: certPEM, fileKey: keyPEM, fileCA: authority.Data[fileCert]}, nil
}
