package properties

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// escapeFaults: no string of forProvider holds a template that Terraform would evaluate, and what Terraform makes of it is
// what the function reads back.
func escapeFaults(rsp *fnv1.RunFunctionResponse) []string {
	var out []string

	for name, r := range rsp.GetDesired().GetResources() {
		world.EachString(world.Object(r.GetResource().AsMap()["spec"])["forProvider"], func(s string) {
			switch text, err := terraform(s); {
			case err != nil:
				out = append(out, fmt.Sprintf("%s: %v", name, err))
			case text != proxmox.Unescape(s):
				out = append(out, fmt.Sprintf("%s: Terraform makes %.80q of %.80q, and the function %.80q", name, text, s, proxmox.Unescape(s)))
			}
		})
	}

	return out
}

// terraform is what Terraform makes of a string of its JSON syntax, or an error where it would evaluate a part of it. Source:
// the scanner of HCL's template language, in which $${ and %%{ are the only escapes.
func terraform(s string) (string, error) {
	var b strings.Builder

	for i := 0; i < len(s); i++ {
		rest := s[i:]

		switch {
		case strings.HasPrefix(rest, "$${"), strings.HasPrefix(rest, "%%{"):
			b.WriteString(rest[1:3])

			i += 2
		case strings.HasPrefix(rest, "${"), strings.HasPrefix(rest, "%{"):
			return "", fmt.Errorf("Terraform evaluates %.40q in %.80q", rest, s) //nolint:staticcheck // A name.
		default:
			b.WriteByte(s[i])
		}
	}

	return b.String(), nil
}

// meantFaults: the texts of a claim arrive in the machine as they were written. A new machine's are compared; later ones never
// arrive.
func meantFaults(p pair, rsp *fnv1.RunFunctionResponse) []string {
	arrived := arrivals(rsp)

	var out []string

	for _, text := range meant(p) {
		// A command may stand in a script.
		if !slices.ContainsFunc(arrived, func(a string) bool { return strings.Contains(a, text) }) {
			out = append(out, fmt.Sprintf("%q does not arrive", text))
		}
	}

	return out
}

// meant are the texts of the first spec that a new machine is to be told.
func meant(p pair) []string {
	b := world.Object(p.first["bootstrap"])
	if world.Object(b["snippets"])["userData"] != nil {
		return nil
	}

	var out []string

	for _, k := range texts(b["sshAuthorizedKeys"]) {
		out = append(out, strings.TrimSpace(k))
	}

	cloudConfig := map[string]any{}

	userData, _ := b["userData"].(string)
	if err := yaml.Unmarshal([]byte(userData), &cloudConfig); err != nil {
		return []string{err.Error()}
	}

	commands := world.List(cloudConfig["runcmd"])
	for _, c := range commands {
		out = append(out, texts(c)[1])
	}

	return append(out, texts(world.Object(world.Object(p.first["k3s"])["config"])["kubelet-arg"])...)
}

// arrivals are all texts that a machine is told: those on its cloud-init drive, and those in its user-data and in the files that
// this writes.
func arrivals(rsp *fnv1.RunFunctionResponse) []string {
	var out []string

	for _, r := range rsp.GetDesired().GetResources() {
		world.EachString(world.Object(r.GetResource().AsMap()["spec"])["forProvider"], func(s string) {
			text, err := terraform(s)
			if err != nil {
				return
			}

			out = append(out, text)
			out = append(out, inside(text)...)
		})
	}

	return out
}

// inside a text that is a YAML document: the strings in it, and those in them.
func inside(text string) []string {
	var v any
	if !strings.Contains(text, "\n") || yaml.Unmarshal([]byte(text), &v) != nil {
		return nil
	}

	var out []string

	world.EachString(v, func(s string) {
		if s == text {
			return
		}

		out = append(out, s)
		out = append(out, inside(s)...)
	})

	return out
}
