package manifest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// NotFound is the error of a file or folder that a person names and that nobody can find, with the name that was probably meant.
func NotFound(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return errors.Wrap(err, "cannot find the manifest")
	}

	return errors.New("cannot find the manifest " + Absent(path))
}

// Absent is a file or folder that there is not, with the name that was probably meant.
func Absent(path string) string {
	shown := message.Excerpt(path)

	switch meant := near(filepath.Base(path), NamesBeside(path)); {
	case strings.ContainsAny(path, "*?"):
		return shown + ": no file has this name; without quotes, the shell puts the names of files in its place, and -f takes a folder, too"
	case meant != "":
		return fmt.Sprintf("%s: did you mean %s?", shown, message.Excerpt(meant))
	default:
		return shown + ": there is no such file or folder"
	}
}

// NamesBeside a path are those of the manifests and the folders in its folder.
func NamesBeside(path string) []string {
	var names []string

	entries, _ := os.ReadDir(filepath.Dir(path)) // Without the folder, there is nothing near.
	for _, e := range entries {
		if e.IsDir() || IsManifest(e.Name()) {
			names = append(names, e.Name())
		}
	}

	return names
}

// near is the name among some that was probably meant by another one: what has the same name but for its end is meant, too.
func near(name string, names []string) string {
	for _, n := range names {
		if n != name && stem(n) == stem(name) && stem(n) != "" {
			return n
		}
	}

	return message.Meant(name, names)
}

// Instead of a file or folder that a kustomization names and that is not there: what of the names beside it may be meant, or what to do.
func Instead(path string, beside []string) string {
	if meant := near(filepath.Base(path), beside); meant != "" {
		return "did you mean " + message.Excerpt(meant) + "?"
	}

	return "commit it, or remove the line"
}
