package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// sayable is a container of which a claim can say all.
func sayable() LXC {
	return LXC{Node: "pve", Running: true, Starts: 1, Config: map[string]string{
		"arch": "amd64", "cores": "2", "hostname": "dns.home.arpa", "memory": "1000", "swap": "0", "onboot": "0", "ostype": "debian", "tags": "core", "unprivileged": "1",
		"features": "nesting=1", "rootfs": "local-lvm:vm-113-disk-0,size=8G", "startup": "up=5", "nameserver": "192.168.4.1 9.9.9.9", "searchdomain": "home.arpa lan",
		"mp0":  "local-lvm:vm-113-disk-1,mp=/srv/data,backup=1,size=10G",
		"mp1":  "local-lvm:vm-113-disk-2,mp=/srv,size=2G",
		"net0": "name=eth0,bridge=vmbr0,firewall=1,gw=192.168.4.1,hwaddr=BC:24:11:AA:BB:CC,ip=192.168.4.13/24,ip6=auto,tag=20,type=veth",
		"net1": "name=eth1,bridge=vmbr1,hwaddr=BC:24:11:AA:BB:CD,ip=10.30.0.5/24,mtu=1400,type=veth",
		"net2": "name=eth2,bridge=vmbr1,hwaddr=BC:24:11:AA:BB:CE,ip=manual,type=veth",
	}}
}

// TestContainerAdoptWritten adopts containers with the claims that `kubectl machine adopt` writes of them: the plan is empty, and so is what is written.
func TestContainerAdoptWritten(t *testing.T) {
	t.Parallel()

	for name, has := range map[string]func() LXC{"Frigate": frigate, "Sayable": sayable} {
		t.Run(name, func(t *testing.T) {
			l, lxc := withContainers(t)
			before := has()
			lxc.Add(113, before)

			c := l.container(t, strings.ToLower(name), writtenSpec(t, before))
			c.Hasty = true
			l.settle(t, c)

			plan, _, _ := unstructured.NestedString(c.Composite.Object, "status", "adoption", "plan")

			for _, effect := range []string{"changes", "reboots", "refused"} {
				if got, _, _ := unstructured.NestedStringSlice(c.Composite.Object, "status", "adoption", effect); plan == "" || len(got) > 0 {
					t.Errorf("want plan %q without %s, got %q", plan, effect, got)
				}
			}

			edit(t, c, `{adopt: {approve: "`+plan+`"}}`)
			l.settle(t, c)
			l.still(t, c, lxc)
			want(t, c, "VMIDInUse", "False", "NumberAdopted")

			if after := lxc.Get(113); after.Stops != 0 || after.Starts != 1 || !maps.Equal(after.Config, before.Config) {
				t.Errorf("want\n%+v, got\n%+v", before, after)
			}
		})
	}
}

// writtenSpec is the spec of the claim that is written of a container.
func writtenSpec(t *testing.T, has LXC) string {
	t.Helper()

	answer, err := json.Marshal(has.Config)
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/kubectl-machine", "adopt", "113", "--namespace", "infra")
	cmd.Dir = repository
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"path":"/nodes/%s/lxc/113/config","answer":%s}`, has.Node, answer))

	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}

	claim := struct {
		Spec map[string]any `json:"spec"`
	}{}
	if err := yaml.Unmarshal(text, &claim); err != nil {
		t.Fatal(err)
	}

	spec, err := json.Marshal(claim.Spec)
	if err != nil {
		t.Fatal(err)
	}

	return string(spec)
}
