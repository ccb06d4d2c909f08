package installation

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// A Login is what the provider logs in to a node with, to write snippets. All of it is secret but the address.
type Login struct {
	Address string // Host and port.
	User    string
	Key     string // A private key, in the format of OpenSSH or PEM.
}

// An SSHFailure says why a command did not run on a node.
type SSHFailure string

// The failures.
const (
	SSHKey         SSHFailure = "key"         // The private key cannot be read, or has a passphrase.
	SSHDenied      SSHFailure = "denied"      // The node does not take user and key.
	SSHRefused     SSHFailure = "refused"     // Nothing listens.
	SSHUnreachable SSHFailure = "unreachable" // This computer does not reach the node.
)

// An SSHAnswer is what became of a command on a node.
type SSHAnswer struct {
	Failure SSHFailure // Empty where the command ran.
	Status  int        // Its exit status.
}

// An SSH runs a command on a node.
type SSH func(l Login, command string) SSHAnswer

// snippets says whether the provider can write into the folders of snippets of a site's nodes. It finds address and folder as the provider does (bpg/proxmox
// v0.111.1, proxmox/ssh/client.go and proxmox/nodes/client.go): the address is that of the node's first interface with a gateway.
func (t *trial) snippets(name string, site catalog.Site, there []proxmoxNode) []Finding {
	var out []Finding

	var well []string

	for _, node := range wantedNodes(site, there) {
		if !slices.ContainsFunc(there, func(n proxmoxNode) bool { return n.Node == node && n.Status != "offline" }) {
			continue // Another check says so.
		}

		at := "site " + message.Excerpt(name) + ": node " + message.Excerpt(node)
		if found := t.writes(at, node, resolve.Datastores(site, node).Snippets); found != nil {
			out = append(out, *found)
		} else {
			well = append(well, message.Excerpt(node))
		}
	}

	if len(well) > 0 {
		says := "site " + message.Excerpt(name) + ": over SSH, the provider can write snippets on " + strings.Join(well, ", ")
		out = append(out, Finding{checkProxmox, OK, says, ""})
	}

	return out
}

// writes says what keeps the provider from writing a snippet on a node; nil where nothing does.
func (t *trial) writes(at, node, datastore string) *Finding {
	folder, found := t.folder(at, datastore)
	if found != nil {
		return found
	}

	address, found := t.address(at, node)
	if found != nil {
		return found
	}

	const user = "docs/start.md, step 3, makes the user"

	quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	answer := t.cluster.SSH(Login{Address: net.JoinHostPort(address, "22"), User: t.connection.User, Key: t.connection.Key}, "test -d "+quoted+" && test -w "+quoted)

	says := func(state State, says, fix string) *Finding { return &Finding{checkProxmox, state, says, fix} }

	switch answer.Failure {
	case SSHKey:
		return says(Fault, t.named+": ssh_private_key of the Secret is no private key, or has a passphrase", "ssh-keygen -t ed25519 -N '' -f crossplane makes one: "+user)
	case SSHDenied:
		return says(Fault, at+" does not take ssh_username and ssh_private_key of the Secret", user+"; its authorized_keys has the public key, and belongs to it")
	case SSHRefused:
		return says(Fault, at+": nothing listens on port 22 of its address, "+message.Excerpt(address), "systemctl status ssh on the node says whether it runs")
	case SSHUnreachable:
		return says(Unknown, at+": this computer does not reach port 22 of its address, "+message.Excerpt(address)+"; the provider, in the cluster, may",
			"check again from a computer in the network of the cluster")
	}

	if answer.Status != 0 {
		return says(Fault, at+": the user of the Secret's ssh_username may not write into "+message.Excerpt(folder)+", or there is no such folder",
			"install -d -o USER -g USER "+message.Excerpt(folder)+", as root on the node")
	}

	return nil
}

// folder of the snippets of a datastore.
func (t *trial) folder(at, datastore string) (string, *Finding) {
	var storage struct {
		Path string `json:"path"`
	}

	if found := t.get("/storage/"+url.PathEscape(datastore), &storage); found != nil {
		return "", found
	}

	if storage.Path == "" {
		return "", &Finding{
			checkProxmox, Fault, at + ": datastore " + message.Excerpt(datastore) + " has no folder, so that there can be no snippets",
			"name a datastore with files for snippets in the catalogue, such as local",
		}
	}

	return strings.TrimSuffix(storage.Path, "/") + "/snippets", nil
}

// address of a node, as the provider finds it.
func (t *trial) address(at, node string) (string, *Finding) {
	path := "/nodes/" + url.PathEscape(node) + "/network"

	var interfaces []struct {
		Address  string `json:"address"`
		Gateway  string `json:"gateway"`
		Address6 string `json:"address6"`
		Gateway6 string `json:"gateway6"`
	}

	if found := t.get(path, &interfaces); found != nil {
		return "", found
	}

	for _, i := range interfaces {
		if i.Gateway != "" && i.Address != "" || i.Gateway6 != "" && i.Address6 != "" {
			return cmp.Or(i.Address, i.Address6), nil
		}
	}

	return "", &Finding{
		checkProxmox, Fault, at + ": none of its interfaces has an address and a gateway in Proxmox, so that the provider does not find it over SSH",
		"set address and gateway of the node's bridge in Proxmox (System, Network): /etc/network/interfaces has them then",
	}
}
