package vm

import (
	"encoding/json"
	"os"
	"strings"
)

// Report is what a guest says of itself at the end of a boot.
type Report struct {
	// Console is the first serial port's.
	Console string

	// Reported are the words that the guest agent listed as names of links, in order; "" for a look without one, two names for two.
	Reported []string
	// Addressed are those that had an IP address.
	Addressed []string

	facts map[string]string
}

// parse the probe's sections. A guest that said nothing has an empty report.
func parse(file string) *Report {
	r := &Report{facts: map[string]string{}}
	b, _ := os.ReadFile(file)
	name := ""

	for line := range strings.SplitSeq(strings.ReplaceAll(string(b), "\r", ""), "\n") {
		if section, ok := strings.CutPrefix(line, "=== "); ok {
			name = section

			continue
		}

		r.facts[name] += line + "\n"
	}

	return r
}

// Fact by the name of its section.
func (r *Report) Fact(name string) string { return strings.TrimSpace(r.facts[name]) }

// Errors that cloud-init counted itself; ok is false if it never came to an end.
func (r *Report) Errors() (found []string, ok bool) {
	result := struct {
		V1 struct {
			Errors []string `json:"errors"`
		} `json:"v1"`
	}{}
	err := json.Unmarshal([]byte(r.Fact("result")), &result)

	return result.V1.Errors, err == nil
}

// Facts all, for a test that failed.
func (r *Report) Facts() string {
	b := &strings.Builder{}
	for name, text := range r.facts {
		if name != "modules" && name != "sshd" {
			b.WriteString("=== " + name + "\n" + text)
		}
	}

	return b.String()
}
