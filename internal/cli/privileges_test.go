package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPrivileges(t *testing.T) {
	const (
		head  = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\n"
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a}\nspec: {proxmox: {pool: infra}}\n"
		whole = `"/vms":{"VM.Allocate":1,"VM.Audit":1,"VM.Config.CDROM":1,"VM.Config.CPU":1,"VM.Config.Cloudinit":1,"VM.Config.Disk":1,"VM.Config.HWType":1,` +
			`"VM.Config.Memory":1,"VM.Config.Network":1,"VM.Config.Options":1,"VM.GuestAgent.Audit":1,"VM.PowerMgmt":1},"/nodes":{"Sys.AccessNetwork":1},` +
			`"/sdn/zones/localnetwork":{"SDN.Use":1},"/storage/local":{"Datastore.Allocate":1,"Datastore.AllocateTemplate":1,"Datastore.Audit":1}`
	)

	files := writeTree(t, map[string]string{
		"catalogue.yaml": head + "data: {sites: {home: {nodes: {pve: {datastores: {disks: tank}}}}}}\n",
		"several/range.yaml": head + "data: {sites: {home: {vmIds: {from: 4000, to: 4999}, nodes: {pve: {datastores: {disks: tank}}}}, attic: {vmIds: {from: 6000, to: 6099}}, " +
			"lab: {providerConfig: lab, vmIds: {from: 900, to: 999}}}}\n",
		"bounds.json": `{"next-id": {"lower": "100", "upper": "4000"}}`, "unset.json": "{}",
		"several/two.yaml":    head + "data: {defaults: {site: home}, sites: {home: {}, lab: {nodes: {pve9: {datastores: {disks: ceph}}}}}}\n",
		"several/faulty.yaml": head + "data: {sites: {home: {node: {}}}}\n",
		"several/shell.yaml":  head + "data: {sites: {home: {nodes: {pve: {datastores: {disks: 'a; reboot'}}}}}}\n",
		"a.yaml":              claim, "wrong.yaml": strings.Replace(claim, "pool", "pol", 1),
		"one/a.yaml": claim, "one/catalogue.yaml": head + "data: {sites: {one: {}}}\n",
		"other/a.yaml": strings.Replace(claim, "name: a", "name: b", 1), "other/catalogue.yaml": head + "data: {sites: {other: {}}}\n",
		"catalogues/x.yaml": head + "data: {sites: {folder: {}}}\n", "none.yaml": "kind: Namespace\napiVersion: v1\nmetadata: {name: x}\n",
		"whole.json": "{" + whole + `,"/storage/tank":{"Datastore.AllocateSpace":1,"Datastore.Audit":1}}`, "empty.json": "{}", "table.txt": "ACL path",
	})
	in := func(name string) string { return filepath.Join(files, name) }

	cases := map[string]struct {
		reason string
		args   []string
		stdin  string
		code   ExitCode
		out    []string
		not    []string
		err    string
	}{
		"Catalogue": {
			reason: "The datastores of the catalogue, and what a claim could use.", args: []string{"--catalogue", in("catalogue.yaml")},
			out: []string{"at site home, for Proxmox VE 9", "\npveum acl modify /storage/tank --users crossplane@pve --roles CrossplaneDisks\n", "\n# pveum acl modify /pool/<pool> "},
			not: []string{"local-lvm", "\npveum acl modify /pool"},
		},
		"Claims": {
			reason: "What a claim uses is no comment; the catalogue is the one beside it.", args: []string{"-f", in("a.yaml")},
			out: []string{"/storage/tank", "\npveum acl modify /pool/infra --users crossplane@pve --roles CrossplanePools\n"}, not: []string{"<pool>"},
		},
		"Stdin": {reason: "A claim from another program.", args: []string{"-f", "-", "--catalogue", in("catalogue.yaml")}, stdin: claim, out: []string{"/pool/infra"}},
		"Pool":  {reason: "A pool without a claim.", args: []string{"--catalogue", in("catalogue.yaml"), "--pool", "k3s,dns"}, out: []string{"\npveum acl modify /pool/k3s ", "\npveum acl modify /pool/dns "}},
		"None":  {reason: "The built-in catalogue alone.", args: []string{"--catalogue", "none"}, out: []string{"crossplane@pve!provider, for Proxmox VE 9", "/storage/local-lvm "}},
		"Folder": {
			reason: "The catalogue of a folder.", args: []string{"--catalogue", in("catalogues")}, out: []string{"at site folder,"},
		},
		"Eight": {reason: "Another version.", args: []string{"--catalogue", "none", "--proxmox", "8"}, out: []string{"VM.Monitor"}, not: []string{"VM.GuestAgent.Audit"}},
		"Token": {
			reason: "Another token, with privileges of its own.", args: []string{"--catalogue", "none", "--token", "git@pam!machines", "--privsep"},
			out: []string{"pveum user add git@pam ", "pveum user token add git@pam machines --privsep 1\n", "--users git@pam --tokens 'git@pam!machines' --roles"}, not: []string{"crossplane@pve"},
		},
		"Sites": {reason: "Each site has a token of its own.", args: []string{"--catalogue", in("several/two.yaml")}, out: []string{"at site home,", "\n\n# Privileges of the API token crossplane@pve!provider at site lab,"}},
		"Site":  {reason: "One of them.", args: []string{"--catalogue", in("several/two.yaml"), "--site", "lab"}, out: []string{"/storage/ceph"}, not: []string{"at site home"}},

		"Enough": {
			reason: "A token that has what it needs.", args: []string{"--catalogue", in("catalogue.yaml"), "--check", in("whole.json")},
			out: []string{"The token has every privilege that it needs.\n"}, not: []string{" on ", "pveum"},
		},
		"TooWeak": {
			reason: "A token that is too weak, and has more than it needs.", args: []string{"--catalogue", in("catalogue.yaml"), "--check", "-"},
			stdin: "{" + whole + `,"/access":{"User.Modify":1}}`, code: ExitFound,
			out: []string{"missing on /storage/tank: Datastore.AllocateSpace, Datastore.Audit (for disks)\nnot needed on /access: User.Modify\nTo do: run what `kubectl machine privileges` prints"},
		},
		"NoToken": {
			reason: "Proxmox answers so if there is no such token.", args: []string{"--catalogue", "none", "--check", in("empty.json")}, code: ExitFound,
			out: []string{"The token has no privileges at all: is there a token of this name?"},
		},

		"Range": {
			reason: "Of all sites in one Proxmox.", args: []string{"--catalogue", in("several/range.yaml"), "--site", "home"},
			out: []string{"no VMID of 4000-4999, 6000-6099 (vmIds of the catalogue)", "\n# pvesh set /cluster/options --next-id lower=6100,upper=1000000\n"}, not: []string{"\npvesh", "900"},
		},
		"NoOptions": {
			reason: "What is not known is not checked.", args: []string{"--catalogue", in("several/range.yaml"), "--site", "home", "--check", in("whole.json")},
			out: []string{"not checked without --options: next-id. ", "pvesh set /cluster/options --next-id lower=6100,upper=1000000\n"},
		},
		"Options": {
			reason: "Proxmox proposes none of them.", args: []string{"--catalogue", in("several/range.yaml"), "--site", "home", "--check", in("whole.json"), "--options", in("bounds.json")},
			out: []string{"next-id: Proxmox proposes no VMID of 4000-4999, 6000-6099 for a VM that a person makes.\n"},
		},
		"OptionsUnset": {
			reason: "Proxmox proposes all that are free.", args: []string{"--catalogue", in("several/range.yaml"), "--site", "home", "--check", in("whole.json"), "--options", in("unset.json")},
			code: ExitFound, out: []string{"next-id: Proxmox proposes VMIDs from 100 to 999999", "pvesh set /cluster/options --next-id lower=6100,upper=1000000\n"},
		},
		"OptionsAlone":   {reason: "They are a part of the check.", args: []string{"--catalogue", "none", "--options", in("unset.json")}, code: ExitUsage, err: "--options is for --check"},
		"OptionsOfTable": {reason: "Without --output-format json.", args: []string{"--catalogue", "none", "--check", in("whole.json"), "--options", in("table.txt")}, code: ExitFailed, err: "--output-format json"},

		"CheckOfTable":     {reason: "Without --output-format json.", args: []string{"--catalogue", "none", "--check", in("table.txt")}, code: ExitFailed, err: "--output-format json"},
		"CheckOfNothing":   {reason: "A file that is not there.", args: []string{"--catalogue", "none", "--check", in("gone")}, code: ExitFailed, err: "cannot read file"},
		"CheckOfSites":     {reason: "The file is of one Proxmox.", args: []string{"--catalogue", in("several/two.yaml"), "--check", in("whole.json")}, code: ExitUsage, err: "name one with --site"},
		"PoolOfSites":      {reason: "A pool is in one Proxmox.", args: []string{"--catalogue", in("several/two.yaml"), "--pool", "a"}, code: ExitUsage, err: "name one with --site"},
		"UnknownSite":      {reason: "A site that there is none of.", args: []string{"--catalogue", in("several/two.yaml"), "--site", "hom"}, code: ExitUsage, err: "home"},
		"UnknownProxmox":   {reason: "A version that nobody knows.", args: []string{"--catalogue", "none", "--proxmox", "7"}, code: ExitUsage, err: "want 8 or 9"},
		"NoTokenID":        {reason: "A user is no token.", args: []string{"--catalogue", "none", "--token", "crossplane@pve"}, code: ExitUsage, err: "user@realm!name"},
		"Argument":         {reason: "There is nothing to name.", args: []string{"home"}, code: ExitUsage, err: "unexpected argument"},
		"TwoStdins":        {reason: "Standard input can be read once.", args: []string{"-f", "-", "--check", "-"}, code: ExitUsage, err: "one file only"},
		"FaultyCatalogue":  {reason: "A fault of the catalogue has its path.", args: []string{"--catalogue", in("several/faulty.yaml")}, code: ExitFailed, err: "data.sites.home.node"},
		"NoCatalogue":      {reason: "A file without a catalogue.", args: []string{"--catalogue", in("none.yaml")}, code: ExitFailed, err: "there is no catalogue"},
		"Shell":            {reason: "A name never reaches the shell of root.", args: []string{"--catalogue", in("several/shell.yaml")}, code: ExitFailed, err: `"a; reboot" is no name`},
		"PoolForTheShell":  {reason: "Nor does that of a flag.", args: []string{"--catalogue", "none", "--pool", "$(reboot)"}, code: ExitFailed, err: "is no name"},
		"WrongClaim":       {reason: "A claim with a fault.", args: []string{"-f", in("wrong.yaml")}, code: ExitFailed, err: "did you mean spec.proxmox.pool?"},
		"SeveralCatalogue": {reason: "Nobody knows which of two catalogues it is.", args: []string{"-f", in("one"), "-f", in("other")}, code: ExitFailed, err: "2 different catalogues"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", "") // Nobody's kubectl.

			code, out, err := runAt(t, tc.stdin, append([]string{"privileges"}, tc.args...)...)
			if code != tc.code || !strings.Contains(err, tc.err) || tc.err == "" && err != "" {
				t.Errorf("%s: ends with %d and %q; want %d and %q", tc.reason, code, err, tc.code, tc.err)
			}

			for _, want := range tc.out {
				if !strings.Contains(out, want) {
					t.Errorf("%s: want %q in:\n%s", tc.reason, want, out)
				}
			}

			for _, no := range tc.not {
				if strings.Contains(out, no) {
					t.Errorf("%s: want no %q in:\n%s", tc.reason, no, out)
				}
			}

			if tc.err != "" && out != "" {
				t.Errorf("%s: prints something beside the error:\n%s", tc.reason, out)
			}
		})
	}
}

// TestPrivilegesOfACluster: the catalogue of the cluster, through kubectl, which reads nothing else.
func TestPrivilegesOfACluster(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"cluster.yaml": "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {sites: {home: {nodes: {pve1: {datastores: {disks: tank}}}}}}\n",
	})
	pretendKubectl(t, filepath.Join(dir, "calls"), filepath.Join(dir, "cluster.yaml"))

	got := call(t, "", "privileges")
	if got.code != ExitOK || !strings.Contains(got.stdout, "\npveum acl modify /storage/tank ") {
		t.Errorf("got %+v", got)
	}

	t.Setenv("PATH", "")

	if got := call(t, "", "privileges"); got.code != ExitFailed || !strings.Contains(got.stderr, "--catalogue") {
		t.Errorf("without kubectl: got %+v", got)
	}
}
