package lint

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Report is what was found.
type Report struct {
	Faults     []Fault // In the order of the files, each file's in its own.
	Claims     int     // How many claims were read,
	Catalogues int     // and how many catalogues.

	// Beside are the files with catalogues that claims use, and that were not to be checked.
	Beside []string
}

// Refused is the number of faults that somebody refuses.
func (r Report) Refused() int {
	n := 0

	for _, f := range r.Faults {
		if f.Severity == Error {
			n++
		}
	}

	return n
}

// Strict makes every warning a fault.
func (r Report) Strict() Report {
	faults := append([]Fault(nil), r.Faults...)
	for i := range faults {
		faults[i].Severity = Error
	}

	r.Faults = faults

	return r
}

// Check the claims and catalogues of files. Catalogues of beside are used and not reported, but for what a claim uses of them; Secrets there are reported.
func Check(files, beside []manifest.Raw, o Options) Report {
	o.Catalogue = cmp.Or(o.Catalogue, DefaultCatalogue)
	l := &linter{options: o, alone: len(files) == 1}

	var names []string

	parts := patches(files)

	for _, f := range files {
		names = append(names, f.File)

		if parts[filepath.Clean(f.File)] {
			continue
		}

		p := parse(f, l.alone)
		l.faults = append(l.faults, p.faults...)
		l.unread = l.unread || p.lacksCatalogue(f)

		for _, object := range p.objects {
			l.sort(object)
		}
	}

	l.foreign = len(l.catalogues)

	for _, f := range beside {
		names = append(names, f.File)
		p := parse(f, false)

		if p.lacksCatalogue(f) {
			l.faults, l.unread = append(l.faults, p.faults...), true
		}

		for _, object := range p.objects {
			switch faults := shape(object, o.Catalogue); {
			case len(faults) > 0:
				l.faults = append(l.faults, faults...)
				l.misshapen = append(l.misshapen, object)
			case isCatalogue(object):
				l.addCatalogue(object)
			case isSecret(object):
				l.secrets = append(l.secrets, object)
			}
		}
	}

	// The claims are judged as if it were written rightly, and its entries when it is.
	for _, object := range l.misshapen {
		l.addCatalogue(object.reshaped())
	}

	flux := readFlux(files, o)
	flux.place(l.claims)
	flux.place(l.secrets)
	flux.place(l.configs)

	l.check()
	l.faults = slices.Concat(l.faults, flux.check(protectedByDefault(l)), readKustomizations(files, o).check(), appliers(files),
		elsewhereBeside(l.claims, l.secrets, files))

	return Report{Faults: sorted(withoutHidden(withoutHalves(l.faults)), names), Claims: len(l.claims), Catalogues: l.foreign, Beside: l.usedBeside()}
}

// protectedByDefault is who knows what the catalogue of a claim says of the protection of claims; nil where it says nothing.
func protectedByDefault(l *linter) func(object) *bool {
	return func(o object) *bool {
		if c := l.catalogueOf(o); c != nil {
			return c.merged.Defaults.DeletionProtection
		}

		return nil
	}
}

// usedBeside are the files of the catalogues that claims use and nobody named.
func (l *linter) usedBeside() []string {
	var out []string

	for _, c := range l.catalogues[l.foreign:] {
		if c.asked {
			out = append(out, c.file)
		}
	}

	return out
}

// KindsIn are the kinds of the objects of files, whatever they are; with its group, where it is that of a claim.
func KindsIn(files []manifest.Raw) []string {
	var out []string

	for _, f := range files {
		for _, o := range parse(f, false).objects {
			kind := o.kind()
			if slices.Contains(claimKinds, kind) {
				kind += " of " + text(o.value["apiVersion"]) // Another group's, or it were a claim.
			}

			out = append(out, kind)
		}
	}

	return out
}

// Form are the faults of what surrounds the specs of files: a kind, an API version or a field beside spec that does not exist, no spec, no name, and
// a catalogue that nobody takes for one. They are those that keep a claim from being one, and that who reads its spec alone does not see.
func Form(files []manifest.Raw, o Options) []Fault {
	o.Catalogue = cmp.Or(o.Catalogue, DefaultCatalogue)
	l := &linter{options: o, alone: len(files) == 1}
	parts := patches(files)

	for _, f := range files {
		if parts[filepath.Clean(f.File)] {
			continue
		}

		for _, o := range parse(f, false).objects {
			l.sort(o)
		}
	}

	for _, o := range l.composites {
		l.faults = append(l.faults, o.handmade(l.options.providerFor(o, l.catalogueOf(o))))
	}

	for _, c := range l.claims {
		if isEncrypted(c.value) {
			l.addAtKey(c, "sops", encrypted, Error)
			continue
		}

		l.envelope(c, "spec", "status")
		l.faults = append(l.faults, c.unnamed()...)

		if from := l.catalogueOf(c); from != nil {
			from.asked = true
		}
	}

	for _, c := range l.catalogues {
		l.metadata(c.object)
		l.faults = append(append(l.faults, l.options.versionOf(c)...), l.options.misnamed(c)...)
	}

	l.faults = append(l.faults, sameName(l.catalogues, len(l.catalogues))...)

	return slices.DeleteFunc(l.faults, func(f Fault) bool { return f.Severity != Error })
}

// unnamed is the fault of a claim without a name, or with one that is no text.
func (o object) unnamed() []Fault {
	var out []Fault

	metadata, _ := o.value["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); name != "" {
		return nil
	}

	for _, err := range claim.Decode(composite(o)).Faults {
		if err.Field == "metadata.name" {
			out = append(out, o.fault(position(o.node, err.Field), err.Field, message.Fault(err), Error))
		}
	}

	return out
}

func (l *linter) check() {
	for i, c := range l.catalogues {
		if i < l.foreign {
			l.checkCatalogue(c)
		}
	}

	for _, o := range l.composites {
		l.faults = append(l.faults, o.handmade(l.options.providerFor(o, l.catalogueOf(o))))
	}

	for _, c := range l.claims {
		l.checkClaim(c)
	}

	for i, c := range l.catalogues {
		if i < l.foreign || c.asked {
			l.faults = append(append(l.faults, c.unknownFlavour()...), l.options.misnamed(c)...)
		}

		if i >= l.foreign && c.asked && isCatalogue(c.object) {
			l.faults = append(l.faults, l.options.versionOf(c)...)
		}
	}

	l.compare()
	l.faults = append(append(l.faults, beside(l)...), sameName(l.catalogues, l.foreign)...)

	l.faults = append(l.faults, credentials(l.configs, l.secrets)...)

	// Those of a repository without claims are other people's.
	if len(l.claims)+len(l.configs)+l.foreign > 0 {
		l.faults = append(append(l.faults, clearText(l.secrets, l.options.Ignored)...), refusedSecrets(l.secrets)...)
	}

	if l.options.Unused {
		for _, c := range l.catalogues[:l.foreign] {
			l.unused(c)
		}
	}
}
