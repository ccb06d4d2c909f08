package cloudinit

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
)

// MaxExtraBytes is the maximum size of bootstrap.userData. Together with the function's own
// part it must stay below [MaxUserDataBytes], and etcd stores it.
const MaxExtraBytes = 256 << 10

// Extra is a user's parsed, well-formed cloud-config, for [Document.Merge]. The zero
// value is empty.
type Extra struct {
	entries []entry
}

// entry is one top-level key. The value is normalised: no aliases, no comments,
// no flow style, strings in the style of textNode.
type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// ParseUserData parses a user's cloud-config. The text
// must start with the line "#cloud-config" and contain one YAML mapping of at most
// [MaxExtraBytes] bytes. ParseUserData resolves anchors and aliases. It refuses duplicate
// keys, merge keys ("<<") and explicit tags other than !!str and !!binary,
// because YAML parsers treat them differently. It refuses secrets, because user-data
// is in plain text in the cluster's database, in Git and on the Proxmox node.
//
// It returns all faults, each with path and, if known, the line in
// the text. No fault shows a value. Extra is nil if there is any fault.
func ParseUserData(text string, path *field.Path) (*Extra, field.ErrorList) {
	if len(text) > MaxExtraBytes {
		return nil, field.ErrorList{field.TooLong(path, field.OmitValueType{}, MaxExtraBytes)}
	}

	faults := &faults{path: path}
	faults.addSecretLines(text)

	root := parseMapping(text, faults)
	if root == nil {
		return nil, faults.list
	}

	tree := newNormaliser(faults).mapping(root)
	extra := &Extra{}

	for i := 0; i < len(tree.Content); i += 2 {
		extra.entries = append(extra.entries, entry{key: tree.Content[i].Value, line: tree.Content[i].Line, value: tree.Content[i+1]})
	}

	faults.addSecrets(extra, text)

	if len(faults.list) > 0 {
		return nil, faults.list
	}

	return extra, nil
}

// parseMapping returns the text's mapping, or nil after reporting a fault.
func parseMapping(text string, faults *faults) *yaml.Node {
	first, _, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t\r") != Header {
		faults.add(1, "the first line must be %q (found %s; only cloud-config can be merged)", Header, beginning(first))

		return nil
	}

	if !utf8.ValidString(text) {
		faults.add(0, "must be UTF-8 text")

		return nil
	}

	decoder := yaml.NewDecoder(strings.NewReader(text))
	document := &yaml.Node{}

	if err := decoder.Decode(document); errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.MappingNode}
	} else if err != nil {
		faults.addSyntax(err)

		return nil
	}

	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		faults.add(0, "must be one YAML document, without a second document after '---'")

		return nil
	}

	root := document.Content[0]

	switch {
	case root.Kind == yaml.ScalarNode && root.Tag == tagNull:
		return &yaml.Node{Kind: yaml.MappingNode}
	case root.Kind != yaml.MappingNode:
		faults.add(root.Line, "must be a mapping of cloud-config keys, found a %s", kindName(root))

		return nil
	default:
		return root
	}
}

// beginning is what a text's first line begins in place of a cloud-config, and what to do.
func beginning(first string) string {
	first = strings.TrimSpace(first)
	letters := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(first))

	switch {
	case strings.HasPrefix(letters, "#cloudconfigarchive"), strings.HasPrefix(letters, "contenttype:"), strings.HasPrefix(letters, "mimeversion:"):
		return "an archive: write its parts as one cloud-config"
	case strings.HasPrefix(letters, "#cloudconfig"), letters == "#cloudinit", letters == "cloudconfig":
		return "one that is nearly so: cloud-init compares every letter"
	case strings.HasPrefix(first, "#!"):
		return "a script: write it as an item of runcmd, or into a file of write_files that runcmd runs"
	case strings.HasPrefix(letters, "##template:"):
		return "a template of Jinja, which nobody fills in here: write what it comes to"
	case strings.HasPrefix(letters, "#include"):
		return "a list of addresses: write what is at them"
	case fileName.MatchString(first):
		return "the name of a file, and nobody reads it: write what is in the file, or place it on the node and name it in bootstrap.snippets.userData"
	case strings.HasPrefix(letters, "#"):
		return "another comment: move it below the first line"
	default:
		return "none, or another format of user-data"
	}
}

// fileName is the name of a file, or of an object in a template: one word with a folder or an ending.
var fileName = regexp.MustCompile(`^[~.]{0,2}[\w./-]*\.(ya?ml|cfg|txt|tpl|conf|j2)$`)

// maxFaults is the maximum number of reported faults of one text, because a message must fit into a condition.
const maxFaults = 20

// faults collects the faults of one text.
type faults struct {
	path *field.Path
	list field.ErrorList
}

// add records a fault at a line; line 0 is the text as a whole. The format's
// arguments must not be values from the text, because they might be secret.
func (f *faults) add(line int, format string, args ...any) {
	f.append(field.Invalid(f.path, field.OmitValueType{}, atLine(line)+fmt.Sprintf(format, args...)))
}

// forbid records a well-formed value that is not allowed.
func (f *faults) forbid(line int, format string, args ...any) {
	f.append(field.Forbidden(f.path, atLine(line)+fmt.Sprintf(format, args...)))
}

func (f *faults) append(fault *field.Error) {
	switch {
	case len(f.list) < maxFaults:
		f.list = append(f.list, fault)
	case len(f.list) == maxFaults:
		f.list = append(f.list, field.Invalid(f.path, field.OmitValueType{}, "has more faults"))
	default:
	}
}

func atLine(line int) string {
	if line == 0 {
		return ""
	}

	return fmt.Sprintf("line %d: ", line)
}

// Parts of a message of the YAML library: the position, and single quoted marks.
var (
	syntaxPlace = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	syntaxMark  = regexp.MustCompile(`'[^A-Za-z0-9]'`)
)

// addSyntax reports an error of the YAML library. The library's line is the start of a
// construct, or one line too low. addSyntax does not repeat a message that quotes more than a
// single mark, because the quote is part of the text.
func (f *faults) addSyntax(err error) {
	place := ""
	if match := syntaxPlace.FindStringSubmatch(err.Error()); len(match) > 1 && match[1] != "" {
		place = " near line " + match[1]
	}

	problem := syntaxPlace.ReplaceAllString(err.Error(), "")
	if strings.ContainsAny(syntaxMark.ReplaceAllString(problem, ""), "'\"`") {
		problem = "an alias without an anchor, or an unknown tag"
	}

	if strings.HasSuffix(problem, "cannot start any token") {
		problem = "a line is indented with a tab in place of blanks, or text begins with @, % or a backtick and needs quotes"
	}

	f.add(0, "is not valid YAML%s: %s", place, problem)
}

func kindName(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "mapping"
	case yaml.SequenceNode:
		return "list"
	default:
		return "single value"
	}
}
