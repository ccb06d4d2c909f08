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
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A place is a field of a claim.
type place struct {
	object

	path string
}

// compare claims with each other: what two of them cannot have both.
func (l *linter) compare() {
	seen := map[string]place{}

	take := func(o object, key, path, text string, severity Severity) (isFirst bool) {
		first, taken := seen[key]
		if !taken {
			seen[key] = place{o, path}
			return true
		}

		if first.node == o.node {
			return false // What a claim says twice itself is a fault of its own.
		}

		at := position(first.node, first.path)
		l.add(o, path, fmt.Sprintf(text, fmt.Sprintf("%s %s (%s:%d)", message.Excerpt(first.kind()), message.Excerpt(first.name()), first.file,
			first.first+at.Line-1)), severity)

		return false
	}

	for _, o := range l.claims {
		if o.name() != "" {
			key := fmt.Sprintf("name/%s/%s/%s", o.kind(), cmp.Or(o.placed, o.namespace()), o.name())
			if !take(o, key, "metadata.name", "%s has the same name and namespace: the cluster keeps one of them", Error) {
				continue
			}
		}

		from := l.catalogueOf(o)
		// Claims with other catalogues are for other clusters.
		scope := strconv.Itoa(slices.Index(l.catalogues, from)) + "/"
		named := map[string]bool{} // Fields whose host name somebody has: that the next list has it, too, follows, as do the names of further nodes.

		for _, i := range claim.Decode(composite(o)).Identities(o.name()) {
			isName := i.Kind == claim.IdentityHostName || i.Kind == claim.IdentityNode || i.Kind == claim.IdentityObject
			if isName && named[i.Path.String()] || i.Kind == claim.IdentityObject && l.options.providerFor(o, from) != proxmox.Namespaced {
				continue
			}

			of := taken[i.Kind]
			first := take(o, scope+l.scopeOf(o, i)+"/"+string(i.Kind)+"/"+i.Value, i.Path.String(), verbatim(i.Typed)+of.text, of.severity)
			named[i.Path.String()] = isName && !first
		}
	}
}

// scopeOf an identity is where nobody else can have it.
func (l *linter) scopeOf(o object, i claim.Identity) string {
	switch i.Kind {
	case claim.IdentityNode:
		return i.Cluster
	case claim.IdentityObject:
		return "namespace " + cmp.Or(o.placed, o.namespace())
	case claim.IdentityVMID, claim.IdentityAddress, claim.IdentityMAC, claim.IdentityHostName, claim.IdentityPart:
	}

	cat := catalog.BuiltIn()
	if from := l.catalogueOf(o); from != nil {
		cat = from.merged
	}

	site := cmp.Or(i.Site, cat.Defaults.Site, only(cat.Sites))
	// Sites of one Proxmox share its list of VMIDs, its nodes and its pools.
	if (i.Kind == claim.IdentityVMID || i.Kind == claim.IdentityPart) && cat.Sites[site].Proxmox != "" {
		return "proxmox " + cat.Sites[site].Proxmox
	}

	return "site " + site
}

// taken is what is wrong with an identity that another claim has, after its value. The text is a format for that claim.
var taken = map[claim.IdentityKind]struct { //nolint:gochecknoglobals // A constant table.
	text     string
	severity Severity
}{
	claim.IdentityVMID:     {": %s has this VMID, too: Proxmox gives it to one of them", Warning},
	claim.IdentityAddress:  {": %s has this address, too", Warning},
	claim.IdentityMAC:      {": %s has this MAC address, too: in one network neither of the two works", Error},
	claim.IdentityHostName: {": %s has this host name, too: a name server, and a DHCP server that registers names, know one of them", Warning},
	claim.IdentityObject:   {": %s is, or makes, the K3sNode of this name, too: Crossplane would write one over the other, with its VM. Take another name", Error},
	claim.IdentityPart:     {": %s describes it, too: the second one finds the name taken, and makes nothing", Warning},
	claim.IdentityNode:     {": %s has this host name, too: K3s refuses a second node of one name in a cluster", Error},
}

// verbatim is a text of a claim, for a format.
func verbatim(text string) string { return strings.ReplaceAll(message.Excerpt(text), "%", "%%") }
