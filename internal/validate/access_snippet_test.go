package validate

import "testing"

func TestSnippetNamed(t *testing.T) {
	cases := map[string]struct{ reason, path, want string }{
		"Local":  {"The folder of datastore local.", "/var/lib/vz/snippets/x.yaml", "local:snippets/x.yaml"},
		"Share":  {"Proxmox mounts others by their names.", "/mnt/pve/nas/snippets/x.yaml", "nas:snippets/x.yaml"},
		"Name":   {"A name is one on local.", "x.yaml", "local:snippets/x.yaml"},
		"Folder": {"Other folders are of no datastore that anybody knows.", "/root/x.yaml", ""},
		"Below":  {"Proxmox knows no folders below.", "/var/lib/vz/snippets/a/x.yaml", ""},
		"None":   {"Nothing is nothing.", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := snippetNamed(tc.path); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestTagOf(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Value":  {"A value behind a hyphen.", "env:prod", "env-prod"},
		"Blank":  {"A blank is a hyphen.", "Web  Server", "Web-Server"},
		"Start":  {"A tag begins with a letter or a digit.", "#web", "web"},
		"Tag":    {"One that is right needs no other.", "web", ""},
		"Umlaut": {"As people write it where there is none.", "Über", "Ueber"},
		"Accent": {"A letter with an accent has one without.", "café:1", "cafe-1"},
		"Other":  {"Half a word is nobody's tag.", "веб-1", ""},
		"Dots":   {"Nothing may be left.", "...", ""},
		"Nobody": {"Of nothing there is nothing.", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tagOf(tc.text); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
