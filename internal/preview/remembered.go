package preview

import "github.com/homelab-io/function-proxmox-machine/internal/catalog"

// RememberedFlavour is the flavour that a person need not say, because what is observed has it, or the annotation of a catalogue;
// [catalog.DefaultFlavour] if neither does.
func RememberedFlavour(stories []Story) string {
	for _, s := range stories {
		if f := flavourOf(s.Observed); f != "" {
			return f
		}
	}

	for _, s := range stories {
		for _, o := range s.Required {
			if f := o.GetAnnotations()[catalog.AnnotationFlavour]; f != "" && o.GetKind() == "EnvironmentConfig" {
				return f
			}
		}
	}

	return catalog.DefaultFlavour
}
