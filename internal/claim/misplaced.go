package claim

// Crossplanes are Crossplane's own fields that a person may set: in spec of a claim, and in spec.crossplane of a composite in a namespace
// (crossplane-runtime, pkg/xcrd/schemas.go).
func Crossplanes() []string {
	return []string{"compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector", "compositionUpdatePolicy"}
}

// A MisplacedField is one of Crossplane's that is where claims have it.
type MisplacedField struct {
	Name    string // In spec.
	Instead string // What to do without claims.
}

// Misplaced are the fields of Crossplane's in a spec of a composite in a namespace that only claims have there: the API server knows no such field, and what
// runs never sees it. The function does not tell them from those of a claim.
func Misplaced(spec map[string]any) []MisplacedField {
	var out []MisplacedField

	add := func(name, instead string) {
		if _, ok := spec[name]; ok {
			out = append(out, MisplacedField{Name: name, Instead: "unknown field; where the project is installed without claims, " + instead})
		}
	}

	for _, name := range Crossplanes() {
		add(name, "write spec.crossplane."+name)
	}

	for _, name := range []string{"writeConnectionSecretToRef", "publishConnectionDetailsTo"} {
		add(name, "Crossplane makes no Secret for it: remove it. What others need of a guest is in status")
	}

	add("compositeDeletePolicy", "there is no composite beside it: remove it. What becomes of the guest is deletionPolicy")

	for _, name := range []string{"resourceRefs", "claimRef", "environmentConfigRefs"} {
		add(name, "Crossplane writes what belongs to it below spec.crossplane by itself: remove it")
	}

	return out
}
