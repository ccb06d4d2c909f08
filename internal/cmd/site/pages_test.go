package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestEverybodyMayRead what is written: a web server runs as another user.
func TestEverybodyMayRead(t *testing.T) {
	dir := t.TempDir()
	if err := writeJSON(filepath.Join(dir, "public", "schemas", "x.json"), []string{"x"}); err != nil {
		t.Fatal(err)
	}

	if err := writeIndex(dir, "v1"); err != nil {
		t.Fatal(err)
	}

	files := 0

	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}

		want := os.FileMode(fileMode)
		if d.IsDir() {
			want = folderMode
		} else {
			files++
		}

		info, err := d.Info()
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	if want := 3; files != want {
		t.Errorf("%d files were written, want %d", files, want)
	}
}
