package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Cluster says what a simulated cluster holds before anything is rendered. What is not listed is not there: a VM that
// names a file nobody made fails to start, as it does on a real node.
type Cluster struct {
	// Volumes are volume ids of files that are on the host already: images, ISOs, snippets.
	Volumes []string
	// Templates are VMs that exist, by id.
	Templates map[int]Template
	// Pools are resource pools.
	Pools []string
	// ImagesOnLocal lets datastore local hold disks, which it does not after an installation of Proxmox VE with LVM or ZFS.
	ImagesOnLocal bool
}

// A Template is a VM to clone from.
type Template struct {
	Node   string
	Config map[string]string
}

// datastores are all that examples may use, as a node has them.
func datastores() []Storage {
	blocks := []string{"images", "rootdir"}
	return []Storage{
		{ID: "local", Type: "dir", Content: []string{"backup", "import", "iso", "snippets", "vztmpl"}},
		{ID: "local-dir", Type: "dir", Content: []string{"images", "import", "iso", "snippets"}},
		{ID: "shared", Type: "nfs", Content: []string{"images", "import", "iso", "snippets"}, Shared: true},
		{ID: "local-lvm", Type: "lvmthin", Content: blocks},
		{ID: "local-zfs", Type: "zfspool", Content: blocks},
		{ID: "tank", Type: "zfspool", Content: blocks},
	}
}

// A Bench is a simulated cluster with the SSH daemon of its nodes, and Terraform to run against it.
type Bench struct {
	Simulator *Simulator
	SSH       *NodeSSH
	// Quick leaves out what other tests hold of every resource: that it is valid by itself, and that a restart of the provider
	// changes nothing.
	Quick bool
	// BeforeCreate is called when the provider has read that there is nothing, and before it creates something.
	BeforeCreate func(r Resource)

	plugin *Plugin
	dir    string
	tf     *Terraform
	conn   Connection
	next   int
	// objects counts those that were made at the API server.
	objects int
}

// Programs are the paths of what a bench runs.
type Programs struct {
	// Served is the plugin as one process for many runs.
	Terraform, Plugin, Served, Simulator string
}

// StartBench builds a cluster in dir that has the nodes and datastores of rs and what the cluster has before.
func StartBench(ctx context.Context, p Programs, dir string, c Cluster, rs []Resource) (*Bench, error) {
	nodes := Nodes(rs)
	for _, t := range c.Templates {
		if !slices.Contains(nodes, t.Node) {
			nodes = append(nodes, t.Node)
		}
	}
	slices.Sort(nodes)
	tf, err := NewTerraform(dir, p.Terraform, p.Plugin)
	if err != nil {
		return nil, err
	}
	sim, err := StartSimulator(ctx, p.Simulator, filepath.Join(dir, "host"), nodes)
	if err != nil {
		return nil, err
	}
	b := &Bench{Simulator: sim, dir: dir, tf: tf}
	if b.SSH, err = StartNodeSSH(ctx, sim.Dir); err != nil {
		return nil, errors.Join(err, sim.Close())
	}
	b.conn = Connection{
		Endpoint: sim.Endpoint, APIToken: token, SSHUser: b.SSH.User, SSHKey: b.SSH.Key,
		SSHAddress: "127.0.0.1", SSHPort: b.SSH.Port, Nodes: nodes,
	}
	if err := b.populate(ctx, c, rs); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Bench) populate(ctx context.Context, c Cluster, rs []Resource) error {
	known := map[string]bool{}
	for _, s := range datastores() {
		known[s.ID] = true

		if s.ID == "local" && c.ImagesOnLocal {
			s.Content = append(s.Content, "images")
		}

		if err := b.Simulator.AddStorage(ctx, s); err != nil {
			return err
		}
	}
	for _, d := range Datastores(rs) {
		if !known[d] {
			return fmt.Errorf("datastore %s is not among those of the test cluster", d)
		}
	}
	for _, id := range c.Volumes {
		if err := b.Simulator.AddVolume(ctx, fileVolume(id)); err != nil {
			return err
		}
	}
	for _, id := range c.Pools {
		if err := b.Simulator.AddPool(ctx, id); err != nil {
			return err
		}
	}
	for id, t := range c.Templates {
		if err := b.addTemplate(ctx, id, t); err != nil {
			return err
		}
	}
	return nil
}

// Close stops the cluster.
func (b *Bench) Close() error {
	return errors.Join(b.plugin.Close(), b.SSH.Close(), b.Simulator.Close())
}

// ServePlugin lets one process of the plugin serve all runs of Terraform from now on, one after the other. Each configures it
// anew, as it would a process of its own; starting one takes longer than what it does.
func (b *Bench) ServePlugin(ctx context.Context, program string) error {
	p, err := StartPlugin(ctx, program, b.tf.env)
	if err != nil {
		return err
	}

	b.plugin = p
	b.tf.env = append(b.tf.env, "TF_REATTACH_PROVIDERS="+p.Reattach)

	return nil
}

// fileVolume describes a file on the host by its volume id: 600 MiB, a disk of 2252 MiB in an image.
func fileVolume(id string) Volume {
	_, path, _ := strings.Cut(id, ":")
	content, _, _ := strings.Cut(path, "/")
	return Volume{
		ID: id, Content: content, Format: strings.TrimPrefix(filepath.Ext(id), "."), Size: 600 << 20, Virtual: 2252 << 20,
	}
}

func (b *Bench) addTemplate(ctx context.Context, id int, t Template) error {
	config := maps.Clone(t.Config)
	config["template"] = "1"
	return b.Simulator.AddVM(ctx, id, t.Node, config)
}
