package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// TestHealth asks the function that runs whether it is well, as docs/observability.md says.
func TestHealth(t *testing.T) {
	t.Parallel()

	r := claims.rig(t)

	s := &corev1.Secret{}
	must(t, r.Client.Get(t.Context(), client.ObjectKey{Namespace: plane.Namespace, Name: "crossplane-tls-client"}, s))

	certificate, err := tls.X509KeyPair(s.Data[corev1.TLSCertKey], s.Data[corev1.TLSPrivateKeyKey])
	must(t, err)

	authority := x509.NewCertPool()
	if !authority.AppendCertsFromPEM(s.Data["ca.crt"]) {
		t.Fatal("the Secret holds no authority")
	}

	cases := map[string]struct {
		reason  string
		config  *tls.Config
		service string
		want    string // Status, or part of an error.
	}{
		"Crossplane": {
			reason: "Crossplane's own certificate opens the function.",
			config: &tls.Config{RootCAs: authority, Certificates: []tls.Certificate{certificate}},
			want:   "SERVING",
		},
		"Stranger": {
			reason: "Nobody else may call it, since a request holds Secrets: the connection is closed.",
			config: &tls.Config{RootCAs: authority},
			want:   "code = Unavailable",
		},
		"OtherService": {
			reason:  "One health is for all of it.",
			config:  &tls.Config{RootCAs: authority, Certificates: []tls.Certificate{certificate}},
			service: "something.else",
			want:    "unknown service",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := health(t, r.endpoint(t), tc.config, tc.service); !strings.Contains(got, tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}

	t.Run("Metrics", func(t *testing.T) {
		body, err := get(t.Context(), r.functionMetrics(t))
		must(t, err)

		// Who reads metrics need not be allowed to read claims.
		for _, secret := range []string{machines, "192.168.", "K10"} {
			if strings.Contains(body, secret) {
				t.Errorf("metrics hold %q", secret)
			}
		}

		for _, want := range []string{"grpc_server_handled_total{", "process_resident_memory_bytes ", "go_goroutines "} {
			if !strings.Contains(body, want) {
				t.Errorf("metrics hold no %s", want)
			}
		}
	})
}

// endpoint of the function.
func (r *rig) endpoint(t *testing.T) string {
	t.Helper()

	for _, f := range r.Functions.Running() {
		return f.Endpoint
	}

	t.Fatal("no function runs")

	return ""
}

// health of a service, or the error that asking gives.
func health(t *testing.T, endpoint string, config *tls.Config, service string) string {
	t.Helper()

	c, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(credentials.NewTLS(config)))
	must(t, err)

	defer c.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()

	rsp, err := grpc_health_v1.NewHealthClient(c).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: service})
	if err != nil {
		return err.Error()
	}

	return rsp.GetStatus().String()
}

// TestObservabilityManifests has the API server read what is shipped for watching machines, strictly and without keeping it.
// What is the Prometheus operator's is linted elsewhere: its kinds are not here.
func TestObservabilityManifests(t *testing.T) {
	t.Parallel()

	r := claims.rig(t)
	strict := client.WithFieldValidation(r.Client, "Strict")

	for _, file := range []string{"function/runtime.yaml", "kube-state-metrics/deployment.yaml", "kube-state-metrics/rbac.yaml"} {
		all := objects(t, shippedObservability+"/"+file)
		if len(all) == 0 {
			t.Errorf("%s holds nothing", file)
		}

		for _, o := range all {
			t.Run(file+"/"+o.GetKind(), func(t *testing.T) {
				o.SetName("dry-run-" + o.GetName()) // Whatever another test has made of it.

				if err := strict.Create(t.Context(), o, client.DryRunAll); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
