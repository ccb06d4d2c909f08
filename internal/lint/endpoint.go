package lint

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// endpointsOfOthers warns of endpoints that are the address of what another claim describes, and that cannot answer there: an agent, or a server of another
// K3sCluster. A machine or a container may be a load balancer. The function itself does not know other claims.
func endpointsOfOthers(l *linter) []Fault {
	// The playground has one claim, and asks at each key.
	if len(l.claims) < 2 {
		return nil
	}

	type claimed struct {
		object

		as claim.Claim
		at claim.Identity
	}

	holders := map[string]claimed{}
	// Where only one can have an address: among the claims of one catalogue.
	key := func(o object, address string) string {
		return strconv.Itoa(slices.Index(l.catalogues, l.catalogueOf(o))) + "/" + address
	}

	all := make([]claimed, 0, len(l.claims))

	for _, o := range l.claims {
		c := claim.Decode(composite(o))
		all = append(all, claimed{object: o, as: c})

		for _, i := range c.Identities(o.name()) {
			if i.Kind == claim.IdentityAddress {
				holders[key(o, i.Value)] = claimed{o, c, i}
			}
		}
	}

	var out []Fault

	for _, o := range all {
		path, typed := endpointOf(o.as)

		u, err := url.Parse(typed)
		if err != nil || typed == "" {
			continue
		}

		has := holders[key(o.object, u.Hostname())]
		switch role := roleAt(has.as, has.at); {
		case has.node == o.node:
		case role == v1alpha1.K3sAgent:
			out = append(out, o.fault(position(o.node, path), path, fmt.Sprintf("%q: an agent has this address (%s), and none has the API of K3s: write that of a server, "+
				"or one that leads to all of them", typed, has.label()), Warning))
		case role == v1alpha1.K3sServer && has.as.K3sCluster != nil && o.as.K3sCluster != nil:
			out = append(out, o.fault(position(o.node, path), path, fmt.Sprintf("%q: a server of another cluster has this address (%s): write the address of this one",
				typed, has.label()), Warning))
		}
	}

	return out
}

// endpointOf a claim whose nodes join a cluster, with its path; empty where it names none.
func endpointOf(c claim.Claim) (path, typed string) {
	switch {
	case c.K3sCluster != nil:
		return "spec.endpoint", c.K3sCluster.Endpoint
	case c.K3sNode != nil:
		return "spec.k3s.server", c.K3sNode.K3s.Server
	}

	return "", ""
}

// roleAt is the role of the K3s node of a claim that has an address; empty where it is none.
func roleAt(c claim.Claim, at claim.Identity) v1alpha1.K3sRole {
	switch {
	case c.K3sNode != nil:
		return c.K3sNode.K3s.Role
	case c.K3sCluster == nil:
		return ""
	case strings.HasPrefix(at.Of, "server-"):
		return v1alpha1.K3sServer
	default:
		return v1alpha1.K3sAgent
	}
}
