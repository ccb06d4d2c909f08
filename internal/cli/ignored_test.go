package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestIgnoredByGit: a file is ignored where Git ignores it.
func TestIgnoredByGit(t *testing.T) {
	const file = "machines/home/secrets.yaml"

	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		want   bool
	}{
		"Nothing":    {"Git takes all that nobody excludes.", nil, false},
		"Name":       {"A name is that at any depth.", map[string]string{".gitignore": "# tokens\n\nsecrets.yaml \n"}, true},
		"Path":       {"One with a slash is at its place.", map[string]string{".gitignore": "/secrets.yaml\nhome/secrets.yaml\n"}, false},
		"Whole":      {"Here it is at its place.", map[string]string{".gitignore": "machines/home/secrets.yaml"}, true},
		"Wildcard":   {"A star is for what is between slashes.", map[string]string{".gitignore": "machines/*.yaml\n"}, false},
		"Stars":      {"Two are for any folders.", map[string]string{".gitignore": "machines/**/sec*s.y?ml\n"}, true},
		"Leading":    {"Also at the beginning.", map[string]string{".gitignore": "**/home/secrets.[xy]aml\n"}, true},
		"Folder":     {"What is in an ignored folder is ignored.", map[string]string{".gitignore": "home/\n!secrets.yaml\n"}, true},
		"NoFolder":   {"A file is no folder.", map[string]string{".gitignore": "secrets.yaml/\n"}, false},
		"Kept":       {"The last rule counts.", map[string]string{".gitignore": "*.yaml\n!secrets.yaml\n"}, false},
		"Nearest":    {"A nearer file counts more.", map[string]string{".gitignore": "secrets.yaml\n", "machines/.gitignore": "!secrets.yaml\n"}, false},
		"Exclude":    {"What is excluded in this clone.", map[string]string{".git/info/exclude": "secrets.yaml\n"}, true},
		"Repository": {"What is above the repository says nothing.", map[string]string{"machines/.git/x": "", ".gitignore": "secrets.yaml\n"}, false},
		"Other":      {"Another file.", map[string]string{".gitignore": "secret.yaml\nsecrets.yml\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tc.files == nil {
				tc.files = map[string]string{}
			}

			tc.files[file] = ""
			if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}

			for name, content := range tc.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}

				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			if got := ignoredByGit(filepath.Join(dir, file)); got != tc.want {
				t.Errorf("%s Ignored: %t, want %t", tc.reason, got, tc.want)
			}

			// What Git itself says, where it is there and the folder is a repository for it.
			if _, err := exec.LookPath("git"); err != nil || tc.files["machines/.git/x"] != "" || name == "Repository" {
				return
			}

			if err := exec.Command("git", "-C", dir, "init", "-q").Run(); err != nil {
				t.Fatal(err)
			}

			if got := exec.Command("git", "-C", dir, "check-ignore", "-q", file).Run() == nil; got != tc.want {
				t.Errorf("%s Git says %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
