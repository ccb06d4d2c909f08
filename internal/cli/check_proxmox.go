package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/installation"
)

const (
	// proxmoxTimeout is that of one answer. Proxmox waits 3 seconds before it refuses a token.
	proxmoxTimeout = 10 * time.Second
	// maxAnswer is more than Proxmox lists of a large cluster.
	maxAnswer = 16 << 20
)

// askProxmox gets what a path of its API has. It only reads. No error leaves here: those of Go have the endpoint in them, which is secret.
func askProxmox(ctx context.Context) installation.Asker {
	return func(c installation.Connection, path string) installation.Answer {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.Endpoint, "/")+"/api2/json"+path, http.NoBody)
		if err != nil {
			return installation.Answer{Failure: installation.FailureOther}
		}

		request.Header.Set("Authorization", "PVEAPIToken="+c.Token)

		client := http.Client{
			Timeout: proxmoxTimeout,
			// The token is for nobody else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				Proxy:           http.ProxyFromEnvironment,
				TLSClientConfig: &tls.Config{InsecureSkipVerify: c.Insecure, MinVersion: tls.VersionTLS12}, //nolint:gosec // As the provider connects.
			},
		}
		defer client.CloseIdleConnections()

		answer, err := client.Do(request)
		if err != nil {
			return installation.Answer{Failure: failureOf(err)}
		}

		defer func() { _ = answer.Body.Close() }()

		body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
		if err != nil {
			return installation.Answer{Failure: failureOf(err)}
		}

		return installation.Answer{Status: answer.StatusCode, Body: body}
	}
}

// failureOf a connection.
func failureOf(err error) installation.Failure {
	var (
		certificate *tls.CertificateVerificationError
		host        x509.HostnameError
		name        *net.DNSError
		slow        net.Error
	)

	switch {
	case errors.As(err, &certificate), errors.As(err, &host):
		return installation.FailureCertificate
	case errors.As(err, &name) && name.IsNotFound:
		return installation.FailureName
	case errors.Is(err, syscall.ECONNREFUSED):
		return installation.FailureRefused
	case errors.As(err, &slow) && slow.Timeout():
		return installation.FailureTimeout
	default:
		return installation.FailureOther
	}
}
