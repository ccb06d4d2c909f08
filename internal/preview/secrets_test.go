package preview

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// TestDummyFor: the function finds the same faults in a dummy, and a dummy has no part of the content.
func TestDummyFor(t *testing.T) {
	hash := strings.Repeat("a1", 32)

	cases := map[string]struct {
		reason string
		value  string
		role   k3s.Role
	}{
		"Server":            {"a full token joins", "K10" + hash + "::server:hunter2hunter2", k3s.RoleServer},
		"Agent":             {"an agent's token joins agents", "K10" + hash + "::node:hunter2hunter2", k3s.RoleAgent},
		"AgentAsServer":     {"and no servers", "K10" + hash + "::node:hunter2hunter2", k3s.RoleServer},
		"OddUser":           {"a user that K3s does not have", "K10" + hash + "::hunter:hunter2hunter2", k3s.RoleAgent},
		"NoUser":            {"a full token without a user", "K10" + hash + "::hunter2hunter2", k3s.RoleAgent},
		"Short":             {"the first server makes its cluster's token of a short one", "hunter2hunter2hunter2", k3s.RoleInit},
		"ShortJoins":        {"a short one does not join", "hunter2hunter2hunter2", k3s.RoleServer},
		"FullInit":          {"a full one is none for a first server", "K10" + hash + "::server:hunter2hunter2", k3s.RoleInit},
		"TooShort":          {"a token that is too short stays so", "hunter2", k3s.RoleInit},
		"Placeholder":       {"a placeholder stays one", "<hunter2hunter2hunter2>", k3s.RoleServer},
		"LineEnd":           {"a line end is a fault", "hunter2hunter2hunter2\n", k3s.RoleInit},
		"Empty":             {"an empty token is one", "", k3s.RoleServer},
		"Bootstrap":         {"a bootstrap token alone", "hunter.hunter2hunter2hu", k3s.RoleInit},
		"BootstrapWithHash": {"a bootstrap token joins agents", "K10" + hash + "::hunter.hunter2hunter2hu", k3s.RoleAgent},
		"HalfHash":          {"a hash that is cut", "K10" + hash[:40] + "::server:hunter2hunter2", k3s.RoleServer},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := dummyFor("infra", "join", "token", tc.value)

			want, have := k3s.ValidateToken(tc.role, false, tc.value, nil), k3s.ValidateToken(tc.role, false, got, nil)
			if diff := cmp.Diff(want.ToAggregate(), have.ToAggregate(), cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() })); diff != "" {
				t.Errorf("%s: faults of the content and of the dummy %q: -want, +got:\n%s", tc.reason, got, diff)
			}

			for _, part := range []string{"hunter", hash[:8]} {
				if strings.Contains(got, part) {
					t.Errorf("%s: the dummy %q has a part of the content", tc.reason, got)
				}
			}
		})
	}
}

// renderedSecrets renders a claim of example/k3s-cluster with Secrets.
func rendered(t *testing.T, secrets string, standIns bool) Rendered {
	t.Helper()

	configuration, err := Load(FlavourClaims)
	if err != nil {
		t.Fatal(err)
	}

	claims, err := configuration.ReadClaims([]string{filepath.Join(repository, "example", "k3s-cluster", "agent-1.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}

	s, err := Files{Secrets: NoFile}.Story(t.Context(), claims[0])
	if err != nil {
		t.Fatal(err)
	}

	objects, err := readObjects(secrets)
	if err != nil {
		t.Fatal(err)
	}

	s.Required = append(s.Required, objects...)

	return Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true, StandIns: standIns}.Render(t.Context(), s)
}

// TestSecretsAreJudged: what the function refuses of a Secret is refused where a dummy stands for it, too, in the same words and without a part of it.
func TestSecretsAreJudged(t *testing.T) {
	cases := map[string]struct {
		reason string
		token  string
	}{
		"Words":    {"several words", "three words of hunter2hunter2"},
		"Letters":  {"letters that are not ASCII", "h\u00fcnter2hunter2hunter2"},
		"Lines":    {"two lines", "hunter2hunter2\nhunter3hunter2"},
		"Short":    {"too short", "hunter2"},
		"Empty":    {"nothing", ""},
		"Template": {"the words of an example", "<hunter2hunter2>"},
		"Half":     {"a full token that is cut off", "K10hunter2hunter2"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			secrets := "apiVersion: v1\nkind: Secret\nmetadata: {name: k3s-join-token, namespace: infra-machines}\nstringData: {token: \"" + strings.ReplaceAll(tc.token, "\n", "\\n") + "\"}\n" +
				"---\napiVersion: v1\nkind: Secret\nmetadata: {name: registry, namespace: infra-machines}\nstringData: {registries.yaml: \"auth: hunter2\"}\n"
			path := filepath.Join(writeTree(t, map[string]string{"s.yaml": secrets}), "s.yaml")
			shown, held := rendered(t, path, true).Err, rendered(t, path, false).Err

			if fmt.Sprint(shown) != fmt.Sprint(held) {
				t.Errorf("%s: with a dummy\n%v\nwith the Secret\n%v", tc.reason, shown, held)
			}

			if strings.Contains(fmt.Sprint(shown), "unter2") {
				t.Errorf("%s: a part of a Secret is shown: %v", tc.reason, shown)
			}
		})
	}
}

func renderedSecrets(t *testing.T, secrets string, standIns bool) string {
	t.Helper()

	got := rendered(t, secrets, standIns)
	if got.Err != nil {
		t.Fatal(got.Err)
	}

	b, err := got.YAML()
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// TestStandIns: nothing that is rendered has a part of a Secret, in whatever form it is given.
func TestStandIns(t *testing.T) {
	token := "K10" + strings.Repeat("ab", 32) + "::server:hunter2hunter2"
	encoded := base64.StdEncoding.EncodeToString([]byte(token))
	registry := "---\napiVersion: v1\nkind: Secret\nmetadata: {name: registry, namespace: infra-machines}\nstringData: {registries.yaml: \"auth: hunter2\"}\n"
	join := "apiVersion: v1\nkind: Secret\nmetadata: {name: k3s-join-token, namespace: infra-machines}\n"

	cases := map[string]struct {
		reason  string
		secrets string
		has     []string
	}{
		"Plain":   {"text as a person writes it", join + "stringData: {token: \"" + token + "\"}\n" + registry, []string{noClusterHash + "server:" + dummy + "infra-machines-k3s-join-token-token"}},
		"Encoded": {"data as a cluster has it", join + "data: {token: " + encoded + "}\n" + registry, []string{noClusterHash}},
		"Missing": {
			"a Secret that is not there has a dummy, and that is said", registry,
			[]string{noClusterHash + "server:", "# Secret infra-machines/k3s-join-token is not here: a dummy stands for its content.\n"},
		},
		"Encrypted": {
			"an encrypted Secret is not there", join + "stringData: {token: \"ENC[AES256_GCM,data:hunter2]\"}\nsops: {version: 3.13.2}\n" + registry,
			[]string{"# Secret infra-machines/k3s-join-token is not here"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := renderedSecrets(t, filepath.Join(writeTree(t, map[string]string{"s.yaml": tc.secrets}), "s.yaml"), true)

			for _, want := range tc.has {
				if !strings.Contains(got, want) {
					t.Errorf("%s: want %q in\n%s", tc.reason, want, got)
				}
			}

			for _, part := range []string{"hunter2", strings.Repeat("ab", 8), encoded[:20]} {
				if strings.Contains(got, part) {
					t.Errorf("%s: a part of a Secret is shown: %q", tc.reason, part)
				}
			}
		})
	}

	// The test can fail: with the real content it is there.
	secrets := filepath.Join(writeTree(t, map[string]string{"s.yaml": join + "stringData: {token: \"" + token + "\"}\n" + registry}), "s.yaml")
	if got := renderedSecrets(t, secrets, false); !strings.Contains(got, "hunter2hunter2") {
		t.Error("the real content is not rendered where it is asked for")
	}
}

// TestMask: what is shown of a machine that lives has no part of a Secret either.
func TestMask(t *testing.T) {
	token := "K10" + strings.Repeat("ab", 32) + "::server:hunter2hunter2"
	r := Rendered{Turn: Turn{Composite: object(t, "{kind: XK3sNode, spec: {text: short-hunter2}}")}}
	r.Turn.Composed = append(r.Turn.Composed, object(t, "{kind: EnvironmentFile, spec: {forProvider: {sourceRaw: [{data: \"token: "+token+"\\nauth: hunter2 \\\\ x\"}]}}}"))

	r.Mask(append(r.Turn.Composed, object(t, "{kind: Secret, stringData: {a: \"auth: hunter2 \\\\ x\\n{\\n\", b: short-hunter2}}")))

	b, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}

	if got := string(b); strings.Contains(got, "hunter2") || strings.Count(got, masked) != 3 || !strings.Contains(got, "token: ") {
		t.Errorf("want the token, the line and the text masked, got\n%s", got)
	}
}
