package k3s

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// A form is what the value of a key has to be, beyond its type.
type form struct {
	// Is says whether one item of the value has the form.
	is func(item string) bool
	// Want is what the value must be, and what happens otherwise.
	want string
}

var (
	portRange = regexp.MustCompile(`^[0-9]{1,5}([-+][0-9]{1,5})?$`)
	octal     = regexp.MustCompile(`^0?[0-7]{3}$`)
	// A cron is five fields, or a word such as @daily, behind a time zone or none: https://pkg.go.dev/github.com/robfig/cron/v3.
	cron = regexp.MustCompile(`^((CRON_)?TZ=\S+ +)?(@[a-z]+( [0-9a-z.]+)?|(\S+ +){4}\S+)$`)
	// A server is a host with a port or none.
	serverName = regexp.MustCompile(`^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)(:[0-9]{1,5})?$`)
	// A bucket is a name alone, as s3utils.CheckValidBucketName of minio/minio-go has it, which K3s uploads with.
	bucket = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{1,61}[A-Za-z0-9]$`)
	// proxyOfS3 has a scheme and a host: pkg/etcd/s3/s3.go of k3s-io/k3s ("proxy URL must include scheme and host"), where none is no proxy at all.
	proxyOfS3 = regexp.MustCompile(`^(none|[a-z][a-z0-9]*://[^/\s]+/?)$`)
	// An image is a host, folders and a tag, all but one of them optional.
	imageName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]{1,5})?(/[A-Za-z0-9][A-Za-z0-9._-]*)*(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$`)
)

// forms of values, by key. Sources: pkg/cli/server/server.go, pkg/agent/flannel/setup.go, pkg/server/context.go and pkg/etcd/s3 of k3s-io/k3s. A key
// that is not here has no form beyond its type, or one that nobody knows here.
var forms = map[string]form{ //nolint:gochecknoglobals // A constant table.
	"bind-address":      {isAddress, "must be one IP address, such as 0.0.0.0: K3s does not start with others"},
	"advertise-address": {isAddress, "must be one IP address: K3s does not start with others"},
	"node-ip":           {isAddress, "must be IP addresses, such as 10.20.0.31,fd00:20::31: K3s does not start with others"},
	"node-external-ip":  {isAddress, "must be IP addresses: K3s does not start with others"},
	keyDNS:              {isAddress, "must be IP addresses of the network of services, such as 10.43.0.10: K3s does not start with others"},
	keyPods:             {isNetwork, "must be networks, such as 10.42.0.0/16: K3s does not start with others"},
	keyServices:         {isNetwork, "must be networks, such as 10.43.0.0/16: K3s does not start with others"},

	// As kubeadm asks it of its dnsDomain, and resolvers of a search domain.
	keyDomain:             {isDomain, "must be a domain in lower case, such as cluster.local, without a dot at its ends and without _: no pod could resolve a name otherwise"},
	"servicelb-namespace": {isNamespace, "must be the name of a namespace, such as kube-system: no Service of type LoadBalancer gets an address otherwise"},

	"service-node-port-range": {portRange.MatchString, "must be the first and the last port, such as 30000-32767, and one range alone"},

	keyBackend: {
		oneOf("vxlan", "host-gw", "wireguard-native", "wireguard", "ipsec", "tailscale", BackendNone),
		"must be vxlan, host-gw, wireguard-native or none: K3s does not start with others. For another network plugin, such as Cilium or Calico, write none, and install the plugin",
	},
	"egress-selector-mode":        {oneOf("agent", "cluster", "pod", "disabled"), "must be agent, cluster, pod or disabled: K3s does not start with others"},
	"secrets-encryption-provider": {oneOf("aescbc", "secretbox"), "must be aescbc or secretbox: K3s does not start with others"},

	// Which ones there are depends on the release and on containerd's own config; these are words of Docker and Podman.
	"snapshotter": {
		not(oneOf("overlay", "overlay2", "aufs", "devicemapper", "vfs")),
		"must be a snapshotter of containerd, such as overlayfs, fuse-overlayfs or native: this is the word of another program, and no pod starts",
	},

	"etcd-s3-endpoint": {
		serverName.MatchString,
		"must be a host with a port or none, such as s3.home.arpa:9000, without https:// and without a path: no snapshot is uploaded otherwise. For http, set etcd-s3-insecure: true",
	},
	"etcd-s3-bucket": {
		bucket.MatchString,
		"must be the name of a bucket alone, such as k3s-backup, without s3:// and without a folder, which is etcd-s3-folder: no snapshot is uploaded otherwise",
	},
	"etcd-s3-proxy": {
		proxyOfS3.MatchString,
		"must be an address with its scheme, such as http://proxy.home.arpa:3128, or none: no snapshot is uploaded otherwise",
	},
	KeySnapshotSchedule: {cron.MatchString, "must be the five fields of cron, such as 0 */6 * * *: no snapshot is made otherwise"},

	"system-default-registry": {imageName.MatchString, "must be a host with a port or none, such as registry.home.arpa:5000, without https://: no image of K3s is found otherwise, and no pod starts"},
	"pause-image":             {imageName.MatchString, "must be the name of an image, such as registry.home.arpa/rancher/mirrored-pause:3.6, without https://: no pod starts otherwise"},

	"write-kubeconfig-mode":      {octal.MatchString, `must be three digits of an octal mode in quotes, such as "0640": K3s passes over others`},
	"default-local-storage-path": {isCleanPath, "must be an absolute path without '..' and without a '/' at the end: no volume is made otherwise"},
}

// Keys of names in the cluster, the addresses of CoreDNS and the domain that it answers for, and of the arguments of etcd.
const keyDNS, keyDomain, keyEtcd = "cluster-dns", "cluster-domain", "etcd-arg"

// formOf a key's value; false where the key has none. A file has the form of a path.
func formOf(key string) (form, bool) {
	if f, ok := forms[key]; ok {
		return f, true
	}

	// K3s reads a certificate of S3 from a file, or from the value itself.
	if effects[key].File == FileValue && key != "etcd-s3-endpoint-ca" {
		return form{isCleanPath, "must be the absolute path of a file on the node"}, true
	}

	return form{}, false
}

// holds says whether each item of a value has a form. A value of a wrong type has a fault of its own.
func (f form) holds(value any) bool {
	items, ok := asList(value).([]string)

	return !ok || !slices.ContainsFunc(items, func(item string) bool { return !f.is(strings.TrimSpace(item)) })
}

// singles are keys whose value is no list: K3s takes a comma for a part of it.
var singles = []string{"service-node-port-range"} //nolint:gochecknoglobals // A constant list.

// isTorn says whether a value of such a key has several parts.
func isTorn(key string, value any) bool {
	text, is := value.(string)
	return is && slices.Contains(singles, key) && strings.Contains(text, ",")
}

func oneOf(words ...string) func(string) bool {
	return func(item string) bool { return slices.Contains(words, item) }
}

func not(is func(item string) bool) func(string) bool {
	return func(item string) bool { return !is(item) }
}

func isAddress(item string) bool {
	_, err := netip.ParseAddr(item)
	return err == nil
}

func isNetwork(item string) bool {
	_, err := netip.ParsePrefix(item)
	return err == nil
}

func isDomain(item string) bool {
	return len(validation.IsDNS1123Subdomain(item)) == 0
}

func isNamespace(item string) bool {
	return len(validation.IsDNS1123Label(item)) == 0
}
