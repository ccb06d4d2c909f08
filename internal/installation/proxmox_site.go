package installation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// privileges that the token lacks.
func (t *trial) privileges(site privilege.Site, has privilege.Permissions) []Finding {
	version := min(max(t.version, oldestProxmox), newestProxmox)
	verdict := site.Check(version, has)
	fix := "kubectl machine privileges --proxmox " + strconv.Itoa(version) + " --site " + message.Excerpt(site.Name) +
		" -f CLAIMS prints commands: run them as root on one node"

	var out []Finding

	for _, f := range verdict.Missing {
		out = append(out, Finding{checkProxmox, Fault, fmt.Sprintf("site %s: the token lacks %s on %s, for %s",
			message.Excerpt(site.Name), strings.Join(f.Privileges, ", "), f.Path, f.For), fix})
	}

	for _, f := range verdict.Replaced {
		out = append(out, Finding{checkProxmox, Warning, fmt.Sprintf("site %s: a role of its own on %s takes %s from the token: what is there cannot be used",
			message.Excerpt(site.Name), message.Excerpt(f.Path), strings.Join(f.Privileges, ", ")), "pveum acl list on a node shows it; nothing, if somebody wants it so"})
	}

	if len(verdict.Missing) == 0 {
		out = append(out, Finding{checkProxmox, OK, "site " + message.Excerpt(site.Name) + ": the token has every privilege that it needs", ""})
	}

	return out
}

// nextID says whether Proxmox proposes VMIDs of the catalogue to persons. Who may not audit / sees a part of the options.
func (t *trial) nextID(site privilege.Site, has privilege.Permissions) []Finding {
	if len(site.VMIDs) == 0 {
		return nil
	}

	if _, may := has["/"]["Sys.Audit"]; !may {
		return []Finding{{
			checkProxmox, Unknown, "site " + message.Excerpt(site.Name) + ": the token may not read which VMIDs Proxmox proposes for a VM that a person makes, and need not",
			"pvesh get /cluster/options --output-format json on a node, for kubectl machine privileges --check --options",
		}}
	}

	var data json.RawMessage
	if found := t.get("/cluster/options", &data); found != nil {
		return []Finding{*found}
	}

	bounds, err := privilege.ReadNextID(data)
	if err != nil {
		return []Finding{{checkProxmox, Unknown, "site " + message.Excerpt(site.Name) + ": the options of Proxmox have a form that is not known", ""}}
	}

	line, right := site.CheckNextID(bounds)
	says, fix, _ := strings.Cut(line, " Run as root on one node: ")
	out := Finding{checkProxmox, OK, "site " + message.Excerpt(site.Name) + ": " + strings.TrimSuffix(says, "."), ""}

	if !right {
		out.State, out.Fix = Warning, fix
	}

	return []Finding{out}
}

// A proxmoxNode is a node as Proxmox lists it.
type proxmoxNode struct {
	Node   string `json:"node"`
	Status string `json:"status"`
}

// nodes of the Proxmox cluster; findings where they cannot be read.
func (t *trial) nodes() ([]proxmoxNode, []Finding) {
	var out []proxmoxNode

	if found := t.get("/nodes", &out); found != nil {
		return nil, []Finding{*found}
	}

	slices.SortFunc(out, func(a, b proxmoxNode) int { return cmp.Compare(a.Node, b.Node) })

	return out, nil
}

// site compares the nodes and datastores of the catalogue with those of Proxmox.
func (t *trial) site(name string, site catalog.Site, there []proxmoxNode) []Finding {
	all, wanted := names(there), wantedNodes(site, there)

	var out []Finding

	for _, node := range wanted {
		at := "site " + message.Excerpt(name) + ": node " + message.Excerpt(node)
		i := slices.IndexFunc(there, func(n proxmoxNode) bool { return n.Node == node })

		switch {
		case i < 0:
			out = append(out, Finding{
				checkProxmox, Fault, at + " is none of this Proxmox: " + message.There(all, node),
				"edit sites." + message.Excerpt(name) + ".nodes of the catalogue where you keep it",
			})
		case there[i].Status == "offline":
			out = append(out, Finding{checkProxmox, Warning, at + " is offline", "pvecm status on another node says what the Proxmox cluster sees"})
		default:
			out = append(out, t.datastores(at, site, node)...)
		}
	}

	if len(out) == 0 {
		out = []Finding{{checkProxmox, OK, "site " + message.Excerpt(name) + ": nodes and datastores are as the catalogue has them: " + strings.Join(excerpts(wanted), ", "), ""}}
	}

	return out
}

// wantedNodes are those of a site; where the catalogue leaves them to claims, all.
func wantedNodes(site catalog.Site, there []proxmoxNode) []string {
	if wanted := slices.Sorted(maps.Keys(site.Nodes)); len(wanted) > 0 {
		return wanted
	}

	return names(there)
}

func names(nodes []proxmoxNode) (out []string) {
	for _, n := range nodes {
		out = append(out, n.Node)
	}

	return out
}

func excerpts(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, message.Excerpt(n))
	}

	return out
}

// A datastore is one of a node, as Proxmox lists those that the token may see.
type datastore struct {
	Name    string `json:"storage"`
	Content string `json:"content"` // Types, with commas between them.
	Type    string `json:"type"`
	Enabled *int   `json:"enabled"`
	Active  *int   `json:"active"`
}

// The content types of the purposes.
const (
	contentDisks    = "images"
	contentImages   = "import"
	contentSnippets = "snippets"
)

// datastores of a node: those that its machines use, and those that the catalogue lists with their content types.
func (t *trial) datastores(at string, site catalog.Site, node string) []Finding {
	var there []datastore
	if found := t.get("/nodes/"+url.PathEscape(node)+"/storage", &there); found != nil {
		return []Finding{*found}
	}

	d := resolve.Datastores(site, node)
	wanted := map[string][]string{}

	for _, use := range []struct{ name, content string }{{d.Disks, contentDisks}, {d.Images, contentImages}, {d.Snippets, contentSnippets}} {
		wanted[use.name] = append(wanted[use.name], use.content)
	}

	for name, contents := range site.Nodes[node].Storages {
		wanted[name] = append(wanted[name], contents.Names()...)
	}

	var out []Finding

	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		named := "datastore " + message.Excerpt(name)
		i := slices.IndexFunc(there, func(d datastore) bool { return d.Name == name })

		if i < 0 {
			out = append(out, Finding{
				checkProxmox, Fault, at + " has no " + named + ", or the token may not see it",
				"pvesm status on the node lists them: name another in the catalogue, or see to its privileges",
			})

			continue
		}

		has := strings.Split(there[i].Content, ",")
		lacks := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(wanted[name]))), func(c string) bool { return slices.Contains(has, c) })

		switch {
		case is0(there[i].Enabled):
			out = append(out, Finding{checkProxmox, Fault, at + ": " + named + " is disabled", "pvesm set " + message.Excerpt(name) + " --disable 0, as root on a node"})
		case len(lacks) > 0:
			out = append(out, Finding{checkProxmox, Fault, at + ": " + named + " lacks the content types " + strings.Join(lacks, ", "), there[i].serving(has, lacks)})
		case is0(there[i].Active):
			out = append(out, Finding{checkProxmox, Fault, at + ": " + named + " is not active", "pvesm status on the node says why"})
		}
	}

	return out
}

// kindsHold are the content types that a kind of datastore can serve, of the kinds that do not hold both disks and files (plugindata in src/PVE/Storage of
// pve-storage).
var kindsHold = map[string][]string{ //nolint:gochecknoglobals // A constant table.
	"zfspool": {"images", "rootdir"}, "lvm": {"images", "rootdir"}, "lvmthin": {"images", "rootdir"}, "rbd": {"images", "rootdir"},
	"zfs": {"images"}, "iscsi": {"images"}, "iscsidirect": {"images"}, "esxi": {"import"}, "pbs": {"backup"},
	"cephfs": {"backup", "import", "iso", "snippets", "vztmpl"},
}

// serving says how a datastore comes to serve what it lacks, if its kind can.
func (d datastore) serving(has, lacks []string) string {
	holds, limited := kindsHold[d.Type]

	cannot := slices.DeleteFunc(slices.Clone(lacks), func(c string) bool { return !limited || slices.Contains(holds, c) })
	if len(cannot) > 0 {
		return "a datastore of type " + d.Type + " cannot hold " + strings.Join(cannot, ", ") + ": name another in the catalogue"
	}

	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(has, lacks))))

	return "pvesm set " + message.Excerpt(d.Name) + " --content " + strings.Join(all, ",") + ", as root on a node"
}

// is0 says whether Proxmox says no. What it does not say, it does not say no to.
func is0(flag *int) bool { return flag != nil && *flag == 0 }
