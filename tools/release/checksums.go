package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checksumsFile is in the form of `sha256sum --check`. The release signs it, and with it all other files.
const checksumsFile = "checksums.txt"

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)

	return hex.EncodeToString(sum[:])
}

// checksums of all files of a folder but of the list itself.
func checksums(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("cannot list %s: %w", dir, err)
	}

	out := strings.Builder{}

	for _, e := range entries { // Sorted by name.
		if e.Name() == checksumsFile {
			continue
		}

		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", fmt.Errorf("cannot read a file of the release: %w", err)
		}

		fmt.Fprintf(&out, "%s  %s\n", sha256Of(data), e.Name())
	}

	return out.String(), nil
}
