package quantity

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

const memoryForm = "memory must be a whole number with a unit from Ki to Ti or K to T, such as 4Gi, or without one in MiB, such as 4096"

func TestMemoryMiB(t *testing.T) {
	type want struct {
		mib int64
		err string
	}

	cases := map[string]struct {
		reason string
		q      v1alpha1.Quantity
		want   want
	}{
		"Gi":             {reason: "The usual form.", q: "4Gi", want: want{mib: 4096}},
		"LowerCase":      {reason: "Case does not matter.", q: "4gi", want: want{mib: 4096}},
		"UpperCase":      {reason: "Case does not matter.", q: "4GI", want: want{mib: 4096}},
		"Mi":             {reason: "MiB are the result's unit.", q: "4096Mi", want: want{mib: 4096}},
		"Ki":             {reason: "KiB that make whole MiB are taken.", q: "4194304Ki", want: want{mib: 4096}},
		"Ti":             {reason: "The maximum itself is taken.", q: "2Ti", want: want{mib: 2097152}},
		"G":              {reason: "Proxmox counts G in steps of 1024.", q: "4G", want: want{mib: 4096}},
		"M":              {reason: "So it does M.", q: "512M", want: want{mib: 512}},
		"K":              {reason: "So it does K.", q: "524288K", want: want{mib: 512}},
		"T":              {reason: "So it does T.", q: "1T", want: want{mib: 1048576}},
		"Plain":          {reason: "A number without a unit is MiB.", q: "4096", want: want{mib: 4096}},
		"LeadingZeros":   {reason: "Zeros in front do not make it octal.", q: "0512", want: want{mib: 512}},
		"Minimum":        {reason: "The minimum itself is taken.", q: "128Mi", want: want{mib: 128}},
		"BelowMinimum":   {reason: "E20 words this message.", q: "64Mi", want: want{err: "memory 64Mi is below minimum of 128 MB"}},
		"JustBelow":      {reason: "One KiB below the minimum.", q: "131071Ki", want: want{err: "memory 131071Ki is below minimum of 128 MB"}},
		"Zero":           {reason: "Zero is below the minimum.", q: "0", want: want{err: "memory 0 is below minimum of 128 MB"}},
		"AboveMaximum":   {reason: "One MiB above the maximum.", q: "2097153", want: want{err: "memory 2097153 is above maximum of 2 TB"}},
		"Overflow":       {reason: "A number that overflows 64 bits is above the maximum.", q: "999999999999999Ti", want: want{err: "memory 999999999999999Ti is above maximum of 2 TB"}},
		"OverflowToZero": {reason: "2^34 Ti is 2^64 KiB: zero in 64 bits.", q: "17179869184Ti", want: want{err: "memory 17179869184Ti is above maximum of 2 TB"}},
		"NotWhole":       {reason: "Half a MiB is refused with its neighbours.", q: "1048577Ki", want: want{err: "memory 1048577Ki is not a whole number of MiB: write 1024Mi or 1025Mi"}},
		"Empty":          {reason: "Nothing is no quantity.", q: "", want: want{err: memoryForm}},
		"UnitOnly":       {reason: "A unit needs a number.", q: "Gi", want: want{err: memoryForm}},
		"Fraction":       {reason: "Fractions are not written.", q: "1.5Gi", want: want{err: memoryForm + ": write 1536Mi"}},
		"OddFraction":    {reason: "Nor is one that is no whole number of the next unit guessed.", q: "1.3333333Gi", want: want{err: memoryForm}},
		"Negative":       {reason: "A sign is not part of it.", q: "-4Gi", want: want{err: memoryForm}},
		"Plus":           {reason: "A sign is not part of it.", q: "+4Gi", want: want{err: memoryForm}},
		"Blank":          {reason: "Nor is a blank.", q: "4 Gi", want: want{err: memoryForm + ": write 4Gi"}},
		"Exponent":       {reason: "Nor is an exponent.", q: "1e3", want: want{err: memoryForm}},
		"Exa":            {reason: "E is not among the units.", q: "1Ei", want: want{err: memoryForm}},
		"GB":             {reason: "GB is not among the units.", q: "4GB", want: want{err: memoryForm + ": write 4Gi"}},
		"TwoUnits":       {reason: "One unit is enough.", q: "4GiMi", want: want{err: memoryForm}},
		"TrailingI":      {reason: "i alone is no unit.", q: "4i", want: want{err: memoryForm}},
		"OtherDigits":    {reason: "Digits of other scripts are not read.", q: "٤Gi", want: want{err: memoryForm}},
		"Underscores":    {reason: "Digits are not grouped.", q: "4_096", want: want{err: memoryForm}},
		"TooManyDigits":  {reason: "Sixteen digits are no quantity, whatever they say.", q: "0000000000004096", want: want{err: memoryForm}},
		"Template":       {reason: "A template is no quantity, and is not echoed.", q: "${file(\"/etc/passwd\")}", want: want{err: memoryForm}},
		"Huge":           {reason: "A megabyte of digits is not echoed.", q: v1alpha1.Quantity(strings.Repeat("9", 1<<20)), want: want{err: memoryForm}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			n, err := MemoryMiB(tc.q)
			got.mib = n
			if err != nil {
				got.err = err.Error()
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nMemoryMiB(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDiskGiB(t *testing.T) {
	type want struct {
		gib int64
		err string
	}

	cases := map[string]struct {
		reason string
		q      v1alpha1.Quantity
		want   want
	}{
		"Gi":           {reason: "The usual form.", q: "30Gi", want: want{gib: 30}},
		"G":            {reason: "E11 allows G, and Proxmox counts it in steps of 1024.", q: "50G", want: want{gib: 50}},
		"Ti":           {reason: "The maximum itself is taken.", q: "100Ti", want: want{gib: 102400}},
		"T":            {reason: "T counts in steps of 1024.", q: "2t", want: want{gib: 2048}},
		"Mi":           {reason: "MiB that make whole GiB are taken.", q: "10240Mi", want: want{gib: 10}},
		"M":            {reason: "E11 allows M.", q: "10240M", want: want{gib: 10}},
		"Plain":        {reason: "A number without a unit is GiB.", q: "30", want: want{gib: 30}},
		"Minimum":      {reason: "The minimum itself is taken.", q: "1Gi", want: want{gib: 1}},
		"BelowMinimum": {reason: "Half a GiB is too small.", q: "512Mi", want: want{err: "disk 512Mi is below minimum of 1 GB"}},
		"AboveMaximum": {reason: "101 TiB is too much.", q: "101Ti", want: want{err: "disk 101Ti is above maximum of 100 TB"}},
		"NotWhole":     {reason: "One and a half GiB is refused with its neighbours.", q: "1536Mi", want: want{err: "disk 1536Mi is not a whole number of GiB: write 1Gi or 2Gi"}},
		"Malformed": {
			reason: "The message says what can be written.", q: "big",
			want: want{err: "disk must be a whole number with a unit from Ki to Ti or K to T, such as 30Gi, or without one in GiB, such as 30"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := want{}

			n, err := DiskGiB(tc.q)
			got.gib = n
			if err != nil {
				got.err = err.Error()
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nDiskGiB(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzQuantity compares with the pattern that the XRD has and with arithmetic that cannot overflow.
func FuzzQuantity(f *testing.F) {
	for _, s := range []string{"4Gi", "4gi", "4096", "50G", "64Mi", "17179869184Ti", "", "Gi", "1.5Gi", "4GiMi", "\xff", "999999999999999K"} {
		f.Add(s)
	}

	pattern := regexp.MustCompile(`^[0-9]{1,15}([kKmMgGtT][iI]?)?$`)
	digits := regexp.MustCompile(`^[0-9]+`)
	power := map[string]uint{"k": 0, "m": 10, "g": 20, "t": 30}

	f.Fuzz(func(t *testing.T, s string) {
		got, err := MemoryMiB(v1alpha1.Quantity(s))

		if !pattern.MatchString(s) {
			if err == nil {
				t.Fatalf("MemoryMiB(%q): want an error, as the XRD's pattern refuses it", s)
			}

			return
		}

		n, _ := new(big.Int).SetString(digits.FindString(s), 10)

		shift := uint(10)
		if u := strings.ToLower(strings.TrimLeft(s, "0123456789")); u != "" {
			shift = power[u[:1]]
		}

		kib := n.Lsh(n, shift)
		mib, rest := new(big.Int).QuoRem(kib, big.NewInt(1024), new(big.Int))
		fits := kib.Cmp(big.NewInt(128<<10)) >= 0 && kib.Cmp(big.NewInt(2<<30)) <= 0 && rest.Sign() == 0

		if fits != (err == nil) {
			t.Fatalf("MemoryMiB(%q): %v, want ok=%v", s, err, fits)
		}

		if fits && mib.Int64() != got {
			t.Fatalf("MemoryMiB(%q): %d, want %s", s, got, mib)
		}
	})
}

// TestTotals: a team may have more than a machine.
func TestTotals(t *testing.T) {
	memory, err := TotalMemoryMiB("8Ti")
	if err != nil || memory != 8<<20 {
		t.Errorf("TotalMemoryMiB(8Ti): got %d, %v", memory, err)
	}

	disk, err := TotalDiskGiB("500Ti")
	if err != nil || disk != 500<<10 {
		t.Errorf("TotalDiskGiB(500Ti): got %d, %v", disk, err)
	}

	if _, err := TotalDiskGiB("10241Ti"); err == nil || err.Error() != "disk 10241Ti is above maximum of 10 PB" {
		t.Errorf("TotalDiskGiB(10241Ti): got %v", err)
	}
}

// TestShownGiB: what Proxmox VE shows is cut to whole GiB, as the provider reads it.
func TestShownGiB(t *testing.T) {
	type size struct {
		N     int64
		Whole bool
	}

	want := map[string]size{
		"32G": {32, true}, "2T": {2048, true}, "1024M": {1, true}, "528M": {0, false}, "1025M": {1, false}, "4194304K": {4, true},
		"1073741824": {1, true}, "1073741825": {1, false}, "": {}, "G": {}, "xG": {}, "1.5T": {},
	}

	got := map[string]size{}
	for text := range want {
		n, whole := ShownGiB(text)
		got[text] = size{n, whole}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
