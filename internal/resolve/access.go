package resolve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// tenantTag starts the tag that tells whose machine it is. E17 words it.
const tenantTag = "tenant_"

// tags as Proxmox keeps them: in lower case, sorted, each once. Anything else never converges.
func (r *resolver) tags() {
	tenant := ""
	if r.id.Tenant != "" {
		tenant = tenantTag + strings.ToLower(r.id.Tenant)
	}

	tags := make([]string, 0, len(r.spec.Tags)+2)

	for i, t := range r.spec.Tags {
		t = strings.ToLower(t)
		if strings.HasPrefix(t, tenantTag) && t != tenant {
			r.add(field.Forbidden(r.at.Child("tags").Index(i), "a tag that starts with "+tenantTag+" says whose machine it is, and comes from the label tenant-id alone"))
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

// access is who may log in: the claim's word, else the catalogue's.
func (r *resolver) access() {
	claimed, defaults := r.spec.Bootstrap, r.catalog.Defaults
	user := r.choose(claimed.AdminUser, r.at.Child("bootstrap", "adminUser"), defaults.AdminUser, "adminUser", catalog.DefaultAdminUser)
	keys := claimed.SSHAuthorizedKeys

	if claimed.AdminUser == "" {
		r.add(validate.AdminUser(user.at, user.name)...)
	}

	if keys == nil {
		keys = defaults.SSHAuthorizedKeys
		r.add(validate.SSHKeys(defaults.Path("sshAuthorizedKeys"), keys)...)
	}

	r.out.Access = machine.Access{AdminUser: user.name}

	for _, k := range keys {
		// The provider never gets to an end with a key that has a line end.
		k = strings.TrimSpace(k)
		if !slices.Contains(r.out.Access.SSHAuthorizedKeys, k) {
			r.out.Access.SSHAuthorizedKeys = append(r.out.Access.SSHAuthorizedKeys, k)
		}
	}
}

// resolveNix says what a NixOS machine converges from.
func (r *resolver) resolveNix() {
	if r.nix == nil {
		return
	}

	b := r.out.Boot

	switch {
	case b.Source == "":
	case b.OS != machine.OSNixOS:
		r.add(field.Invalid(r.at.Child("image"), excerpt.Of(b.Image),
			"nix needs a NixOS image: name one that has os: nixos in the catalogue, or the number or the volume of one"))
	case !b.CloudInit:
		r.add(field.Invalid(r.at.Child("image"), excerpt.Of(b.Image), "nix needs an image that reads cloud-init"))
	}

	r.out.Nix = &machine.Nix{
		FlakeRef:    r.nix.FlakeRef,
		Schedule:    r.nix.Schedule,
		Reboot:      or(r.nix.Reboot, "never"),
		HealthCheck: r.nix.HealthCheck,
	}

	if !strings.Contains(r.nix.FlakeRef, "#") {
		// A configuration is named after its host, without the domain: dots separate attributes in Nix.
		short, _, _ := strings.Cut(r.out.Hostname, ".")
		r.out.Nix.FlakeRef += "#" + short
	}
}
