// Package configuration is the Configuration for namespaced composites, for programs that render without a clone of this repository.
package configuration

import "embed"

// Files are the XRDs and the Compositions, in the folders xrds and compositions.
//
//go:embed xrds/*.yaml compositions/*.yaml
var Files embed.FS
