package resolve

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// needsCloudInit refuses fields that need cloud-init if the image does not read cloud-init data.
func needsCloudInit(g *given, n *notes, boot machine.Boot) {
	if boot.Source == "" || boot.CloudInit {
		return
	}

	b := g.spec.Bootstrap
	deaf := fmt.Sprintf("image %s does not read cloud-init data, so this would have no effect: configure it in the guest", message.Excerpt(boot.Image))

	for _, f := range []struct {
		name string
		set  bool
	}{
		{"adminUser", b.AdminUser != ""},
		{"guestAgent", b.GuestAgent != nil && *b.GuestAgent},
		{"sshAuthorizedKeys", len(b.SSHAuthorizedKeys) > 0},
		{"secretStore", b.SecretStore != nil},
		{"secrets", len(b.Secrets) > 0},
		{"snippets", b.Snippets != v1alpha1.Snippets{}},
		{"userData", b.UserData != ""},
	} {
		if f.set {
			n.add(field.Forbidden(g.at.Child("bootstrap", f.name), deaf))
		}
	}

	if g.spec.Network != nil && g.spec.Network.IP != "" {
		n.add(field.Forbidden(g.at.Child("network", "ip"), deaf+", and set dhcp: true or leave network out"))
	}

	if g.spec.Network != nil && g.spec.Network.Pool {
		n.add(field.Forbidden(g.at.Child("network", "pool"), deaf+", and set dhcp: true or leave network out"))
	}
}
