package cloudinit

import "testing"

// FuzzLines: the lines of a file are what the YAML library writes of it.
func FuzzLines(f *testing.F) {
	for _, content := range []string{
		"a\n", "a", "a\nb", "a\n\n", "a\n\n\nb\n", "#!/bin/sh\n\techo\n  x\n", "a \n", "a\n ", "a\n\t\n", "a\n\t", " a\n", "\na\n", "- a\n- b: c\n", "a\u00e4\n", "a: 'b'\n# c\n", "a\r\n", "...\n---\n",
	} {
		f.Add("/etc/x", content, "root:root", true)
		f.Add("/usr/local/bin/x.sh", content, "", false)
	}

	f.Add("/a b", "a\n", "", false)
	f.Add("/a: b", "a\n", "x", false)
	f.Add("/a", "a\n", "on:off", false)
	f.Add("/a", "a\n", "on", false)

	f.Fuzz(func(t *testing.T, path, content, owner string, later bool) {
		d := Document{Hostname: "a", WriteFiles: []File{
			{Path: "/etc/first", Permissions: "0644", Content: "first\n"},
			{Path: path, Permissions: "0600", Owner: owner, Content: content, Defer: later, Append: later},
		}, RunCmd: [][]string{{"a", "b"}}}

		root, err := d.node()
		if err != nil {
			return
		}

		want, err := encode(Header+"\n", root)
		if err != nil || len(want) > MaxUserDataBytes {
			return
		}

		got, err := d.Marshal()
		if err != nil || string(got) != string(want) {
			t.Errorf("%v\nthe YAML library:\n%s\nthe lines:\n%s", err, want, got)
		}
	})
}
