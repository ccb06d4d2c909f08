package cloudinit

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Patterns of lines in files of the guest.
var (
	// A cronLine is five times, or a word in place of them, and what follows.
	cronLine = regexp.MustCompile(`^\s*(?:@[a-z]+|(?:[0-9*][0-9*/,-]*\s+){2}(?:[0-9*A-Za-z][0-9*/,A-Za-z-]*\s+){2}[0-9*A-Za-z][0-9*/,A-Za-z-]*)\s+(\S+)`)
	// A startLine is a program that a unit of systemd runs.
	startLine = regexp.MustCompile(`(?m)^\s*Exec(?:Start|StartPre|StartPost|Stop|StopPost|Reload)\s*=\s*([-@:+!|]*)(\S+)[ \t]*(.*)$`)
	// inQuotes is what a shell would not read as its own words either.
	inQuotes  = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	shellWord = regexp.MustCompile(`(?:^|\s)(?:&&|\|\||\||>{1,2}|2>(?:&1|\S+)|&>\S*)(?:\s|$)|\$\(`)
	section   = regexp.MustCompile(`(?m)^\s*\[Install\]\s*$`)
)

// doubtsOfLines say what of a file's content the program that reads the file gives up on, or passes over. g.Has is nil for images of which nobody knows
// what reads the file.
func (g Guest) doubtsOfLines(file, content string, adds bool) []string {
	folder := path.Dir(file)

	switch {
	case g.Has == nil:
		return nil
	case folder == "/etc/cron.d":
		return cronDoubts(content)
	case folder == "/etc/sysctl.d":
		return sysctlDoubts(content)
	case file == "/etc/sysctl.conf" && g.Default == "debian" && !adds:
		// Release notes of Debian 13, 5.1: systemd-sysctl reads /etc/sysctl.d only.
		return []string{"path is not read by Debian 13 and later ones: write /etc/sysctl.d/60-own.conf"}
	case folder == "/etc/systemd/system":
		return unitDoubts(content)
	case strings.HasPrefix(folder, "/etc/systemd/system/") && strings.HasSuffix(folder, ".service.d"):
		return append(unitDoubts(content), secondStart(content)...)
	case slices.Contains(ofJSON, file) && !adds && content != "" && !json.Valid([]byte(content)):
		return []string{"content is no JSON, and the program that reads it does not start: look for a comma too many, and for quotes"}
	}

	return nil
}

// ofJSON are files without which a program starts, and with which it does not where they cannot be read.
//
//nolint:gochecknoglobals // A constant list.
var ofJSON = []string{"/etc/docker/daemon.json", "/etc/nvidia-container-runtime/config.json", "/etc/consul.d/consul.json"}

// emptyStart takes back what a unit starts.
var emptyStart = regexp.MustCompile(`(?m)^\s*ExecStart\s*=\s*$`)

// secondStart: systemd.service(5), ExecStart: all but Type=oneshot have one, and a file of a folder adds to that of the unit (moby/moby issue
// 14491, coreos/bugs issue 1124).
func secondStart(content string) []string {
	has := slices.ContainsFunc(startLine.FindAllString(content, -1), func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "ExecStart=") })
	if !has || emptyStart.MatchString(content) || strings.Contains(content, "Type=oneshot") {
		return nil
	}

	return []string{"content adds a second ExecStart to the unit's own, and systemd starts no service with two: write a line ExecStart= with nothing behind it before"}
}

// cronDoubts: crontab(5) and cron(8) of Debian. A file of this folder has the account in each line.
func cronDoubts(content string) []string {
	var out []string

	for i, line := range strings.Split(content, "\n") {
		if found := cronLine.FindStringSubmatch(line); found != nil && strings.ContainsAny(found[1][:1], "/.~$[") {
			out = append(out, fmt.Sprintf("content: line %d has no account, which stands before the command in /etc/cron.d, so that cron runs nothing of the file: write root before it", i+1))
			break
		}
	}

	if content != "" && !strings.HasSuffix(content, "\n") {
		out = append(out, "content must end with a line end, or cron passes over the file: write content: | and the lines below it")
	}

	return out
}

// sysctlDoubts: sysctl.d(5). systemd-sysctl passes over a line that is no assignment, but for one that begins with a hyphen.
func sysctlDoubts(content string) []string {
	for i, line := range strings.Split(content, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.ContainsAny(line[:1], "#;-") && !strings.Contains(line, "=") {
			return []string{fmt.Sprintf("content: line %d is no assignment, and systemd-sysctl passes over it: write name = value", i+1)}
		}
	}

	return nil
}

// unitDoubts: systemd.service(5), Command Lines: systemd runs programs without a shell.
func unitDoubts(content string) []string {
	for _, found := range startLine.FindAllStringSubmatch(content, -1) {
		program, rest := path.Base(found[2]), found[3]

		if strings.Contains(" "+rest, " -c ") || program == "sh" || program == "bash" || !shellWord.MatchString(inQuotes.ReplaceAllString(rest, "")) {
			continue
		}

		return []string{"content has words of a shell in Exec..., and systemd starts the program without one, and hands them over as arguments: write /bin/sh -c '...'"}
	}

	return nil
}
