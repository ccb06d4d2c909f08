package cloudinit

import (
	"github.com/crossplane/function-sdk-go/errors"
)

// MetaData is the meta-data document of the NoCloud drive.
type MetaData struct {
	// InstanceID says which machine this is: cloud-init runs everything again when it changes
	// and replaces the SSH host keys. Proxmox' own default is a hash of the user-data, which
	// turns every edit into a new machine.
	InstanceID string
	// LocalHostname is known before the network is up, unlike the host name in
	// user-data: the first DHCP request carries it.
	LocalHostname string
}

// Marshal returns the document as YAML. It returns an error if InstanceID is empty:
// cloud-init would take the machine for a new one at every boot.
func (m MetaData) Marshal() ([]byte, error) {
	if m.InstanceID == "" {
		return nil, errors.New("meta-data needs an instance id")
	}

	root := newMapping()
	root.addText("instance-id", m.InstanceID)
	root.addText("local-hostname", m.LocalHostname)

	text, err := encode("", root.node)

	return text, errors.Wrap(err, "cannot marshal meta-data")
}
