package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valuesToType are two values for flags of a type, both of which a flag takes.
var valuesToType = map[string][2]string{
	"string": {"a", "b"}, "bool": {"true", "false"}, "int": {"8", "9"}, "duration": {"1s", "2s"}, "when": {"auto", "never"},
}

// TestOnce: each flag of each command refuses a second value, unless it is a list; twice the same is one value.
func TestOnce(t *testing.T) {
	t.Parallel()

	flags := 0

	try := func(cmd *cobra.Command, f *pflag.Flag) {
		if _, list := f.Value.(pflag.SliceValue); list || f.Name == "help" || f.Name == "version" {
			return
		}

		values, known := valuesToType[f.Value.Type()]
		if c, ok := f.Value.(*choice); ok {
			values, known = [2]string{c.words[0], c.words[len(c.words)-1]}, len(c.words) > 1
		}

		if !known {
			t.Errorf("%s --%s: no two values of type %s", cmd.Name(), f.Name, f.Value.Type())
			return
		}

		flags++

		for _, second := range values {
			fresh := Commands()
			once(fresh)

			to, rest, err := fresh.Find([]string{cmd.Name(), "--" + f.Name + "=" + values[0], "--" + f.Name + "=" + second})
			if err != nil {
				t.Fatal(err)
			}

			err, says := to.ParseFlags(rest), "--"+f.Name+` has one value, and is there with two, "`+values[0]+`" and "`+second+`": leave one of them out`
			if twice := second != values[0]; twice != (err != nil && strings.Contains(err.Error(), says)) || !twice && err != nil {
				t.Errorf("%s %v: %v", cmd.Name(), rest, err)
			}
		}
	}

	for _, cmd := range Commands().Commands() {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { try(cmd, f) })
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { try(cmd, f) })
	}

	if flags < 60 {
		t.Errorf("only %d flags", flags)
	}
}

// TestOnceIsUsage: the sentence is all that is printed, and the command does not begin.
func TestOnceIsUsage(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Observed": {"Objects of two files.", []string{"plan", "-f", "a.yaml", "--observed", "b.yaml", "--observed", "c.yaml"}, `--observed has one value, and is there with two, "b.yaml" and "c.yaml"`},
		"Short":    {"By its letter.", []string{"why", "dns01", "-n", "infra", "--namespace", "home"}, `--namespace has one value, and is there with two, "infra" and "home"`},
		"Output":   {"Two forms.", []string{"lint", "-f", "a.yaml", "-o", "json", "-o", "text"}, `--output has one value, and is there with two, "json" and "text"`},
		"Number":   {"A value of another type than text.", []string{"rehearse", "-f", "a.yaml", "--step", "1", "--step", "2"}, `--step has one value, and is there with two, "1" and "2"`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, "", tc.args...)
			if want := "kubectl machine: " + tc.want + ": leave one of them out\n"; code != ExitUsage || out != "" || err != want {
				t.Errorf("%s: want %q, got %d, %q and %q", tc.reason, want, code, out, err)
			}
		})
	}
}
