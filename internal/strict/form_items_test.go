package strict

import "testing"

func TestFormOfItems(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Commas":  {"Commas separate items.", "web,db", "write [web, db]"},
		"Blanks":  {"So do blanks, and both.", "web, db core", "write [web, db, core]"},
		"One":     {"One word is another case.", "web", ""},
		"Many":    {"A long list is not repeated.", "a,b,c,d,e,f", ""},
		"Long":    {"What is long may be a secret.", "web,abcdefghijklmnopqrstuvwxyz", ""},
		"Symbols": {"What is no word is not repeated.", "web,{db}", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := formOfItems(tc.text); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestFormOfNumber(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Millicores": {"Whole cores as a Pod has them.", "2000m", "write 2, not 2000m"},
		"Half":       {"There are no halves.", "1500m", ""},
		"VLAN":       {"The word is not part of the number.", "VLAN 20", "write 20, not VLAN 20"},
		"Other":      {"Of another word nobody knows what it counts.", "pve1", ""},
		"Netmask":    {"A netmask is a prefix length.", "255.255.255.0", "write 24, not 255.255.255.0"},
		"MTU":        {"As people say it of jumbo frames.", "9k", "write 9000, not 9k"},
		"Two":        {"An interface is in one VLAN.", "10,20", "write one of them, such as 10"},
		"TwoApart":   {"Blanks separate numbers, too.", "10, 20 30", "write one of them, such as 10"},
		"Decimal":    {"A comma alone separates nothing.", "10,", ""},
		"First":      {"Proxmox starts the lowest number first.", "first", "write 1, not first"},
		"Last":       {"What is last depends on the others.", "Last", "write a number higher than the others', not last"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := formOfNumber(tc.text); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

func TestFormOfTruth(t *testing.T) {
	cases := map[string]struct {
		reason string
		from   any
		want   string
	}{
		"Word":     {"A word for true.", "Enabled", "write true"},
		"Quoted":   {"A truth value in quotes.", "false", "write false"},
		"Number":   {"A number for one.", float64(0), "write false"},
		"Sentence": {"Of anything else nobody knows.", "if possible", ""},
		"Object":   {"Nor of an object.", map[string]any{}, ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := formOfTruth(tc.from); got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
