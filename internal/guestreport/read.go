package guestreport

// k3sNames is [K3sNames], made once.
var k3sNames = K3sNames() //nolint:gochecknoglobals // A constant table.

// Is says whether a network link is a report: then it is no interface of the machine, and has no address that counts.
func Is(name string) bool {
	_, k3s := k3sNames[name]
	_, nix := nixOf(name)

	return k3s || nix
}

// ReadK3s reads what a K3s node reports from the names of its guest's links. Names that are no report do not matter. Two reports at
// once say nothing, whatever kind of machine they are of.
func ReadK3s(names []string) K3s {
	return k3sNames[only(names)]
}

// ReadNix reads what a NixOS machine reports, as [ReadK3s] does.
func ReadNix(names []string) Nix {
	nix, _ := nixOf(only(names))

	return nix
}

// only is the name of the one report among links; empty where there is none, or more than one.
func only(names []string) string {
	out := ""

	for _, name := range names {
		switch {
		case !Is(name):
		case out != "":
			return ""
		default:
			out = name
		}
	}

	return out
}
