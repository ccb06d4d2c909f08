package vm

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Site is what a node finds on its network: the download site and the API of its cluster. Both are on the loopback of the
// machine that runs QEMU, which the guest knows as 10.0.2.2.
type Site struct {
	// APIAfter is how long after the first request for it the API comes, however slow the guest is; negative: never.
	APIAfter time.Duration

	// RefusesAgents is what the API answers to agents that ask for their configuration; empty: they get it.
	RefusesAgents string

	// InstallerFails is how often the installer's address answers 503 before it gives the installer.
	InstallerFails int

	mu       sync.Mutex
	asked    time.Time
	requests []string
}

// Requests that were made, in order, the API's answered ones as "API PATH".
func (s *Site) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	return append([]string{}, s.requests...)
}

// noted says whether there was a request whose note begins so.
func (s *Site) noted(prefix string) bool {
	return slices.ContainsFunc(s.Requests(), func(r string) bool { return strings.HasPrefix(r, prefix) })
}

func (s *Site) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.requests = append(s.requests, fmt.Sprintf(format, args...))
}

// serve on the loopback of a network namespace of the calling thread's own, which the guest's QEMU has to be started
// from.
func (s *Site) serve(ca *authority) (stop func(), err error) {
	certificate, err := ca.serverCertificate("raw.githubusercontent.com", "github.com", "k3s.home.arpa")
	if err != nil {
		return nil, err
	}

	if out, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot set up a loopback: %w: %s", err, out)
	}

	servers := []*http.Server{}

	for address, handler := range map[string]http.HandlerFunc{"127.0.0.1:443": s.download, "127.0.0.1:6443": s.api} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return nil, fmt.Errorf("cannot listen: %w", err)
		}

		server := &http.Server{
			Handler: handler, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0),
			TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		}
		servers = append(servers, server)

		go func() { _ = server.ServeTLS(listener, "", "") }()
	}

	return func() {
		errs := []error{}
		for _, server := range servers {
			errs = append(errs, server.Close())
		}

		_ = errors.Join(errs...)
	}, nil
}

func (s *Site) api(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.asked.IsZero() {
		s.asked = time.Now()
	}

	up := s.APIAfter >= 0 && time.Since(s.asked) >= s.APIAfter
	s.mu.Unlock()

	if !up {
		s.note("no API %s", r.URL.Path)
		// As a load balancer does that has no server behind it.
		http.Error(w, "no server", http.StatusServiceUnavailable)

		return
	}

	s.note("API %s", r.URL.Path)

	if s.RefusesAgents != "" && r.URL.Path == "/v1-k3s/config" {
		http.Error(w, s.RefusesAgents, http.StatusForbidden)

		return
	}

	fmt.Fprintln(w, "a certificate")
}

func (s *Site) download(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()

	switch {
	case strings.HasSuffix(path, "/install.sh"):
		s.mu.Lock()
		fails := s.InstallerFails > 0
		s.InstallerFails--
		s.mu.Unlock()

		if fails {
			s.note("503 %s", path)
			http.Error(w, "try again", http.StatusServiceUnavailable)

			return
		}

		s.send(w, path, "install.sh")
	case strings.HasSuffix(path, "/download/k3s"):
		s.send(w, path, "k3s.sh")
	default:
		s.note("404 %s", path)
		http.NotFound(w, r)
	}
}

func (s *Site) send(w http.ResponseWriter, path, part string) {
	b, err := parts.ReadFile("image/" + part)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)

		return
	}

	s.note("200 %s", path)
	_, _ = w.Write(b)
}
