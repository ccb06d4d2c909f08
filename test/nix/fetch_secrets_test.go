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

	sameSettings(t, got.Service, settings(unit, "Service"))
}

// TestFetchSecretsRefresh has the module write the configuration and the units of a machine that logs in with a certificate, as the function does.
func TestFetchSecretsRefresh(t *testing.T) {
	const tls = `enable = true;
		address = "https://bao.home.arpa:8200";
		caCertificate = "-----BEGIN CERTIFICATE-----\n";
		namespace = "home";
		tls.role = "web";
		refresh = "1h30m";
		files = {
			"/etc/myapp/password" = { secret = "app"; field = "password"; mode = "0640"; restart = [ "myapp.service" ]; };
			"/etc/rancher/k3s/token" = { secret = "home"; field = "token"; };
		};`

	type host struct {
		Config  string
		Env     map[string]string
		Service map[string]any
		Timer   map[string]any
		Failed  []string
	}

	// The file of the token is one of K3s, or somebody says that it is to be written once.
	for _, once := range []string{
		`({ lib, ... }: { options.services.k3s.tokenFile = lib.mkOption { type = lib.types.str; default = "/etc/rancher/k3s/token"; }; })`,
		`{ services.fetch-secrets.files."/etc/rancher/k3s/token".once = true; }`,
	} {
		got := must[host](t, keys+` (flake.nixosModules.fetch-secrets) `+once+` { services.fetch-secrets = {`+tls+`}; }`, `with flake.nixosConfigurations.dns01.config; {
			Config = environment.etc."machine-secrets/config.json".text;
			Env = systemd.services.fetch-secrets-refresh.environment;
			Service = systemd.services.fetch-secrets-refresh.serviceConfig;
			Timer = systemd.timers.fetch-secrets-refresh.timerConfig;
			Failed = map (a: a.message) (builtins.filter (a: !a.assertion) assertions);
		}`)

		var want, config map[string]any
		if err := json.Unmarshal([]byte(strings.Replace(readFile(t, "../../internal/secretstore/testdata/config-tls.json"), "1h30m0s", "1h30m", 1)), &want); err != nil {
			t.Fatal(err)
		}

		if err := json.Unmarshal([]byte(got.Config), &config); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want, config); diff != "" {
			t.Errorf("the program reads the file that the function writes: -want, +got:\n%s", diff)
		}

		if len(got.Failed) != 0 || len(got.Env) != 0 || !strings.HasSuffix(fmt.Sprint(got.Service["ExecStart"]), "-fetch-secrets refresh") {
			t.Errorf("assertions %v, environment %v, command %v", got.Failed, got.Env, got.Service["ExecStart"])
		}

		sameSettings(t, got.Service, settings(readFile(t, filepath.Join(secretsDir, "fetch-secrets-refresh.service")), "Service"))
		sameSettings(t, got.Timer, settings(readFile(t, "../../internal/secretstore/testdata/fetch-secrets-refresh.timer"), "Timer"))
	}
}

// sameSettings holds a unit of the flake against that of a claim: where the program is and what the system's proxies are differs, and nothing else.
func sameSettings(t *testing.T, module map[string]any, injected []string) {
	t.Helper()

	var got []string

	for name, value := range module {
		if b, ok := value.(bool); ok {
			value = map[bool]string{true: "yes", false: "no"}[b]
		}

		got = append(got, fmt.Sprintf("%s=%v", name, value))
	}

	foreign := func(line string) bool {
		return strings.HasPrefix(line, "ExecStart=") || strings.HasPrefix(line, "EnvironmentFile=")
	}
	got, injected = slices.DeleteFunc(got, foreign), slices.DeleteFunc(injected, foreign)
	slices.Sort(got)
	slices.Sort(injected)

	if diff := cmp.Diff(injected, got); diff != "" {
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
		"Role":      {"It is one word.", `appRole.roleID = "a b";`, "is not of type"},
		"Unit":      {"A unit has a name.", `tls = { }; refresh = "12h"; files."/a" = { secret = "s"; field = "f"; restart = [ "app" ]; };`, "is not of type list of string matching"},
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

	const file = `files."/etc/a" = { secret = "s"; field = "f"; `

	for options, want := range map[string]string{
		`appRole.roleID = "r"; files."etc/a" = { };`: "files: a path starts with a slash, and does not end with one.",
		file + `};`: " needs exactly one of appRole.roleID and tls.",
		`appRole.roleID = "r"; tls = { }; ` + file + `};`:       " needs exactly one of appRole.roleID and tls.",
		`appRole.roleID = "r"; refresh = "12h"; ` + file + `};`: "refresh needs tls: a secret id that was wrapped, or can be used once, is used up after the first fetch.",
		`tls = { }; refresh = "4m"; ` + file + `};`:             "refresh must be hours and minutes, from 5m to 720h, such as 12h.",
		`tls = { }; refresh = "daily"; ` + file + `};`:          "refresh must be hours and minutes, from 5m to 720h, such as 12h.",
		`tls = { }; ` + file + `restart = [ "a.service" ]; };`:  "files: restart needs refresh.",
		`tls = { }; refresh = "12h"; ` + file + `restart = [ "k3s.service" ]; };`: "files: restart takes at most 4 services, and neither those of K3s nor what fetches secrets: " +
			"the secret store would choose the time, for all servers of a cluster.",
	} {
		messages := must[[]string](t, keys+` (flake.nixosModules.fetch-secrets) { services.fetch-secrets = { enable = true; `+options+` }; }`,
			"map (a: a.message) (builtins.filter (a: !a.assertion) "+dns01+"assertions)")
		if len(messages) != 1 || !strings.HasSuffix(messages[0], want) {
			t.Errorf("%s\nwant %q, got %q", options, want, messages)
		}
	}
}
