package preview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// brief is the summary of a cluster: a node is a line, with lines below it for what not every node has.
func (r Rendered) brief() (string, error) {
	var out strings.Builder

	fmt.Fprintf(&out, "%s\n", r.Claim)

	if err := r.describe(&out); err != nil {
		return "", err
	}

	images := map[image][]string{}

	for _, c := range r.Nodes {
		state, err := c.state()
		if err != nil {
			return "", err
		}

		for _, name := range slices.Sorted(maps.Keys(state.VMs)) {
			fmt.Fprintf(&out, "  turn %d: %s: %s\n", c.Since, c.Name, c.nodeLine(state.VMs[name]))
		}

		if len(state.VMs) == 0 {
			fmt.Fprintf(&out, "  turn %d: %s\n", c.Since, c.Name)
		}

		for _, name := range slices.Sorted(maps.Keys(state.VMs)) {
			p := state.VMs[name].Spec.ForProvider
			describeDevices(&out, p, p.NetworkDevice[min(1, len(p.NetworkDevice)):])
		}

		var below strings.Builder

		c.describeParts(&below)
		c.describeClaim(&below)
		indent(&out, cluster.Typed(c.Claim.Object.Object, below.String()))

		for _, f := range state.DownloadFiles {
			p := f.Spec.ForProvider
			is := image{file: p.FileName, url: p.URL, datastore: p.DatastoreID}

			if !slices.Contains(images[is], p.NodeName) {
				images[is] = append(images[is], p.NodeName)
			}
		}
	}

	for _, is := range slices.SortedFunc(maps.Keys(images), image.compare) {
		slices.Sort(images[is])
		fmt.Fprintf(&out, imageLine, is.file, is.datastore+" of "+strings.Join(images[is], ", "), is.url)
	}

	r.remark(&out)

	return out.String(), nil
}

// nodeLine is a node's VM in a line.
func (c Child) nodeLine(vm proxmox.ObservedVM) string {
	p := vm.Spec.ForProvider
	out := fmt.Sprintf("%s on %s: %s", vmName(vm), p.NodeName, size(p))

	if len(p.Disk) > 0 {
		out += fmt.Sprintf(", %d GiB on %s", p.Disk[0].Size, p.Disk[0].DatastoreID)
	}

	if len(p.NetworkDevice) > 0 {
		out += addresses(p, 0) + macAddress(p.NetworkDevice[0])
	}

	return out + c.purpose(vm)
}

// An image is a file in a datastore, which nodes have under one name.
type image struct{ file, url, datastore string }

func (i image) compare(other image) int {
	return cmp.Or(strings.Compare(i.file, other.file), strings.Compare(i.datastore, other.datastore), strings.Compare(i.url, other.url))
}
