package k3s

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	signals    = "memory.available nodefs.available nodefs.inodesFree imagefs.available imagefs.inodesFree containerfs.available containerfs.inodesFree allocatableMemory.available pid.available"
	suchAmount = "must be an amount of Kubernetes, such as 10Mi"
	suchNumber = "must be a whole number"
)

var (
	thresholds = form{ //nolint:gochecknoglobals // A constant.
		pairs("<", oneOf(strings.Fields(signals)...), isThreshold),
		"must be signals of the kubelet, < and an amount or a share, such as memory.available<500Mi,nodefs.available<10%",
	}
	reservation = form{ //nolint:gochecknoglobals // A constant.
		pairs("=", oneOf("cpu", "memory", "ephemeral-storage", "pid"), isAmount),
		"must be cpu, memory, ephemeral-storage or pid, = and an amount, such as cpu=500m,memory=1Gi",
	}
)

// Forms of many arguments: pflag and component-base of Kubernetes.
//
//nolint:gochecknoglobals // Constants.
var (
	number       = form{isNumber, suchNumber}
	fraction     = form{isFloat, "must be a number"}
	duration     = form{isDuration, "must be a time with its unit, such as 40s or 2m"}
	truth        = form{isTruth, "must be true or false"}
	oneAddress   = form{func(text string) bool { _, err := netip.ParseAddr(text); return err == nil }, "must be an IP address alone, such as 0.0.0.0; the port is an argument of its own"}
	versionOfTLS = choice("VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13")
)

func choice(words ...string) form {
	return form{oneOf(words...), "must be " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]}
}

// argumentForms are forms of the values of arguments, by key and name: at another value the program ends when it starts, and K3s with it. Sources:
// pkg/kubelet/eviction/helpers.go, cmd/kubelet/app/server.go (parseResourceList) and pkg/kubelet/logs (parseMaxSize) of Kubernetes, and
// kubernetes/minikube pull request 8809; the flags of each program, by the types in cmd/*/app/options of Kubernetes. k3s-io/k3s issues 6690 and 7293 are about
// etcd's quota.
var argumentForms = map[string]map[string]form{ //nolint:gochecknoglobals // A constant table.
	keyKubelet: {
		"eviction-hard": thresholds, "eviction-soft": thresholds,
		"eviction-soft-grace-period": {pairs("=", oneOf(strings.Fields(signals)...), isDuration), "must be signals of the kubelet, = and a time, such as memory.available=2m"},
		"eviction-minimum-reclaim": {
			pairs("=", oneOf(strings.Fields(signals)...), func(text string) bool { return isShare(text) || isAmount(text) }),
			"must be signals of the kubelet, = and an amount or a share, such as nodefs.available=1Gi",
		},
		"kube-reserved": reservation, "system-reserved": reservation,
		"container-log-max-size": {isAmount, suchAmount}, "container-log-max-files": number,
		"node-status-update-frequency": duration, "sync-frequency": duration, "streaming-connection-idle-timeout": duration, "runtime-request-timeout": duration,
		"minimum-image-ttl-duration": duration, "cpu-manager-reconcile-period": duration, "eviction-pressure-transition-period": duration,
		"registry-qps": number, "registry-burst": number, "event-qps": number, "event-burst": number, "kube-api-qps": number, "kube-api-burst": number,
		"eviction-max-pod-grace-period": number, "max-open-files": number, "read-only-port": number, "v": number,
		"serialize-image-pulls": truth, "fail-swap-on": truth, "protect-kernel-defaults": truth, "make-iptables-util-chains": truth, "rotate-certificates": truth,
		"rotate-server-certificates": truth, "anonymous-auth": truth, "authentication-token-webhook": truth, "cpu-cfs-quota": truth,
		"local-storage-capacity-isolation": truth,
		"topology-manager-policy":          choice("none", "best-effort", "restricted", "single-numa-node"), "topology-manager-scope": choice("container", "pod"),
		"cpu-manager-policy": choice("none", "static"), "memory-manager-policy": choice("None", "Static"),
		"tls-min-version": versionOfTLS,
		"max-pods":        number, "pods-per-core": number, "pod-max-pids": number,
		"image-gc-high-threshold": {isNumber, suchNumber + ", without %"}, "image-gc-low-threshold": {isNumber, suchNumber + ", without %"},
	},
	keyAPIServer: {
		"oidc-issuer-url":       {func(text string) bool { return strings.HasPrefix(text, "https://") }, "must begin with https://"},
		"max-requests-inflight": number, "max-mutating-requests-inflight": number, "min-request-timeout": number, "v": number,
		"default-not-ready-toleration-seconds": number, "default-unreachable-toleration-seconds": number, "default-watch-cache-size": number,
		"audit-log-maxage": number, "audit-log-maxbackup": number, "audit-log-maxsize": number,
		"request-timeout": duration, "event-ttl": duration, "shutdown-delay-duration": duration, "service-account-max-token-expiration": duration,
		"anonymous-auth": truth, "profiling": truth, "allow-privileged": truth, "service-account-lookup": truth, "enable-aggregator-routing": truth,
		"goaway-chance": {isShareOfOne, "must be a share of 0 to 0.02, such as 0.001"}, "tls-min-version": versionOfTLS,
	},
	keyController: {
		"node-monitor-grace-period": duration, "node-monitor-period": duration, "node-startup-grace-period": duration, "node-eviction-rate": fraction,
		"pvclaimbinder-sync-period": duration, "resource-quota-sync-period": duration, "namespace-sync-period": duration, "cluster-signing-duration": duration,
		"attach-detach-reconcile-sync-period": duration, "leader-elect-lease-duration": duration, "leader-elect-renew-deadline": duration,
		"leader-elect-retry-period":             duration,
		"horizontal-pod-autoscaler-sync-period": duration, "horizontal-pod-autoscaler-downscale-stabilization": duration,
		"horizontal-pod-autoscaler-initial-readiness-delay":   duration,
		"horizontal-pod-autoscaler-cpu-initialization-period": duration, "horizontal-pod-autoscaler-tolerance": fraction,
		"terminated-pod-gc-threshold": number, "concurrent-deployment-syncs": number, "concurrent-gc-syncs": number, "kube-api-qps": fraction,
		"kube-api-burst":      number,
		"node-cidr-mask-size": number, "node-cidr-mask-size-ipv4": number, "node-cidr-mask-size-ipv6": number, "v": number,
		"profiling": truth, "leader-elect": truth, "allocate-node-cidrs": truth, "use-service-account-credentials": truth, "bind-address": oneAddress,
		"tls-min-version": versionOfTLS,
	},
	keyScheduler: {
		"leader-elect": truth, "profiling": truth, "kube-api-qps": fraction, "kube-api-burst": number, "v": number, "bind-address": oneAddress,
		"leader-elect-lease-duration": duration, "leader-elect-renew-deadline": duration, "leader-elect-retry-period": duration, "tls-min-version": versionOfTLS,
	},
	keyProxy: {
		"conntrack-max-per-core": number, "conntrack-min": number, "conntrack-tcp-timeout-established": duration, "conntrack-tcp-timeout-close-wait": duration,
		"iptables-sync-period": duration, "iptables-min-sync-period": duration, "ipvs-sync-period": duration, "ipvs-min-sync-period": duration,
		"config-sync-period": duration,
		"masquerade-all":     truth, "ipvs-strict-arp": truth, "v": number, "bind-address": oneAddress,
	},
	// K3s writes the arguments of etcd into a file, in which a time is a number of milliseconds: pkg/daemons/executor/etcd.go of k3s-io/k3s,
	// server/embed/config.go of etcd.
	keyEtcd: {
		"quota-backend-bytes": {isDecimal, "must be a number of bytes, such as 8589934592 for 8Gi"}, "max-request-bytes": {isDecimal, "must be a number of bytes, such as 1572864"},
		"snapshot-count": {isDecimal, suchNumber}, "max-snapshots": {isDecimal, suchNumber}, "max-wals": {isDecimal, suchNumber},
		"auto-compaction-mode": choice("periodic", "revision"), "metrics": choice("basic", "extensive"),
		"heartbeat-interval": {isDecimal, "must be a number of milliseconds, such as 500"}, "election-timeout": {
			isDecimal,
			"must be a number of milliseconds, such as 5000",
		},
		"listen-metrics-urls": {withScheme, "must have http:// before each address, such as http://127.0.0.1:2381. To have them on all nodes, set etcd-expose-metrics: true in config"},
		"pre-vote":            choice("true", "false"), "strict-reconfig-check": choice("true", "false"),
	},
}

// badArgument says why a program ends with an argument, which has the form of one; empty if nobody knows a reason.
func badArgument(key, item string) string {
	name, value := argumentOf(item)

	// Kubernetes and etcd have no argument with a capital; the fields of KubeletConfiguration have (k3s-io/k3s issue 11781, rancher/rke2 issue 4200).
	if name != strings.ToLower(name) {
		return "has capitals in its name, as fields of a configuration file have, and no argument: write the argument, such as eviction-hard, or, for the kubelet, the field into a file of the folder agent/etc/kubelet.conf.d in K3s' data-dir"
	}

	if f, ok := argumentForms[key][name]; ok && !f.is(value) {
		return fmt.Sprintf("%s %s: %s does not start with another one, and K3s neither", name, f.want, programOf(key))
	}

	return ""
}

// pairs are a list of names and values, as flags of Kubernetes have it: blanks around them do not count, and nothing between two commas is left out.
func pairs(between string, isName, isValue func(string) bool) func(string) bool {
	return func(text string) bool {
		for pair := range strings.SplitSeq(text, ",") {
			if strings.TrimSpace(pair) == "" {
				continue
			}

			name, value, ok := strings.Cut(pair, between)
			if !ok || !isName(strings.TrimSpace(name)) || !isValue(strings.TrimSpace(value)) {
				return false
			}
		}

		return true
	}
}

func isAmount(text string) bool {
	q, err := resource.ParseQuantity(text)
	return err == nil && q.Sign() >= 0
}

// isThreshold: a share may be nothing, and an amount not.
func isThreshold(text string) bool {
	q, err := resource.ParseQuantity(text)
	return isShare(text) || err == nil && q.Sign() > 0
}

// isShare reads one as the kubelet does (parsePercentage).
func isShare(text string) bool {
	plain, ok := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(plain, 32)

	return ok && err == nil && share >= 0 && share <= 100
}

// isNumber reads one as flags do, of any base.
func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 0, 64)
	return err == nil
}

// isDecimal reads one as K3s does for etcd's file.
func isDecimal(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// isTruth: a flag without a value says true.
func isTruth(text string) bool {
	_, err := strconv.ParseBool(text)
	return err == nil || text == ""
}

func isFloat(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

func isShareOfOne(text string) bool {
	const most = 0.02

	share, err := strconv.ParseFloat(text, 64)

	return err == nil && share >= 0 && share <= most
}

// withScheme says whether each address of a list has one.
func withScheme(text string) bool {
	for address := range strings.SplitSeq(text, ",") {
		if scheme, _, ok := strings.Cut(address, "://"); !ok || !oneOf("http", "https", "unix", "unixs")(scheme) {
			return false
		}
	}

	return true
}

func isDuration(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d >= 0
}

// A companion is an argument of the API server that another one needs beside it, or cannot have.
type companion struct {
	name   string
	others []string // One of them is enough, or too many.
	apart  bool
	ends   bool // The API server does not start, whatever is in files; else it does not what the argument says.
	why    string
}

// companions: pkg/kubeapiserver/options/authentication.go and authorization.go, and staging/src/k8s.io/apiserver/pkg/server/options/audit.go of Kubernetes;
// k3s-io/k3s issues 12017 and 12245, rancher/rke2 issue 410.
var companions = []companion{ //nolint:gochecknoglobals // A constant table.
	{"oidc-issuer-url", []string{"oidc-client-id"}, false, true, "the API server does not start with one of the two alone: set oidc-client-id, too"},
	{"oidc-client-id", []string{"oidc-issuer-url"}, false, true, "the API server does not start with one of the two alone: set oidc-issuer-url, too"},
	{"authorization-config", []string{"authorization-mode"}, true, true, "the API server does not start with both: leave authorization-mode out"},
	{"audit-policy-file", []string{"audit-log-path", "audit-webhook-config-file"}, false, false, "nothing is recorded without a place: set audit-log-path, too"},
	{"audit-log-path", []string{"audit-policy-file"}, false, false, "nothing is recorded without a policy: set audit-policy-file, too"},
}

// companionsOf are the arguments of the API server that lack another one, or have one too many. ends chooses those with which it does not start.
func companionsOf(config map[string]any, ends bool) []Contradiction {
	has := map[string]bool{}

	for _, item := range itemsOf(config[keyAPIServer]) {
		name, _ := argumentOf(item)
		has[name] = true
	}

	var out []Contradiction

	for _, c := range companions {
		beside := ""

		for _, other := range c.others {
			if has[other] {
				beside = other
			}
		}

		if !has[c.name] || c.ends != ends || c.apart != (beside != "") {
			continue
		}

		at := "has " + c.name
		if beside != "" {
			at += " beside " + beside
		}

		out = append(out, Contradiction{keyAPIServer, at + ", and " + c.why})
	}

	return out
}

// ownPlugin: K3s gives the API server this plugin (pkg/daemons/control/server.go), and a list in its place has to have it, too; name+=value adds to K3s' own
// (pkg/util/args.go).
func ownPlugin(config map[string]any) []Contradiction {
	const name, own = "enable-admission-plugins", "NodeRestriction"

	var lists []string

	for _, item := range itemsOf(config[keyAPIServer]) {
		if is, value := argumentOf(item); is == name {
			if strings.HasPrefix(strings.TrimPrefix(item, "--"), name+"+") || strings.HasPrefix(strings.TrimPrefix(item, "--"), name+"-=") {
				return nil
			}

			lists = append(lists, value)
		}
	}

	// Who switches it off by name knows of it.
	if all := strings.Join(lists, ","); len(lists) > 0 && !hasPart(all, own) && !hasPart(lastArgument(config, keyAPIServer, "disable-admission-plugins"), own) {
		return []Contradiction{{keyAPIServer, fmt.Sprintf("%s replaces K3s' own %s, without which a node may write the labels of other nodes, and read more Secrets than its own: write %s", name, own,
			strconv.Quote(name+"="+strings.Trim(own+","+all, ",")))}}
	}

	return nil
}
