package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Purpose of a datastore, as the catalogue has it.
type Purpose string

// The purposes.
const (
	Disks    Purpose = "disks"
	Images   Purpose = "images"
	Snippets Purpose = "snippets"
)

// contentOf a datastore for a purpose, in Proxmox's word.
func (p Purpose) content() string {
	switch p {
	case Images:
		return "import"
	case Snippets:
		return "snippets"
	default:
		return "images"
	}
}

// without says what no machine can be without a datastore for a purpose.
func (p Purpose) without() string {
	switch p {
	case Images:
		return "no machine can be made of a cloud image"
	case Snippets:
		return "no K3s node, no NixOS machine and none with its own user-data can be made"
	default:
		return "no VM can be created"
	}
}

// A Lack is a purpose for which a node has no datastore.
type Lack struct {
	Node     string
	Purpose  Purpose
	Commands []string // That give one the content type, in Proxmox; none where a datastore has to be made first.
}

// String is a line for a person, without the commands.
func (l Lack) String() string {
	return fmt.Sprintf("node %s: no datastore has the content type %s: %s there", l.Node, l.Purpose.content(), l.Purpose.without())
}

// Lacks of the nodes whose datastores are known, and whether any machine can be created all the same: on a node with a datastore for disks and one for images.
func (s Site) Lacks() (lacks []Lack, works bool) {
	for _, n := range s.Nodes {
		works = works || n.Storages == nil || n.Disks != "" && n.Images != ""
		if n.Storages == nil {
			continue
		}

		// One command for all that is to be added to a datastore: Proxmox replaces the list.
		var missing []string

		for _, p := range []struct {
			purpose Purpose
			name    string
		}{{Disks, n.Disks}, {Images, n.Images}, {Snippets, n.Snippets}} {
			if p.name != "" {
				continue
			}

			l := Lack{Node: n.Name, Purpose: p.purpose}
			if p.purpose != Disks {
				missing = append(missing, p.purpose.content())
				l.Commands = n.add(missing)
			}

			lacks = append(lacks, l)
		}
	}

	return lacks, works
}

// add content types to the node's first datastore that holds files.
func (n Node) add(types []string) []string {
	for _, name := range slices.Sorted(maps.Keys(n.Storages)) {
		has := n.Storages[name]

		if slices.ContainsFunc(has, func(c string) bool { return c == "iso" || c == "vztmpl" || c == "import" || c == "snippets" }) {
			all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(has, types))))
			return []string{"pvesm set " + name + " --content " + strings.Join(all, ",")}
		}
	}

	return nil
}
