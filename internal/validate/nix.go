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
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	// The characters of a flake reference: no blanks, quotes, control characters, or characters that a shell or a template interprets.
	flakePattern    = regexp.MustCompile(`^[A-Za-z0-9._~:/?#@!&=+%,;*-]+$`)
	fragmentPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	forgePattern    = regexp.MustCompile(`^(github|gitlab):[A-Za-z0-9_.%-]+/[A-Za-z0-9_.%-]+(/[A-Za-z0-9_./-]+)?(\?[^#]*)?$`)
	schedulePattern = regexp.MustCompile(`^[A-Za-z0-9*:/,.~_+ -]*$`)
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
		"must be a calendar expression of systemd, such as daily, Mon *-*-* 04:00 or Sat 04:00 America/New_York; check yours with `systemd-analyze calendar`",
	}.check(at.Child("schedule"), n.Schedule)...)
	errs = append(errs, OneOf(at.Child("reboot"), n.Reboot, "Never", "Kernel", "Always")...)
	errs = append(errs, textRule{maxRunes: maxHealthCheck}.check(at.Child("healthCheck"), n.HealthCheck)...)

	if strings.ContainsFunc(n.HealthCheck, control) {
		errs = append(errs, field.Invalid(at.Child("healthCheck"), message.Excerpt(n.HealthCheck), "must be one line: put a longer check into a script in the flake"))
	}

	return errs
}

// FlakeRef checks a reference to a flake in Git: the machine must reach it from anywhere, without a password.
func FlakeRef(at *field.Path, ref string) field.ErrorList {
	const forms = "git+https://host/repo?ref=main#name, git+ssh://git@host/repo#name, github:owner/repo#name or gitlab:owner/repo#name"

	switch {
	case ref == "":
		return field.ErrorList{field.Required(at, "must be "+forms)}
	case utf8.RuneCountInString(ref) > maxFlakeRef:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be at most 512 characters long")}
	case hasPassword(ref):
		return field.ErrorList{field.Invalid(at, field.OmitValueType{},
			"must not contain a user name or a password, because everybody could read it: put a deploy key or an access token on the machine's disk instead")}
	case unknownParameter(ref) != "":
		return field.ErrorList{field.Invalid(at, field.OmitValueType{},
			"must not have the parameter "+message.Excerpt(unknownParameter(ref))+": allowed are "+strings.Join(flakeParameters(), ", "))}
	case !flakePattern.MatchString(ref):
		return field.ErrorList{field.Invalid(at, message.Excerpt(ref), "must not contain blanks, quotes, line ends, $ or braces: write "+forms)}
	}

	source, name, hasName := strings.Cut(ref, "#")

	var errs field.ErrorList

	if !flakeSource(source) {
		errs = append(errs, field.Invalid(at, message.Excerpt(ref), "must be "+forms+": "+otherSource(source)))
	}

	if hasName && !fragmentPattern.MatchString(name) {
		errs = append(errs, field.Invalid(at, message.Excerpt(ref),
			"the part after # must be the name of a NixOS configuration, of letters, digits, dots, _ and -; without # the machine uses its host name"))
	}

	return errs
}

var (
	ofPage = regexp.MustCompile(`^https?://(?:www\.)?(github|gitlab)\.com/([^/?#]+)/([^/?#]+)`)
	// inGroups is a repository in a group that is in another one, where GitLab's own pages have a hyphen between slashes behind it.
	inGroups = regexp.MustCompile(`^https://(?:www\.)?gitlab\.com/[^/]+/[^/]+/[^/-][^?#]*$`)
	// ofURL has the path behind a colon, as in the other form, where a URL has a port.
	ofURL = regexp.MustCompile(`^(?:git\+)?ssh://([A-Za-z0-9_.-]+@[A-Za-z0-9.-]+):([^/0-9].*)$`)
	ofSCP = regexp.MustCompile(`^([A-Za-z0-9_.-]+@[A-Za-z0-9.-]+):([^/].*)$`)
	// anArchive has no revision that a machine could compare with its own.
	anArchive = regexp.MustCompile(`\.(?:tar(?:\.[a-z0-9]+)?|tgz|zip)$`)
	ofForges  = regexp.MustCompile(`^(?:gitea|forgejo|codeberg|bitbucket|sourcehut):`)
)

// otherSource is why a machine does not converge to a source of another form, and what to write in its place.
func otherSource(source string) string {
	location, query, _ := strings.Cut(source, "?")
	if query != "" {
		query = "?" + query
	}

	page, scp := ofPage.FindStringSubmatch(location), ofSCP.FindStringSubmatch(location)
	if found := ofURL.FindStringSubmatch(location); found != nil {
		scp = found
	}

	switch {
	case page != nil && page[1] == "gitlab" && inGroups.MatchString(location):
		return "write " + message.Excerpt("git+"+strings.TrimSuffix(location, "/")+query) + ", since gitlab: takes what is behind two names for a branch"
	case page != nil:
		return "write " + message.Excerpt(page[1]+":"+page[2]+"/"+strings.TrimSuffix(page[3], ".git")) + ", with a branch behind another slash"
	case strings.HasPrefix(location, "git+http://"), strings.HasPrefix(location, "git+git://"), strings.HasPrefix(location, "git://"):
		return "without TLS, whoever is on the way decides what root of the machine runs: have the server speak https, or write git+ssh://"
	case strings.HasPrefix(location, "tarball+"), anArchive.MatchString(location):
		return "an archive has no revision that the machine could look for: write the repository"
	case strings.HasPrefix(location, "https://"):
		return "write " + message.Excerpt("git+"+location+query)
	case scp != nil:
		return "write " + message.Excerpt("git+ssh://"+scp[1]+"/"+scp[2]+query)
	case strings.HasPrefix(location, "ssh://"):
		return "write " + message.Excerpt("git+"+location+query)
	case ofForges.MatchString(location):
		return "the machine knows github: and gitlab: only, and takes any other forge by its address: write git+https://host/owner/repo"
	default:
		return "the machine cannot resolve a path or a name from a flake registry"
	}
}

// flakeParameters are the parameters that the machine accepts. Any other parameter may be a password, such as access_token.
func flakeParameters() []string {
	return []string{"ref", "rev", "dir", "host", "shallow", "submodules", "lfs", "allRefs", "narHash", "lastModified", "revCount"}
}

// unknownParameter returns the name of the first parameter that the machine would refuse, or an empty string.
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

// flakeSource reports whether the part before the # is a repository that a machine can reach.
func flakeSource(s string) bool {
	if strings.HasPrefix(s, "git+https://") || strings.HasPrefix(s, "git+ssh://") {
		u, err := url.Parse(s)
		// The machine's script takes any @ for the end of a user name.
		return err == nil && u.Hostname() != "" && strings.Trim(u.Path, "/") != "" && !strings.Contains(u.Path, "@")
	}

	return forgePattern.MatchString(s)
}

// hasPassword reports whether a reference contains credentials. The user name of an SSH URL is the account of a deploy key; the
// user name of an HTTPS URL may be a token.
func hasPassword(ref string) bool {
	_, rest, found := strings.Cut(ref, "://")
	if !found {
		return false
	}

	authority, _, _ := strings.Cut(rest, "/")

	user, _, found := strings.Cut(authority, "@")
	if !found {
		// A password may contain a slash, although a URL should encode it with a percent sign.
		authority, _, _ = strings.Cut(rest, "?")
		user, _, found = strings.Cut(authority, "@")
		found = found && strings.Contains(user, ":")
	}

	return found && (!strings.HasPrefix(strings.TrimPrefix(ref, "git+"), "ssh://") || strings.Contains(user, ":"))
}
