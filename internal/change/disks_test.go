package change

import "testing"

func TestKeptDisks(t *testing.T) {
	gone := func(name string) Change {
		return Change{Field: "spec.disks[" + name + "].size", Has: "10Gi", Effect: Refused}
	}

	for name, tc := range map[string]struct {
		reason  string
		refused []Change
		want    string
		only    bool
	}{
		"None":    {reason: "Nothing is refused."},
		"Smaller": {reason: "The disk is listed.", refused: []Change{{Field: "spec.disks[logs].size", Has: "10Gi", Wanted: "5Gi", Effect: Refused}}},
		"Storage": {reason: "The disk is listed.", refused: []Change{{Field: "spec.disks[logs].storage", Has: "tank", Effect: Refused}}},
		"Other":   {reason: "No disk.", refused: []Change{{Field: "spec.firmware", Has: "seabios", Effect: Refused}}},
		"One": {
			reason: "It was removed, or it has another name.", refused: []Change{gone("logs")}, only: true,
			want: "Disk logs stays with its data: a disk is known by its name, so that one with another name in the claim is a new, empty disk beside it.",
		},
		"Two": {
			reason: "One sentence is enough.", refused: []Change{gone("data"), {Field: "spec.firmware", Has: "seabios", Effect: Refused}, gone("logs")},
			want: "Disks data, logs stay with their data: a disk is known by its name, so that one with another name in the claim is a new, empty disk beside them.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := KeptDisks(tc.refused); got != tc.want {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}

			if got := OnlyKeptDisks(tc.refused); got != tc.only {
				t.Errorf("%s\nOnlyKeptDisks: want %t, got %t", tc.reason, tc.only, got)
			}
		})
	}
}
