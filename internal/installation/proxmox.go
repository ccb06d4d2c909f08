package installation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/access"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// A Connection is what the provider connects to Proxmox with. All of it is secret.
type Connection struct {
	Endpoint string // Such as https://192.168.4.2:8006.
	Token    string // user@realm!name=uuid.
	Insecure bool   // Whether any certificate will do.

	User string // With which it logs in to nodes; empty for none.
	Key  string // A private key of that user.
}

// A Failure says why there is no answer.
type Failure string

// The failures.
const (
	FailureCertificate Failure = "certificate"
	FailureRefused     Failure = "refused"
	FailureName        Failure = "name"
	FailureTimeout     Failure = "timeout"
	FailureOther       Failure = "other"
)

// An Answer of Proxmox' API.
type Answer struct {
	Failure Failure // Empty where there is an answer.
	Status  int     // Of HTTP.
	Body    []byte
}

// An Asker gets what a path below /api2/json has.
type Asker func(c Connection, path string) Answer

// connectionOf the content of a Secret, which has no faults. ok is false where the provider logs in with a password.
func connectionOf(content []byte) (out Connection, ok bool) {
	var fields struct {
		Endpoint string `json:"endpoint"`
		Token    string `json:"api_token"`
		Insecure string `json:"insecure"`
		User     string `json:"ssh_username"`
		Key      string `json:"ssh_private_key"`
	}

	_ = json.Unmarshal(content, &fields)

	return Connection{Endpoint: fields.Endpoint, Token: fields.Token, Insecure: fields.Insecure == "true", User: fields.User, Key: fields.Key}, fields.Token != ""
}

// A trial asks Proxmox with the credentials of one configuration.
type trial struct {
	cluster    Cluster
	connection Connection
	named      string // The configuration, for a person.
	version    int    // The major one of Proxmox VE.
}

// try the credentials of a configuration, and compare what Proxmox has with sites of the catalogue.
func (c Cluster) try(content []byte, named string, sites []string) []Finding {
	connection, ok := connectionOf(content)
	if !ok {
		return []Finding{{checkProxmox, Unknown, named + " logs in with a password, which is not tried", "use an API token: kubectl machine privileges prints the commands"}}
	}

	t := trial{cluster: c, connection: connection, named: named}

	first := t.login()
	if first.State == Fault || first.State == Unknown {
		return []Finding{first}
	}

	out := []Finding{first}
	has, permissions := t.permissions()
	nodes, said := t.nodes()

	out = append(append(out, permissions...), said...)

	// Claims with faults are another check's.
	needs, _ := access.Sites(c.entries(), c.claims())

	for _, name := range sites {
		site := c.entries().Sites[name]

		if i := slices.IndexFunc(needs, func(s privilege.Site) bool { return s.Name == name }); i >= 0 && len(permissions) == 0 {
			out = append(out, t.privileges(needs[i], has)...)
			out = append(out, t.nextID(needs[i], has)...)
		}

		if len(said) == 0 {
			out = append(out, t.site(name, site, nodes)...)
		}

		out = append(out, t.firewall(name, site)...)

		if len(said) == 0 && t.logsIn() {
			out = append(out, t.snippets(name, site, nodes)...)
		}
	}

	if !t.logsIn() {
		out = append(out, Finding{
			checkProxmox, Unknown, named + ": SSH, over which snippets are written, is not tried: the Secret has no ssh_username and ssh_private_key",
			"docs/start.md, step 3, makes the user; a password or an agent, which the provider takes, too, is not tried",
		})
	}

	return out
}

// logsIn says whether the provider logs in to nodes with a key.
func (t *trial) logsIn() bool {
	return t.cluster.SSH != nil && t.connection.User != "" && t.connection.Key != ""
}

// claims are those of the cluster.
func (c Cluster) claims() []claim.Claim {
	var out []claim.Claim

	for _, o := range c.Objects {
		if o.GroupVersionKind().Group == "homelab.io" && slices.Contains(claim.Kinds(), o.GetKind()) {
			out = append(out, claim.Decode(o.Object))
		}
	}

	return out
}

// login says whether Proxmox takes the token, and of which version it is.
func (t *trial) login() Finding {
	var version struct {
		Version string `json:"version"`
	}

	if found := t.get("/version", &version); found != nil {
		return *found
	}

	if _, err := fmt.Sscanf(version.Version, "%d", &t.version); err != nil {
		return Finding{checkProxmox, Unknown, t.named + ": what answers does not say which Proxmox VE it is", ""}
	}

	out := Finding{checkProxmox, OK, t.named + ": Proxmox VE " + message.Excerpt(version.Version) + " takes the token", ""}
	if t.version < oldestProxmox {
		out.State, out.Says, out.Fix = Warning, out.Says+": 8 or later is what was tried", "upgrade Proxmox VE"
	}

	return out
}

// The major versions of Proxmox VE whose privileges are known.
const (
	oldestProxmox = 8
	newestProxmox = 9
)

// get the data of an answer; a finding where there is none.
func (t *trial) get(path string, into any) *Finding {
	return t.judge(t.cluster.Proxmox(t.connection, path), path, into)
}

// judge an answer, and read its data.
func (t *trial) judge(a Answer, path string, into any) *Finding {
	found := func(state State, says, fix string) *Finding {
		return &Finding{checkProxmox, state, t.named + ": " + says, fix}
	}

	switch a.Failure {
	case "":
	case FailureCertificate:
		return found(Fault, "the certificate of Proxmox is none that this computer trusts", "set insecure to \"true\" in the Secret, or have Proxmox use a certificate that the provider's image trusts")
	case FailureRefused:
		return found(Fault, "nothing listens at the endpoint", "set the endpoint to port 8006 of a node; systemctl status pveproxy there says whether it runs")
	case FailureName:
		return found(Unknown, "this computer does not know the name of the endpoint; the provider, in the cluster, may", "check again from a computer with the name servers of the cluster")
	case FailureTimeout, FailureOther:
		return found(Unknown, "this computer does not reach the endpoint; the provider, in the cluster, may", "check again from a computer in the network of the cluster")
	}

	switch a.Status {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return found(Fault, "Proxmox does not take the token (401): there is none of this name, it has expired, its user is disabled, or its secret is another",
			"pveum user token list USER@REALM on a node lists the tokens; `pveum user token add` prints the secret of a new one, once: docs/start.md, step 7, puts it into the Secret")
	case http.StatusForbidden:
		return found(Unknown, "the token may not ask for "+path+" (403)", "kubectl machine privileges prints the commands that give it its privileges")
	default:
		return found(Unknown, fmt.Sprintf("Proxmox answers %s with HTTP status %d", path, a.Status), "pvesh get "+path+" on a node says why")
	}

	body := struct {
		Data json.RawMessage `json:"data"`
	}{}

	if err := json.Unmarshal(a.Body, &body); err != nil || json.Unmarshal(body.Data, into) != nil {
		return found(Unknown, "what answers "+path+" is not the API of Proxmox VE", "the endpoint is that of the API, such as https://192.168.4.2:8006")
	}

	return nil
}

// permissions of the token; findings where they cannot be read.
func (t *trial) permissions() (privilege.Permissions, []Finding) {
	var data json.RawMessage

	if found := t.get("/access/permissions", &data); found != nil {
		return nil, []Finding{*found}
	}

	has, err := privilege.ReadPermissions(data)
	if err != nil {
		return nil, []Finding{{checkProxmox, Unknown, t.named + ": Proxmox lists the privileges of the token in a form that is not known", ""}}
	}

	return has, nil
}
