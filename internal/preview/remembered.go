package preview

// AnnotationFlavour of a catalogue is how the project is installed where the catalogue is: claims, legacy or namespaced. The command line
// reads it, and nothing else does.
const AnnotationFlavour = "homelab.io/flavour"

// DefaultFlavour is the installation for those who begin.
const DefaultFlavour = FlavourNamespaced

// RememberedFlavour is the flavour that a person need not say, because what is observed has it, or the annotation of a catalogue;
// [DefaultFlavour] if neither does.
func RememberedFlavour(stories []Story) string {
	for _, s := range stories {
		if f := flavourOf(s.Observed); f != "" {
			return f
		}
	}

	for _, s := range stories {
		for _, o := range s.Required {
			if f := o.GetAnnotations()[AnnotationFlavour]; f != "" && o.GetKind() == "EnvironmentConfig" {
				return f
			}
		}
	}

	return DefaultFlavour
}
