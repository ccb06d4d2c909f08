package rehearse

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("PROBE")) {
		f := faultsOf(t, edited(t, aCluster, scenes[name].edit), os.Getenv("ERRORS") != "")
		fmt.Println("=====", name, f.Worlds)
		f.Rehearsal.Steps = nil
		if err := f.Text(os.Stdout); err != nil {
			t.Fatal(err)
		}
	}
}
