package installation

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// installed is the finding on a package: what it says of itself.
func installed(check string, o unstructured.Unstructured) Finding {
	says := fmt.Sprintf("%s %s", message.Excerpt(o.GetName()), message.Excerpt(cmp.Or(tagOf(packageName(o)), "by digest")))

	switch healthy := is(o, "Installed") == "True" && is(o, "Healthy") == "True"; {
	case healthy && proxmox.IsPaused(o.GetAnnotations()):
		return Finding{
			check, Warning, says + " is paused: a new version in its spec.package has no effect",
			"kubectl annotate " + strings.ToLower(o.GetKind()) + "." + packages + "/" + message.Excerpt(o.GetName()) + " " + proxmox.PausedAnnotation + "-",
		}
	case healthy:
		return Finding{check, OK, says, ""}
	}

	what := " is not healthy"
	if is(o, "Installed") != "True" {
		what = " is not installed"
	}

	describe := "kubectl describe " + strings.ToLower(o.GetKind()) + "s." + packages + "/" + message.Excerpt(o.GetName())

	if c := causeOf(o); c != nil {
		return Finding{check, Fault, says + what + ": " + c.says, c.fix + "; " + describe + " has the whole message"}
	}

	return Finding{check, Fault, says + what, describe + "; often the cluster cannot reach the registry, or it has no such package"}
}

// A cause is why Crossplane does not have a package.
type cause struct {
	message   *regexp.Regexp // What Crossplane or the registry says of it.
	says, fix string
}

// causes of a package that Crossplane does not have, in the order in which they are looked for: a reference that is none never reaches a registry. What a
// registry says is not shown: its text is somebody else's.
var causes = []cause{ //nolint:gochecknoglobals // A constant table.
	{
		regexp.MustCompile(`\bREGISTRY/`), "its ImageConfig still names the registry REGISTRY",
		"put your registry, such as ghcr.io/you/, in the place of REGISTRY/ in the ImageConfig",
	},
	{
		regexp.MustCompile(`(?i)\b(denied|unauthorized|forbidden|authentication required)\b`), "the registry refuses Crossplane",
		"make the package public in the registry, or give Crossplane a login: docs/troubleshooting.md, Crossplane does nothing",
	},
	{
		regexp.MustCompile(`(?i)(manifest|name)_unknown|manifest unknown|repository name not known|404 not found`), "the registry has no such package or no such version",
		"make push REGISTRY=<your registry> VERSION=<the version in spec.package>",
	},
	{
		regexp.MustCompile(`(?i)no such host|i/o timeout|connection refused|network is unreachable|x509:|tls:|deadline exceeded`), "the cluster does not reach the registry over HTTPS",
		"look at DNS, firewall and certificate between the cluster and the registry",
	},
}

// causeOf a package that is not there, of those that are known; nil for another.
func causeOf(o unstructured.Unstructured) *cause {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")

	var said strings.Builder

	for _, c := range conditions {
		m, _ := c.(map[string]any)
		if text, _ := m["message"].(string); m["status"] != "True" {
			said.WriteString(text + "\n")
		}
	}

	for i := range causes {
		if causes[i].message.MatchString(said.String()) {
			return &causes[i]
		}
	}

	return nil
}
