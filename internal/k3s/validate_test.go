package k3s

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// messages returns faults as a person reads them.
func messages(list field.ErrorList) []string {
	var out []string
	for _, fault := range list {
		out = append(out, fault.Error())
	}

	return out
}

func check(t *testing.T, reason string, want []string, got field.ErrorList) {
	t.Helper()

	if diff := cmp.Diff(want, messages(got)); diff != "" {
		t.Errorf("%s\n-want, +got:\n%s", reason, diff)
	}
}

var at = field.NewPath("spec", "k3s", "x")

func TestValidateVersion(t *testing.T) {
	const want = "must be one release of K3s, vX.Y.Z+k3sN, such as v1.33.6+k3s1; with a channel or a range, nodes would get different releases"

	cases := map[string]struct {
		reason  string
		version string
		want    []string
	}{
		"Release":   {"A release.", "v1.33.6+k3s1", nil},
		"Candidate": {"A candidate is one, too.", "v1.34.0-rc2+k3s1", nil},
		"Empty":     {"The installer would take the newest.", "", []string{"spec.k3s.x: Required value: must be a release of K3s, such as v1.33.6+k3s1"}},
		"NoV":       {"The usual slip gets the right answer.", "1.33.6+k3s1", []string{`spec.k3s.x: Invalid value: "1.33.6+k3s1": must start with a v: v1.33.6+k3s1`}},
		"Channel":   {"A channel is a moving target.", "stable", []string{`spec.k3s.x: Invalid value: "stable": ` + want}},
		"Latest":    {"So is a minor version.", "v1.33", []string{`spec.k3s.x: Invalid value: "v1.33": ` + want}},
		"NoSuffix":  {"Kubernetes' version is none of K3s.", "v1.33.6", []string{`spec.k3s.x: Invalid value: "v1.33.6": ` + want}},
		"Hyphen":    {"Image tags are written so.", "v1.33.6-k3s1", []string{`spec.k3s.x: Invalid value: "v1.33.6-k3s1": is written as the tag of an image: write v1.33.6+k3s1`}},
		"Hostile":   {"It goes into an address and a script's environment.", "v1.33.6+k3s1\nX=1", []string{`spec.k3s.x: Invalid value: "v1.33.6+k3s1\nX=1": ` + want}},
		"RKE2":      {"Another program.", "v1.33.6+rke2r1", []string{`spec.k3s.x: Invalid value: "v1.33.6+rke2r1": ` + want}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { check(t, tc.reason, tc.want, ValidateVersion(tc.version, at)) })
	}
}

func TestValidateServerURL(t *testing.T) {
	const want = "must be https://host:port, such as https://k3s.home.arpa:6443"

	refused := func(address string) []string {
		return []string{`spec.k3s.x: Invalid value: "` + address + `": ` + want}
	}

	meant := func(address, write string) []string {
		return []string{refused(address)[0] + ": write " + write}
	}

	cases := map[string]struct {
		reason  string
		address string
		want    []string
	}{
		"Name":      {"A name.", "https://k3s.home.arpa:6443", nil},
		"Address":   {"An address.", "https://192.168.4.210:6443", nil},
		"IPv6":      {"An address in brackets.", "https://[fd00::1]:6443", nil},
		"NoPort":    {"A load balancer may listen on 443.", "https://k3s.home.arpa", nil},
		"Upper":     {"Names have no case.", "https://K3s.Home.Arpa:6443", nil},
		"Empty":     {"A joining node needs one.", "", []string{"spec.k3s.x: Required value: the cluster's address is required: " + want}},
		"HTTP":      {"K3s takes https only.", "http://k3s:6443", meant("http://k3s:6443", "https://k3s:6443")},
		"NoScheme":  {"The usual slip.", "k3s.home.arpa:6443", meant("k3s.home.arpa:6443", "https://k3s.home.arpa:6443")},
		"Path":      {"K3s adds its own.", "https://k3s:6443/cacerts", refused("https://k3s:6443/cacerts")},
		"Slash":     {"Even a slash.", "https://k3s:6443/", meant("https://k3s:6443/", "https://k3s:6443")},
		"Bare":      {"K3s listens at one port.", "192.168.4.61", meant("192.168.4.61", "https://192.168.4.61:6443")},
		"Query":     {"Nor a query.", "https://k3s:6443?a=b", refused("https://k3s:6443?a=b")},
		"Port":      {"There is no such port.", "https://k3s:66443", refused("https://k3s:66443")},
		"PortZero":  {"Nor this.", "https://k3s:0", refused("https://k3s:0")},
		"PortEmpty": {"Nor none behind a colon.", "https://k3s:", refused("https://k3s:")},
		"NoHost":    {"A port is no host.", "https://:6443", refused("https://:6443")},
		"Octet":     {"No octet is 400.", "https://192.168.4.400:6443", refused("https://192.168.4.400:6443")},
		"Short":     {"Nor are three octets an address.", "https://192.168.4:6443", refused("https://192.168.4:6443")},
		"Zone":      {"A zone means something on one machine only.", "https://[fe80::1%25eth0]:6443", refused("https://[fe80::1%25eth0]:6443")},
		"Quote":     {"It is written into a file by a script.", `https://k3s":6443`, []string{`spec.k3s.x: Invalid value: "https://k3s\":6443": ` + want}},
		"Newline":   {"One line.", "https://k3s:6443\nX", []string{`spec.k3s.x: Invalid value: "https://k3s:6443\nX": ` + want}},
		"Password":  {"What may be a password is not shown.", "https://a:hunter2@k3s:6443", []string{"spec.k3s.x: Invalid value: " + want + ", without a user or password"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { check(t, tc.reason, tc.want, ValidateServerURL(tc.address, at)) })
	}
}

func TestValidateInstaller(t *testing.T) {
	const url = "must be an https address, such as https://raw.githubusercontent.com/k3s-io/k3s/v1.33.6%2Bk3s1/install.sh, or a file of the image, file:///path"

	check(t, "The default is a good one.", nil, ValidateInstallURL(DefaultInstallURL("v1.33.6+k3s1"), at))
	check(t, "So is a mirror.", nil, ValidateInstallURL("https://mirror.home.arpa:8443/k3s/install.sh?ref=main", at))

	for _, address := range []string{"", "http://get.k3s.io", "get.k3s.io", "file://x/y", "file:///", "https://", "https://a b/x", "https://a/x#y", "https://a:0/x"} {
		check(t, "A script that runs as root comes over https.", []string{`spec.k3s.x: Invalid value: "` + address + `": ` + url}, ValidateInstallURL(address, at))
	}

	check(t, "A password is not shown.", []string{"spec.k3s.x: Invalid value: must be an https address without a user or password"}, ValidateInstallURL("https://u:hunter2@a/x", at))

	check(t, "A checksum.", nil, ValidateSHA256(strings.Repeat("0a", 32), at))

	for _, sum := range []string{"", "abc", strings.Repeat("0A", 32), "sha256:" + strings.Repeat("0a", 32)} {
		check(t, "The script compares letter by letter.", []string{`spec.k3s.x: Invalid value: "` + sum + `": must be 64 hexadecimal digits in lower case, in the format of sha256sum`}, ValidateSHA256(sum, at))
	}
}

func TestValidateTLSSANs(t *testing.T) {
	const want = ": must be a DNS name or an IP address, without scheme or port"

	check(t, "Names and addresses.", nil, ValidateTLSSANs([]string{"k3s.home.arpa", "k3s", "192.168.4.79", "fd00::1"}, at))
	check(t, "What is none, and what is there twice.", []string{
		`spec.k3s.x[1]: Duplicate value: "k3s"`,
		`spec.k3s.x[2]: Invalid value: "https://k3s"` + want,
		`spec.k3s.x[3]: Invalid value: "k3s:6443"` + want,
		`spec.k3s.x[4]: Invalid value: ""` + want,
		`spec.k3s.x[5]: Invalid value: "192.168.4.256"` + want,
		`spec.k3s.x[6]: Invalid value: "a_b"` + want,
	}, ValidateTLSSANs([]string{"k3s", "k3s", "https://k3s", "k3s:6443", "", "192.168.4.256", "a_b"}, at))
}

func TestValidateDisable(t *testing.T) {
	check(t, "Components, and the name of a manifest.", nil, ValidateDisable([]string{"servicelb", "traefik", "local-storage", "kube-vip"}, at))
	check(t, "Near misses would not be disabled, without a word.", []string{
		`spec.k3s.x[1]: Duplicate value: "traefik"`,
		`spec.k3s.x[2]: Invalid value: "treafik": did you mean traefik?`,
		`spec.k3s.x[3]: Invalid value: "service-lb": did you mean servicelb?`,
		`spec.k3s.x[4]: Invalid value: "Traefik": must be one of coredns, local-storage, metrics-server, runtimes, servicelb, traefik, or the name of a manifest`,
		`spec.k3s.x[5]: Invalid value: "": must be one of coredns, local-storage, metrics-server, runtimes, servicelb, traefik, or the name of a manifest`,
	}, ValidateDisable([]string{"traefik", "traefik", "treafik", "service-lb", "Traefik", ""}, at))
}

func TestValidateLabels(t *testing.T) {
	const reserved = "the kubelet may not set this label of Kubernetes; use your own prefix, or topology.kubernetes.io/zone, topology.kubernetes.io/region or node.kubernetes.io/..."

	check(t, "Labels that a kubelet may give its node.", nil, ValidateLabels(map[string]string{
		"gpu": "true", "homelab.io/rack": "a1", "empty": "", "topology.kubernetes.io/zone": "pve", "topology.kubernetes.io/region": "home",
		"node.kubernetes.io/exclude-from-external-load-balancers": "true", "kubelet.kubernetes.io/x": "y", "svccontroller.k3s.cattle.io/enablelb": "true", "notkubernetes.io/x": "y",
	}, at))

	check(t, "Labels with which the kubelet does not start, and what is no label.", []string{
		"spec.k3s.x[...]: Invalid value: is not a valid label name: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
		`spec.k3s.x[gpu]: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		"spec.k3s.x[k8s.io/x]: Forbidden: " + reserved,
		"spec.k3s.x[kubernetes.io/hostname]: Forbidden: the kubelet sets this label itself",
		"spec.k3s.x[node-restriction.kubernetes.io/x]: Forbidden: " + reserved,
		"spec.k3s.x[node-role.kubernetes.io/worker]: Forbidden: a node cannot set its own role; set the label in the cluster: kubectl label node NAME node-role.kubernetes.io/worker=",
		"spec.k3s.x[topology.kubernetes.io/rack]: Forbidden: " + reserved,
	}, ValidateLabels(map[string]string{
		"node-role.kubernetes.io/worker": "true", "kubernetes.io/hostname": "x", "k8s.io/x": "y", "node-restriction.kubernetes.io/x": "y", "topology.kubernetes.io/rack": "y", "gpu": "a b", "a b": "c",
	}, at))
}

func TestValidateTaints(t *testing.T) {
	const (
		form    = ": must be key=value:Effect or key:Effect, such as gpu=true:NoSchedule"
		effects = ": the effect after the colon must be one of NoSchedule, PreferNoSchedule, NoExecute"
	)

	check(t, "With and without a value.", nil, ValidateTaints([]string{"gpu=true:NoSchedule", "gpu:NoExecute", "homelab.io/x=:PreferNoSchedule", "node-role.kubernetes.io/control-plane=true:NoSchedule"}, at))
	check(t, "The kubelet does not start with these.", []string{
		`spec.k3s.x[1]: Duplicate value: "gpu=b:NoSchedule"`,
		`spec.k3s.x[2]: Invalid value: "gpu=true"` + effects + ", as in gpu=true:NoSchedule",
		`spec.k3s.x[3]: Invalid value: "gpu=true:noschedule"` + effects,
		`spec.k3s.x[4]: Invalid value: ":NoSchedule"` + form,
		`spec.k3s.x[5]: Invalid value: "a b=c:NoSchedule"` + form,
		`spec.k3s.x[6]: Invalid value: "a=b c:NoSchedule"` + form,
		`spec.k3s.x[7]: Invalid value: ""` + form,
	}, ValidateTaints([]string{"gpu=a:NoSchedule", "gpu=b:NoSchedule", "gpu=true", "gpu=true:noschedule", ":NoSchedule", "a b=c:NoSchedule", "a=b c:NoSchedule", ""}, at))
}

func TestValidateToken(t *testing.T) {
	const (
		full = "spec.k3s.x: Invalid value: must be the cluster's full token, K10<64 hexadecimal digits>::server:<password>, as in /var/lib/rancher/k3s/server/token on a server"
		ca   = "; without the hash the node cannot verify which cluster it joins (token.trustOnFirstUse: true accepts that risk)"
		old  = "spec.k3s.x: Invalid value: is a token of an existing cluster (K10...); the first server of a new cluster needs a short token, the password alone"
		line = "spec.k3s.x: Invalid value: starts or ends with white space or a line end; write the Secret without it (printf %s, not echo)"
	)

	cases := map[string]struct {
		reason string
		role   Role
		token  string
		want   []string
	}{
		"Init":            {"A password.", RoleInit, shortToken, nil},
		"Server":          {"A server token.", RoleServer, serverToken, nil},
		"Agent":           {"A server token joins agents, too.", RoleAgent, serverToken, nil},
		"AgentAgent":      {"So does an agent token.", RoleAgent, agentToken, nil},
		"AgentBootstrap":  {"So does a bootstrap token.", RoleAgent, bootstrapTok, nil},
		"Empty":           {"A Secret without a value.", RoleServer, "", []string{"spec.k3s.x: Required value: the Secret contains an empty token"}},
		"Newline":         {"echo adds one.", RoleServer, serverToken + "\n", []string{line}},
		"NewlineInit":     {"For a first server, too.", RoleInit, shortToken + "\n", []string{line}},
		"Blank":           {"A blank in front.", RoleServer, " " + serverToken, []string{line}},
		"TwoWords":        {"A blank inside.", RoleInit, "EXAMPLE token of a new cluster", []string{"spec.k3s.x: Invalid value: must be one word of ASCII letters, digits and punctuation marks"}},
		"TwoLines":        {"A second line would be a second token.", RoleServer, serverToken + "\n" + serverToken, []string{"spec.k3s.x: Invalid value: must be one word of ASCII letters, digits and punctuation marks"}},
		"Placeholder":     {"It was never filled in.", RoleServer, "<token>", []string{"spec.k3s.x: Invalid value: is a placeholder, not a token"}},
		"PlaceholderPart": {"Nor was this.", RoleServer, "K10<hash>::server:<password>", []string{"spec.k3s.x: Invalid value: is a placeholder, not a token"}},
		"Short":           {"It can be guessed.", RoleInit, "fifteen-letters", []string{"spec.k3s.x: Invalid value: is shorter than 16 characters; generate one with: openssl rand -hex 32"}},
		"InitFull":        {"The CA in it does not exist yet.", RoleInit, serverToken, []string{old}},
		"InitBootstrap": {
			"Joining nodes would take it for a bootstrap token.", RoleInit, "abcdef.0123456789abcdef",
			[]string{"spec.k3s.x: Invalid value: has the form of a bootstrap token (id.secret), which is for agents of an existing cluster; for the first server choose another password"},
		},
		"ServerShort":     {"The node would tell whoever answers the password.", RoleServer, shortToken, []string{full + ca}},
		"AgentShort":      {"Agents, too.", RoleAgent, "abcdef.0123456789abcdef", []string{full + ca}},
		"HashLength":      {"K3s refuses another length.", RoleAgent, "K10" + caHash[1:] + "::server:x", []string{full + ca}},
		"HashLetters":     {"A hash is hexadecimal.", RoleAgent, "K10" + strings.Repeat("g", 64) + "::server:x", []string{full + ca}},
		"Nothing":         {"There is nothing behind the hash.", RoleAgent, "K10" + caHash + "::", []string{full + ca}},
		"NoUser":          {"K3s wants both.", RoleAgent, "K10" + caHash + "::justapassword", []string{full + "; the part after :: is neither user:password nor id.secret"}},
		"NoPassword":      {"K3s wants both.", RoleServer, "K10" + caHash + "::server:", []string{full + "; the part after :: is neither user:password nor id.secret"}},
		"ServerAgent":     {"An agent token makes no server.", RoleServer, agentToken, []string{full + "; an agent token is for agents only"}},
		"ServerBootstrap": {"Nor does a bootstrap token.", RoleServer, bootstrapTok, []string{full + "; a bootstrap token (id.secret) is for agents only"}},
		"OtherUser":       {"K3s knows two.", RoleAgent, "K10" + caHash + "::admin:x", []string{full + "; the user in it must be server or node"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ValidateToken(tc.role, false, tc.token, at)
			check(t, tc.reason, tc.want, got)

			for _, message := range messages(got) {
				if tc.token != "" && strings.Contains(message, tc.token) && tc.token != "<token>" || strings.Contains(message, password) || strings.Contains(message, caHash[:16]) {
					t.Errorf("the message shows the token: %s", message)
				}
			}
		})
	}
}

// TestValidateTokenTrusted holds what trustOnFirstUse opens, and that it opens nothing else.
func TestValidateTokenTrusted(t *testing.T) {
	const (
		full = "spec.k3s.x: Invalid value: must be the cluster's full token, K10<64 hexadecimal digits>::server:<password>, as in /var/lib/rancher/k3s/server/token on a server"
		ca   = "; without the hash the node cannot verify which cluster it joins (token.trustOnFirstUse: true accepts that risk)"
		id   = "abcdef.0123456789abcdef"
	)

	cases := map[string]struct {
		reason string
		role   Role
		token  string
		want   []string
	}{
		"Init":           {"The first server takes what it took.", RoleInit, shortToken, nil},
		"InitFull":       {"And refuses what it refused.", RoleInit, serverToken, []string{"spec.k3s.x: Invalid value: is a token of an existing cluster (K10...); the first server of a new cluster needs a short token, the password alone"}},
		"Server":         {"The first server's token.", RoleServer, shortToken, nil},
		"Agent":          {"Agents, too.", RoleAgent, shortToken, nil},
		"ServerFull":     {"A full token is better, and fine.", RoleServer, serverToken, nil},
		"AgentFull":      {"An agent token with the hash.", RoleAgent, agentToken, nil},
		"AgentBootstrap": {"A bootstrap token without the hash is a short token, too.", RoleAgent, id, nil},
		"ServerBootstrap": {
			"K3s takes it for a bootstrap token, with which no server joins.", RoleServer, id,
			[]string{"spec.k3s.x: Invalid value: has the form of a bootstrap token (id.secret), which is for agents only; a server joins with the token with which the first server started, or with the cluster's full token (K10...)"},
		},
		"Short":      {"It can be guessed.", RoleServer, "fifteen-letters", []string{"spec.k3s.x: Invalid value: is shorter than 16 characters; generate one with: openssl rand -hex 32"}},
		"HashLength": {"What begins as a full token has to be one.", RoleAgent, "K10" + caHash[1:] + "::server:x", []string{full + ca}},
		"AgentToken": {"An agent token makes no server.", RoleServer, agentToken, []string{full + "; an agent token is for agents only"}},
		"Newline":    {"echo adds one.", RoleServer, shortToken + "\n", []string{"spec.k3s.x: Invalid value: starts or ends with white space or a line end; write the Secret without it (printf %s, not echo)"}},
		"Empty":      {"A Secret without a value.", RoleAgent, "", []string{"spec.k3s.x: Required value: the Secret contains an empty token"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ValidateToken(tc.role, true, tc.token, at)
			check(t, tc.reason, tc.want, got)

			for _, message := range messages(got) {
				if tc.token != "" && strings.Contains(message, tc.token) || strings.Contains(message, password) || strings.Contains(message, caHash[:16]) {
					t.Errorf("the message shows the token: %s", message)
				}
			}
		})
	}
}

func TestValidateTokenFile(t *testing.T) {
	const want = "spec.k3s.x: Invalid value: must be an absolute path on the node, such as /etc/rancher/k3s/token, and not the token itself"

	check(t, "The default.", nil, ValidateTokenFile(DefaultTokenFile, at))

	for _, file := range []string{"", "token", "/etc/../x", "/etc/a b", "/etc/a\nb", "/", serverToken} {
		check(t, "One clean path.", []string{want}, ValidateTokenFile(file, at))
	}

	for _, file := range []string{"/tmp/token", "/run/token", "/var/lib/rancher/k3s/server/token"} {
		check(t, "K3s reads it at every start.",
			[]string{`spec.k3s.x: Invalid value: "` + file + `": must not be in a folder of K3s, or in a folder that is empty after a reboot, because K3s reads the token at every start`}, ValidateTokenFile(file, at))
	}
}

// The table is a copy: where the original is, they must be equal.
func TestKeyTableIsCurrent(t *testing.T) {
	want, err := os.ReadFile("../../../shared/k3s-config-keys.yaml")
	if os.IsNotExist(err) && os.Getenv("CI") != "true" {
		t.Skip("the original of the table is not here")
	}

	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(keyTable)); diff != "" {
		t.Errorf("config-keys.yaml: -original, +copy:\n%s", diff)
	}
}

func TestKeyTableIsSound(t *testing.T) {
	for name, key := range configKeys() {
		switch key.Type {
		case "string", "bool", "int", "duration", "list":
		default:
			t.Errorf("%s has the unknown type %q", name, key.Type)
		}

		for _, role := range key.Roles {
			if role != RoleServer && role != RoleAgent {
				t.Errorf("%s has the unknown role %q", name, role)
			}
		}

		if len(key.Roles) == 0 {
			t.Errorf("%s has no role", name)
		}
	}

	if len(configKeys()) < 100 {
		t.Errorf("the table has %d keys only", len(configKeys()))
	}
}
