package k3s

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
)

func TestTokenIsInItsFileOnly(t *testing.T) {
	for name, secret := range map[string]string{"init": shortToken, "agent": agentToken} {
		n := nodes()[name]

		token := fileOf(t, n, DefaultTokenFile)
		if token == nil || token.Permissions != "0600" || token.Owner != "root:root" || token.Content != secret+"\n" || token.Constant {
			t.Fatalf("%s: the token's file is wrong: %+v", name, token)
		}

		text, err := document(t, n).Marshal()
		if err != nil {
			t.Fatal(err)
		}

		if count := strings.Count(string(text), secret); count != 1 {
			t.Errorf("%s: the token is in the document %d times", name, count)
		}
	}

	if fileOf(t, nodes()["server"], "/etc/k3s-token") != nil || fileOf(t, nodes()["alone"], DefaultTokenFile) != nil {
		t.Error("a token is written that nobody gave")
	}
}

func TestTokenIsNeverPrinted(t *testing.T) {
	n := nodes()["agent"]

	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{n, &n, n.Token, &n.Token, []Node{n}} {
			got := fmt.Sprintf(verb, value)
			if strings.Contains(got, password) || strings.Contains(got, fmt.Sprintf("%x", password)) {
				t.Errorf("%s of %T shows the token: %s", verb, value, got)
			}
		}
	}

	for name, marshal := range map[string]func(any) ([]byte, error){"JSON": json.Marshal, "YAML": yaml.Marshal} {
		got, err := marshal(n)
		if err != nil || strings.Contains(string(got), password) || !strings.Contains(string(got), "redacted") {
			t.Errorf("%s shows the token: %s (%v)", name, got, err)
		}
	}

	if n.Token.String() != redacted || Token("").String() != "" {
		t.Error("a token does not say whether it is there")
	}
}

func TestFilesRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(n *Node)
		want   string
	}{
		"Role":      {"There are three.", func(n *Node) { n.Role = "master" }, `a K3s node cannot have the role "master"`},
		"Name":      {"K3s would take the image's name.", func(n *Node) { n.NodeName = "" }, "needs a name"},
		"Version":   {"The installer would take the newest.", func(n *Node) { n.Version = "" }, "needs a version"},
		"Server":    {"There would be nothing to join.", func(n *Node) { n.ServerURL = "" }, "needs the address of its cluster"},
		"Token":     {"Two lines are two tokens.", func(n *Node) { n.Token += "\nx" }, "must be one line"},
		"Config":    {"A key that the claim decides would be there twice.", func(n *Node) { n.Config = map[string]any{"node-name": "x"} }, "set spec.hostname"},
		"Injection": {"A second line is a second parameter.", func(n *Node) { n.ServerURL = "https://x\nROLE=y" }, "cannot write JOIN_URL: its value must be one line of text"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := nodes()["agent"]
			tc.change(&n)

			_, err := n.Files()
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), password) {
				t.Errorf("%s\ngot %v, want an error with %q", tc.reason, err, tc.want)
			}
		})
	}
}

// The parameters reach the script; none is of a name that K3s' installer copies.
func TestEnv(t *testing.T) {
	want := map[string]string{
		"init": "NODE_ROLE=init\nNODE_NAME=k3s-cp-1\nRELEASE=v1.33.6+k3s1\nINSTALL_URL=https://raw.githubusercontent.com/k3s-io/k3s/v1.33.6%2Bk3s1/install.sh\n" +
			"JOIN_URL=https://k3s.home.arpa:6443\nTOKEN_FILE=/etc/rancher/k3s/token\nDATA_DIR=/srv/k3s\n",
		"server": "NODE_ROLE=server\nNODE_NAME=k3s-cp-2\nRELEASE=v1.33.6+k3s1\nINSTALL_URL=\"https://mirror.home.arpa/k3s/install.sh?a=\\$b&c\"\nINSTALL_SHA256=" + strings.Repeat("ab", 32) +
			"\nJOIN_URL=https://k3s.home.arpa:6443\nTOKEN_FILE=/etc/k3s-token\n",
		"agent": "NODE_ROLE=agent\nNODE_NAME=k3s-w-1\nRELEASE=v1.33.6+k3s1\nINSTALL_URL=https://raw.githubusercontent.com/k3s-io/k3s/v1.33.6%2Bk3s1/install.sh\n" +
			"JOIN_URL=https://k3s.home.arpa:6443\nTOKEN_FILE=/etc/rancher/k3s/token\n",
		"alone": "NODE_ROLE=init\nNODE_NAME=k3s\nRELEASE=v1.33.6+k3s1\nINSTALL_URL=https://raw.githubusercontent.com/k3s-io/k3s/v1.33.6%2Bk3s1/install.sh\n",
	}

	for name, n := range nodes() {
		env := fileOf(t, n, "/etc/k3s-bootstrap/env")
		if env == nil || env.Permissions != "0600" {
			t.Fatalf("%s: the environment is %+v", name, env)
		}

		if diff := cmp.Diff(want[name], env.Content); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}

		if strings.Contains(env.Content, "K3S_") {
			t.Errorf("%s: a variable of K3s itself is in the environment", name)
		}
	}
}

func TestFingerprintFollowsTheClaim(t *testing.T) {
	before := document(t, nodes()["agent"]).Fingerprint()

	for name, change := range map[string]func(n *Node){
		"Version": func(n *Node) { n.Version = "v1.34.1+k3s1" }, "Labels": func(n *Node) { n.Labels = nil }, "Token": func(n *Node) { n.Token += "x" },
	} {
		n := nodes()["agent"]
		change(&n)

		if document(t, n).Fingerprint() == before {
			t.Errorf("%s does not count", name)
		}
	}

	better := document(t, nodes()["agent"])
	for i := range better.WriteFiles {
		if better.WriteFiles[i].Constant {
			better.WriteFiles[i].Content += "# better\n"
		}
	}

	if better.Fingerprint() != before {
		t.Error("A newer build of the function with better scripts looks like a changed claim.")
	}
}

func BenchmarkFingerprint(b *testing.B) {
	n := nodes()["init"]

	files, err := n.Files()
	if err != nil {
		b.Fatal(err)
	}

	d := cloudinit.Document{Hostname: n.NodeName, WriteFiles: files, RunCmd: n.Commands()}

	for b.Loop() {
		_ = d.Fingerprint()
	}
}

func BenchmarkFiles(b *testing.B) {
	n := nodes()["init"]

	for b.Loop() {
		if _, err := n.Files(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshal(b *testing.B) {
	n := nodes()["init"]

	files, err := n.Files()
	if err != nil {
		b.Fatal(err)
	}

	d := cloudinit.Document{Hostname: n.NodeName, WriteFiles: files, RunCmd: n.Commands()}

	for b.Loop() {
		if _, err := d.Marshal(); err != nil {
			b.Fatal(err)
		}
	}
}
