package cloudinit

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// template is a reference to cloud-init's own variables: https://docs.cloud-init.io/en/latest/explanation/instancedata.html
var template = regexp.MustCompile(`\{\{[-\s]*(?:ds|v1)\.`)

// doubtsOfTemplates are about variables that cloud-init fills in where the first line of a whole document asks for it, which is never so here. cloud-init query
// fills in its own --format, and cloud-init devel render a file.
func doubtsOfTemplates(key string, value *yaml.Node) []Doubt {
	var out []Doubt

	eachText(value, keyName(key), func(node *yaml.Node, place, text string) {
		if template.MatchString(text) && !strings.Contains(text, "cloud-init query") && !strings.Contains(text, "render ") {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s has {{ }} with a variable of cloud-init, which stays as it is: user-data is rendered into a larger document, and is no template. "+
				"Ask in runcmd instead, such as cloud-init query ds.meta_data", node.Line, place)})
		}
	})

	return out
}
