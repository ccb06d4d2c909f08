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

// tenantTag is the prefix of the tag with the tenant of a machine.
const tenantTag = "tenant_"

// tags resolves the tags in Proxmox's form: lower case, sorted, without duplicates. With any other form the provider would find
// a difference at every poll.
func (r *resolver) tags() {
	tenant := ""
	if r.id.Tenant != "" {
		tenant = tenantTag + strings.ToLower(r.id.Tenant)
	}

	tags := make([]string, 0, len(r.spec.Tags)+2)

	for i, t := range r.spec.Tags {
		t = strings.ToLower(t)
		if strings.HasPrefix(t, tenantTag) && t != tenant {
			r.add(field.Forbidden(r.at.Child("tags").Index(i), "tags that start with "+tenantTag+" name the machine's tenant: set the label tenant-id instead"))
		}

		tags = append(tags, t)
	}

	if r.spec.Role != "" {
		tags = append(tags, "role_"+r.spec.Role)
	}

	if tenant != "" {
		tags = append(tags, tenant)
	}

	slices.Sort(tags)
	r.out.Tags = slices.Compact(tags)
}

// access resolves account and SSH keys: the claim's, else the catalogue's.
func (r *resolver) access() {
	claimed, defaults := r.spec.Bootstrap, r.catalog.Defaults
	user := r.choose(claimed.AdminUser, r.at.Child("bootstrap", "adminUser"), defaults.AdminUser, "adminUser", catalog.DefaultAdminUser)
	keys := claimed.SSHAuthorizedKeys

	faults := slices.Clone(user.doubt)
	if claimed.AdminUser == "" && len(faults) == 0 {
		faults = validate.AdminUser(user.at, user.name)
	}

	if keys == nil {
		keys = defaults.SSHAuthorizedKeys
		faults = append(faults, r.doubt("sshAuthorizedKeys")...)
		faults = append(faults, validate.SSHKeys(defaults.Path("sshAuthorizedKeys"), keys)...)
	}

	if len(faults) > 0 && r.keeps(machine.PartAccess, faults, "", nil) {
		has := r.existing.Has.Access
		user.name = cmp.Or(claimed.AdminUser, has.AdminUser)

		if claimed.SSHAuthorizedKeys == nil {
			keys = has.SSHAuthorizedKeys
		}
	}

	r.out.Access = machine.Access{AdminUser: user.name}

	for _, k := range keys {
		// With a line end in a key, the provider would find a difference at every poll.
		k = strings.TrimSpace(k)
		if !slices.Contains(r.out.Access.SSHAuthorizedKeys, k) {
			r.out.Access.SSHAuthorizedKeys = append(r.out.Access.SSHAuthorizedKeys, k)
		}
	}

	if r.nobody() {
		r.warn("Nobody can log in over SSH: neither spec.bootstrap.sshAuthorizedKeys nor the catalogue's defaults.sshAuthorizedKeys have a key.")
	}
}

// nobody says whether no account of the machine gets a key, or another way in, from claim or catalogue. Snippets on the node, a flake and
// an adopted VM have accounts that the function does not know.
func (r *resolver) nobody() bool {
	b := r.spec.Bootstrap
	accounts := func(word string) bool { return strings.Contains(b.UserData, word) }

	return len(r.out.Access.SSHAuthorizedKeys) == 0 && r.out.Boot.CloudInit && r.nix == nil && !r.existing.Adopting &&
		b.Snippets == (v1alpha1.Snippets{}) &&
		!slices.ContainsFunc([]string{"ssh_authorized_keys", "ssh_import_id", "passwd", "password"}, accounts)
}
