package claims

import (
	"os"
	"runtime/debug"
	"testing"
)

// Thousands of judged claims make much garbage, and a test has memory to spare.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
