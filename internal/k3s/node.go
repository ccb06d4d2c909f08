package k3s

import (
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// A Role is a node's role in its cluster.
type Role string

// Roles of nodes.
const (
	// RoleInit is the first server of a new cluster; it starts the embedded etcd.
	RoleInit Role = "init"
	// RoleServer joins a cluster as an additional server.
	RoleServer Role = "server"
	// RoleAgent joins a cluster as a worker.
	RoleAgent Role = "agent"
)

// RoleOf returns the role of a claim's node. init is spec.k3s.init: the first server of a new cluster.
func RoleOf(role v1alpha1.K3sRole, init bool) Role {
	switch {
	case role == v1alpha1.K3sAgent:
		return RoleAgent
	case init:
		return RoleInit
	default:
		return RoleServer
	}
}

// MaxNodeName is the maximum length of a node's name in characters: the name is the value of the label kubernetes.io/hostname.
const MaxNodeName = 63

// server reports whether the role runs K3s's server.
func (r Role) server() bool {
	return r == RoleInit || r == RoleServer
}

// DefaultTokenFile is the default path of a joining node's token.
const DefaultTokenFile = "/etc/rancher/k3s/token"

// Addresses are how K3s finds the address of a node: see the fields of [Node].
type Addresses struct{ NodeIP, FlannelIface string }

// A Node has the settings of one K3s node. The caller checks the fields with the
// Validate functions of this package, which report paths; Files only refuses values
// that would break the node.
type Node struct {
	Role Role
	// NodeName is the host name, and the name under which the node registers.
	NodeName string
	// Version is K3s' release, such as v1.33.6+k3s1.
	Version string

	// InstallURL is the address of the installer. Empty means the release's own
	// installer, see [DefaultInstallURL].
	InstallURL string
	// InstallSHA256 is the installer's checksum in hexadecimal digits; empty disables the check.
	InstallSHA256 string
	// ReleaseURL is the folder with a folder for each release, as on GitHub ([DefaultReleaseURL]): the bootstrap downloads K3s from there,
	// instead of the installer. Empty leaves the download to the installer.
	ReleaseURL string
	// BinarySHA256 is the checksum of K3s itself. Empty means the one in the release's list of checksums.
	BinarySHA256 string
	// Silent: the node does not report to the outside how far its bootstrap is.
	Silent bool
	// Proxy is what the node reaches the Internet through.
	Proxy Proxy

	// ServerURL is the cluster's address, such as https://k3s.home.arpa:6443. Joining nodes need
	// it. The first server uses it to check whether the cluster already runs.
	ServerURL string
	// Token is the cluster's token. cloud-init writes it into TokenFile, readable by root only.
	// If it is empty, something else must write the file, such as a snippet on the Proxmox node.
	Token Token
	// TokenFile is the token's path on the node. Empty means [DefaultTokenFile]; for a first
	// server without Token it means that K3s generates a token.
	TokenFile string
	// TrustOnFirstUse lets a joining node take a short token, which does not say which cluster it belongs to.
	TrustOnFirstUse bool

	// Restore is the name of a snapshot of etcd in S3 with which a first server begins; the options of S3 are in [RestoreS3Path]. Empty for an empty state.
	Restore string

	// Disable lists packaged components that servers do not deploy.
	Disable []string
	// TLSSANs are additional names and addresses in the servers' certificate.
	TLSSANs []string
	// NodeIP is the node's static address. Empty lets K3s choose.
	NodeIP string
	// FlannelIface is the interface of the pod network, for nodes with DHCP.
	FlannelIface string
	// Former are the addresses that releases before v0.2.0 wrote. Nil if they are the same.
	Former *Addresses
	// Labels are the node's labels; K3s sets them at the first registration only.
	Labels map[string]string
	// Taints are the node's taints, as key=value:Effect; K3s sets them at the first registration only.
	Taints []string
	// Config has additional keys of K3s's config.yaml, with JSON values. It takes precedence over
	// NodeIP, FlannelIface and this package's defaults.
	Config map[string]any
}

// DefaultReleaseURL is where the project publishes its releases.
const DefaultReleaseURL = "https://github.com/k3s-io/k3s/releases/download"

// DefaultInstallURL returns the address of a release's own installer.
// https://get.k3s.io always serves the newest installer, which changes every few weeks.
func DefaultInstallURL(version string) string {
	return "https://raw.githubusercontent.com/k3s-io/k3s/" + strings.ReplaceAll(version, "+", "%2B") + "/install.sh"
}

// Packages returns the packages that the bootstrap needs.
func (n Node) Packages() []string {
	return []string{"ca-certificates", "curl"}
}

// Commands returns the last commands of the first boot. The last command starts
// the bootstrap and waits for it: its status becomes cloud-init's status, so that
// "cloud-init status" shows whether the node has joined its cluster.
func (n Node) Commands() [][]string {
	return [][]string{
		{"systemctl", "daemon-reload"},
		{"systemctl", "enable", bootstrapUnit},
		{"systemctl", "start", bootstrapUnit},
	}
}

// tokenFile returns the token's path, or an empty string if K3s generates the token.
func (n Node) tokenFile() string {
	switch {
	case n.TokenFile != "":
		return n.TokenFile
	case n.Role == RoleInit && n.Token == "":
		return ""
	default:
		return DefaultTokenFile
	}
}

// check refuses values that the caller should have refused.
func (n Node) check() error {
	switch {
	case n.Role != RoleInit && n.Role != RoleServer && n.Role != RoleAgent:
		return errors.Errorf("a K3s node cannot have the role %q", n.Role)
	case n.Restore != "" && n.Role != RoleInit:
		return errors.Errorf("a K3s node of role %s cannot begin with a snapshot of etcd", n.Role)
	case n.NodeName == "":
		return errors.New("a K3s node needs a name")
	case n.Version == "":
		return errors.New("a K3s node needs a version")
	case n.Role != RoleInit && n.ServerURL == "":
		return errors.Errorf("a K3s node of role %s needs the address of its cluster", n.Role)
	case strings.ContainsAny(n.Token.reveal(), "\r\n"):
		return errors.New("a K3s token must be one line")
	}

	faults := ValidateConfig(n.Role, n.Config, nil)

	return errors.Wrap(faults.ToAggregate(), "cannot use K3s configuration")
}
