package gitops

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/version"
)

// signedSince is the first release with signatures: Crossplane could not install an earlier one if it asked for them.
const signedSince = "v0.2.0"

// TestSignatures: the packages that a cluster installs are those that must be signed, by the workflow that signs them; and Crossplane
// asks for it as soon as the example has packages that are signed.
func TestSignatures(t *testing.T) {
	for _, cluster := range clusters {
		t.Run(cluster, func(t *testing.T) {
			all := fluxBuild(t, cluster)
			config := signers(t, all)

			var images, prefixes []string
			for _, o := range slices.Concat(ofKind(all, "Function"), ofKind(all, "Configuration")) {
				image, _, _ := unstructured.NestedString(o.Object, "spec", "package")
				images = append(images, image)
			}

			matches, _, _ := unstructured.NestedSlice(config.Object, "spec", "matchImages")
			for _, m := range matches {
				prefix, _, _ := unstructured.NestedString(m.(map[string]any), "prefix")
				prefixes = append(prefixes, prefix)
			}

			for _, image := range images {
				if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(image, p) }) {
					t.Errorf("nobody must have signed %s", image)
				}
			}

			for _, o := range ofKind(all, "Provider") {
				image, _, _ := unstructured.NestedString(o.Object, "spec", "package")
				if slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(image, p) }) {
					t.Errorf("%s must have a signature of ours", image)
				}
			}

			_, tag, _ := strings.Cut(images[0], ":")

			installed, err := version.ParseSemantic(tag)
			if err != nil {
				t.Fatal(err)
			}

			args, _, _ := unstructured.NestedStringSlice(ofKind(all, "HelmRelease")[0].Object, "spec", "values", "args")
			asks, want := slices.Contains(args, "--enable-signature-verification"), installed.AtLeast(version.MustParseSemantic(signedSince)) && cluster != "crossplane-1"

			if asks != want {
				t.Errorf("packages have version %s, and are signed since %s: want Crossplane to ask for signatures: %v, got args %q", tag, signedSince, want, args)
			}
		})
	}
}

// signers is the ImageConfig that says who must have signed packages.
func signers(t *testing.T, all []unstructured.Unstructured) unstructured.Unstructured {
	t.Helper()

	configs := ofKind(all, "ImageConfig")

	i := slices.IndexFunc(configs, func(o unstructured.Unstructured) bool { return o.GetName() == "function-proxmox-machine" })
	if i < 0 {
		t.Fatalf("no ImageConfig with signers in %v", configs)
	}

	return configs[i]
}

// TestRegistry: all packages of ours come from the one registry that a reader has pushed them to, also what they depend on.
func TestRegistry(t *testing.T) {
	for _, cluster := range clusters {
		all := fluxBuild(t, cluster)

		configs := ofKind(all, "ImageConfig")
		configs = slices.DeleteFunc(configs, func(o unstructured.Unstructured) bool { return o.GetName() != "registry-of-proxmox-machine" })

		if len(configs) != 1 {
			t.Fatalf("%s: want one ImageConfig with the registry, got %v", cluster, configs)
		}

		matches, _, _ := unstructured.NestedSlice(configs[0].Object, "spec", "matchImages")
		prefix, _, _ := unstructured.NestedString(matches[0].(map[string]any), "prefix")
		to, _, _ := unstructured.NestedString(configs[0].Object, "spec", "rewriteImage", "prefix")

		for _, o := range slices.Concat(ofKind(all, "Function"), ofKind(all, "Configuration"), ofKind(all, "Provider")) {
			image, _, _ := unstructured.NestedString(o.Object, "spec", "package")
			name, ours := strings.CutPrefix(image, prefix)

			if ours == (o.GetKind() == "Provider") {
				t.Errorf("%s: is %s ours? got %v", cluster, image, ours)
			}

			// As make push names them: hack/push.sh.
			if script := read(t, repository+"/hack/push.sh"); ours && !strings.Contains(script, "push "+strings.Split(name, ":")[0]+" ") {
				t.Errorf("%s: make push does not push %s%s", cluster, to, name)
			}
		}
	}
}

// TestSigner holds the identity that must have signed to the workflow that signs.
func TestSigner(t *testing.T) {
	const workflow = ".github/workflows/release.yaml"

	data, err := os.ReadFile(repository + "/" + workflow)
	if err != nil {
		t.Fatal(err)
	}

	if !strings.Contains(string(data), "cosign sign ") || !strings.Contains(string(data), `tags: ["v*"]`) {
		t.Errorf("%s does not sign what is tagged", workflow)
	}

	authorities, _, _ := unstructured.NestedSlice(signers(t, fluxBuild(t, clusters[0])).Object, "spec", "verification", "cosign", "authorities")
	identities, _, _ := unstructured.NestedSlice(authorities[0].(map[string]any), "keyless", "identities")

	if len(authorities) != 1 || len(identities) != 1 {
		t.Fatalf("want one signer, got %v", authorities)
	}

	identity := identities[0].(map[string]any)
	if issuer := identity["issuer"]; issuer != "https://token.actions.githubusercontent.com" || identity["issuerRegExp"] != nil {
		t.Errorf("want GitHub's workflows as the issuer, got %v", issuer)
	}

	const ours = "https://github.com/homelab-io/function-proxmox-machine/" + workflow

	for subject, want := range map[string]bool{
		ours + "@refs/tags/v0.2.0":       true,
		ours + "@refs/tags/v10.20.30":    true,
		ours + "@refs/tags/v0.2.0-rc.1":  false, // Nobody should install one unasked.
		ours + "@refs/heads/main":        false,
		ours + "@refs/pull/1/merge":      false,
		ours + "@refs/tags/v0.2.0\nmore": false,
		"https://github.com/homelab-io/function-proxmox-machine/.github/workflows/ci.yaml@refs/tags/v0.2.0":            false,
		"https://github.com/somebody/function-proxmox-machine/" + workflow + "@refs/tags/v0.2.0":                       false,
		"https://github.com/homelab-io/function-proxmox-machine/xgithub/workflows/release.yaml@refs/tags/v0.2.0":       false,
		"https://example.org/https://github.com/homelab-io/function-proxmox-machine/" + workflow + "@refs/tags/v0.2.0": false,
	} {
		if got := regexp.MustCompile(identity["subjectRegExp"].(string)).MatchString(subject); got != want {
			t.Errorf("subject %q: want signed: %v, got %v", subject, want, got)
		}
	}
}
