package cluster

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// Lengths and limits of a claim. The XRD has them, too; a preview has no API server.
const (
	maxName     = 40
	maxPoolName = 16
	maxServers  = 5
	maxAgents   = 100
)

var poolName = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)

// Check what a claim alone can get wrong.
func Check(id machine.Identity, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	if errs := CheckSize(spec); len(errs) > 0 {
		return errs
	}

	at := field.NewPath("spec")

	var errs field.ErrorList

	if len(id.Name) > maxName {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), message.Excerpt(id.Name), fmt.Sprintf("must be at most %d characters long: the names of the nodes begin with it", maxName)))
	}

	if n := spec.Servers.Count; n != nil && *n != 1 && *n != 3 && *n != 5 {
		errs = append(errs, field.Invalid(at.Child("servers", "count"), *n,
			"must be 1, 3 or 5: etcd needs more than half of its members, so two and four servers are no safer than one and three"))
	}

	errs = append(errs, template(at.Child("servers", "template"), spec.Servers.NodePool)...)
	errs = append(errs, checkSnapshots(at.Child("servers"), spec.Servers)...)
	errs = append(errs, checkRestore(at.Child("servers", "restore"), spec)...)
	errs = append(errs, pools(at.Child("agents"), spec.Agents)...)
	errs = append(errs, lengths(at.Child("agents"), id, spec.Agents)...)
	errs = append(errs, settings(at, spec)...)
	errs = append(errs, nodes(at.Child("nodes"), spec)...)
	errs = append(errs, claimedTwice(spec)...)
	errs = append(errs, upgradeOf(at, spec)...)
	errs = append(errs, checkAdoptions(at.Child("nodes"), spec.Nodes)...)

	return errs
}

func pools(at *field.Path, all []v1alpha1.AgentPool) field.ErrorList {
	var errs field.ErrorList

	seen := map[string]bool{}

	for i, p := range all {
		at := at.Index(i)

		switch {
		case p.Name == "":
			errs = append(errs, field.Required(at.Child("name"), "must be the name of the pool, such as worker"))
		case p.Name == serverPool || len(p.Name) > maxPoolName || !poolName.MatchString(p.Name):
			errs = append(errs, field.Invalid(at.Child("name"), message.Excerpt(p.Name),
				"must start with a letter, hold at most 16 lower case letters, digits and hyphens, and differ from server"))
		case seen[p.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
		}

		seen[p.Name] = true

		if p.Count < 0 || p.Count > maxAgents {
			errs = append(errs, field.Invalid(at.Child("count"), p.Count, fmt.Sprintf("must be 0 to %d", maxAgents)))
		}

		errs = append(errs, template(at.Child("template"), p.NodePool)...)
	}

	return errs
}

// elsewhere are fields of a K3sNode that a template cannot have, and where they are.
var elsewhere = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"hostname":           "the names of the nodes are those of cluster and pool",
	"adopt":              "a template describes several machines; adopt a VM with a K3sNode of its own",
	"deletionPolicy":     "write spec.deletionPolicy",
	"deletionProtection": "write spec.deletionProtection",
	"protection":         "write spec.deletionProtection",
	"lifecycle":          "actions are requested of single nodes: write spec.nodes[].lifecycle",
	"k3s.role":           "the pool says it",
	"k3s.init":           "the first server starts the cluster by itself",
	"k3s.restore":        "write spec.servers.restore",
	"k3s.cluster":        "write spec.cluster",
	"k3s.clusterName":    "the cluster has its name from metadata.name",
	"k3s.server":         "write spec.endpoint",
	"k3s.version":        "write spec.version",
	"k3s.token":          "write spec.token or spec.joinToken",
	"network.ip":         "an address belongs to a single machine: write spec.nodes[].ip",
	"network.dnsRecord":  "a name belongs to a single machine, and a template describes several",
	"runsCrossplane":     "the cluster in which Crossplane runs has observe: Here in its entry of the catalogue",
	"rollout":            "the cluster changes its nodes one after the other, and no waves decide about them",
	"network.mac":        "a MAC address belongs to a single machine: write spec.nodes[].mac",
	"proxmox.vmId":       "a VMID belongs to a single machine: write spec.nodes[].vmId",
}

// template checks what a pool's template has that it cannot have. What else is wrong with it, the nodes say.
func template(at *field.Path, p v1alpha1.NodePool) field.ErrorList {
	var errs field.ErrorList

	t := map[string]any(p.Template)

	has := func(path string) bool {
		head, rest, nested := strings.Cut(path, ".")
		if !nested {
			return t[head] != nil
		}

		o, _ := t[head].(map[string]any)

		return o[rest] != nil
	}

	for path, where := range elsewhere {
		if has(path) {
			errs = append(errs, field.Forbidden(at.Child(path), where))
		}
	}

	for path, name := range inPool {
		if has(path) {
			errs = append(errs, field.Forbidden(at.Child(path), "write "+name+" of the pool"))
		}
	}

	return errs
}

// nodes checks the settings of single nodes.
func nodes(at *field.Path, spec v1alpha1.K3sClusterSpec) field.ErrorList {
	if len(spec.Nodes) == 0 {
		return nil
	}

	known := names(spec)

	var errs field.ErrorList

	seen := map[string]bool{}

	for i, n := range spec.Nodes {
		at := at.Index(i).Child("name")

		switch {
		case seen[n.Name]:
			errs = append(errs, field.Duplicate(at, message.Excerpt(n.Name)))
		case !known[n.Name]:
			rule := "is no node of this cluster; "
			if meant := meantNode(n.Name, known, poolNames(spec)); meant != "" {
				rule += "did you mean " + meant + "? There are: "
			} else {
				rule += "there are: "
			}

			rule += strings.Join(nodesByPool(spec), ", ")

			errs = append(errs, field.Invalid(at, message.Excerpt(n.Name), rule))
		}

		seen[n.Name] = true
	}

	return errs
}

// OfNodesThatGo divides faults: those of nodes that exist while their pool is not in the claim any more are none, since a person may help such a node on its
// way, and an entry that has helped one stays without effect when the node is gone. Where nothing in an entry has an effect, useless says so.
func OfNodesThatGo(wrong field.ErrorList, spec v1alpha1.K3sClusterSpec, children map[string]Child) (rest, useless field.ErrorList) {
	asks, entries := Requests(spec), map[string]v1alpha1.ClusterNode{}

	for i, n := range spec.Nodes {
		entries[field.NewPath("spec", "nodes").Index(i).Child("name").String()] = n
	}

	for _, f := range wrong {
		n, names := entries[f.Field]
		_, exists := children[n.Name]

		switch {
		case !names || f.Type != field.ErrorTypeInvalid, !exists && (len(children) == 0 || !onlyAsks(n)):
			rest = append(rest, f)
		case !exists:
			useless = append(useless, &field.Error{Type: f.Type, Field: f.Field, BadValue: f.BadValue, Detail: "has no effect: there is no such node, and no such pool in the claim"})
		case asks[n.Name] == nil:
			useless = append(useless, &field.Error{Type: f.Type, Field: f.Field, BadValue: f.BadValue, Detail: "has no effect: the node goes, since its pool is not in the claim any more"})
		}
	}

	return rest, useless
}

// onlyAsks says whether an entry has nothing that a new node would get.
func onlyAsks(n v1alpha1.ClusterNode) bool {
	return n == v1alpha1.ClusterNode{Name: n.Name, Lost: n.Lost, Lifecycle: n.Lifecycle}
}

// Absent are the settings of nodes that their pools do not have, by the path of the name. Where nodes exist, they wait for a larger count.
func Absent(spec v1alpha1.K3sClusterSpec, members []Member) field.ErrorList {
	var out field.ErrorList

	there := make([]string, 0, len(members))
	for _, m := range members {
		there = append(there, m.Node)
	}

	known := names(spec)

	for i, n := range spec.Nodes {
		// The word that its Proxmox node is lost helps a node on its way.
		if known[n.Name] && !slices.Contains(there, n.Name) && !n.Lost {
			out = append(out, field.Invalid(field.NewPath("spec", "nodes").Index(i).Child("name"), message.Excerpt(n.Name),
				"has no effect: the pool's count has no such node; "+message.There(there, n.Name)))
		}
	}

	return out
}

// poolNames are the names of the pools.
func poolNames(spec v1alpha1.K3sClusterSpec) []string {
	out := []string{serverPool}
	for _, p := range spec.Agents {
		out = append(out, p.Name)
	}

	return out
}

// meantNode is the node that a name probably means: the name has another word in front, such as the cluster's, has no number, or its pool is misspelt.
// Empty where nobody knows one.
func meantNode(name string, known map[string]bool, pools []string) string {
	for rest, ok := name, true; ok; _, rest, ok = strings.Cut(rest, "-") {
		if known[rest] {
			return rest
		}
	}

	if known[name+"-0"] {
		return name + "-0"
	}

	i := strings.LastIndex(name, "-")
	if i < 0 {
		return ""
	}

	if meant := message.Meant(name[:i], pools) + name[i:]; known[meant] {
		return meant
	}

	return ""
}

// nodesByPool are the names of the nodes that a claim has, those of a pool together.
func nodesByPool(spec v1alpha1.K3sClusterSpec) []string {
	var out []string

	of := func(pool string, count int64) {
		switch {
		case count == 1:
			out = append(out, pool+"-0")
		case count > 1:
			out = append(out, fmt.Sprintf("%s-0 to %s-%d", pool, pool, count-1))
		}
	}

	of(serverPool, serverCount(spec))

	for _, p := range spec.Agents {
		of(p.Name, p.Count)
	}

	return out
}

// names of the nodes that a claim can have settings for. A node that its pool does not have now may come back.
func names(spec v1alpha1.K3sClusterSpec) map[string]bool {
	out := map[string]bool{}

	for i := range maxServers {
		out[fmt.Sprintf("%s-%d", serverPool, i)] = true
	}

	for _, p := range spec.Agents {
		for i := range maxAgents {
			out[fmt.Sprintf("%s-%d", p.Name, i)] = true
		}
	}

	return out
}

// CheckMembers checks all members of a cluster that is not there yet. The nodes of a pool have the same faults, which are there once. checkMachine is
// what the caller asks of the machine of a member without a fault of its own; nil for nothing.
func CheckMembers(
	all []Member, id machine.Identity, apiVersion string, spec v1alpha1.K3sClusterSpec, cat catalog.Catalog,
	checkMachine func(*machine.Machine) field.ErrorList,
) (out field.ErrorList) {
	said := map[string]bool{}

	for _, m := range all {
		for _, f := range CheckMember(m, id, apiVersion, spec, cat, checkMachine) {
			if !said[f.Error()] {
				out = append(out, f)
			}

			said[f.Error()] = true
		}
	}

	return out
}

// CheckMember checks a member as the node that it becomes, and names faults by the path in the cluster's claim. Where the member has no fault of
// its own, checkSecrets says which of its machine's Secrets nobody can read; nil where
// that is not known.
func CheckMember(
	m Member, id machine.Identity, apiVersion string, spec v1alpha1.K3sClusterSpec, cat catalog.Catalog,
	checkSecrets func(*machine.Machine) field.ErrorList,
) field.ErrorList {
	if errs := checkMinor(spec.Version); len(errs) > 0 {
		return errs
	}

	content := m.Spec
	if m.Founder != nil {
		content = m.Founder
	}

	if m.AdoptVM != nil {
		content = withAdoption(m.Spec, m)
	}

	resolved, errs := resolve.Claim(nodeClaim(m.Machine, id, apiVersion, content), cat, resolve.Existing{Adopting: m.AdoptVM != nil})
	if len(errs) == 0 && m.AdoptVM == nil {
		errs = bootstrap.Check(resolved)
	}

	if len(errs) == 0 && checkSecrets != nil {
		errs = checkSecrets(resolved)
	}

	return append(inCluster(errs, m, spec, id.Namespace), checkSnapshotsOf(spec, m, cat)...)
}

// nodeClaim is a node as a claim of its own.
func nodeClaim(name string, id machine.Identity, apiVersion string, spec map[string]any) claim.Claim {
	out := claim.Decode(map[string]any{
		"apiVersion": apiVersion, "kind": claim.KindK3sNode, "spec": spec, "metadata": map[string]any{"name": name, "namespace": id.Namespace},
	})
	out.OfCluster = true
	out.Identity.Tenant = id.Tenant // The nodes have the cluster's labels.

	return out
}

// inCluster are the faults of a node by their paths in the cluster's claim.
func inCluster(errs field.ErrorList, m Member, spec v1alpha1.K3sClusterSpec, namespace string) field.ErrorList {
	for _, err := range errs {
		// Faults of what is the whole cluster's are the same for all nodes, and are there once.
		if _, whole := renamed(strings.TrimPrefix(err.Field, "spec."), ofCluster); whole {
			err.Detail = typedOfCluster(err.Detail)
		} else {
			err.Detail = typed(m.Node, m.Role, err.Detail)
		}

		err.Field = place(err.Field, m, spec)

		if !strings.HasPrefix(err.Field, "spec.") && strings.HasSuffix(err.Detail, claim.OfServers) && spec.Servers.Count != nil && *spec.Servers.Count == 1 {
			err.Detail += ". With one server, leave server out there, and write it as spec.endpoint of the K3sCluster"
		}

		if err.Field == "spec.endpoint" && err.Type == field.ErrorTypeRequired {
			err.Detail = "must be the address at which all servers answer, a DNS name or a virtual IP, such as https://k3s.home.arpa:6443; or write cluster, the name of an " +
				"entry of the catalogue that has it"
		}

		switch {
		case err.Field == "spec.version" && strings.HasPrefix(err.Detail, k3s.OneRelease):
			err.Detail = releaseOrMinor(err.BadValue)
		case err.Field != "spec.token" || err.Type != field.ErrorTypeRequired:
		case spec.Token == nil:
			err.Detail = "the nodes that join need a token: " + validate.NewToken(namespace)
		default:
			err.Field = "spec.token.trustOnFirstUse"
			err.Detail = "the nodes join with the token of the first server only with trustOnFirstUse: true; or write joinToken, one of their own"
		}
	}

	return errs
}

// CheckChange checks what a node that exists would have after its turn, and leaves out what is wrong with it already. The API server would refuse most
// of it, in the middle of the turn.
func CheckChange(m Member, c Child, id machine.Identity, apiVersion string, spec v1alpha1.K3sClusterSpec, cat catalog.Catalog) field.ErrorList {
	before := nodeClaim(m.Machine, id, apiVersion, c.Spec)
	existing := resolve.Existing{Node: c.ProxmoxNode, Has: &resolve.Entries{DataDisks: c.DataDisks}, Applied: &before, Adopting: c.Adopted}

	is, has := resolve.Claim(before, cat, existing)

	// What it is to join as, or has joined as, it stays: it would refuse anything else, and the whole rollout with it. Of one that refuses its spec, the spec
	// does not tell what its VM is.
	if is != nil && is.K3s != nil && c.Refused == "" {
		existing.Member = resolve.Member{Role: is.K3s.Role, Cluster: is.K3s.Cluster, Etcd: is.K3s.Etcd}
	}

	to, errs := resolve.Claim(nodeClaim(m.Machine, id, apiVersion, SpecOf(m, c)), cat, existing)

	known := map[string]bool{}
	for _, err := range slices.Concat(has, is.KeptFor()) {
		known[err.Error()] = true
	}

	// The catalogue is the same: it is the edit that takes away what the node would keep of its own from then on.
	errs = append(errs, to.KeptFor()...)
	errs = inCluster(slices.DeleteFunc(errs, func(err *field.Error) bool { return known[err.Error()] }), m, spec, id.Namespace)

	return append(errs, checkSnapshotsOf(spec, m, cat)...)
}

// CheckName refuses to take a node out of the catalogue's cluster by whose name several servers count each other: the first of them, in its turn, would believe
// that it is alone. A server that is alone takes the claim's name.
func CheckName(c Child, spec v1alpha1.K3sClusterSpec, children map[string]Child) field.ErrorList {
	servers := 0

	for _, other := range children {
		if other.Role == v1alpha1.K3sServer {
			servers++
		}
	}

	was := text(group(c.Spec, "k3s"), "cluster")
	if was == "" || spec.Cluster != "" || servers < 2 { //nolint:mnd // Two count each other.
		return nil
	}

	return field.ErrorList{field.Required(field.NewPath("spec", "cluster"), fmt.Sprintf(
		"the nodes were made as those of the catalogue's cluster %[1]s, and the servers count each other by that name: write cluster: %[1]s again. endpoint may stand beside it",
		message.Excerpt(was)))}
}

// place of a field of a node in the cluster's claim.
func place(path string, m Member, spec v1alpha1.K3sClusterSpec) string {
	// The names of the nodes begin with the pool's.
	if path == "metadata.name" && len(m.Machine) > maxMachine && m.Role == v1alpha1.K3sAgent {
		return poolPath(m, spec) + "name"
	}

	rest, ours := strings.CutPrefix(path, "spec.")
	if !ours {
		return path
	}

	if to := placeOfRestore(rest, m, spec); to != "" {
		return "spec." + to
	}

	if to, ok := renamed(rest, map[string]string{"k3s.token": "joinToken"}); ok && spec.JoinToken != nil && m.Founder == nil {
		return "spec." + to
	}

	node := ""
	i := slices.IndexFunc(spec.Nodes, func(n v1alpha1.ClusterNode) bool { return n.Name == m.Node })
	if i >= 0 && !ofTemplate(rest, spec.Nodes[i], poolTemplate(m, spec)) {
		node = fmt.Sprintf("spec.nodes[%d].", i)
	}

	return placeIn(rest, node, poolPath(m, spec))
}

// poolTemplate is the template of the pool of a member.
func poolTemplate(m Member, spec v1alpha1.K3sClusterSpec) v1alpha1.NodeTemplate {
	if i := poolOf(m, spec); i >= 0 {
		return spec.Agents[i].Template
	}

	return spec.Servers.Template
}

// ofTemplate says whether a field of a node, without spec, is typed in its pool's template, and not in the node's entry.
func ofTemplate(path string, entry v1alpha1.ClusterNode, template v1alpha1.NodeTemplate) bool {
	own := map[string]bool{
		"network.ip": entry.IP != "", "network.mac": entry.MAC != "", "proxmox.node": entry.ProxmoxNode != "", "proxmox.vmId": entry.VMID != nil,
	}

	has, known := own[path]
	group, name, _ := strings.Cut(path, ".")
	of, _ := template[group].(map[string]any)

	return known && !has && of[name] != nil
}

// placeIn is where a field of a node, without spec, stands in the cluster's claim: node and pool are the paths of the node's entry and of its pool, each with
// a dot behind it. A node without an entry has all of its own in its pool's template.
func placeIn(path, node, pool string) string {
	if to, ok := renamed(path, ofCluster); ok {
		return "spec." + to
	}

	if to, ok := renamed(path, ofNode); ok && node != "" {
		return node + to
	}

	if to, ok := renamed(path, inPool); ok {
		return pool + to
	}

	// Nobody types the role of a node: it is that of the pool.
	if path == "k3s.role" {
		return strings.TrimSuffix(pool, ".")
	}

	return pool + "template." + path
}

// placeOfRestore is the path in the claim of the cluster of a field of the first server that comes from servers.restore; empty for other fields.
func placeOfRestore(path string, m Member, spec v1alpha1.K3sClusterSpec) string {
	if r := spec.Servers.Restore; m.Founder == nil || r == nil || r.SecretRef == nil {
		return ""
	}

	const secrets = "bootstrap.secrets"

	of, _ := group(m.Spec, "bootstrap")["secrets"].([]any)
	if path == secrets && len(of) == 0 {
		return "servers.restore.secretRef"
	}

	to, _ := renamed(path, map[string]string{fmt.Sprintf("%s[%d]", secrets, len(of)): "servers.restore"})

	return to
}

// poolPath is where the pool of a member is in the claim.
func poolPath(m Member, spec v1alpha1.K3sClusterSpec) string {
	if i := poolOf(m, spec); i >= 0 {
		return fmt.Sprintf("spec.agents[%d].", i)
	}

	return "spec.servers."
}

// poolOf a member is its place in spec.agents; negative for a server.
func poolOf(m Member, spec v1alpha1.K3sClusterSpec) int {
	return slices.IndexFunc(spec.Agents, func(p v1alpha1.AgentPool) bool {
		index, ok := strings.CutPrefix(m.Node, p.Name+"-")
		return ok && !strings.Contains(index, "-") && m.Role == v1alpha1.K3sAgent
	})
}
