package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

func TestConfigFor(t *testing.T) {
	both := map[string]any{"cluster-cidr": "10.42.0.0/16", "kubelet-arg": []any{"v=2"}}

	cases := map[string]struct {
		reason string
		role   Role
		config map[string]any
		want   map[string]any
		faults []string
	}{
		"Server":  {reason: "A server reads all keys.", role: RoleServer, config: both, want: both},
		"First":   {reason: "The first server is a server.", role: RoleInit, config: both, want: both},
		"Agent":   {reason: "K3s on an agent would refuse the servers' keys.", role: RoleAgent, config: both, want: map[string]any{"kubelet-arg": []any{"v=2"}}},
		"Neither": {reason: "No node can have the key.", role: RoleAgent, config: map[string]any{"kubelet-args": []any{"v=2"}}, want: map[string]any{}, faults: []string{"config[kubelet-args]"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, errs := ConfigFor(tc.role, tc.config, field.NewPath("config"))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nConfigFor(): -want, +got:\n%s", tc.reason, diff)
			}

			var faults []string
			for _, err := range errs {
				faults = append(faults, err.Field)
			}

			if diff := cmp.Diff(tc.faults, faults); diff != "" {
				t.Errorf("%s\nConfigFor(): faults: -want, +got:\n%s", tc.reason, diff)
			}

			if got := len(ValidateClusterConfig(tc.config, field.NewPath("config"))); got != len(tc.faults) {
				t.Errorf("%s\nValidateClusterConfig(): want %d faults, got %d", tc.reason, len(tc.faults), got)
			}
		})
	}
}

func TestRoleOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		role   v1alpha1.K3sRole
		init   bool
		want   Role
	}{
		"Server": {reason: "It joins a cluster.", role: v1alpha1.K3sServer, want: RoleServer},
		"First":  {reason: "It starts a cluster.", role: v1alpha1.K3sServer, init: true, want: RoleInit},
		"Agent":  {reason: "An agent starts no cluster; the claim's fault is reported elsewhere.", role: v1alpha1.K3sAgent, init: true, want: RoleAgent},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := RoleOf(tc.role, tc.init); got != tc.want {
				t.Errorf("%s\nRoleOf(): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// TestConfigOfEntry: a fault in the catalogue names the catalogue's fields, and not those of a claim.
func TestConfigOfEntry(t *testing.T) {
	cases := map[string]struct {
		reason, path, key string
		value             any
		want              string
	}{
		"Names":   {reason: "The entry has them, too.", path: "EnvironmentConfig machine-catalog: data.clusters.home.config", key: "tls-san", value: "a", want: "set data.clusters.home.tlsSANs"},
		"Secret":  {reason: "The same of the token.", path: "data.clusters.home.config", key: "token", value: "a", want: "secrets are not written into the configuration; set data.clusters.home.token"},
		"Disable": {reason: "The same.", path: "data.clusters.home.config", key: "disable", value: "traefik", want: "set data.clusters.home.disable"},
		"Labels":  {reason: "Each node has its own.", path: "data.clusters.home.config", key: "node-label", value: "a=b", want: "set spec.k3s.labels"},
		"Other":   {reason: "No entry of a catalogue.", path: "elsewhere", key: "tls-san", value: "a", want: "set spec.k3s.tlsSANs"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			errs := ValidateClusterConfig(map[string]any{tc.key: tc.value}, field.NewPath(tc.path))

			var got string
			for _, err := range errs {
				got += err.Detail
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nValidateClusterConfig(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
