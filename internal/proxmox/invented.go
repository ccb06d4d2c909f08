package proxmox

import "strings"

// Invented adds a flavour that no provider has to [Flavours], until a test ends: another API group, and kinds without Environment in their names, as
// Terraform's plugin will have them. It proves that a new flavour is data. No test may run beside the one that calls it.
func Invented(t interface{ Cleanup(clean func()) }) Flavour {
	renamed := kindTable{}

	for kind, is := range environmentKinds {
		renamed[kind] = kindName{
			strings.TrimPrefix(is.kind, "Environment"), strings.TrimPrefix(is.group, "virtualenvironment"), strings.TrimPrefix(is.plural, "environment"),
		}
	}

	before := flavours
	f := Flavour{Name: "invented", groupSuffix: "proxmox.m.example.org", refKind: true, kinds: &renamed}
	flavours = append(Flavours(), f)

	t.Cleanup(func() { flavours = before })

	return f
}
