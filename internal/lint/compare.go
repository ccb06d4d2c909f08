package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// compare claims with each other: what two of them cannot have both.
func (l *linter) compare() {
	seen := map[string]object{}

	take := func(o object, key, path, text string, severity Severity) {
		first, taken := seen[key]
		if !taken {
			seen[key] = o
			return
		}

		at := position(first.node, path)
		l.add(o, path, fmt.Sprintf(text, fmt.Sprintf("%s %s (%s:%d)", message.Excerpt(first.kind()), message.Excerpt(first.name()), first.file,
			first.first+at.Line-1)), severity)
	}

	for _, o := range l.claims {
		if o.name() != "" {
			key := fmt.Sprintf("name/%s/%s/%s", o.kind(), o.namespace(), o.name())
			take(o, key, "metadata.name", "%s has the same name and namespace: the cluster keeps one of them", Error)
		}

		f := claim.Decode(composite(o.value)).Fields()
		cat, from := catalog.BuiltIn(), l.catalogueOf(o)
		if from != nil {
			cat = from.merged
		}

		// Claims with other catalogues are for other clusters.
		site := fmt.Sprintf("%d/%s", slices.Index(l.catalogues, from), cmp.Or(f.Proxmox.Site, cat.Defaults.Site, only(cat.Sites)))

		if id := f.Proxmox.VMID; id != nil && f.Adopt == nil {
			n := strconv.FormatInt(*id, 10)
			take(o, "vmid/"+site+"/"+n, "spec.proxmox.vmId", n+": %s has this VMID, too: Proxmox gives it to one of them", Warning)
		}

		if f.Adopt != nil {
			n := strconv.FormatInt(f.Adopt.VMID, 10)
			take(o, "vmid/"+site+"/"+n, "spec.adopt.vmId", n+": %s has this VMID, too: Proxmox gives it to one of them", Warning)
		}

		if f.Network != nil && f.Network.IP != "" {
			take(o, "ip/"+site+"/"+f.Network.IP, "spec.network.ip", strings.ReplaceAll(message.Excerpt(f.Network.IP), "%", "%%")+": %s has this address, too", Warning)
		}
	}
}
