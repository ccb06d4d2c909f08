package k3s

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEtcdHop(t *testing.T) {
	refused := func(stop string) Hop { return Hop{Verdict: HopRefused, Stop: stop} }

	cases := map[string]struct {
		reason, from, to string
		want             Hop
	}{
		"Crosses":     {"The members that were removed would be counted again.", "v1.33.6+k3s1", "v1.34.2+k3s1", refused("v1.33.7+k3s3")},
		"Almost":      {"Etcd 3.5.25 forgets nobody.", "v1.33.7+k3s1", "v1.34.2+k3s1", refused("v1.33.7+k3s3")},
		"Repaired":    {"Etcd 3.5.26 has forgotten them.", "v1.33.7+k3s3", "v1.34.2+k3s1", Hop{}},
		"ToTheStop":   {"The way there.", "v1.33.6+k3s1", "v1.33.7+k3s3", Hop{}},
		"Before":      {"All of it is etcd 3.5.", "v1.32.9+k3s1", "v1.33.6+k3s1", Hop{}},
		"After":       {"All of it is etcd 3.6.", "v1.34.2+k3s1", "v1.35.0+k3s1", Hop{}},
		"ToEtcd37":    {"Nothing is known against it.", "v1.36.5+k3s1", "v1.37.0+k3s1", Hop{}},
		"Back":        {"Whether K3s can be downgraded is another question.", "v1.34.2+k3s1", "v1.33.6+k3s1", Hop{}},
		"Same":        {"Nothing happens.", "v1.33.6+k3s1", "v1.33.6+k3s1", Hop{}},
		"TwoMinors":   {"A skip says where it could stop, too.", "v1.30.4+k3s1", "v1.34.2+k3s1", refused("v1.32.11+k3s3")},
		"Ancient":     {"What is older than the table has an older etcd.", "v1.25.3+k3s1", "v1.34.2+k3s1", refused("v1.32.11+k3s3")},
		"LaterThan36": {"A release later than the table has no earlier etcd.", "v1.33.6+k3s1", "v1.34.99+k3s1", refused("v1.33.7+k3s3")},
		"Between":     {"Between two rows with etcd before 3.5.26 is a third.", "v1.33.6+k3s2", "v1.34.2+k3s1", refused("v1.33.7+k3s3")},
		"LaterPatch":  {"A patch after the one that repairs does, too.", "v1.33.99+k3s1", "v1.34.2+k3s1", Hop{}},
		"FromUnknown": {"It may have 3.5.25 or 3.5.26.", "v1.33.7+k3s2", "v1.34.2+k3s1", Hop{Verdict: HopUnknown}},
		"ToUnknown":   {"The table does not say whether 1.33 stays with etcd 3.5.", "v1.33.6+k3s1", "v1.33.99+k3s1", Hop{Verdict: HopUnknown}},
		"Unreadable":  {"Nobody can tell.", "latest", "v1.34.2+k3s1", Hop{Verdict: HopUnknown}},
		"Nothing":     {"Nor of no release.", "", "v1.34.2+k3s1", Hop{Verdict: HopUnknown}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, EtcdHop(tc.from, tc.to)); diff != "" {
				t.Errorf("%s\nEtcdHop(%q, %q): -want, +got:\n%s", tc.reason, tc.from, tc.to, diff)
			}
		})
	}
}

// TestEtcdTable: what EtcdHop concludes from the table holds for its rows. A new table that fails here needs another EtcdHop.
func TestEtcdTable(t *testing.T) {
	for i, r := range etcds()[1:] {
		last := etcds()[i]

		if !OlderRelease(last.release, r.release) {
			t.Errorf("%s comes after %s: the table has to be sorted, without duplicates", r.release, last.release)
		}

		// A patch of a minor release may have a later patch of etcd than the next minor release began with.
		earlier := r.etcd.Major() == last.etcd.Major() && r.etcd.Minor() < last.etcd.Minor()
		if earlier || sameMinor(last.release, r.release) && r.etcd.LessThan(last.etcd) {
			t.Errorf("%s has etcd %s, and %s before it %s", r.release, r.etcd, last.release, last.etcd)
		}
	}
}

// TestNoHopBringsMembersBack: no upgrade that is allowed takes etcd from before 3.5.26 to 3.6, and each that is refused has a way, with all rows of
// the table. With fewer rows the function may not know, but it says nothing wrong.
func TestNoHopBringsMembersBack(t *testing.T) {
	all := etcds()
	random := rand.New(rand.NewPCG(31, 11))

	for range 20 {
		some := slices.DeleteFunc(slices.Clone(all), func(etcdRelease) bool { return random.IntN(3) == 0 })

		for _, from := range all {
			for _, to := range all {
				if from == to {
					continue
				}

				bad := from.etcd.LessThan(repaired) && to.etcd.AtLeast(crossed)

				if got := some.hop(from.release, to.release).Verdict; got == HopFine && bad || got == HopRefused && !bad {
					t.Fatalf("%s (etcd %s) to %s (etcd %s) is %q", from.release, from.etcd, to.release, to.etcd, got)
				}
			}
		}
	}

	for _, from := range all {
		for _, to := range all {
			hop := EtcdHop(from.release, to.release)
			if hop.Verdict == HopUnknown {
				t.Errorf("%s to %s is unknown", from.release, to.release)
			}

			if hop.Verdict == HopRefused && (EtcdHop(from.release, hop.Stop) != Hop{} || EtcdHop(hop.Stop, to.release) != Hop{}) {
				t.Errorf("%s to %s is no better by %q", from.release, to.release, hop.Stop)
			}
		}
	}
}
