package properties

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// What the worlds of this package have in common.
var (
	// memory of answers, for worlds in which most calls are the calls before.
	memory = fake.NewMemory()
	// messages of objects, for worlds that look at each call.
	messages = world.NewMemoryOfMessages()
)

func TestMain(m *testing.M) { fake.Main(m) }
