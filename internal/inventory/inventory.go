// Package inventory makes a catalogue of what Proxmox VE, or a person, says of a site: nodes, bridges, datastores, devices and network.
package inventory

import (
	"encoding/json"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Script prints what [Read] reads. It is for a shell on a Proxmox node, which has pvesh, and changes nothing there:
//
//	kubectl machine init --script | ssh root@pve sh > inventory.json
const Script = `ask() { printf '{"path":"%s","answer":' "$1"; pvesh get "$1" --output-format json 2>/dev/null || printf null; printf '}\n'; }
ask /nodes
ask /storage
ask /cluster/mapping/pci
ask /cluster/mapping/usb
for node in $(ls /etc/pve/nodes); do ask "/nodes/$node/network"; ask "/nodes/$node/dns"; done
`

// A Site is what is known of a site.
type Site struct {
	Name  string
	Nodes []Node // By name.

	Bridge  string
	Gateway string
	CIDR    int64
	DNS     []string
	Domain  string

	AdminUser string
	SSHKeys   []string
	VMIDs     [2]int64 // From and to; zero for none.
}

// A Node of Proxmox VE.
type Node struct {
	Name     string
	Bridges  []string
	Storages map[string][]string // Content types by datastore; nil where nobody knows.
	PCI, USB []string            // Resource mappings that name the node.

	// Datastores by purpose; empty for the built-in default.
	Disks, Images, Snippets string
}

// An answer of pvesh, with the path that was asked.
type answer struct {
	Path   string          `json:"path"`
	Answer json.RawMessage `json:"answer"`
}

// Read what [Script] printed.
func Read(from io.Reader) (Site, error) {
	site := Site{}
	decoder := json.NewDecoder(from)
	answers := map[string]json.RawMessage{}

	for {
		var a answer

		err := decoder.Decode(&a)
		if errors.Is(err, io.EOF) {
			break
		}

		if err != nil || a.Path == "" {
			return site, errors.New("cannot read the answers: they must be what `kubectl machine init --script` prints on a Proxmox node")
		}

		answers[a.Path] = a.Answer
	}

	var nodes []struct {
		Node string `json:"node"`
	}

	if err := decode(answers, "/nodes", &nodes); err != nil {
		return site, err
	}

	for _, n := range nodes {
		site.Nodes = append(site.Nodes, Node{Name: n.Node})
	}

	slices.SortFunc(site.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })

	if len(site.Nodes) == 0 {
		return site, errors.New("the answers name no node: /nodes was not asked, or its answer is empty")
	}

	for _, read := range []func(map[string]json.RawMessage) error{site.readStorages, site.readNetworks, site.readMappings} {
		if err := read(answers); err != nil {
			return site, err
		}
	}

	site.choose()

	return site, nil
}

// decode an answer; one that is missing or null leaves the value alone.
func decode(answers map[string]json.RawMessage, path string, into any) error {
	raw, ok := answers[path]
	if !ok || string(raw) == "null" {
		return nil
	}

	return errors.Wrapf(json.Unmarshal(raw, into), "cannot read the answer of %s", message.Excerpt(path))
}

// readStorages of the cluster. (Proxmox VE API, GET /storage.)
func (s *Site) readStorages(answers map[string]json.RawMessage) error {
	var all []struct {
		Storage string `json:"storage"`
		Content string `json:"content"`
		Nodes   string `json:"nodes"`
		Disable any    `json:"disable"`
	}

	if err := decode(answers, "/storage", &all); err != nil || all == nil {
		return err
	}

	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Storages = map[string][]string{}

		for _, storage := range all {
			if storage.Disable != nil && storage.Disable != 0.0 && storage.Disable != "0" || storage.Nodes != "" && !slices.Contains(strings.Split(storage.Nodes, ","), n.Name) {
				continue
			}

			n.Storages[storage.Storage] = contents(storage.Content)
		}
	}

	return nil
}

// contents that a catalogue can name, sorted.
func contents(list string) []string {
	known := []string{"images", "rootdir", "import", "snippets", "iso", "vztmpl", "backup"}
	out := slices.DeleteFunc(strings.Split(list, ","), func(c string) bool { return !slices.Contains(known, c) })
	slices.Sort(out)

	return out
}

// readNetworks of the nodes. (Proxmox VE API, GET /nodes/NODE/network and /dns.)
func (s *Site) readNetworks(answers map[string]json.RawMessage) error {
	for i := range s.Nodes {
		n := &s.Nodes[i]

		var interfaces []struct {
			Name    string `json:"iface"`
			Type    string `json:"type"`
			CIDR    string `json:"cidr"`
			Gateway string `json:"gateway"`
		}

		if err := decode(answers, "/nodes/"+n.Name+"/network", &interfaces); err != nil {
			return err
		}

		for _, f := range interfaces {
			if f.Type != "bridge" && f.Type != "OVSBridge" {
				continue
			}

			n.Bridges = append(n.Bridges, f.Name)

			// Machines go where the node itself reaches the Internet.
			if prefix, err := netip.ParsePrefix(f.CIDR); err == nil && f.Gateway != "" && s.Gateway == "" {
				s.Bridge, s.Gateway, s.CIDR = f.Name, f.Gateway, int64(prefix.Bits())
			}
		}

		slices.Sort(n.Bridges)

		var dns struct {
			First  string `json:"dns1"`
			Second string `json:"dns2"`
			Third  string `json:"dns3"`
			Search string `json:"search"`
		}

		if err := decode(answers, "/nodes/"+n.Name+"/dns", &dns); err != nil {
			return err
		}

		if len(s.DNS) == 0 {
			s.DNS = slices.DeleteFunc([]string{dns.First, dns.Second, dns.Third}, func(a string) bool { return a == "" })
			s.Domain = dns.Search
		}
	}

	return nil
}

// readMappings of devices. (Proxmox VE API, GET /cluster/mapping/pci and usb: each has a list of "node=pve1,path=...".)
func (s *Site) readMappings(answers map[string]json.RawMessage) error {
	for kind, of := range map[string]func(*Node) *[]string{"pci": func(n *Node) *[]string { return &n.PCI }, "usb": func(n *Node) *[]string { return &n.USB }} {
		var all []struct {
			ID  string   `json:"id"`
			Map []string `json:"map"`
		}

		if err := decode(answers, "/cluster/mapping/"+kind, &all); err != nil {
			return err
		}

		for _, mapping := range all {
			for i := range s.Nodes {
				n := &s.Nodes[i]

				on := slices.ContainsFunc(mapping.Map, func(m string) bool { return slices.Contains(strings.Split(m, ","), "node="+n.Name) })
				if list := of(n); on && !slices.Contains(*list, mapping.ID) {
					*list = append(*list, mapping.ID)
					slices.Sort(*list)
				}
			}
		}
	}

	return nil
}

// choose a datastore for each purpose.
func (s *Site) choose() {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Disks = n.serving("images", "local-zfs", "local-lvm")
		n.Images = n.serving("import", "local")
		n.Snippets = n.serving("snippets", "local")
	}
}

// serving is a datastore with a content type: one of the preferred, else the first by name.
func (n *Node) serving(content string, preferred ...string) string {
	for _, p := range preferred {
		if slices.Contains(n.Storages[p], content) {
			return p
		}
	}

	for _, name := range slices.Sorted(maps.Keys(n.Storages)) {
		if slices.Contains(n.Storages[name], content) {
			return name
		}
	}

	return ""
}
