package cloudinit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestMarshalScalars(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   string
	}{
		"Word":            {"A word needs no quotes.", "dns01", "dns01"},
		"Path":            {"A path needs no quotes.", "/etc/rancher/k3s/config.yaml", "/etc/rancher/k3s/config.yaml"},
		"Option":          {"An option of a command needs no quotes.", "--no-block", "--no-block"},
		"Yes":             {"YAML 1.1 reads yes as true.", "yes", "'yes'"},
		"Off":             {"YAML 1.1 reads Off as false.", "Off", "'Off'"},
		"Null":            {"null is nothing.", "null", "'null'"},
		"Tilde":           {"~ is nothing.", "~", "'~'"},
		"Mode":            {"0644 is the number 420.", "0644", "'0644'"},
		"Sexagesimal":     {"YAML 1.1 reads 12:30 as 750.", "12:30", "'12:30'"},
		"Float":           {"1e3 is a number to some readers.", "1e3", "'1e3'"},
		"MinusInf":        {"-.inf is a number.", "-.inf", "'-.inf'"},
		"Date":            {"A date is not text.", "2025-08-05", "'2025-08-05'"},
		"Address":         {"An address starts with a digit.", "192.168.4.53", "'192.168.4.53'"},
		"Colon":           {"A colon and a blank start a mapping.", "a: b", "'a: b'"},
		"Hash":            {"A blank and a hash start a comment.", "a #b", "'a #b'"},
		"Template":        {"A brace starts a flow mapping.", "${x}", "'${x}'"},
		"Quote":           {"A quote is doubled.", "it's", "'it''s'"},
		"Empty":           {"Empty text is not nothing.", "", "''"},
		"Blank":           {"A blank at the end would be lost.", "a ", "'a '"},
		"Merge":           {"<< is a merge key.", "<<", "'<<'"},
		"Equals":          {"YAML 1.1 knows a value of its own called =.", "=", "'='"},
		"Umlaut":          {"Letters of any language are text.", "Grüße", "'Grüße'"},
		"Tab":             {"A tab is shown.", "a\tb", `"a\tb"`},
		"CarriageReturn":  {"A CR would come back as LF.", "a\r\nb", `"a\r\nb"`},
		"NextLine":        {"NEL is a line break of YAML 1.1.", "a\u0085\nb", `"a\N\nb"`},
		"LineSeparator":   {"LS is a line break of YAML 1.1.", "a\u2028\nb", `"a\L\nb"`},
		"Escape":          {"A control character is escaped.", "\x1b[0m", `"\e[0m"`},
		"Nul":             {"So is NUL.", "a\x00", `"a\0"`},
		"LeadingNewline":  {"It would need an indentation hint.", "\n a\n", `"\n a\n"`},
		"TwoLines":        {"Lines are a literal block.", "a\nb\n", "|\n    a\n    b"},
		"NoFinalNewline":  {"Neither is a missing line end made up.", "a\nb", "|-\n    a\n    b"},
		"BlankAtLineEnds": {"Blanks at line ends are kept.", "a \nb\n", `"a \nb\n"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Document{Extra: map[string]any{"x": map[string]any{"k": tc.text}}}.Marshal()
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff("#cloud-config\nx:\n  k: "+tc.want+"\n", string(got)); diff != "" {
				t.Errorf("%s\n%s", tc.reason, diff)
			}

			var back struct{ X map[string]string }
			if err := yaml.Unmarshal(got, &back); err != nil || back.X["k"] != tc.text {
				t.Errorf("%s\nread back as %q (%v), want %q", tc.reason, back.X["k"], err, tc.text)
			}
		})
	}
}

func TestMarshalValues(t *testing.T) {
	d := Document{Extra: map[string]any{
		"a": nil, "b": true, "c": 1, "d": int64(-2), "e": 3.0, "f": 1.5, "g": []string{"x"}, "h": []any{1.0, "y", map[string]any{"z": false}}, "i": 1e15,
	}}

	got, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}

	want := "#cloud-config\na: null\nb: true\nc: 1\nd: -2\ne: 3\nf: 1.5\ng:\n  - x\nh:\n  - 1\n  - 'y'\n  - z: false\ni: 1000000000000000\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
