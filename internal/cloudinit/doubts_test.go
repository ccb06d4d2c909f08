package cloudinit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDoubts: what cloud-init silently passes over is said before the first boot.
func TestDoubts(t *testing.T) {
	const users = "ssh_import_id has no effect: it is for the image's default user, in place of which the machine has spec.bootstrap.adminUser. " +
		"Write the keys into spec.bootstrap.sshAuthorizedKeys, or ssh_import_id at an account in users"

	cases := map[string]struct {
		reason, text string
		unnamed      bool
		want         []string
	}{
		"Fine":        {reason: "Keys that cloud-init has.", text: "#cloud-config\npackages: [htop]\nruncmd: [ls]\napt_proxy: http://10.0.0.1:3142\n"},
		"Underscore":  {reason: "cloud-init only logs it.", text: "#cloud-config\nrun_cmd: [ls]\n", want: []string{"line 2: cloud-init has no key run_cmd, and passes over it"}},
		"Singular":    {reason: "The same.", text: "#cloud-config\nruncmd: [ls]\npackage: [htop]\n", want: []string{"line 3: cloud-init has no key package, and passes over it"}},
		"Nobody":      {reason: "No word is near.", text: "#cloud-config\nk3os: {}\n", want: []string{"line 2: cloud-init has no key k3os, and passes over it"}},
		"Installer":   {reason: "Another program's.", text: "#cloud-config\nautoinstall: {version: 1}\n", want: []string{"line 2: autoinstall is for the installer of Ubuntu, which a cloud image does not run: write its parts as cloud-config, such as packages and runcmd"}},
		"Anchors":     {reason: "People keep anchors below a key of their own.", text: "#cloud-config\nx-common: &c [htop]\npackages: *c\n"},
		"Secret":      {reason: "A key that is no word is not shown.", text: "#cloud-config\nK10aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: x\n"},
		"Encoding":    {reason: "cloud-init takes it for text.", text: "#cloud-config\nwrite_files:\n- {path: /a, encoding: utf-8, content: x}\n", want: []string{"line 3: write_files[0].encoding: cloud-init has no such encoding, and writes the content as it is; it has base64, gzip and gz+base64"}},
		"Base64":      {reason: "Lines are joined.", text: "#cloud-config\nwrite_files:\n- path: /a\n  encoding: b64\n  content: |\n    aGVs\n    bG8=\n"},
		"NoBase64":    {reason: "The module fails.", text: "#cloud-config\nwrite_files:\n- {path: /a, encoding: base64, content: hello!}\n", want: []string{"line 3: write_files[0].content is not base64, as encoding says: cloud-init gives up, and writes no further file"}},
		"Windows":     {reason: "There is no /bin/sh with a return behind it.", text: "#cloud-config\nwrite_files:\n- {path: /a, content: \"#!/bin/sh\\r\\nls\\r\\n\"}\n", want: []string{"line 3: write_files[0].content has the line ends of Windows, with which the guest does not find the script's interpreter: save it with the line ends of Linux"}},
		"WindowsText": {reason: "No interpreter reads it; and YAML takes the returns of a block away.", text: "#cloud-config\r\nwrite_files:\r\n- {path: /a, content: \"a\\r\\n\"}\r\n- path: /b\r\n  content: |\r\n    #!/bin/sh\r\n    ls\r\n"},
		"Import":      {reason: "There is no default user.", text: "#cloud-config\nssh_import_id: [gh:octocat]\n", want: []string{"line 2: " + users}},
		"ImportHas":   {reason: "There is one.", text: "#cloud-config\nssh_import_id: [gh:octocat]\nusers: [default]\n"},
		"ImportImage": {reason: "No account is made.", text: "#cloud-config\nssh_import_id: [gh:octocat]\n", unnamed: true},
		"NoYAML":      {reason: "Others say so.", text: "#cloud-config\n\tx: [\n"},
		"NoText":      {reason: "Most claims have none.", text: ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			guest := Guest{Account: "ops"}
			if tc.unnamed {
				guest.Account = ""
			}

			var got []string
			for _, d := range Parse(tc.text).Doubts(guest) {
				got = append(got, d.Text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTopKeysAreCloudInits holds the list of keys against cloud-init's own schemas.
func TestTopKeysAreCloudInits(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cloud-init-schemas/schema-*.json")
	if len(files) == 0 {
		t.Skip("no cloud-init schemas beside the checkout")
	}

	for _, file := range files {
		b, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}

		var schema struct {
			Properties map[string]any `json:"properties"`
		}

		if err := json.Unmarshal(b, &schema); err != nil {
			t.Fatal(err)
		}

		for key := range schema.Properties {
			if _, other := otherKeys[key]; !other && !slices.Contains(TopKeys(), key) {
				t.Errorf("%s has key %s, which is in no list", file, key)
			}
		}
	}
}
