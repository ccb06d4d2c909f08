package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestUnknown: what no command line of ours has is answered with what does the same here, in one line.
func TestUnknown(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Misspelt":   {"A letter is missing.", []string{"rendr"}, `unknown command "rendr": did you mean render?`},
		"Exchanged":  {"Two letters, and two commands are near.", []string{"lnit"}, `unknown command "lnit": did you mean init or lint?`},
		"Apply":      {"The habit of kubectl.", []string{"apply", "-f", "a.yaml"}, `unknown command "apply": ` + byKubectl},
		"List":       {"Another word is nearer by its letters.", []string{"list"}, `unknown command "list": did you mean get?`},
		"Case":       {"Nobody minds capitals.", []string{"Diff"}, `unknown command "Diff": did you mean plan?`},
		"Reboot":     {"A claim has it.", []string{"reboot", "dns01"}, `unknown command "reboot": ` + byClaim},
		"Nothing":    {"Nothing is near.", []string{"frobnicate"}, "unknown command \"frobnicate\": `kubectl machine --help` lists the commands"},
		"File":       {"The command was forgotten.", []string{"hello.yaml"}, `unknown command "hello.yaml": name the command first, and files with -f, such as lint -f hello.yaml`},
		"Flag":       {"It was forgotten before a flag, too.", []string{"-f", "hello.yaml"}, "unknown flag -f: name the command first, such as lint -f FILE"},
		"Capital":    {"A letter in another case.", []string{"render", "-F", "a.yaml"}, "unknown flag -F: did you mean -f?"},
		"Recursive":  {"kubectl reads the files of a folder alone.", []string{"lint", "-R", "-f", "."}, "unknown flag -R: leave it out: a folder of -f is read with everything below it"},
		"Kustomize":  {"kubectl has a flag for it.", []string{"lint", "-k", "."}, "unknown flag -k: -f takes the folder of a kustomization.yaml, too"},
		"InFile":     {"A claim has its namespace.", []string{"lint", "-n", "infra", "-f", "."}, "unknown flag -n: the namespace is that of each claim: metadata.namespace"},
		"OfFile":     {"why has a name, and no file.", []string{"why", "-f", "a.yaml"}, "unknown flag -f: why asks the cluster about one machine: write its name, such as why hello"},
		"OfFileLong": {"Nor under its name.", []string{"trace", "--file", "a.yaml"}, "unknown flag --file: trace asks the cluster about one machine: write its name, such as trace hello"},
		"DryRun":     {"Nothing is changed anyway.", []string{"render", "-f", "a.yaml", "--dry-run=client"}, "unknown flag --dry-run: leave it out: no command changes anything in the cluster or in Proxmox"},
		"LongDash":   {"A chat has made it of a hyphen.", []string{"lint", "—f", "a.yaml"}, `unexpected argument "—f" of lint: begins with the dash of a word processor: write -f`},
		"LongDashes": {"And of two.", []string{"lint", "-f", "a.yaml", "—strict"}, `unexpected argument "—strict" of lint: begins with the dash of a word processor: write --strict`},
		"Release":    {"A release of Proxmox has a dot.", []string{"privileges", "--catalogue", "a.yaml", "--proxmox", "pve8.4"}, `--proxmox "pve8.4": must be a whole number: write 8`},
		"Letter":     {"No flag has it.", []string{"lint", "-x"}, "unknown flag -x: `kubectl machine lint --help` lists the flags"},
		"NoValue":    {"The file was forgotten.", []string{"lint", "-f"}, "-f needs a value behind it: file, folder or https:// URL with claims and catalogues, or - for standard input"},
		"NoValueOf":  {"So was that of a long flag.", []string{"lint", "--flavour"}, "--flavour needs a value behind it: "},
		"Argument":   {"get lists all.", []string{"get", "pods"}, "unexpected argument \"pods\" of get: it takes flags only, which `kubectl machine get --help` lists; `kubectl machine why NAME` is about one machine"},
		"Number":     {"No word of a programming language's library.", []string{"rehearse", "-f", "a.yaml", "--step", "x"}, `--step "x": must be a whole number`},
		"Boolean":    {"yes is a word of YAML alone.", []string{"lint", "-f", "a.yaml", "--strict=yes"}, `--strict "yes": must be true or false, or left out`},
		"Duration":   {"Of forty what?", []string{"get", "-w", "--interval", "40"}, `--interval "40": must be whole seconds with their unit, such as 40s or 2m`},
		"Empty":      {"The variable was not set.", []string{"rehearse", "-f", "a.yaml", "--before", ""}, "--before is empty: write a value, or leave the flag out; "},
		"EmptyFile":  {"That of a list, too.", []string{"render", "-f", ""}, "--file is empty: "},
		"EmptyLong":  {"With an equals sign.", []string{"lint", "-f", "a.yaml", "--output="}, "--output is empty: "},
		"Twice":      {"What one has read, the other one misses.", []string{"plan", "-f", "-", "--observed", "-"}, "standard input, -, can be one file only, and --file and --observed name it\n"},
		"Clusters":   {"No cluster is asked.", []string{"rehearse", "-f", "a.yaml", "--before", "b.yaml", "--context", "home"}, "--before and --context exclude each other: with --before no cluster is asked\n"},
		"Kubeconfig": {"Nor with objects of a file.", []string{"why", "a", "--observed", "b.yaml", "--kubeconfig", "c"}, "--observed and --kubeconfig exclude each other: "},
		"OutputDir":  {"-o had no effect.", []string{"render", "-f", "a.yaml", "-o", "picture", "--output-dir", "x"}, "--output-dir and --output exclude each other: a folder gets YAML"},
		"Script":     {"--from had none.", []string{"init", "--script", "--from", "a.json"}, "--script and --from exclude each other: "},
		"Shell":      {"The help of completion was no completion.", []string{"completion", "bsh"}, `unknown shell "bsh" of completion: want one of bash, fish, powershell, zsh`},
		"TwoShells":  {"One at a time.", []string{"completion", "bash", "zsh"}, `unexpected argument "zsh" of bash: `},
		"Help":       {"There is no help about it.", []string{"help", "rendr"}, `unknown command "rendr": did you mean render?`},
		"TwoWords":   {"As kubectl get has it.", []string{"why", "machines.homelab.io", "web"}, "kind and name are one word: write why machine/web\n"},
		"TwoNames":   {"One machine has one story.", []string{"trace", "web", "db"}, "name one machine, such as kubectl machine trace dns01, and not web db\n"},
		"NoName":     {"The variable was not set.", []string{"why", ""}, `"" names no machine: write a name, such as dns01, or kind and name, such as machine/dns01`},
		"NoNameKind": {"Nor here.", []string{"why", "machine/"}, `"machine/" names no machine: write a name, such as dns01`},
		"Swapped":    {"The name came first.", []string{"why", "web/mc"}, `"web/mc" names no machine: the kind comes first: machine/web`},
		"Namespace":  {"Namespaces have a flag.", []string{"why", "infra/web"}, `"infra/web" names no machine: infra is none of the kinds machine, k3snode, container, k3scluster, proxmoxsite; if it is a namespace, write -n infra`},
		"Three":      {"All three in one word.", []string{"why", "machine/infra/web"}, `"machine/infra/web" names no machine: a namespace is named with -n: machine/web -n infra`},
		"NearlyKind": {"A letter is missing.", []string{"why", "machin/web"}, `"machin/web" names no machine: did you mean machine/web?`},
		"OneHyphen":  {"As kubectl never wrote it, and Terraform does.", []string{"render", "-filename", "a.yaml"}, "-filename of render: a flag of more than one letter begins with two hyphens: write --file\n"},
		"OneHyphenV": {"With its value.", []string{"plan", "-f", "a.yaml", "-output=json"}, "-output=json of plan: a flag of more than one letter begins with two hyphens: write --output\n"},
		"OneHyphenG": {"Of all commands.", []string{"lint", "-f", "a.yaml", "-color", "never"}, "-color of lint: a flag of more than one letter begins with two hyphens: write --color\n"},
		"Set":        {"The habit of Helm.", []string{"render", "-f", "a.yaml", "--set", "class=large"}, "unknown flag --set: a claim has all of its values itself: edit it, or have Kustomize patch it in the folder that -f names\n"},
		"Target":     {"And of Terraform.", []string{"plan", "--target", "web"}, "unknown flag --target: -f names the files that count\n"},
		"NoArgument": {"A file has a flag.", []string{"lint", "a.yaml"}, `unexpected argument "a.yaml" of lint: name files and folders with -f, such as lint -f a.yaml`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, _, said := runAt(t, "", tc.args...)
			if code != ExitUsage || !strings.HasPrefix(said, "kubectl machine: "+tc.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("%s: want %d and %q in one line, got %d and %q", tc.reason, ExitUsage, tc.want, code, said)
			}
		})
	}
}

// TestOtherCommands: each word of another command line leads to a command that there is, or to a sentence, and none is ours.
func TestOtherCommands(t *testing.T) {
	ours := map[string]bool{}
	for _, cmd := range Commands().Commands() {
		ours[cmd.Name()] = true
	}

	for word, here := range otherCommands {
		if ours[word] || !ours[here] && !strings.Contains(here, " ") {
			t.Errorf("%s: leads to %q", word, here)
		}
	}
}

// TestKindNamed: each name that kubectl has for a kind is one for why and trace, too.
func TestKindNamed(t *testing.T) {
	folder := filepath.Join("..", "..", "package-v2", "xrds")

	for _, kind := range claim.Kinds() {
		xrd, err := os.ReadFile(filepath.Join(folder, strings.ToLower(kind)+"s.yaml"))
		if err != nil {
			t.Fatal(err)
		}

		var read struct {
			Spec struct {
				Names struct {
					Plural, Singular string
					ShortNames       []string
				}
			}
		}
		if err := yaml.Unmarshal(xrd, &read); err != nil {
			t.Fatal(err)
		}

		is := read.Spec.Names
		for _, name := range slices.Concat(is.ShortNames, []string{is.Plural, is.Singular, kind, claim.Resource(kind), is.Plural + ".v1alpha1.homelab.io"}) {
			if got := kindNamed(name); got != kind {
				t.Errorf("kindNamed(%q): want %s, got %q", name, kind, got)
			}
		}
	}

	for name, want := range map[string]string{"xk3snodes": "XK3sNode", "machines.cluster.x-k8s.io": "", "mach": "", "machineset": "", "": ""} {
		if got := kindNamed(name); got != want {
			t.Errorf("kindNamed(%q): want %q, got %q", name, want, got)
		}
	}
}
