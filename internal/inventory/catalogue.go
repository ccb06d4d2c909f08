package inventory

import (
	"cmp"
	"maps"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/document"
)

// Catalogue of a site, as an EnvironmentConfig with comments. name is the EnvironmentConfig's.
func (s Site) Catalogue(name string) ([]byte, error) {
	data := document.Object(
		document.Entry("defaults", s.defaults(), "What a claim gets that does not say it."),
		document.Entry("sites", document.Object(document.Entry(s.Name, s.site())), "A site is one Proxmox VE cluster, or one standalone node."),
	)
	data.FootComment = "Classes micro, small, medium and large, and images of Debian and Ubuntu are built in. Add yours below data: take the # and one blank away.\n" +
		"  classes:\n    gpu: {cores: 8, memory: 32Gi, disk: 100Gi, cpuType: host}\n" +
		"  images:\n    nixos-25.11: {template: 9000, templateNode: " + s.firstNode() + ", os: nixos, convergeUnit: true}\n" +
		"  clusters: # of K3s\n    home: {server: \"https://192.168.4.210:6443\", version: v1.36.5+k3s1}"

	doc := document.Object(
		document.Entry("apiVersion", document.Text("apiextensions.crossplane.io/v1beta1")),
		document.Entry("kind", document.Text("EnvironmentConfig")),
		document.Entry("metadata", document.Object(document.Entry("name", document.Text(name)))),
		document.Entry("data", data),
	)

	return document.Marshal(doc, document.Modeline("catalogue.json")+"\nThe catalogue: what claims can name. docs/catalogue.md explains every key; `kubectl machine lint -f` checks it.\n")
}

func (s Site) firstNode() string {
	if len(s.Nodes) == 0 {
		return "pve"
	}

	return s.Nodes[0].Name
}

func (s Site) defaults() *yamlv3.Node {
	fields := []document.Field{
		document.Entry("site", document.Text(s.Name)),
		document.Entry("adminUser", document.Text(cmp.Or(s.AdminUser, "ops")), "The account with the SSH keys."),
	}

	if len(s.SSHKeys) > 0 {
		fields = append(fields, document.Entry("sshAuthorizedKeys", document.List(s.SSHKeys, false)))
	} else {
		fields[1].Comment += " It has none yet: without sshAuthorizedKeys here or in a claim, nobody can log in."
	}

	return document.Object(fields...)
}

func (s Site) site() *yamlv3.Node {
	var nodes []document.Field
	for _, n := range s.Nodes {
		nodes = append(nodes, document.Entry(n.Name, n.entry()))
	}

	fields := []document.Field{
		document.Entry("providerConfig", document.Text("default"), "The name of the provider's configuration for this cluster."),
		document.Entry("nodes", document.Object(nodes...), "Lists are complete: a claim with another name is refused before anything is created."),
	}

	fields = append(fields, document.Entry("images", document.Text(catalogue.ImagesStrict),
		"New machines have images of the catalogue only: with Open, a claim can copy any template or file of this Proxmox by its VMID or its volume."))

	fields = append(fields, document.Entry("privileged", document.Bool(false), "No new container is privileged, in which root is root on the node."))

	if network := s.network(); len(network) > 0 {
		fields = append(fields, document.Entry("network", document.Object(network...), "Defaults of the first interface of each machine."))
	}

	if s.VMIDs != [2]int64{} {
		fields = append(fields, document.Entry(
			"vmIds", document.Flow(document.Object(document.Entry("from", document.Number(s.VMIDs[0])), document.Entry("to", document.Number(s.VMIDs[1])))),
			"VMIDs of machines that name none. Keep a few more than you have machines: a replacement needs a second one.",
		))
	}

	return document.Object(fields...)
}

func (s Site) network() []document.Field {
	var out []document.Field

	if s.Bridge != "" {
		out = append(out, document.Entry("bridge", document.Text(s.Bridge)))
	}

	if s.Gateway != "" {
		out = append(out, document.Entry("gateway", document.Text(s.Gateway)))
	}

	if s.CIDR != 0 {
		out = append(out, document.Entry("cidr", document.Number(s.CIDR)))
	}

	if len(s.DNS) > 0 {
		out = append(out, document.Entry("dns", document.List(s.DNS[:min(len(s.DNS), 3)], true)))
	}

	if s.Domain != "" {
		out = append(out, document.Entry("domain", document.Text(s.Domain)))
	}

	return out
}

// entry of a node.
func (n Node) entry() *yamlv3.Node {
	var fields []document.Field

	if len(n.Bridges) > 0 {
		fields = append(fields, document.Entry("bridges", document.List(n.Bridges, true)))
	}

	if len(n.Storages) > 0 {
		var storages []document.Field
		for _, name := range slices.Sorted(maps.Keys(n.Storages)) {
			storages = append(storages, document.Entry(name, document.List(n.Storages[name], true)))
		}

		fields = append(fields, document.Entry("storages", document.Object(storages...)))
	}

	var datastores []document.Field

	var lacks []string

	for _, d := range []struct{ purpose, name, lack string }{
		{"disks", n.Disks, "No datastore of this node has the content type images, so no VM can be created on it."},
		{"images", n.Images, "No datastore of this node has the content type import, which cloud images need: add it in Proxmox (Datacenter, Storage, Edit; VE 8.4 or later)."},
		{"snippets", n.Snippets, "No datastore of this node has the content type snippets, which K3s nodes, NixOS machines and user-data need: add it in Proxmox (Datacenter, Storage, Edit)."},
	} {
		switch {
		case d.name != "":
			datastores = append(datastores, document.Entry(d.purpose, document.Text(d.name)))
		case n.Storages != nil:
			lacks = append(lacks, d.lack)
		}
	}

	if len(datastores) > 0 {
		fields = append(fields, document.Entry("datastores", document.Flow(document.Object(datastores...)), lacks...))
	}

	if len(n.PCI) > 0 {
		fields = append(fields, document.Entry("pci", document.List(n.PCI, true), "Resource mappings, which claims name in devices."))
	}

	if len(n.USB) > 0 {
		fields = append(fields, document.Entry("usb", document.List(n.USB, true)))
	}

	return document.Object(fields...)
}
