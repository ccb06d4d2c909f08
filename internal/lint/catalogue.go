package lint

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// checkCatalogue has the function's checks judge every entry, used or not.
func (l *linter) checkCatalogue(c *catalogue) {
	o := c.object
	l.envelope(o, "data")
	defer func() { l.faults = append(l.faults, octals(o, l.faults)...) }()

	if data, ok := o.value["data"]; !ok || data == nil {
		l.add(o, "data", "is missing: the catalogue belongs under the key data", Error)
		return
	}

	l.faults = append(l.faults, l.options.versionOf(c)...)
	l.faults = append(l.faults, endpoints(c)...)

	faults := slices.Clone(c.faults)
	faults = append(faults, validate.Catalog(c.own.WithFaults(c.faults, c.prefix()))...)

	for _, err := range faults {
		l.put(o, strings.TrimPrefix(err.Field, c.origin()), err)
	}

	for _, f := range c.own.Formers {
		path := strings.TrimPrefix(f.Path, c.origin())
		l.addAtKey(o, path, fmt.Sprintf("%s is a former spelling, which the next release refuses: write %s", message.Excerpt(f.Has), f.Write), Warning)
	}

	for _, v := range c.own.Valueless {
		l.add(o, strings.TrimPrefix(v.Path, c.origin()), catalog.NoValue(v), Warning)
	}

	l.defaults(c)
	l.nodes(c)
}

// versionOf a catalogue that no API server takes, or that Crossplane does not read.
func (o Options) versionOf(c *catalogue) []Fault {
	version := text(c.value["apiVersion"])
	if slices.Contains(environmentVersions(o.providerFor(c.object, c)), version) {
		return nil
	}

	return []Fault{c.fault(position(c.node, "apiVersion"), "apiVersion", fmt.Sprintf("%q: an EnvironmentConfig has %s/v1beta1", message.Excerpt(version), environmentGroup), Error)}
}

// misnamed is the fault of a catalogue of another name than that which the function asks for. A claim that would use it goes without; what else has a
// section of the name of one of ours may be other people's.
func (o Options) misnamed(c *catalogue) []Fault {
	_, metadata := c.value["metadata"].(map[string]any)

	switch {
	case c.name() == o.Catalogue, !metadata:
		return nil
	case c.name() == "":
		return []Fault{c.fault(position(c.node, "metadata.name"), "metadata.name", "is missing: the Compositions read the EnvironmentConfig "+o.Catalogue, Error)}
	}

	severity := Warning
	if c.asked && (len(c.faults) == 0 || c.file == o.Named) {
		severity = Error
	}

	return []Fault{c.fault(position(c.node, "metadata.name"), "metadata.name", fmt.Sprintf("%q: the Compositions read the EnvironmentConfig %s: for another name, set "+
		"catalog.name in their Input", message.Excerpt(c.name()), o.Catalogue), severity)}
}

// defaults that name entries which do not exist: the function reports them with each claim that needs them.
func (l *linter) defaults(c *catalogue) {
	d := c.own.Defaults

	for _, n := range []struct {
		field, section, name string
		there                []string
	}{
		{"class", "classes", d.Class, slices.Collect(maps.Keys(c.merged.Classes))},
		{"image", "images", string(d.Image), slices.Collect(maps.Keys(c.merged.Images))},
		{"site", "sites", d.Site, slices.Collect(maps.Keys(c.merged.Sites))},
	} {
		if n.name == "" {
			continue
		}

		c.used[n.section+"/"+n.name] = true

		known := slices.Contains(n.there, n.name)
		if n.field == "image" && !known {
			known = isReference(n.name)
		}

		if !known {
			l.add(c.object, "data.defaults."+n.field, fmt.Sprintf("%q: there is no %s of that name; %s",
				message.Excerpt(n.name), n.field, message.There(n.there, n.name)), Error)
		}
	}
}

// isReference says whether an image is no entry's name: a template's VMID, or a volume.
func isReference(image string) bool {
	return strings.Contains(image, ":") || strings.Trim(image, "0123456789") == ""
}

// nodes whose defaults are not in their own lists: every claim that uses the default is refused.
func (l *linter) nodes(c *catalogue) {
	for _, name := range slices.Sorted(maps.Keys(c.own.Sites)) {
		site := c.own.Sites[name]
		bridge := site.Network.Bridge
		l.faults = append(l.faults, doubts(c, "data.sites."+message.Key(name), site)...)

		for _, node := range slices.Sorted(maps.Keys(site.Nodes)) {
			n := site.Nodes[node]
			at := fmt.Sprintf("data.sites.%s.nodes.%s", message.Key(name), message.Key(node))

			if bridge != "" && n.Bridges != nil && !slices.Contains(n.Bridges, bridge) {
				l.add(c.object, at+".bridges", fmt.Sprintf("the list lacks %s, the bridge of site %s (network.bridge), so every machine without a bridge of its own is "+
					"refused on this node", message.Excerpt(bridge), message.Excerpt(name)), Warning)
			}

			// Of storages with a fault, nobody knows what they serve.
			faulty := slices.ContainsFunc(l.faults, func(f Fault) bool { return f.File == c.file && strings.HasPrefix(f.Path, at+".storages") })
			if n.Storages != nil && !faulty {
				l.datastores(c, at, node, n)
			}

			if n.Memory == "" && n.Reserve == "" && site.HasInventory() {
				l.add(c.object, at, "has no memory, which other nodes of the site have: the function chooses this node only if none of those has room", Warning)
			}
		}
	}
}

// doubts are names in a site that are good ones, and those of other things.
func doubts(c *catalogue, at string, site catalog.Site) (out []Fault) {
	add := func(path, name, why string) {
		out = append(out, c.fault(position(c.node, path), path, message.Excerpt(name)+": "+why, Warning))
	}
	bridge := func(path, name string) {
		if why := validate.NoBridge(name); why != "" {
			add(path, name, why)
		}
	}

	bridge(at+".network.bridge", site.Network.Bridge)

	for _, node := range slices.Sorted(maps.Keys(site.Nodes)) {
		for i, name := range site.Nodes[node].Bridges {
			bridge(fmt.Sprintf("%s.nodes.%s.bridges[%d]", at, message.Key(node), i), name)
		}
	}

	for i, name := range site.SharedDatastores {
		if slices.Contains([]string{"local", "local-lvm", "local-zfs"}, name) {
			add(fmt.Sprintf("%s.sharedDatastores[%d]", at, i), name, "Proxmox's installer makes a datastore of this name on each node, for that node alone. A VM with ha whose disk is on it "+
				"does not start on another node: remove it, unless you have made it a shared one yourself (shared 1 in /etc/pve/storage.cfg)")
		}
	}

	return out
}

// endpoints warns of clusters that are joined at one address: a node joins whichever of them answers there, or is refused for its token.
func endpoints(c *catalogue) (out []Fault) {
	seen := map[string]string{}

	for _, name := range slices.Sorted(maps.Keys(c.own.Clusters)) {
		u, err := url.Parse(c.own.Clusters[name].Server)
		if err != nil || u.Host == "" {
			continue
		}

		host := strings.ToLower(u.Host)
		if first, taken := seen[host]; taken {
			at := "data.clusters." + message.Key(name) + ".server"
			out = append(out, c.fault(position(c.node, at), at, fmt.Sprintf("%s: cluster %s is joined there, too: one cluster answers at an address. Take the "+
				"other's entry, or the address of this one", message.Excerpt(c.own.Clusters[name].Server), message.Excerpt(first)), Warning))
		} else {
			seen[host] = name
		}
	}

	return out
}

// datastores of a node that its storages lack, or that do not serve their purpose.
func (l *linter) datastores(c *catalogue, at, node string, n v1alpha1.Node) {
	for _, d := range []struct{ purpose, datastore, content string }{
		{"disks", n.Datastores.Disks, "images"}, {"images", n.Datastores.Images, "import"}, {"snippets", n.Datastores.Snippets, "snippets"},
	} {
		path := at + ".datastores." + d.purpose

		switch {
		case d.datastore == "":
		default:
			// What a datastore does not serve is a fault as soon as a claim needs it there: nodes for containers alone have no images of VMs.
			severity := Warning
			if _, there := n.Storages[d.datastore]; !there {
				severity = Error
			}

			if fault := resolve.Datastore(nil, node, n, d.datastore, d.content); fault != nil {
				l.add(c.object, path, message.Fault(fault), severity)
			}
		}
	}
}

// unused warns of entries of a catalogue that no claim uses.
func (l *linter) unused(c *catalogue) {
	if !c.asked {
		return
	}

	warn := func(section string, names []string) {
		slices.Sort(names)

		for _, name := range names {
			if !c.used[section+"/"+name] {
				l.addAtKey(c.object, "data."+section+"."+message.Key(name), "no claim that was read uses this entry", Warning)
			}
		}
	}

	warn("classes", slices.Collect(maps.Keys(c.own.Classes)))
	warn("images", slices.Collect(maps.Keys(c.own.Images)))
	warn("sites", slices.Collect(maps.Keys(c.own.Sites)))
	warn("clusters", slices.Collect(maps.Keys(c.own.Clusters)))
}
