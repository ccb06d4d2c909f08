package k3s

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFamilies(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   []Family
	}{
		"None":    {reason: "The default is K3s's."},
		"One":     {reason: "One range.", value: "10.42.0.0/16", want: []Family{IPv4}},
		"Commas":  {reason: "Two ranges in one text.", value: "10.42.0.0/16,fd00:42::/56", want: []Family{IPv4, IPv6}},
		"List":    {reason: "Two ranges in a list: the order counts.", value: []any{"fd00:42::/56", "10.42.0.0/16"}, want: []Family{IPv6, IPv4}},
		"NoRange": {reason: "Another check reports it.", value: "ten"},
		"Number":  {reason: "Another check reports it.", value: 10.0},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Families(map[string]any{"cluster-cidr": tc.value}, "cluster-cidr")); diff != "" {
				t.Errorf("%s\nFamilies(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFamiliesOfNode(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
		want   []Family
	}{
		"None":      {reason: "The function writes it."},
		"One":       {reason: "IPv4 alone.", value: "10.0.0.5", want: []Family{IPv4}},
		"Both":      {reason: "The order counts.", value: []any{"fd00::5", "10.0.0.5"}, want: []Family{IPv6, IPv4}},
		"Blank":     {reason: "A comma and a blank.", value: "10.0.0.5, fd00::5", want: []Family{IPv4, IPv6}},
		"NoAddress": {reason: "Another check reports it.", value: "10.0.0.0/24"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, FamiliesOfNode(map[string]any{"node-ip": tc.value})); diff != "" {
				t.Errorf("%s\nFamiliesOfNode(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
