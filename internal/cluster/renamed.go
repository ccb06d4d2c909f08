package cluster

import "strings"

// ofCluster are fields of a node that are those of the whole cluster, and what they are there.
var ofCluster = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"k3s.cluster": "cluster", "k3s.server": "endpoint", "k3s.version": "version", "k3s.token": "token",
	"k3s.restore":    "servers.restore.snapshot",
	"deletionPolicy": "deletionPolicy", "deletionProtection": "deletionProtection",
}

// ofNode are fields of a node that [v1alpha1.ClusterNode] has, and what they are there.
var ofNode = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"lifecycle": "lifecycle", "adopt": "adoptVm", "network.ip": "ip", "network.mac": "mac", "proxmox.node": "proxmoxNode", "proxmox.vmId": "vmId",
}

// inPool are fields of a pool that a template cannot have a second time.
var inPool = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"class": "class", "image": "image", "devices": "devices", "disks": "disks", "k3s.labels": "labels", "k3s.taints": "taints",
}

// renamed is a path whose beginning has another name.
func renamed(path string, names map[string]string) (string, bool) {
	for from, to := range names {
		if after, ok := strings.CutPrefix(path, from); ok && (after == "" || after[0] == '.' || after[0] == '[') {
			return to + after, true
		}
	}

	return "", false
}
