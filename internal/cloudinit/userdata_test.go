package cloudinit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var userData = field.NewPath("spec", "bootstrap", "userData")

// messages returns faults as a person reads them.
func messages(list field.ErrorList) []string {
	var out []string
	for _, fault := range list {
		out = append(out, strings.TrimPrefix(fault.Error(), "spec.bootstrap.userData: "))
	}

	return out
}

// doubleKeys are the faults of a text that has nothing but the same key on every line.
func doubleKeys(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("Invalid value: line %d: has a duplicate key; the first is on line 2", i+3))
	}

	return out
}

func TestParseUserDataRefuses(t *testing.T) {
	const secret = "; it would be in plain text in Git, in the cluster's database and on the Proxmox node; put it into a snippet on the node instead"

	cases := map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"Empty": {
			"Cloud-init would not know what it is.", "",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found none, or another format of user-data; only cloud-config can be merged)`},
		},
		"Script": {
			"A shell script is user-data, but it cannot be merged.", "#!/bin/sh\nls\n",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found a script: write it as an item of runcmd, or into a file of write_files that runcmd runs; only cloud-config can be merged)`},
		},
		"Archive": {
			"An archive starts with nearly the same line.", "#cloud-config-archive\n- x\n",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found an archive: write its parts as one cloud-config; only cloud-config can be merged)`},
		},
		"Blank": {
			"cloud-init compares every letter.", "# cloud-config\na: 1\n",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found one that is nearly so: cloud-init compares every letter; only cloud-config can be merged)`},
		},
		"Jinja": {
			"Nobody fills it in.", "## template: jinja\n#cloud-config\na: 1\n",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found a template of Jinja, which nobody fills in here: write what it comes to; only cloud-config can be merged)`},
		},
		"Comment": {
			"The first line is the first one.", "# for dns01\n#cloud-config\na: 1\n",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found another comment: move it below the first line; only cloud-config can be merged)`},
		},
		"FileName": {
			"Nobody reads a file of the repository.", "./user-data.yaml",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found the name of a file, and nobody reads it: write what is in the file, or place it ` +
				`on the node and name it in bootstrap.snippets.userData; only cloud-config can be merged)`},
		},
		"BlankFirst": {
			"Cloud-init looks at the first line only.", "\n#cloud-config\na: 1\n",
			[]string{`Invalid value: line 1: the first line must be "#cloud-config" (found none, or another format of user-data; only cloud-config can be merged)`},
		},
		"NotUTF8": {
			"Bytes that are no text cannot be in a claim.", "#cloud-config\na: \xff\n",
			[]string{"Invalid value: must be UTF-8 text"},
		},
		"List": {
			"Keys are asked for.", "#cloud-config\n- a\n",
			[]string{"Invalid value: line 2: must be a mapping of cloud-config keys, found a list"},
		},
		"Word": {
			"Keys are asked for.", "#cloud-config\nhello\n",
			[]string{"Invalid value: line 2: must be a mapping of cloud-config keys, found a single value"},
		},
		"Syntax": {
			"The library's own words, with its line.", "#cloud-config\na: [1\nb: 2\n",
			[]string{"Invalid value: is not valid YAML near line 1: did not find expected ',' or ']'"},
		},
		"UnknownAlias": {
			"The library would quote a name from the text.", "#cloud-config\na: *hunter2\n",
			[]string{"Invalid value: is not valid YAML: an alias without an anchor, or an unknown tag"},
		},
		"SecondDocument": {
			"Cloud-init would fail on it.", "#cloud-config\na: 1\n---\nb: 2\n",
			[]string{"Invalid value: must be one YAML document, without a second document after '---'"},
		},
		"DoubleKeys": {
			"Readers differ in which one wins; both places are named, at every depth.",
			"#cloud-config\nlocale: a\nlocale: b\nntp:\n  servers: []\n  \"servers\": [x]\n",
			[]string{
				"Invalid value: line 3: has a duplicate key; the first is on line 2",
				"Invalid value: line 6: has a duplicate key; the first is on line 5",
			},
		},
		"MergeKey": {
			"A merge could carry in a key that is not allowed.", "#cloud-config\nx: &x {hostname: y}\n<<: *x\n",
			[]string{"Invalid value: line 3: has a merge key (<<); write the keys themselves"},
		},
		"Tag": {
			"Tags are code to some readers.", "#cloud-config\na: !!python/object/apply:os.system [ls]\n",
			[]string{
				"Invalid value: line 2: has an explicit YAML tag; only !!str and !!binary can be used",
			},
		},
		"Binary": {
			"Cloud-init could not read the document.", "#cloud-config\na: !!binary x\n",
			[]string{"Invalid value: line 2: has a !!binary value that is not base64"},
		},
		"PythonNumbers": {
			"PyYAML takes these for dates and numbers, and fails.", "#cloud-config\na: 2025-13-01\nb: 0000-01-01\nc: =\nd: 0x_\ne: [-0b_, <<]\nf: {2025-99-99: 1}\ng: " + strings.Repeat("1", 5000) + "\n",
			[]string{
				"Invalid value: line 2: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 3: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 4: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 5: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 6: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 6: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 7: has an unquoted value that cloud-init cannot read; put it in quotes",
				"Invalid value: line 8: has an unquoted value that cloud-init cannot read; put it in quotes",
			},
		},
		"ComplexKey": {
			"A list is no name.", "#cloud-config\n? [a, b]\n: 1\n",
			[]string{"Invalid value: line 2: has a key that is not plain text"},
		},
		"NumberKey": {
			"No top-level key is a number, a boolean or nothing.", "#cloud-config\n1: a\ntrue: b\n~: c\n",
			[]string{
				"Invalid value: line 2: has a key that is not text",
				"Invalid value: line 3: has a key that is not text",
				"Invalid value: line 4: has a key that is not text",
			},
		},
		"LoopOfAliases": {
			"A value cannot be inside itself.", "#cloud-config\na: &a [*a]\n",
			[]string{"Invalid value: line 2: has an alias inside its own anchor"},
		},
		"Bomb": {
			"Aliases of aliases multiply.",
			"#cloud-config\na: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
				"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
			[]string{"Invalid value: line 2: contains more than 50000 values after resolving its aliases"},
		},
		"Deep": {
			"Nothing of cloud-init is that deep.", "#cloud-config\na: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "\n",
			[]string{"Invalid value: line 2: is nested deeper than 64 levels"},
		},
		"Token": {
			"A join token is the key to the cluster. A comment is stored, too.",
			"#cloud-config\n# " + k3sToken + "\nwrite_files:\n- path: /x\n  content: |\n    a\n    token: " + k3sToken + "\n",
			[]string{"Forbidden: line 2: contains a K3s token" + secret, "Forbidden: line 7: contains a K3s token" + secret},
		},
		"TokenEscaped": {
			"An escape does not hide it.", "#cloud-config\nwrite_files:\n- path: /x\n  content: \"\\x4b10" + k3sToken[3:] + "\"\n",
			[]string{"Forbidden: line 4: write_files[0].content contains a K3s token" + secret},
		},
		"TokenEncoded": {
			"Nor does an encoding.",
			"#cloud-config\nwrite_files:\n- path: /x\n  encoding: b64\n  content: " + base64Of(k3sToken) + "\n- path: /y\n  content: !!binary " + base64Of(k3sToken) +
				"\n- path: /z\n  encoding: gz+b64\n  content: " + base64Of(gzipOf(k3sToken)) + "\n",
			[]string{
				"Forbidden: line 5: write_files[0].content contains a K3s token" + secret,
				"Forbidden: line 7: write_files[1].content contains a K3s token" + secret,
				"Forbidden: line 10: write_files[2].content contains a K3s token" + secret,
			},
		},
		"TokenAsKey": {
			"Nor does its place.", "#cloud-config\nx:\n  \"\\x4b10" + k3sToken[3:] + "\": {y: \"\\x4b10" + k3sToken[3:] + "\"}\n",
			[]string{"Forbidden: line 3: x contains a K3s token" + secret, "Forbidden: line 3: x.....y contains a K3s token" + secret},
		},
		"TokenVariable": {
			"The installer's variable with a literal value.", "#cloud-config\nruncmd:\n- curl -sfL https://get.k3s.io | K3S_TOKEN=hunter2 sh -\n",
			[]string{"Forbidden: line 3: contains a K3s token" + secret},
		},
		"PrivateKey": {
			"A private key.", "#cloud-config\nssh_keys:\n  ed25519_private: |\n    " + pemKey + "\n    abc\n",
			[]string{"Forbidden: line 4: contains a private key" + secret},
		},
		"AgeKey": {
			"A key of age or SOPS.", "#cloud-config\nx: " + ageKeyOf + "\n",
			[]string{"Forbidden: line 2: contains an age private key" + secret},
		},
		"Password": {
			"The default user's password.", "#cloud-config\npassword: hunter2\n",
			[]string{"Forbidden: line 2: password: a plain-text password; use users with hashed_passwd, or SSH keys"},
		},
		"PlainTextPasswd": {
			"In both spellings.", "#cloud-config\nusers:\n- name: a\n  plain_text_passwd: hunter2\n- name: b\n  plain-text-passwd: hunter2\n",
			[]string{
				"Forbidden: line 4: users[0].plain_text_passwd: a plain-text password; use hashed_passwd (mkpasswd --method=yescrypt)",
				"Forbidden: line 6: users[1].plain-text-passwd: a plain-text password; use hashed_passwd (mkpasswd --method=yescrypt)",
			},
		},
		"Passwd": {
			"What is no hash may be a password.", "#cloud-config\nusers:\n- name: a\n  passwd: hunter2\n- name: b\n  hashed_passwd: hunter2\n",
			[]string{
				"Forbidden: line 4: users[0].passwd: not a password hash ($6$..., $y$...), so perhaps a plain-text password",
				"Forbidden: line 6: users[1].hashed_passwd: not a password hash ($6$..., $y$...), so perhaps a plain-text password",
			},
		},
		"Chpasswd": {
			"All three forms of the key.", "#cloud-config\nchpasswd:\n  users:\n  - {name: a, password: hunter2, type: text}\n  - {name: b, password: hunter2}\n  list: |\n    a:R\n    b:hunter2\n    c:hunter2\n",
			[]string{
				"Forbidden: line 4: chpasswd.users[0].password: a plain-text password; only hashes ($6$...) can be used",
				"Forbidden: line 5: chpasswd.users[1].password: a plain-text password; only hashes ($6$...) can be used",
				"Forbidden: line 6: chpasswd.list: a plain-text password; only hashes ($6$...) can be used",
			},
		},
		"ChpasswdList": {
			"The list of strings.", "#cloud-config\nchpasswd: {list: ['a:RANDOM', 'b:hunter2', 'c:$6$x$y']}\n",
			[]string{"Forbidden: line 2: chpasswd.list: a plain-text password; only hashes ($6$...) can be used"},
		},
		"AllAtOnce": {
			"One round is enough to see every fault.", "#cloud-config\npassword: hunter2\na: !x y\na: 1\nb: " + k3sToken + "\n",
			[]string{
				"Forbidden: line 5: contains a K3s token" + secret,
				"Invalid value: line 3: has an explicit YAML tag; only !!str and !!binary can be used",
				"Invalid value: line 4: has a duplicate key; the first is on line 3",
				"Forbidden: line 2: password: a plain-text password; use users with hashed_passwd, or SSH keys",
			},
		},
		"Many": {
			"A message has to fit into a condition.", "#cloud-config\n" + strings.Repeat("a: 1\n", 30),
			append(doubleKeys(20), "Invalid value: has more faults"),
		},
		"WindowsLineEnds": {
			"Lines are counted the same.", "#cloud-config\r\na: 1\r\na: 2\r\n",
			[]string{"Invalid value: line 3: has a duplicate key; the first is on line 2"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			extra, faults := ParseUserData(tc.text, userData)
			if diff := cmp.Diff(tc.want, messages(faults)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if extra != nil {
				t.Errorf("%s\nthe text is used in spite of its faults", tc.reason)
			}

			all := faults.ToAggregate().Error()
			for _, secret := range []string{"hunter2", k3sToken[:40], pemKey, ageKeyOf[:30]} {
				if strings.Contains(all, secret) {
					t.Errorf("%s\na message shows the secret: %s", tc.reason, all)
				}
			}
		})
	}
}
