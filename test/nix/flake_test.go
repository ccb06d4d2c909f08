package nix

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

const (
	hosts = `(builtins.removeAttrs flake.nixosConfigurations [ "template" ])`
	keys  = `{ homelab.admin.authorizedKeys = [ "ssh-ed25519 AAAA ops" ]; }`
)

func TestParse(t *testing.T) {
	needTools(t, "nix-instantiate")

	files := nixFiles(t)
	if len(files) < 11 {
		t.Fatalf("only %v found", files)
	}

	if printed, err := exec.Command("nix-instantiate", append([]string{"--parse"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("not all files parse: %v\n%s", err, printed)
	}
}

// The scripts have to be in the flake, which is copied into somebody's repository, and in the function's binary.
func TestScriptsAreTheSame(t *testing.T) {
	for name, injected := range map[string]string{
		"nix-gitops-apply": readFile(t, filepath.Join(scriptsDir, "nix-gitops-apply")), "guest-report": guestreport.Script,
		"fetch-secrets": readFile(t, filepath.Join(secretsDir, "fetch-secrets.py")),
	} {
		if diff := cmp.Diff(injected, readFile(t, filepath.Join(flakeDir, "modules", name))); diff != "" {
			t.Errorf("copy %s of the function to example/nix/modules: -want, +got:\n%s", name, diff)
		}
	}
}

func TestHosts(t *testing.T) {
	type host struct {
		HostName, Address, Domain       string
		Unbound, Docker, Node, Resolved bool
		Ports                           []int
		Checks                          []string
	}

	want := map[string]host{
		"dns01": {
			HostName: "dns01", Address: "192.168.4.53/24", Domain: "home.arpa", Unbound: true, Node: true, Ports: []int{53},
			Checks: []string{
				"systemctl is-active --quiet unbound",
				`test "$(/nix/store/00000000000000000000000000000000-dnsutils/bin/dig +short +time=2 +tries=1 @127.0.0.1 dns01.home.arpa A)" = 192.168.4.53`,
			},
		},
		"docker01": {
			HostName: "docker01", Address: "192.168.4.54/24", Domain: "home.arpa", Docker: true, Node: true, Ports: []int{},
			Checks: []string{"systemctl is-active --quiet docker"},
		},
	}
	got := must[map[string]host](t, "", `builtins.mapAttrs (_: host: with host.config; {
		HostName = networking.hostName;
		Address = builtins.head systemd.network.networks."05-lan".address;
		Domain = networking.domain;
		Unbound = services.unbound.enable;
		Docker = virtualisation.docker.enable;
		Node = services.prometheus.exporters.node.enable;
		Resolved = services.resolved.enable;
		Ports = networking.firewall.allowedTCPPorts;
		Checks = services.nix-gitops.healthChecks;
	}) `+hosts)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// What a run reports is read by the node-exporter of every host that has one.
func TestNodeExporterReadsTheReport(t *testing.T) {
	folder := strings.TrimPrefix(filepath.Dir(metricsFile), "root")
	if script := readFile(t, filepath.Join(scriptsDir, "nix-gitops-apply")); !strings.Contains(script, "metrics=$root"+folder+"/") {
		t.Fatalf("the script does not write to %s", folder)
	}

	type host struct {
		Flags, Rules []string
	}

	for name, got := range must[map[string]host](t, "", `builtins.mapAttrs (_: host: with host.config; {
		Flags = services.prometheus.exporters.node.extraFlags; Rules = systemd.tmpfiles.rules; }) `+hosts) {
		want := host{Flags: []string{"--collector.textfile.directory=" + folder}, Rules: []string{"d " + folder + " 0755" + strings.Repeat(" root", 2) + " -"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: node-exporter must read a folder that is there, from its first start: -want, +got:\n%s", name, diff)
		}
	}
}

// Every host's directory is a configuration and every configuration a directory: a host that is in one place only would
// be a machine that cannot converge, or a file that does nothing.
func TestHostDirectories(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(flakeDir, "hosts/*/configuration.nix"))
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	for _, dir := range dirs {
		names = append(names, filepath.Base(filepath.Dir(dir)))
	}

	if diff := cmp.Diff(names, must[[]string](t, "", "builtins.attrNames "+hosts)); diff != "" {
		t.Errorf("hosts: -directories, +configurations:\n%s", diff)
	}
}

func TestEveryHost(t *testing.T) {
	t.Run("ImportsWhatItMust", func(t *testing.T) {
		want := []string{"base.nix", "converge.nix", "hardware-proxmox.nix"}
		got := must[map[string][]string](t, "", `builtins.mapAttrs (_: host:
			map baseNameOf (builtins.filter (module: builtins.typeOf module == "path" && dirOf module == `+absolute(t, flakeDir)+`/modules) host.modules)) `+hosts)

		for name, modules := range got {
			if diff := cmp.Diff(want, modules); diff != "" {
				t.Errorf("%s: without these a host cannot be reached, converge or boot: -want, +got:\n%s", name, diff)
			}
		}
	})

	t.Run("NeedsAKey", func(t *testing.T) {
		failed := `builtins.mapAttrs (_: host: map (a: a.message) (builtins.filter (a: !a.assertion) host.config.assertions)) ` + hosts

		for name, messages := range must[map[string][]string](t, "", failed) {
			want := []string{fmt.Sprintf("homelab.admin.authorizedKeys is empty: nobody could log in to %s.", name)}
			if diff := cmp.Diff(want, messages); diff != "" {
				t.Errorf("%s must not build before somebody put in a key: -want, +got:\n%s", name, diff)
			}
		}

		for name, messages := range must[map[string][]string](t, keys, failed) {
			if len(messages) != 0 {
				t.Errorf("%s with a key: %v", name, messages)
			}
		}
	})

	t.Run("ExportsEveryModule", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(flakeDir, "modules/*.nix"))
		if err != nil {
			t.Fatal(err)
		}

		want := map[string]string{}
		for _, file := range files {
			want[strings.TrimSuffix(filepath.Base(file), ".nix")] = absolute(t, file)
		}

		if diff := cmp.Diff(want, must[map[string]string](t, "", "builtins.mapAttrs (_: toString) flake.nixosModules")); diff != "" {
			t.Errorf("nixosModules: -want, +got:\n%s", diff)
		}
	})
}

// What the template and the hosts disagree about, a machine finds out at its next reboot.
func TestTemplateFitsHosts(t *testing.T) {
	hardware := func(name string) string {
		return `(with flake.nixosConfigurations.` + name + `.config; { inherit fileSystems; inherit (boot) growPartition;
			grub = removeAttrs boot.loader.grub [ "configurationLimit" ]; platform = nixpkgs.hostPlatform; agent = services.qemuGuest.enable; })`
	}

	want := must[map[string]any](t, "", hardware("template"))
	for _, name := range must[[]string](t, "", "builtins.attrNames "+hosts) {
		if diff := cmp.Diff(want, must[map[string]any](t, "", hardware(name))); diff != "" {
			t.Errorf("%s does not fit the disk that it is cloned from: -template, +host:\n%s", name, diff)
		}
	}
}

func TestTemplate(t *testing.T) {
	want := map[string]any{
		"hostName": "", "useDHCP": false, "networkd": true, "cloudInit": true, "cloudInitNetwork": true,
		"settings": map[string]any{
			"datasource_list": []any{"NoCloud", "None"}, "preserve_hostname": false, "ssh_deletekeys": false,
		},
		"sshd": true, "keysInHome": true, "passwords": false, "mutableUsers": true, "sudoAsks": false,
		"agent": true, "converges": true, "image": "vma", "table": "hybrid", "timeout": 0.0,
	}
	got := must[map[string]any](t, "", `with flake.nixosConfigurations.template.config; {
		inherit (networking) hostName useDHCP;
		networkd = networking.useNetworkd;
		cloudInit = services.cloud-init.enable;
		cloudInitNetwork = services.cloud-init.network.enable;
		settings = services.cloud-init.settings;
		sshd = services.openssh.enable;
		keysInHome = services.openssh.authorizedKeysInHomedir;
		passwords = services.openssh.settings.PasswordAuthentication;
		mutableUsers = users.mutableUsers;
		sudoAsks = security.sudo.wheelNeedsPassword;
		agent = services.qemuGuest.enable;
		converges = services.nix-gitops.enable;
		image = flake.packages.x86_64-linux.template.name;
		table = proxmox.partitionTableType;
		timeout = boot.loader.timeout;
	}`)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("without these cloud-init cannot make a machine of a clone: -want, +got:\n%s", diff)
	}
}
