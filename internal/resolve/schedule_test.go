package resolve

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestSchedule: times that systemd reads, as systemd.time(7) and `systemd-analyze calendar` have them, and others.
func TestSchedule(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		warns        bool
	}{
		"None":     {"Nothing is said.", "", false},
		"Word":     {"One word.", "daily", false},
		"WordZone": {"In a time zone.", "daily America/New_York", false},
		"Time":     {"Each day.", "04:00", false},
		"Each":     {"Each quarter of an hour.", "*:0/15", false},
		"Seconds":  {"To the second.", "*-*-* 04:00:30", false},
		"Days":     {"A range of days.", "Mon..Fri 04:00", false},
		"DaysList": {"Several of them, and a date.", "Thu,Fri 2012-*-1,5 11:12:13", false},
		"Day":      {"A day alone.", "Saturday", false},
		"DayZone":  {"With a time zone.", "Sat 04:00 Europe/Berlin", false},
		"Date":     {"The first of each month.", "*-*-01", false},
		"Last":     {"The last day of each month.", "*-*~01 00:00", false},
		"ISO":      {"A date with a time.", "2026-12-24T18:00", false},
		"UTC":      {"A time zone.", "*-*-* 04:00 UTC", false},
		"Cron":     {"As cron has it.", "0 4 * * *", true},
		"CronStep": {"The same.", "*/15 * * * *", true},
		"Hour":     {"As people say it.", "4am", true},
		"Go":       {"A duration.", "24h", true},
		"Every":    {"As other programs have it.", "every day", true},
		"AtDaily":  {"Cron's own word.", "@daily", true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			schedule(field.NewPath("spec", "nix", "schedule"), n, tc.text)

			if got := len(n.warnings) > 0; got != tc.warns {
				t.Errorf("%s\nschedule(%q): warns %t, want %t", tc.reason, tc.text, got, tc.warns)
			}
		})
	}
}

// TestStands: a reference that names a commit has no new revision.
func TestStands(t *testing.T) {
	const commit, told = "0123456789abcdef0123456789abcdef01234567", "spec.nix.schedule: has no effect, since flakeRef names one commit, " +
		"of which there is no new revision: name a branch in flakeRef, as ref=main, or remove schedule."

	for name, tc := range map[string]struct{ reason, ref, schedule, want string }{
		"Commit":    {"As guides pin it.", "github:me/infra/" + commit + "#m1", "daily", told},
		"Rev":       {"The other form.", "git+https://git.lab/infra?ref=main&rev=" + commit + "#m1", "daily", told},
		"Once":      {"It converges once, as asked.", "github:me/infra/" + commit + "#m1", "", ""},
		"Branch":    {"It goes on.", "github:me/infra/main#m1", "daily", ""},
		"Plain":     {"The default branch.", "github:me/infra", "daily", ""},
		"NameOfOne": {"A configuration may be called so.", "git+https://git.lab/infra#" + commit, "daily", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			stands(field.NewPath("spec", "nix", "schedule"), n, tc.ref, tc.schedule)

			if got := strings.Join(n.warnings, " "); got != tc.want {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
