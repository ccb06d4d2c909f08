// Package version knows the release that a program was built as.
package version

import "runtime/debug"

// unreleased is what a program says that was built from a checkout.
const unreleased = "unreleased"

// linked is set by the linker when a release is built: see tools/release/compile.go.
var linked string //nolint:gochecknoglobals // The linker sets variables only.

// String is the version of this program, such as v0.2.0: the linker's, else that of the module from which `go install` built it.
func String() string {
	info, _ := debug.ReadBuildInfo()

	return of(linked, info)
}

func of(linked string, info *debug.BuildInfo) string {
	if linked != "" {
		return linked
	}

	// A checkout has no version: "(devel)", or, with -buildvcs, one that is made of the commit.
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return unreleased
	}

	return info.Main.Version
}
