package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ignoredByGit says whether Git passes over a file, by the .gitignore of its folder and of those above it, as far as the repository goes, and by
// .git/info/exclude. What a person's own configuration of Git ignores counts for nobody else, and a file that Git has already stays there.
func ignoredByGit(file string) bool {
	path := mustAbs(file)

	var rules []ignoreRule // The nearest first.

	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		rules = append(rules, ignoreRules(folder, ".gitignore")...)

		_, err := os.Stat(filepath.Join(folder, ".git"))
		if err == nil || filepath.Dir(folder) == folder {
			rules = append(rules, ignoreRules(folder, filepath.Join(".git", "info", "exclude"))...)
			break
		}
	}

	// What is in an ignored folder is ignored, whatever a rule says of it.
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		i := slices.IndexFunc(rules, func(r ignoreRule) bool { return r.matches(path, path != mustAbs(file)) })
		if i >= 0 && !rules[i].kept {
			return true
		}
	}

	return false
}

// An ignoreRule is a line of a .gitignore.
type ignoreRule struct {
	folder string         // That the pattern is relative to.
	path   *regexp.Regexp // Of what it matches, below the folder.
	below  bool           // Whether it matches folders alone, and what is in them.
	kept   bool           // Whether it takes back what a rule before it says.
}

func (r ignoreRule) matches(path string, folder bool) bool {
	below, err := filepath.Rel(r.folder, path)

	return err == nil && (folder || !r.below) && r.path.MatchString(filepath.ToSlash(below))
}

// ignoreRules of a file below a folder, the last one first: it counts.
func ignoreRules(folder, name string) []ignoreRule {
	data, err := os.ReadFile(filepath.Join(folder, filepath.Clean(name)))
	if err != nil {
		return nil
	}

	var out []ignoreRule

	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		r := ignoreRule{folder: folder}
		line, r.kept = strings.CutPrefix(line, "!")
		line, r.below = strings.CutSuffix(line, "/")

		if r.path, err = regexp.Compile(ignorePattern(strings.TrimPrefix(line, `\`))); err == nil {
			out = append(out, r)
		}
	}

	slices.Reverse(out)

	return out
}

// wildcards of a .gitignore as those of a regular expression.
var wildcards = strings.NewReplacer( //nolint:gochecknoglobals // A constant table.
	`/\*\*/`, `/(?:.*/)?`, `\*\*/`, `(?:.*/)?`, `/\*\*`, `/.*`, `\*`, `[^/]*`, `\?`, `[^/]`, `\[!`, `[^`, `\[`, `[`, `\]`, `]`,
)

// ignorePattern is a pattern of a .gitignore as a regular expression: one with a slash is that of a path, and any other that of a name at any depth.
func ignorePattern(pattern string) string {
	below := ""
	if !strings.Contains(pattern, "/") {
		below = "(?:.*/)?"
	}

	return "^" + below + wildcards.Replace(regexp.QuoteMeta(strings.TrimPrefix(pattern, "/"))) + "$"
}
