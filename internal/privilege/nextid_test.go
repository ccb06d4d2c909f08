package privilege

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNextIDBeside(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		ranges []Range
		want   NextID
		none   bool
	}{
		"None":       {reason: "There is nothing to keep clear of.", none: true},
		"Low":        {reason: "More is free above.", ranges: []Range{{4000, 4999}}, want: NextID{5000, 1_000_000}},
		"High":       {reason: "More is free below, and the upper bound is not proposed.", ranges: []Range{{900_000, 900_999}}, want: NextID{100, 900_000}},
		"First":      {reason: "Nothing is below.", ranges: []Range{{100, 199}}, want: NextID{200, 1_000_000}},
		"Last":       {reason: "Nothing is above.", ranges: []Range{{999_000, 999_999}}, want: NextID{100, 999_000}},
		"Beyond":     {reason: "Proxmox proposes no VMID of the range anyway.", ranges: []Range{{2_000_000, 2_000_999}}, want: NextID{100, 1_000_000}},
		"Across":     {reason: "A range that ends beyond what Proxmox proposes.", ranges: []Range{{700_000, 2_000_000}}, want: NextID{100, 700_000}},
		"Two":        {reason: "Of three parts, the last is the largest.", ranges: []Range{{5000, 5999}, {1000, 1999}}, want: NextID{6000, 1_000_000}},
		"Between":    {reason: "The largest part is between two ranges.", ranges: []Range{{100, 999}, {800_000, 999_999}}, want: NextID{1000, 800_000}},
		"Overlap":    {reason: "Ranges may overlap.", ranges: []Range{{1000, 9999}, {2000, 2999}}, want: NextID{10_000, 1_000_000}},
		"Even":       {reason: "Of two parts of the same size, the lower one.", ranges: []Range{{500_000, 500_099}}, want: NextID{100, 500_000}},
		"Everything": {reason: "Nothing is left.", ranges: []Range{{100, 999_999}}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := NextIDBeside(tc.ranges)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok == tc.none {
				t.Errorf("%s\nok is %v; -want, +got:\n%s", tc.reason, ok, diff)
			}

			if met := got.Meets(tc.ranges); ok && len(met) > 0 {
				t.Errorf("%s\nthe bounds meet %v", tc.reason, met)
			}
		})
	}
}

func TestReadNextID(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, options string
		want            NextID
		err             string
	}{
		"Unset":   {reason: "Proxmox has bounds of its own.", options: `{"keyboard": "de"}`, want: NextID{100, 1_000_000}},
		"Texts":   {reason: "As Proxmox reports them.", options: `{"next-id": {"lower": "200", "upper": "4000"}}`, want: NextID{200, 4000}},
		"Numbers": {reason: "Or as numbers.", options: `{"next-id": {"lower": 5000, "upper": 1000000}}`, want: NextID{5000, 1_000_000}},
		"Option":  {reason: "Or as a person wrote it.", options: `{"next-id": "upper=4000, lower=300"}`, want: NextID{300, 4000}},
		"Half":    {reason: "The other bound is Proxmox' own.", options: `{"next-id": {"lower": "5000"}}`, want: NextID{5000, 1_000_000}},
		"Word":    {reason: "A bound is a number.", options: `{"next-id": {"lower": "many"}}`, err: `next-id has lower="many", which is no VMID`},
		"List":    {reason: "A list is no option.", options: `{"next-id": []}`, err: "next-id must be such as lower=100,upper=4000"},
		"Table":   {reason: "Without --output-format json.", options: "┌──", err: "--output-format json"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadNextID([]byte(tc.options))
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s\nwant %q, got %v", tc.reason, tc.err, err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCheckNextID(t *testing.T) {
	ranges := []Range{{4000, 4999}}

	for name, tc := range map[string]struct {
		reason string
		ranges []Range
		has    NextID
		want   string
		wrong  bool
	}{
		"NoRange": {reason: "There is nothing to say.", has: NextID{100, 1_000_000}},
		"Beside":  {reason: "The upper bound is not proposed.", ranges: ranges, has: NextID{100, 4000}, want: "next-id: Proxmox proposes no VMID of 4000-4999 for a VM that a person makes."},
		"Meets": {
			reason: "The command is told.", ranges: ranges, has: NextID{100, 1_000_000}, wrong: true,
			want: "next-id: Proxmox proposes VMIDs from 100 to 999999 for a VM that a person makes, and 4000-4999 are for machines (vmIds of the catalogue). " +
				"Run as root on one node: pvesh set /cluster/options --next-id lower=5000,upper=1000000",
		},
		"Nothing": {
			reason: "No bounds would do.", ranges: []Range{{100, 999_999}}, has: NextID{100, 1_000_000}, wrong: true,
			want: "next-id: Proxmox proposes VMIDs from 100 to 999999 for a VM that a person makes, and 100-999999 are for machines (vmIds of the catalogue). " +
				"No VMID from 100 to 999999 is beside them: have vmIds leave some.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, right := Site{VMIDs: tc.ranges}.CheckNextID(tc.has)
			if diff := cmp.Diff(tc.want, got); diff != "" || right == tc.wrong {
				t.Errorf("%s\nright is %v; -want, +got:\n%s", tc.reason, right, diff)
			}
		})
	}
}
