package resolve

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Parts of a calendar expression (systemd.time(7)): days of the week, a date, a time and a time zone, each of which may be missing; or one word for all.
var (
	weekdays  = regexp.MustCompile(`(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?:\.\.|,|-|$))+$`)
	aDate     = regexp.MustCompile(`^[0-9*,./]+(?:[-~][0-9*,./]+){1,2}$`)
	aTime     = regexp.MustCompile(`^[0-9*,./]+(?::[0-9*,./]+){1,2}$`)
	dateTime  = regexp.MustCompile(`^[0-9*,./]+(?:[-~][0-9*,./]+){1,2}T[0-9*,./]+(?::[0-9*,./]+){1,2}$`)
	aZone     = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+/-]*$`)
	wordsTime = strings.Fields("minutely hourly daily weekly monthly yearly annually quarterly semiannually semi-annually bi-annually biannually") //nolint:gochecknoglobals // A constant list.
)

// schedule warns of a calendar expression that systemd does not read, such as one of cron: there is no timer then, and the machine converges at its first
// boot only. It is not refused, since a machine that exists is obeyed.
func schedule(at *field.Path, n *notes, text string) {
	if text == "" || isCalendar(strings.Fields(text)) {
		return
	}

	n.warn("%s: is no calendar expression that systemd reads, and cron's are none: the machine checks for a new revision once, at its first boot. Write daily, *-*-* 04:00 or Mon..Fri 04:00; "+
		"`systemd-analyze calendar` checks yours.", at)
}

// stands warns of times at which a machine looks for a new revision of a reference that names one: it finds none.
func stands(at *field.Path, n *notes, ref, text string) {
	source, _, _ := strings.Cut(ref, "#")
	path, _, _ := strings.Cut(source, "?")

	if text != "" && (aRev.MatchString(parameter(source, "rev")) || aRev.MatchString(path[strings.LastIndexAny(path, "/:")+1:])) {
		n.warn("%s: has no effect, since flakeRef names one commit, of which there is no new revision: name a branch in flakeRef, as ref=main, or remove schedule.", at)
	}
}

func isCalendar(parts []string) bool {
	if len(parts) > 1 && aZone.MatchString(parts[len(parts)-1]) && !weekdays.MatchString(parts[len(parts)-1]) {
		parts = parts[:len(parts)-1]
	}

	if len(parts) == 1 && (slices.Contains(wordsTime, strings.ToLower(parts[0])) || dateTime.MatchString(parts[0])) {
		return true
	}

	if len(parts) > 0 && weekdays.MatchString(parts[0]) {
		if parts = parts[1:]; len(parts) == 0 {
			return true
		}
	}

	switch len(parts) {
	case 1:
		return aDate.MatchString(parts[0]) || aTime.MatchString(parts[0]) || dateTime.MatchString(parts[0])
	case 2:
		return aDate.MatchString(parts[0]) && aTime.MatchString(parts[1])
	}

	return false
}
