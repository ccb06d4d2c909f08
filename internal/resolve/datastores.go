package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Defaults: the names of a fresh Proxmox VE installation.
const (
	defaultDiskDatastore = "local-lvm"
	defaultFileDatastore = "local"
)

// Content types of datastores.
const (
	contentDisks    = "images"
	contentImport   = "import"
	contentSnippets = "snippets"
	contentRootDir  = "rootdir" // Volumes of containers.
	contentTemplate = "vztmpl"
)

// datastores are those of a node by purpose, each with the path of its field.
type datastores struct {
	disks, images, snippets named
}

func datastoresOf(site catalog.Site, node string) datastores {
	d := Datastores(site, node)
	at := site.NodePath(node).Child("datastores")

	return datastores{
		disks:    named{name: d.Disks, at: at.Child("disks")},
		images:   named{name: d.Images, at: at.Child("images")},
		snippets: named{name: d.Snippets, at: at.Child("snippets")},
	}
}

// Datastores are those of a site's node, with defaults. A node that the site does not list has the defaults.
func Datastores(site catalog.Site, node string) catalogue.Datastores {
	d := site.Nodes[node].Datastores

	return catalogue.Datastores{
		Disks:    cmp.Or(d.Disks, defaultDiskDatastore),
		Images:   cmp.Or(d.Images, defaultFileDatastore),
		Snippets: cmp.Or(d.Snippets, defaultFileDatastore),
	}
}

// snippetSource says how the datastore for a node's snippets is known. One whose contents the catalogue does not list serves what it is named for.
func snippetSource(site catalog.Site, node string) machine.SnippetSource {
	n := site.Nodes[node]
	contents, listed := n.Storages[n.Datastores.Snippets]

	switch {
	case n.Datastores.Snippets == "":
		return machine.SnippetsGuessed
	case listed && !slices.Contains(contents.Names(), contentSnippets):
		return machine.SnippetsUnserved
	default:
		return machine.SnippetsNamed
	}
}

// bootDatastore returns the datastore of the boot disk on a node.
func bootDatastore(g *given, d datastores) named {
	claimed := g.spec.Proxmox.Storage

	switch {
	case g.moves() && g.existing.DiskDatastore != "" && g.existing.DiskDatastore != claimed:
		// A migrated disk keeps the name of its datastore, even if the claim now has another.
		return named{name: g.existing.DiskDatastore, at: g.at.Child("proxmox", "node")}
	case claimed != "":
		return named{name: claimed, at: g.at.Child("proxmox", "storage")}
	case g.existing.Adopting:
		// The disk exists.
		return named{}
	default:
		return d.disks
	}
}

// imageAt returns the path of the field with the machine's volume.
func imageAt(g *given, image catalog.Image) *field.Path {
	if image.From != "" {
		return image.Path().Child("volume")
	}

	return g.at.Child("image")
}

// knownDatastores returns all datastores of a node, or nil if the catalogue does not list all of them: all with their content types, or
// one for each purpose.
func knownDatastores(n catalogue.Node) []string {
	d := n.Datastores
	if len(n.Storages) == 0 && (d.Disks == "" || d.Images == "" || d.Snippets == "") {
		return nil
	}

	return namedDatastores(n)
}

// namedDatastores are the datastores that the catalogue names for a node.
func namedDatastores(n catalogue.Node) []string {
	names := slices.Collect(maps.Keys(n.Storages))
	for _, name := range []string{n.Datastores.Disks, n.Datastores.Images, n.Datastores.Snippets} {
		if name != "" {
			names = append(names, name)
		}
	}

	slices.Sort(names)

	return slices.Compact(names)
}

// inPlace of a datastore that a node does not have are those of some names that serve the content type, by the catalogue or because it does not say what they
// serve. Another one is no answer, however near its name: on a node with local and local-lvm, local-zfs is not meant to be local.
func inPlace(n catalogue.Node, name, content string, names []string) string {
	there := "none that the catalogue lists serves content type '" + content + "'"

	serving := slices.DeleteFunc(slices.Clone(names), func(other string) bool {
		contents, listed := n.Storages[other]
		return listed && !slices.Contains(contents.Names(), content)
	})
	if len(serving) > 0 {
		there = message.There(serving, name)
	}

	return there + " (pvesm status --content " + content + " lists them)"
}

// asked are the content types that the catalogue asks of a datastore of a node, by the purposes for which it names it.
func asked(n catalogue.Node, name string) (out []string) {
	for _, of := range [...]struct{ datastore, content string }{
		{n.Datastores.Disks, contentDisks}, {n.Datastores.Images, contentImport}, {n.Datastores.Snippets, contentSnippets},
	} {
		if of.datastore == name {
			out = append(out, of.content)
		}
	}

	return out
}

// Datastore says why a node's storages do not have a datastore with a content type; nil where they do, and where the catalogue has no storages of the node.
// besides are the content types that are asked of the same datastore elsewhere: Proxmox replaces the whole list, so one command has all.
func Datastore(at *field.Path, nodeName string, n catalogue.Node, name, content string, besides ...string) *field.Error {
	if len(n.Storages) == 0 {
		return nil
	}

	contents, listed := n.Storages[name]
	if !listed {
		return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("the storages of node '%s' have no such datastore; %s",
			message.Excerpt(nodeName), inPlace(n, name, content, slices.Collect(maps.Keys(n.Storages)))))
	}

	if slices.Contains(contents.Names(), content) {
		return nil
	}

	serves := slices.Sorted(slices.Values(contents.Names()))

	return field.Invalid(at, message.Excerpt(name), fmt.Sprintf("datastore '%s' on node '%s' does not serve content type '%s'; it serves: %s. %s",
		message.Excerpt(name), message.Excerpt(nodeName), content, strings.Join(serves, ", "), haveServe(name, serves, content, append(asked(n, name), besides...)...)))
}

// haveServe says how a datastore comes to serve one more content type, and those that are asked of it besides. Whether it can is a matter of its kind, which
// the catalogue does not know: what it serves already shows the kinds that cannot (plugindata in src/PVE/Storage of pve-storage: ZFSPoolPlugin, LVMPlugin,
// LvmThinPlugin, RBDPlugin, PBSPlugin).
func haveServe(name string, serves []string, content string, besides ...string) string {
	disks := func(content string) bool { return content == contentDisks || content == contentRootDir }
	blocks := !slices.ContainsFunc(serves, func(c string) bool { return !disks(c) })

	// Where disks are to be added to disks, nothing says that the datastore can hold files.
	lacks := slices.DeleteFunc(append([]string{content}, besides...), func(c string) bool {
		return slices.Contains(serves, c) || disks(content) && blocks && !disks(c)
	})
	slices.Sort(lacks)
	lacks = slices.Compact(lacks)

	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(serves, lacks))))
	set := fmt.Sprintf("un `pvesm set %s --content %s` as root on the node, then add %s to its storages in the catalogue", message.Excerpt(name), strings.Join(all, ","),
		strings.Join(lacks, ", "))

	switch {
	case !disks(content) && blocks:
		return "ZFS, LVM and Ceph RBD hold disks and no files: if it is one of these, name another one (pvesm status --content " + content + " lists them). If it is a folder or a share, r" + set
	case slices.Equal(serves, []string{"backup"}):
		return "A Proxmox Backup Server holds backups alone: if it is one, name another one (pvesm status --content " + content + " lists them). If it is a folder or a share, r" + set
	default:
		return "R" + set
	}
}
