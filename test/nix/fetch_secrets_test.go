package nix

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const secretsDir = "../../internal/secretstore/scripts"

// fetchSecrets is a host with what internal/secretstore/testdata/config.json has.
const fetchSecrets = keys + ` (flake.nixosModules.fetch-secrets) { services.fetch-secrets = {
	enable = true;
	address = "https://bao.home.arpa:8200";
	caCertificate = "-----BEGIN CERTIFICATE-----\n";
	namespace = "home";
	appRole.roleID = "role";
	files = {
		"/etc/myapp/password" = { secret = "app"; field = "password"; mode = "0640"; };
		"/etc/rancher/k3s/token" = { secret = "home"; field = "token"; };
	};
}; }`

// TestFetchSecrets has the module write the configuration that the function writes, and the same unit.
func TestFetchSecrets(t *testing.T) {
	type host struct {
		Config   string
		Program  string
		Command  string
		WantedBy []string
		Restarts bool
		Skipped  string
		Env      map[string]string
		Service  map[string]any
		Timer    map[string]any
		Failed   []string
	}

	got := must[host](t, fetchSecrets, `with flake.nixosConfigurations.dns01.config; {
		Config = environment.etc."machine-secrets/config.json".text;
		Program = builtins.elemAt (builtins.match ".*-I ([^ ]+)" systemd.services.fetch-secrets.serviceConfig.ExecStart) 0;
		Command = (builtins.head (builtins.filter (p: p.name == "fetch-secrets") environment.systemPackages)).text;
		WantedBy = systemd.services.fetch-secrets.wantedBy or [ ];
		Restarts = systemd.services.fetch-secrets.restartIfChanged;
		Skipped = systemd.services.fetch-secrets.unitConfig.ConditionPathExists;
		Env = systemd.services.fetch-secrets.environment;
		Service = systemd.services.fetch-secrets.serviceConfig;
		Timer = systemd.timers.fetch-secrets;
		Failed = map (a: a.message) (builtins.filter (a: !a.assertion) assertions);
	}`)

	var want, config map[string]any
	if err := json.Unmarshal([]byte(readFile(t, "../../internal/secretstore/testdata/config.json")), &want); err != nil {
		t.Fatal(err)
	}

	if err := json.Unmarshal([]byte(got.Config), &config); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("the program reads the file that the function writes: -want, +got:\n%s", diff)
	}

	if !strings.HasSuffix(got.Program, "-fetch-secrets") || !strings.HasPrefix(got.Command, "exec /nix/store/") || !strings.HasSuffix(got.Command, got.Program+` "$@"`) {
		t.Errorf("the unit starts %s, and the command is %s", got.Program, got.Command)
	}

	if len(got.WantedBy) != 0 || got.Restarts || len(got.Failed) != 0 {
		t.Errorf("an activation waits for the server, or ends a run: wanted by %v, restarts %t; assertions %v", got.WantedBy, got.Restarts, got.Failed)
	}

	if diff := cmp.Diff(map[string]any{"OnActiveSec": "5s"}, got.Timer["timerConfig"]); diff != "" || fmt.Sprint(got.Timer["wantedBy"]) != "[timers.target]" {
		t.Errorf("nothing starts the unit: %v\n%s", got.Timer, diff)
	}

	if len(got.Env) != 0 {
		t.Errorf("with an authority of its own the program reads none of the machine's: %v", got.Env)
	}

	unit := readFile(t, filepath.Join(secretsDir, "fetch-secrets.service"))
	if condition := setting(t, unit, "Unit", "ConditionPathExists"); condition != got.Skipped {
		t.Errorf("the unit is skipped by %s, want %s", got.Skipped, condition)
	}

	// Where the program is and what the system's proxies are differs, and nothing else.
	var service, injected []string

	for name, value := range got.Service {
		if b, ok := value.(bool); ok {
			value = map[bool]string{true: "yes", false: "no"}[b]
		}

		service = append(service, fmt.Sprintf("%s=%v", name, value))
	}

	injected = settings(unit, "Service")
	foreign := func(line string) bool {
		return strings.HasPrefix(line, "ExecStart=") || strings.HasPrefix(line, "EnvironmentFile=")
	}
	service, injected = slices.DeleteFunc(service, foreign), slices.DeleteFunc(injected, foreign)
	slices.Sort(service)
	slices.Sort(injected)

	if diff := cmp.Diff(injected, service); diff != "" {
		t.Errorf("the unit of the flake and that of a claim: -claim, +flake:\n%s", diff)
	}
}

func TestFetchSecretsMistakes(t *testing.T) {
	const unit = dns01 + `environment.etc."machine-secrets/config.json".text`

	cases := map[string]struct {
		reason  string
		options string
		want    string
	}{
		"Plain":     {"A secret goes over TLS alone.", `address = "http://bao:8200";`, "is not of type string matching https"},
		"NoRole":    {"The machine has to log in as somebody.", ``, "appRole.roleID' is used but not defined"},
		"NoField":   {"A secret has fields.", `appRole.roleID = "r"; files."/a".secret = "s";`, "field' is used but not defined"},
		"Mode":      {"Octal, as the program reads it.", `appRole.roleID = "r"; files."/a" = { secret = "s"; field = "f"; mode = "600"; };`, "is not of type string matching 0[0-7]"},
		"Misspelt":  {"A misspelt option must not be ignored.", `appRole.roleID = "r"; files."/a" = { secret = "s"; feld = "f"; };`, "feld' does not exist"},
		"SecretID":  {"A relative path is in nobody's folder.", `appRole.roleID = "r"; secretIDFile = "secret-id";`, "is not of type string matching /"},
		"Namespace": {"A namespace has a name.", `appRole.roleID = "r"; namespace = 1;`, "is not of type string"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var result any

			address := `address = "https://bao:8200"; `
			if strings.Contains(tc.options, "address") {
				address = ""
			}

			failure := evaluate(t, `(flake.nixosModules.fetch-secrets) { services.fetch-secrets = { enable = true; `+address+tc.options+` }; }`, unit, &result)
			if !strings.Contains(failure, tc.want) {
				t.Errorf("%s\nwant %q, got:\n%s", tc.reason, tc.want, failure)
			}
		})
	}

	messages := must[[]string](t, keys+` (flake.nixosModules.fetch-secrets) { services.fetch-secrets = { enable = true; files."etc/a" = { }; }; }`,
		"map (a: a.message) (builtins.filter (a: !a.assertion) "+dns01+"assertions)")
	if diff := cmp.Diff([]string{"services.fetch-secrets.files: a path starts with a slash, and does not end with one."}, messages); diff != "" {
		t.Errorf("a relative path: -want, +got:\n%s", diff)
	}
}
