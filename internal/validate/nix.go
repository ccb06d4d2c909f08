package validate

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
)

var (
	// What a flake reference is made of: no blanks, quotes, control characters, or what a shell or a template would read.
	flakePattern    = regexp.MustCompile(`^[A-Za-z0-9._~:/?#@!&=+%,;*-]+$`)
	fragmentPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	forgePattern    = regexp.MustCompile(`^(github|gitlab):[A-Za-z0-9_.%-]+/[A-Za-z0-9_.%-]+(/[A-Za-z0-9_./-]+)?(\?[^#]*)?$`)
	schedulePattern = regexp.MustCompile(`^[A-Za-z0-9*:/,.~ -]*$`)
)

const (
	maxFlakeRef    = 512
	maxSchedule    = 128
	maxHealthCheck = 1024
)

func nix(at *field.Path, n *v1alpha1.Nix) field.ErrorList {
	errs := FlakeRef(at.Child("flakeRef"), n.FlakeRef)
	errs = append(errs, textRule{
		maxSchedule, schedulePattern,
		"must be a calendar expression of systemd, such as daily or Mon *-*-* 04:00; `systemd-analyze calendar` explains one",
	}.check(at.Child("schedule"), n.Schedule)...)
	errs = append(errs, oneOf(at.Child("reboot"), n.Reboot, "never", "kernel", "always")...)
	errs = append(errs, textRule{maxRunes: maxHealthCheck}.check(at.Child("healthCheck"), n.HealthCheck)...)

	if strings.ContainsFunc(n.HealthCheck, control) {
		errs = append(errs, field.Invalid(at.Child("healthCheck"), excerpt.Of(n.HealthCheck), "must be one line: put a longer check into a script of the flake"))
	}

	return errs
}

// FlakeRef checks a reference to a flake in Git, as bootstrap of a machine can use it: from anywhere, without a password.
func FlakeRef(at *field.Path, ref string) field.ErrorList {
	const forms = "git+https://host/repo?ref=main#name, git+ssh://git@host/repo#name, github:owner/repo#name or gitlab:owner/repo#name"

	switch {
	case ref == "":
		return field.ErrorList{field.Required(at, "must be "+forms)}
	case utf8.RuneCountInString(ref) > maxFlakeRef:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be at most 512 characters long")}
	case hasPassword(ref):
		return field.ErrorList{field.Invalid(at, field.OmitValueType{},
			"must not hold a user or a password, which would be readable by everybody: give the machine a deploy key or an access token on its own disk")}
	case unknownParameter(ref) != "":
		return field.ErrorList{field.Invalid(at, field.OmitValueType{},
			"must not have the parameter "+excerpt.Of(unknownParameter(ref))+": there are "+strings.Join(flakeParameters(), ", "))}
	case !flakePattern.MatchString(ref):
		return field.ErrorList{field.Invalid(at, excerpt.Of(ref), "must not hold blanks, quotes, line ends, $ or braces: write "+forms)}
	}

	source, name, hasName := strings.Cut(ref, "#")

	var errs field.ErrorList

	if !flakeSource(source) {
		errs = append(errs, field.Invalid(at, excerpt.Of(ref), "must be "+forms+": a path or a registry's name means nothing inside the machine"))
	}

	if hasName && !fragmentPattern.MatchString(name) {
		errs = append(errs, field.Invalid(at, excerpt.Of(ref),
			"the name after # must be that of a NixOS configuration, of letters, digits, dots, _ and -; leave # out for the host name"))
	}

	return errs
}

// flakeParameters are those that the machine takes. Any other may be a password, as access_token is.
func flakeParameters() []string {
	return []string{"ref", "rev", "dir", "host", "shallow", "submodules", "lfs", "allRefs", "narHash", "lastModified", "revCount"}
}

// unknownParameter is the name of the first parameter of a reference that the machine would refuse; empty without one.
func unknownParameter(ref string) string {
	source, _, _ := strings.Cut(ref, "#")

	_, query, found := strings.Cut(source, "?")
	if !found {
		return ""
	}

	for p := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(p, "="); !slices.Contains(flakeParameters(), name) {
			return cmp.Or(name, "without a name")
		}
	}

	return ""
}

// flakeSource says whether the part before the # is a repository that a machine can reach.
func flakeSource(s string) bool {
	if strings.HasPrefix(s, "git+https://") || strings.HasPrefix(s, "git+ssh://") {
		u, err := url.Parse(s)
		// The machine takes an @ for the end of a user's name, wherever it stands.
		return err == nil && u.Hostname() != "" && strings.Trim(u.Path, "/") != "" && !strings.Contains(u.Path, "@")
	}

	return forgePattern.MatchString(s)
}

// hasPassword says whether a reference names more than the account of a deploy key: any user of HTTPS may be a token.
func hasPassword(ref string) bool {
	_, rest, found := strings.Cut(ref, "://")
	if !found {
		return false
	}

	authority, _, _ := strings.Cut(rest, "/")

	user, _, found := strings.Cut(authority, "@")
	if !found {
		// A password may itself hold a slash, which only a percent sign should write.
		authority, _, _ = strings.Cut(rest, "?")
		user, _, found = strings.Cut(authority, "@")
		found = found && strings.Contains(user, ":")
	}

	return found && (!strings.HasPrefix(ref, "git+ssh://") || strings.Contains(user, ":"))
}
