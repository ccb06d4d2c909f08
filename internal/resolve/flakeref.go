package resolve

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	ofForge = regexp.MustCompile(`^git\+(?:https|ssh)://(?:[^/@]+@)?(?:www\.)?(github|gitlab)\.com/([^/?#]+)/([^/?#]+)(?:/-)?/(?:tree|blob)/([^?#]+)`)
	// ofGitea is a page of Gitea and Forgejo, on any host.
	ofGitea = regexp.MustCompile(`^(git\+(?:https|ssh)://[^?#]+?)/src/(branch|commit|tag)/([^?#]+)`)
	asRoot  = regexp.MustCompile(`^git\+ssh://((?:github|gitlab|codeberg)\.[a-z]+)/`)
	// aRev is what git calls a revision, of SHA-1 or SHA-256.
	aRev = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	// ofBranch is a branch in the path of a reference by a forge's API.
	ofBranch = regexp.MustCompile(`^(?:github|gitlab):[^/?#]+/[^/?#]+/[^?#]+`)
	// ofOutput are attributes of a flake that are no configuration of NixOS, and ofBuild is what nixos-rebuild builds of one by itself.
	ofOutput = regexp.MustCompile(`^(packages|legacyPackages|devShells|homeConfigurations|darwinConfigurations|nixosModules|colmena|deploy)\.`)
	ofBuild  = regexp.MustCompile(`^(.+)\.config\.system\.build\.[A-Za-z0-9_-]+$`)
	withGit  = regexp.MustCompile(`^github:[^/?#]+/[^/?#]+\.git(?:[/?#]|$)`)
)

// flakeRef warns of references that Nix reads and of which it finds nothing: docs of `nix flake` (Flake reference types), fetchers/github.cc and
// fetchers/git.cc of NixOS/nix. None of them is refused, since a machine that exists is obeyed.
func flakeRef(at *field.Path, n *notes, ref string) {
	source, name, _ := strings.Cut(ref, "#")
	branch, rev := parameter(source, "ref"), parameter(source, "rev")

	switch {
	case strings.HasPrefix(name, "nixosConfigurations."):
		first, _, _ := strings.Cut(strings.TrimPrefix(name, "nixosConfigurations."), ".")
		n.warn("%s: nixos-rebuild looks for the part after # in nixosConfigurations itself, and finds no %s there: write #%s.", at, message.Excerpt(name), message.Excerpt(first))
	case ofBuild.MatchString(name):
		n.warn("%s: nixos-rebuild adds what is behind the name of the configuration by itself, and finds no %s in nixosConfigurations: write #%s.", at, message.Excerpt(name), message.Excerpt(ofBuild.FindStringSubmatch(name)[1]))
	case ofOutput.MatchString(name):
		n.warn("%s: nixos-rebuild looks for the part after # in nixosConfigurations, and %s of the flake is no configuration of NixOS: write the name of one.", at, ofOutput.FindStringSubmatch(name)[1])
	case ofForge.MatchString(source):
		found := ofForge.FindStringSubmatch(source)
		n.warn("%s: is the address of a page, and git finds no repository there: write %s:%s/%s/%s.", at, found[1], message.Excerpt(found[2]), message.Excerpt(found[3]), message.Excerpt(found[4]))
	case ofGitea.MatchString(source):
		found := ofGitea.FindStringSubmatch(source)

		key := "ref"
		if found[2] == "commit" {
			key = "rev"
		}

		n.warn("%s: is the address of a page, and git finds no repository there: write %s?%s=%s.", at, message.Excerpt(found[1]), key, message.Excerpt(found[3]))
	case asRoot.MatchString(source):
		n.warn("%s: names no account, and the machine asks %s as root, which has none: write git+ssh://git@%s/...", at, asRoot.FindStringSubmatch(source)[1], asRoot.FindStringSubmatch(source)[1])
	case withGit.MatchString(source):
		n.warn("%s: GitHub's API knows the repository without .git only: leave .git out.", at)
	case branch != "" && ofBranch.MatchString(source):
		n.warn("%s: has a branch behind the repository and another one in ref, and Nix takes no reference with both: leave one out.", at)
	case rev != "" && !aRev.MatchString(rev):
		n.warn("%s: rev must be the hash of a commit, of 40 digits: write ref for a branch or a tag.", at)
	case aRev.MatchString(branch) && strings.HasPrefix(source, "git+"):
		n.warn("%s: ref is the name of a branch or a tag, and git finds none of the name of a commit: write rev.", at)
	}
}

// parameter of a reference; empty for none.
func parameter(source, name string) string {
	_, query, _ := strings.Cut(source, "?")

	for p := range strings.SplitSeq(query, "&") {
		if key, value, _ := strings.Cut(p, "="); key == name {
			return value
		}
	}

	return ""
}
