package proxmox

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// ReadParameters are the parameters with which a VM that the provider imported stays as it is. Nil without a VM.
//
// The provider reports a VM in the shape of forProvider, but leaves out a block whose values are all its own defaults, and
// reports its switches, which are not the VM's, at their defaults. Seen with test/provider.
func ReadParameters(atProvider *structpb.Struct) (*VMParameters, error) {
	if atProvider.GetFields()["id"].GetStringValue() == "" {
		return nil, nil //nolint:nilnil // No VM is no error.
	}

	p := &VMParameters{}
	if err := structcodec.Decode(atProvider, p, structcodec.Text{}); err != nil {
		return nil, errors.Wrap(err, "cannot read status.atProvider")
	}

	if len(p.CPU) == 0 {
		p.CPU = []CPU{{Cores: 1, Sockets: 1, Type: "qemu64"}}
	}

	if len(p.Memory) == 0 {
		p.Memory = []Memory{{Dedicated: 512}}
	}

	if len(p.OperatingSystem) == 0 {
		p.OperatingSystem = []OperatingSystem{{Type: "other"}}
	}

	if len(p.Agent) == 0 {
		p.Agent = []Agent{{Type: "virtio"}}
	}

	for i := range p.Disk {
		p.Disk[i].ImportFrom, p.Disk[i].FileID = "", ""
	}

	bootDiskFirst(p)

	return p, nil
}

// bootDiskFirst puts the disk that a VM boots from before the others, as we write them.
func bootDiskFirst(p *VMParameters) {
	rank := func(d Disk) int {
		if i := slices.Index(p.BootOrder, d.Interface); i >= 0 {
			return i
		}

		return len(p.BootOrder)
	}

	slices.SortStableFunc(p.Disk, func(a, b Disk) int { return rank(a) - rank(b) })
}
