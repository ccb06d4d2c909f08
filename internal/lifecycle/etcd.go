package lifecycle

import "github.com/homelab-io/function-proxmox-machine/internal/k3s"

// WithoutEtcd says whether a server with a configuration of K3s has no member of etcd: the cluster's datastore is outside of its servers, or the
// server gave etcd up. Nobody's quorum depends on it.
func WithoutEtcd(config map[string]any) bool { return k3s.VoteOf(config) != "" }
