package preview

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

func TestMain(m *testing.M) { fake.Main(m) }
