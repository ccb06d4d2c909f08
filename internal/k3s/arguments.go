package k3s

import (
	"fmt"
	"slices"
	"strings"
)

// instead are arguments of the programs that K3s runs which have a key of K3s or a field of a claim, by key and argument. K3s gives the programs the value of
// its own key, and other parts of the cluster go by that one. So does whoever checks networks, names and ports here.
var instead = map[string]map[string]string{ //nolint:gochecknoglobals // A constant table.
	"kubelet-arg": {
		"hostname-override": "spec.hostname: the Node would have another name than its machine, and nobody finds it", "node-ip": "node-ip in config",
		keyDNS: keyDNS + " in the config of the cluster", keyDomain: keyDomain + " in the config of the cluster",
		"node-labels": "spec.k3s.labels", "register-with-taints": "spec.k3s.taints",
	},
	keyProxy: {keyPods: keyPods + " in the config of the cluster", "hostname-override": "spec.hostname"},
	keyAPIServer: {
		"service-cluster-ip-range": keyServices + " in the config of the cluster", "advertise-address": "advertise-address in config",
		"service-node-port-range": "service-node-port-range in config", "secure-port": keyListenPort + " in config", "etcd-servers": "datastore-endpoint",
		"encryption-provider-config": "secrets-encryption: true in the config of the cluster",
	},
	"kube-controller-manager-arg": {
		keyPods: keyPods + " in the config of the cluster", "service-cluster-ip-range": keyServices + " in the config of the cluster",
	},
}

// An Argument is one of a program that K3s runs, which has a key or a field of its own.
type Argument struct {
	Key, Name string
	// Instead is what to set.
	Instead string
}

// Arguments are those of a config that go around a key of K3s, or a field of the claim, sorted by key.
func Arguments(config map[string]any) []Argument {
	var out []Argument

	for _, key := range sortedKeys(config) {
		for _, item := range itemsOf(config[key]) {
			name, _ := argumentOf(item)
			if set, ok := instead[key][name]; ok {
				out = append(out, Argument{Key: key, Name: name, Instead: set})
			}
		}
	}

	return out
}

// ofK3s are folders below K3s' data-dir that K3s fills before it starts the programs.
var ofK3s = []string{"/server/tls/", "/server/cred/", "/agent/"} //nolint:gochecknoglobals // A constant list.

// filesOfArguments are files that an argument names and the program reads when it starts. K3s' own programs end without such a file, and K3s with them.
func filesOfArguments(key string, value any) []string {
	if !strings.HasSuffix(key, "-arg") {
		return nil
	}

	var out []string

	for _, item := range itemsOf(value) {
		name, file := argumentOf(item)

		reads := name == "config" || strings.HasSuffix(name, "-file") || strings.HasSuffix(name, "-config")
		own := slices.ContainsFunc(ofK3s, func(folder string) bool { return strings.Contains(file, "/k3s"+folder) })

		if reads && !own && isCleanPath(file) {
			out = append(out, file)
		}
	}

	return out
}

// noComponents are the words of disable that are settings of their own, or that have another name, and what to set instead.
var noComponents = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"network-policy": settingOf("disable-network-policy"), "kube-proxy": settingOf("disable-kube-proxy"),
	"cloud-controller": settingOf("disable-cloud-controller"), "helm-controller": settingOf("disable-helm-controller"),
	"scheduler": settingOf("disable-scheduler"), "etcd": settingOf("disable-etcd"), "agent": settingOf("disable-agent"),
	"flannel":    "set " + keyBackend + ": " + BackendNone + " in config",
	"klipper-lb": "write " + servicelb, "klipper": "write " + servicelb, "svclb": "write " + servicelb,
	"local-path": "write local-storage", "local-path-provisioner": "write local-storage", "local-storage-provisioner": "write local-storage",
	"ingress": "write traefik", "dns": "write coredns", "kube-dns": "write coredns", "metrics": "write metrics-server",
}

func settingOf(key string) string { return fmt.Sprintf("set %s: true in config", key) }

// NoComponent says what to set in place of a word of disable that disables nothing; empty for any other word, which may be the name of a manifest.
func NoComponent(word string) string { return noComponents[word] }
