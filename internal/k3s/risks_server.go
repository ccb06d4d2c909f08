package k3s

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ServerRisks are values of a server's config with which K3s starts and does not do what somebody wants, in the order of the checks. disabled is what the
// server does not deploy; domains are those in which its network has names.
func ServerRisks(config map[string]any, disabled, domains []string) []Contradiction {
	return slices.Concat(nowhereToUpload(config), noNode(config), noCharts(config, disabled), notDeployed(config, disabled),
		takesNames(config, domains), lateNodes(config), foldersOfNobody(config), keepsAll(config), roomForFew(config), companionsOf(config, false), ownPlugin(config))
}

// nowhereToUpload: pkg/etcd/s3/s3.go of k3s-io/k3s ("s3 bucket name was not set"). A file of /etc/rancher/k3s/config.yaml.d may have the bucket, beside the keys.
func nowhereToUpload(config map[string]any) []Contradiction {
	on, _ := setting(config, KeyS3)
	_, secret := config[KeyS3Secret]
	_, name := config["etcd-s3-bucket"]

	if on != yes || secret || name {
		return nil
	}

	return []Contradiction{{KeyS3, "uploads no snapshot without a bucket: set etcd-s3-bucket, or " + KeyS3Secret + " for a Secret that has it, unless a file of /etc/rancher/k3s/config.yaml.d does"}}
}

// noNode: k3s-io/k3s issues 978 and 4864.
func noNode(config map[string]any) []Contradiction {
	if off, _ := setting(config, "disable-agent"); off != yes {
		return nil
	}

	return []Contradiction{{"disable-agent", "the server has no kubelet, so there is no Node of it: labels and taints are nobody's, nothing can wait for the Node, and the API server reaches no pod, such as that of a webhook. " +
		"K3s does not support it with etcd. To keep pods away, remove it, and set taints: [\"node-role.kubernetes.io/control-plane:NoSchedule\"] in spec.k3s"}}
}

// noCharts: K3s has no kind HelmChart then (crds in pkg/server/context.go of k3s-io/k3s), and deploys Traefik as one.
func noCharts(config map[string]any, disabled []string) []Contradiction {
	if off, _ := setting(config, "disable-helm-controller"); off != yes || slices.Contains(disabled, "traefik") {
		return nil
	}

	return []Contradiction{{"disable-helm-controller", "K3s deploys Traefik with that controller, so there is no Traefik, and K3s tries again and again: add traefik to disable on all servers, or remove it"}}
}

// notDeployed: what is a setting of a component that is not deployed.
func notDeployed(config map[string]any, disabled []string) []Contradiction {
	var out []Contradiction

	for _, of := range []struct{ key, component string }{{"default-local-storage-path", "local-storage"}, {"servicelb-namespace", servicelb}} {
		if _, said := config[of.key]; said && slices.Contains(disabled, of.component) {
			out = append(out, Contradiction{of.key, "has no effect: " + of.component + " is in disable"})
		}
	}

	return out
}

// takesNames: CoreDNS answers for the whole of the cluster's domain, and falls through for reverse names only (manifests/coredns.yaml of k3s-io/k3s): other
// names in it do not exist for pods.
func takesNames(config map[string]any, domains []string) []Contradiction {
	own, _ := config[keyDomain].(string)
	own = strings.TrimSpace(own)

	for _, d := range domains {
		if own != "" && (strings.EqualFold(d, own) || strings.HasSuffix(strings.ToLower(d), "."+strings.ToLower(own))) {
			return []Contradiction{{keyDomain, fmt.Sprintf("CoreDNS answers for all of %s, and knows Services and pods only: pods then find no machine of the network, whose domain is %s. "+
				"Take a domain that nobody else has, such as cluster.local or k8s.%s", own, d, d)}}
		}
	}

	return nil
}

// leaseSeconds is how often a kubelet renews the lease of its Node: https://kubernetes.io/docs/concepts/architecture/nodes/#heartbeats
const leaseSeconds = 10

// graceSeconds is after how long without a sign a Node is NotReady, where nobody says it: 50 s since v1.32 (nodeMonitorGracePeriod of the controller manager).
const graceSeconds = 40

// lateNodes: a Node whose last sign is older than the grace period is NotReady. Who has kubelets report more often knows what they do.
func lateNodes(config map[string]any) []Contradiction {
	const key = "kube-controller-manager-arg"

	value := lastArgument(config, key, keyGrace)

	grace, err := time.ParseDuration(value)
	if err != nil || grace > leaseSeconds*time.Second || ofKubelet(config, "config") != "" {
		return nil
	}

	if reports, err := time.ParseDuration(ofKubelet(config, keyReports)); err == nil && reports < grace {
		return nil
	}

	return []Contradiction{{key, fmt.Sprintf("node-monitor-grace-period is %s, and each Node gives a sign every %d s: nodes become NotReady without a cause, and their pods get no traffic. Take at least 40s",
		value, leaseSeconds)}}
}

const keyGrace, keyReports = "node-monitor-grace-period", "node-status-update-frequency"

// lateReports: leases keep a Node alive between its reports, and what else it says of itself comes with them alone
// (https://kubernetes.io/docs/concepts/architecture/nodes/#heartbeats; "it must work with nodeMonitorGracePeriod", says the kubelet of the option).
func lateReports(config map[string]any) []Contradiction {
	value, grace := ofKubelet(config, keyReports), graceSeconds*time.Second
	servers := fmt.Sprintf("without %s, the servers wait %d s for a node", keyGrace, graceSeconds)

	if said, err := time.ParseDuration(lastArgument(config, "kube-controller-manager-arg", keyGrace)); err == nil {
		grace, servers = said, fmt.Sprintf("%s is %s", keyGrace, said)
	}

	reports, err := time.ParseDuration(value)
	if err != nil || reports < grace || ofKubelet(config, "config") != "" {
		return nil
	}

	return []Contradiction{{keyKubelet, fmt.Sprintf("%s is %s, and %s: that the node is Ready again, or short of memory or disk, is told that late. Leave it out, or take a quarter of that, such as 10s",
		keyReports, value, servers)}}
}

// foldersOfNobody: K3s takes a path as it stands, and systemd starts it in /.
func foldersOfNobody(config map[string]any) []Contradiction {
	var out []Contradiction

	for _, of := range []struct{ key, such string }{
		{"write-kubeconfig", "/etc/rancher/k3s/k3s.yaml"},
		{"etcd-snapshot-dir", "/var/lib/rancher/k3s/server/db/snapshots"},
	} {
		value, _ := config[of.key].(string)

		switch value = strings.TrimSpace(value); {
		case value == "" || strings.HasPrefix(value, "/"):
		case strings.HasPrefix(value, "~") || strings.Contains(value, "$"):
			out = append(out, Contradiction{of.key, "no shell reads it, and a service has no home: write an absolute path, such as " + of.such})
		default:
			out = append(out, Contradiction{of.key, "is no absolute path, and the service starts in /: what it writes is at " + path.Join("/", value) + ". Write an absolute path, such as " + of.such})
		}
	}

	return out
}

// keepsAll: snapshotRetention in pkg/etcd/snapshot.go of k3s-io/k3s deletes nothing for less than 1.
func keepsAll(config map[string]any) []Contradiction {
	off, _ := setting(config, KeySnapshotsOff)
	value, said := setting(config, KeySnapshotRetention)

	keep, err := strconv.Atoi(value)
	if !said || err != nil || keep > 0 || off == yes {
		return nil
	}

	return []Contradiction{{KeySnapshotRetention, value + " keeps all snapshots, until the disk is full and etcd stops: write how many are kept, such as 5. To make none, set " + KeySnapshotsOff + ": true"}}
}

// fewNodes is how many nodes a cluster may well have.
const fewNodes = 8

// roomForFew: the node after the last piece of the network of pods joins, and none of its pods starts (CIDRNotAvailable,
// https://github.com/k3s-io/k3s/issues/5556). Another plugin than flannel has pieces of its own.
func roomForFew(config map[string]any) []Contradiction {
	if backend, _ := setting(config, keyBackend); backend == BackendNone {
		return nil
	}

	for _, r := range Ranges(config) {
		if r.Of != NetworkPods {
			continue
		}

		size, said := nodeSize(config, r.Prefix)

		// A network without room for one node is a contradiction.
		spare := size - r.Prefix.Bits()
		if spare < 0 || 1<<spare >= fewNodes {
			continue
		}

		instead := "such as " + suchPods(r.Prefix)
		if said {
			instead = "or a larger number for " + nodeSizeOf
		}

		return []Contradiction{{keyPods, fmt.Sprintf("%s has room for %d of the cluster's nodes, each with a /%d for its pods, and it cannot be changed later: "+
			"pods of further nodes do not start. Take a larger network, %s", r.Prefix, 1<<spare, size, instead)}}
	}

	return nil
}
