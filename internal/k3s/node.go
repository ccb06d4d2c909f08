package k3s

import (
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A Role is what a node is to its cluster.
type Role string

// Roles of nodes.
const (
	// RoleInit is the first server of a new cluster; it starts the embedded etcd.
	RoleInit Role = "init"
	// RoleServer joins a cluster as a further server.
	RoleServer Role = "server"
	// RoleAgent joins a cluster as a worker.
	RoleAgent Role = "agent"
)

// server says whether the role runs K3s' server.
func (r Role) server() bool {
	return r == RoleInit || r == RoleServer
}

// DefaultTokenFile is where a joining node looks for its token.
const DefaultTokenFile = "/etc/rancher/k3s/token"

// A Node is one K3s node as its cloud-config needs it. Fields are expected to have
// passed the Validate functions of this package; Files refuses what would
// break the node, without telling the user where it came from.
type Node struct {
	Role Role
	// NodeName is the host name; the node registers under it, or not at all.
	NodeName string
	// Version is K3s' release, such as v1.33.6+k3s1.
	Version string

	// InstallURL is where the installer is. Empty is the installer of the release
	// itself, from its source; see [DefaultInstallURL].
	InstallURL string
	// InstallSHA256 is the installer's checksum in hexadecimal digits; empty is not checked.
	InstallSHA256 string

	// ServerURL is the cluster's address, such as https://k3s.home.arpa:6443. Joining nodes need
	// it. The first server uses it to find out whether the cluster lives already.
	ServerURL string
	// Token is the cluster's token. It is written into TokenFile, readable by root only.
	// Where it is empty, something else has to write that file, such as a snippet on the host.
	Token Token
	// TokenFile is the token's path on the node. Empty is [DefaultTokenFile]; for a first
	// server without Token it means that K3s makes a token itself.
	TokenFile string

	// Disable are packaged components that servers do not deploy.
	Disable []string
	// TLSSANs are further names and addresses in the certificate of servers.
	TLSSANs []string
	// NodeIP is the node's static address. Empty lets K3s choose.
	NodeIP string
	// FlannelIface is the interface of the pod network, for nodes with DHCP.
	FlannelIface string
	// Labels of the node; they act when it registers for the first time.
	Labels map[string]string
	// Taints of the node, as key=value:Effect; they act when it registers for the first time.
	Taints []string
	// Config are further keys of K3s' config.yaml. Values are those of JSON. It wins over
	// NodeIP, FlannelIface and the defaults made here.
	Config map[string]any
}

// DefaultInstallURL returns the address of the installer that belongs to a release.
// https://get.k3s.io serves whatever is newest, which is a different program every few weeks.
func DefaultInstallURL(version string) string {
	return "https://raw.githubusercontent.com/k3s-io/k3s/" + strings.ReplaceAll(version, "+", "%2B") + "/install.sh"
}

// Packages returns the packages that the bootstrap needs.
func (n Node) Packages() []string {
	return []string{"ca-certificates", "curl"}
}

// Commands returns the last commands of the first boot. The last of them starts
// the bootstrap and waits for it: its status becomes cloud-init's own, so that
// "cloud-init status" tells whether the node is in its cluster.
func (n Node) Commands() [][]string {
	return [][]string{
		{"systemctl", "daemon-reload"},
		{"systemctl", "enable", bootstrapUnit},
		{"systemctl", "start", bootstrapUnit},
	}
}

// tokenFile returns where the token is, or nothing where K3s makes it.
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

// check finds what no caller should have let through.
func (n Node) check() error {
	switch {
	case n.Role != RoleInit && n.Role != RoleServer && n.Role != RoleAgent:
		return errors.Errorf("a K3s node cannot have the role %q", n.Role)
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
