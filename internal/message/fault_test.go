package message

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// power is text of a type of its own.
type power string

func TestFault(t *testing.T) {
	at := field.NewPath("spec", "x")

	cases := map[string]struct {
		reason string
		err    *field.Error
		want   string
	}{
		"Invalid":      {"The value comes first, then what would be right.", field.Invalid(at, "smal", "there is no class of that name"), `"smal": there is no class of that name`},
		"Number":       {"A number has no quotes.", field.Invalid(at, 5000, "must be smaller"), "5000: must be smaller"},
		"Named":        {"Text of a type of its own has quotes, too.", field.Invalid(at, power("on"), "must be Running"), `"on": must be Running`},
		"Empty":        {"Nothing is shown as nothing.", field.Invalid(at, "", "must not be empty"), "must not be empty"},
		"Omitted":      {"A value that is not shown stays so.", field.Invalid(at, field.OmitValueType{}, "must be an object"), "must be an object"},
		"Object":       {"An object may hold what nobody should see.", field.Invalid(at, map[string]any{"token": "secret"}, "must be text"), "must be text"},
		"Required":     {"What is missing is said.", field.Required(at, "must be the disk's size"), "is missing: must be the disk's size"},
		"RequiredBare": {"Also if nobody says more.", field.Required(at, ""), "is missing"},
		"Forbidden":    {"The reason alone counts.", field.Forbidden(at, "unknown field; did you mean y?"), "unknown field; did you mean y?"},
		"Duplicate":    {"The second one is wrong.", field.Duplicate(at, "data"), `"data": is there twice`},
		"NotFound":     {"A name of nothing.", field.NotFound(at, "hueg"), `"hueg": does not exist`},
		"Word":         {"The words that there are.", field.NotSupported(at, "sideways", []string{"Running", "Stopped"}), `"sideways": must be Running or Stopped`},
		"Case":         {"A word in another case is one that was meant.", field.NotSupported(at, "running", []string{"Running", "Stopped"}), `"running": did you mean Running? It must be Running or Stopped`},
		"OtherWord":    {"A word of another tool.", field.NotSupported(at, "master", []string{"server", "agent"}), `"master": did you mean server? It must be server or agent`},
		"Unfilled": {
			"What is right is said to who fills in.", field.Invalid(at, "${IP}", "must be an address"),
			`"${IP}": is a placeholder that nobody has filled in: ` + Placeholder,
		},
		"Kustomize": {
			"Kustomize had variables, too.", field.Invalid(at, "$(IMAGE)", "there is no image of that name"),
			`"$(IMAGE)": is a placeholder that nobody has filled in: ` + Placeholder,
		},
		"Example": {
			"A page leaves the value to its reader.", field.Invalid(at, "<your-ip>", "must be an address"),
			`"<your-ip>": is a placeholder of an example, for a value of yours: must be an address`,
		},
		"Less":         {"Not everything between these letters is one.", field.Invalid(at, "a<b", "must be text"), `"a<b": must be text`},
		"Quotes":       {"Word processors have other quotes.", field.Invalid(at, "\u201csmall\u201d", "must be a class"), "\"\u201csmall\u201d\": has the quotes of a word processor, which YAML takes for letters: write small"},
		"Terraform":    {"A text of Terraform.", field.Invalid(at, "${var.name}-01", "must be a name"), `"${var.name}-01": is a name of Terraform, which nobody fills in here: must be a name`},
		"Unseen":       {"Copied from a web page.", field.Invalid(at, "192.168.4.61\u200b", "must be an address"), "\"192.168.4.61\\u200b\": has a zero width space (U+200B), as copied from a web page, which YAML takes for a letter: write 192.168.4.61"},
		"UnseenWithin": {"Nobody knows what is meant.", field.Invalid(at, "a\u00a0b", "must be a name"), "\"a\\u00a0b\": must be a name"},
		"QuotesWithin": {"A quote within a text is one of its letters.", field.Invalid(at, "it\u2019s", "must be a class"), "\"it\u2019s\": must be a class"},
		"Missing":      {"What is missing is no placeholder.", field.Required(at, "must be there"), "is missing: must be there"},
		"Internal":     {"A fault of the program.", field.InternalError(at, testError{}), "broken"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Fault(tc.err); got != tc.want {
				t.Errorf("%s\nFault(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

type testError struct{}

func (testError) Error() string { return "broken" }

func TestMeant(t *testing.T) {
	fields := []string{"class", "size", "disks", "image", "bootDisk", "deletionPolicy", "vmId", "nix", "nics", "network", "ip"}

	cases := map[string]struct{ reason, name, want string }{
		"Letter":     {"A letter is wrong.", "klass", "class"},
		"Missing":    {"A letter is missing.", "clas", "class"},
		"Exchanged":  {"Two letters are exchanged.", "iamge", "image"},
		"Case":       {"Proxmox writes it in another case.", "vmid", "vmId"},
		"Plural":     {"There is one.", "images", "image"},
		"Singular":   {"There are several.", "disk", "disks"},
		"Hyphens":    {"Hyphens stand for capitals.", "deletion-policy", "deletionPolicy"},
		"Underscore": {"So do underscores.", "boot_disk", "bootDisk"},
		"FarOff":     {"A guess that helps nobody is none.", "replicas", ""},
		"Short":      {"Two letters of two are another word.", "os", ""},
		"Empty":      {"Nothing is near to nothing.", "", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Meant(tc.name, fields); got != tc.want {
				t.Errorf("%s\nMeant(%q): want %q, got %q", tc.reason, tc.name, tc.want, got)
			}
		})
	}

	if got := Meant("pve3", []string{"pve1", "pve2"}); got != "" {
		t.Errorf("Of two that are equally near, nobody knows which.\nMeant(): got %q", got)
	}
}

func TestList(t *testing.T) {
	const want = "2 faults:\n  spec.a: x\\ny\n  spec.b: \\u202e"

	got := List("2 faults:", []string{"spec.a: x\ny", "spec.b: \u202e"})
	if got != want {
		t.Errorf("No item forges a line.\nList(): want %q, got %q", want, got)
	}

	if again := Lines(got); again != got {
		t.Errorf("What a list shows can be shown.\nLines(): want %q, got %q", got, again)
	}
}
