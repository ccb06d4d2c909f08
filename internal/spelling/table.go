package spelling

// A rename is a field of a claim's spec, or of a catalogue's defaults, that has another name today.
type rename struct{ former, today string }

// renames are the renamed fields.
func renames() []rename { return []rename{{former: "protection", today: "deletionProtection"}} }

// A vocabulary is a field whose values have other words today.
type vocabulary struct {
	object, field string            // Below a spec; object is also the name of the object in an image of a catalogue.
	today         map[string]string // By former word.
	// written is the former word that the API server itself wrote into claims that do not have the field, as its default. It warns nobody.
	written string
}

// vocabularies are the fields with other words.
var vocabularies = []vocabulary{ //nolint:gochecknoglobals // A constant table, which every call reads.
	{object: "firmware", field: "type", today: map[string]string{"bios": "BIOS", "uefi": "UEFI"}},
	{object: "nix", field: "reboot", today: map[string]string{"never": "Never", "kernel": "Kernel", "always": "Always"}, written: "never"},
}

// ofInterface are the fields of the first interface that stand in spec.network or in spec.proxmox.
func ofInterface() []string { return []string{"bridge", "vlan"} }
