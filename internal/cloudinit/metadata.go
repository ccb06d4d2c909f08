package cloudinit

import (
	"bytes"

	"github.com/crossplane/function-sdk-go/errors"
)

// MetaData is the meta-data document of the NoCloud drive.
type MetaData struct {
	// InstanceID identifies the machine: if it changes, cloud-init runs everything again
	// and replaces the SSH host keys. Proxmox's default is a hash of the user-data, so
	// every edit would be a new machine for cloud-init.
	InstanceID string
	// LocalHostname is the host name. Unlike the host name in user-data, cloud-init knows it
	// before the network is up, so the first DHCP request contains it.
	LocalHostname string
}

// Marshal returns the document as YAML. It returns an error if InstanceID is empty,
// because cloud-init would treat the machine as new at every boot.
func (m MetaData) Marshal() ([]byte, error) {
	if m.InstanceID == "" {
		return nil, errors.New("meta-data needs an instance id")
	}

	root := newMapping()
	root.addText("instance-id", m.InstanceID)
	root.addText("local-hostname", m.LocalHostname)

	var out bytes.Buffer

	err := encode(&out, root.node)

	return out.Bytes(), errors.Wrap(err, "cannot marshal meta-data")
}
