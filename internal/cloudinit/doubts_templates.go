package cloudinit

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"
)

var (
	// template is a reference to cloud-init's own variables, by their names, since other templates may have a v1 of their own:
	// https://docs.cloud-init.io/en/latest/explanation/instancedata.html
	template = regexp.MustCompile(`\{\{[-\s]*(?:ds\.meta_data|v1\.(?:availability_zone|` +
		`cloud_(?:id|name)|distro\w*|instance_id|kernel_release|local_hostname|machine|` +
		`platform|public_ssh_keys|python_version|region|subplatform|system_platform|userdata|variant|vendordata))\b`)
	// fillsIn are the commands that fill in such variables, whichever file of the document they are in.
	fillsIn = regexp.MustCompile(`cloud-init query|\brender `)
)

// doubtsOfTemplates are about variables that cloud-init fills in where the first line of a whole document asks for it, which is never so here. cloud-init query
// fills in its own --format, and cloud-init devel render a file.
func doubtsOfTemplates(root *yaml.Node, key string, value *yaml.Node) []Doubt {
	var out []Doubt

	eachText(value, keyName(key), func(node *yaml.Node, place, text string) {
		if template.MatchString(text) && !says(root, "", fillsIn.MatchString) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s has {{ }} with a variable of cloud-init, which stays as it is: user-data is rendered into a larger document, and is no template. "+
				"Ask in runcmd instead, such as cloud-init query ds.meta_data", node.Line, place)})
		}
	})

	return out
}

// says whether a text below a key that is not passed over is as a function has it.
func says(root *yaml.Node, passed string, is func(text string) bool) bool {
	found := false

	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != passed {
			eachText(root.Content[i+1], "", func(_ *yaml.Node, _, text string) { found = found || is(text) })
		}
	}

	return found
}
