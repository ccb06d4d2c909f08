package guestreport

import (
	_ "embed" // The script.
)

// Script is the constant program that makes the link. Its argument is a name of this package.
//
//go:embed scripts/guest-report
var Script string
