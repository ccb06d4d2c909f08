package fake

import (
	"os"
	"runtime/debug"
	"testing"
)

// gcPercent of the tests: thousands of calls make much garbage, and a test has memory to spare.
const gcPercent = 400

// Main runs the tests of a package that calls the function thousands of times, and exits.
func Main(m *testing.M) {
	debug.SetGCPercent(gcPercent)
	os.Exit(m.Run())
}
