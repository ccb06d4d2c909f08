// Package docs is the documentation, for programs that show a part of it.
package docs

import _ "embed"

// Conditions is conditions.md: what every condition and reason means, and what to do.
//
//go:embed conditions.md
var Conditions string
