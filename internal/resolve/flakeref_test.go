package resolve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestFlakeRef: references that Nix reads, and with which it finds nothing.
func TestFlakeRef(t *testing.T) {
	const at = "spec.nix.flakeRef: "

	cases := map[string]struct{ reason, ref, want string }{
		"Attribute":  {"As nix build has it.", "github:me/infra#nixosConfigurations.m1", at + "nixos-rebuild looks for the part after # in nixosConfigurations itself, and finds no nixosConfigurations.m1 there: write #m1."},
		"Whole":      {"The same, to its end.", "github:me/infra#nixosConfigurations.m1.config.system.build.toplevel", at + "nixos-rebuild looks for the part after # in nixosConfigurations itself, and finds no nixosConfigurations.m1.config.system.build.toplevel there: write #m1."},
		"Build":      {"As nix build has it, without the first part.", "github:me/infra#m1.config.system.build.toplevel", at + "nixos-rebuild adds what is behind the name of the configuration by itself, and finds no m1.config.system.build.toplevel in nixosConfigurations: write #m1."},
		"Output":     {"A package of another processor.", "github:me/infra#packages.aarch64-linux.m1", at + "nixos-rebuild looks for the part after # in nixosConfigurations, and packages of the flake is no configuration of NixOS: write the name of one."},
		"Domain":     {"A configuration may have a whole name.", "github:me/infra#packages-1.home.arpa", ""},
		"Page":       {"As the browser shows it.", "git+https://github.com/me/infra/tree/main#m1", at + "is the address of a page, and git finds no repository there: write github:me/infra/main."},
		"PageLab":    {"The same of another forge.", "git+https://gitlab.com/me/infra/-/tree/main?dir=a#m1", at + "is the address of a page, and git finds no repository there: write gitlab:me/infra/main."},
		"Account":    {"ssh takes the account that asks.", "git+ssh://github.com/me/infra#m1", at + "names no account, and the machine asks github.com as root, which has none: write git+ssh://git@github.com/..."},
		"Suffix":     {"As git clones it.", "github:me/infra.git#m1", at + "GitHub's API knows the repository without .git only: leave .git out."},
		"Branches":   {"Nix ends.", "github:me/infra/main?dir=a&ref=dev#m1", at + "has a branch behind the repository and another one in ref, and Nix takes no reference with both: leave one out."},
		"Rev":        {"A branch has no hash.", "git+https://git.lab/infra?rev=main#m1", at + "rev must be the hash of a commit, of 40 digits: write ref for a branch or a tag."},
		"RefOfHash":  {"No branch has that name.", "git+https://git.lab/infra?ref=0123456789abcdef0123456789abcdef01234567", at + "ref is the name of a branch or a tag, and git finds none of the name of a commit: write rev."},
		"HashOfHub":  {"GitHub's API takes it.", "github:me/infra?ref=0123456789abcdef0123456789abcdef01234567", ""},
		"Branch":     {"As Nix has it.", "github:me/infra/feature/x#m1", ""},
		"Query":      {"The same.", "github:me/infra?dir=hosts&ref=main#m1", ""},
		"HTTPS":      {"Any server.", "git+https://git.lab/me/infra.git?ref=main&rev=0123456789abcdef0123456789abcdef01234567#m1", ""},
		"SSH":        {"A deploy key.", "git+ssh://git@github.com/me/infra#m1", ""},
		"SSHAtHome":  {"root may have an account there.", "git+ssh://git.lab/infra", ""},
		"PageGitea":  {"The same of Gitea and Forgejo.", "git+https://git.lab/me/infra/src/branch/main#m1", at + "is the address of a page, and git finds no repository there: write git+https://git.lab/me/infra?ref=main."},
		"PageCommit": {"A commit is no branch.", "git+https://git.lab/me/infra/src/commit/0123456789abcdef0123456789abcdef01234567?dir=nix#m1", at + "is the address of a page, and git finds no repository there: write git+https://git.lab/me/infra?rev=0123456789abcdef0123456789abcdef01234567."},
		"TreeAtHome": {"A repository may be called so.", "git+https://git.lab/me/infra/tree/main#m1", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			flakeRef(field.NewPath("spec", "nix", "flakeRef"), n, tc.ref)

			var got string
			for _, w := range n.warnings {
				got += w
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nflakeRef(%q): -want, +got:\n%s", tc.reason, tc.ref, diff)
			}
		})
	}
}
