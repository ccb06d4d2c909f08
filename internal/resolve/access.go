package resolve

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// TenantTagged is the tenant that the tags of a VM or container name, in lower case; empty for none.
func TenantTagged(tags []string) string {
	for _, t := range tags {
		if tenant, is := strings.CutPrefix(t, tenantTag); is {
			return tenant
		}
	}

	return ""
}

// tenantTag is the prefix of the tag with the tenant of a machine.
const tenantTag = "tenant_"

// tags of the machine, in Proxmox's form: lower case, sorted, without duplicates. With any other form the provider would find
// a difference at every poll.
func tags(g *given, n *notes) []string {
	tenant := ""
	if g.id.Tenant != "" {
		tenant = tenantTag + strings.ToLower(g.id.Tenant)
	}

	tags := make([]string, 0, len(g.spec.Tags)+2)

	for i, t := range g.spec.Tags {
		t = strings.ToLower(t)
		if strings.HasPrefix(t, tenantTag) && t != tenant {
			n.add(field.Forbidden(g.at.Child("tags").Index(i), "tags that start with "+tenantTag+" name the machine's tenant: set the label tenant-id instead"))
		}

		tags = append(tags, t)
	}

	if g.spec.Role != "" {
		tags = append(tags, "role_"+g.spec.Role)
	}

	if tenant != "" {
		tags = append(tags, tenant)
	}

	slices.Sort(tags)

	return slices.Compact(tags)
}

// access has account and SSH keys: the claim's, else the catalogue's.
func access(g *given, n *notes, b machine.Boot) machine.Access {
	claimed, defaults := g.spec.Bootstrap, g.catalog.Defaults
	user := g.choose(claimed.AdminUser, g.at.Child("bootstrap", "adminUser"), defaults.AdminUser, "adminUser", catalog.DefaultAdminUser)
	keys := claimed.SSHAuthorizedKeys

	faults := slices.Clone(user.doubt)
	if claimed.AdminUser == "" && len(faults) == 0 {
		faults = validate.AdminUser(user.at, user.name)
	}

	if keys == nil {
		keys = defaults.SSHAuthorizedKeys
		faults = append(faults, g.doubt("sshAuthorizedKeys")...)
		faults = append(faults, validate.SSHKeys(defaults.Path("sshAuthorizedKeys"), keys)...)
	}

	if len(faults) > 0 && n.keeps(g, machine.PartAccess, faults, "", nil) {
		has := g.existing.Has.Access
		user.name = cmp.Or(claimed.AdminUser, has.AdminUser)

		if claimed.SSHAuthorizedKeys == nil {
			keys = has.SSHAuthorizedKeys
		}
	}

	out := machine.Access{AdminUser: user.name}

	for _, k := range keys {
		// With a line end in a key, the provider would find a difference at every poll.
		k = strings.TrimSpace(k)
		if !slices.Contains(out.SSHAuthorizedKeys, k) {
			out.SSHAuthorizedKeys = append(out.SSHAuthorizedKeys, k)
		}
	}

	if nobody(g, b, out) {
		n.warn("Nobody can log in over SSH: neither spec.bootstrap.sshAuthorizedKeys nor the catalogue's defaults.sshAuthorizedKeys have a key.")
	}

	return out
}

// nobody says whether no account of the machine gets a key, or another way in, from claim or catalogue. Snippets on the node, a flake and
// an adopted VM have accounts that the function does not know, and Windows is not entered over SSH.
func nobody(g *given, boot machine.Boot, has machine.Access) bool {
	b := g.spec.Bootstrap
	accounts := func(word string) bool { return strings.Contains(b.UserData, word) }

	return len(has.SSHAuthorizedKeys) == 0 && boot.CloudInit && boot.OS != machine.OSWindows && boot.OS != machine.OSOther &&
		g.nix == nil && !g.existing.Adopting && b.Snippets == (v1alpha1.Snippets{}) &&
		!slices.ContainsFunc([]string{"ssh_authorized_keys", "ssh_import_id", "passwd", "password"}, accounts)
}
