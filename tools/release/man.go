package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// manFolder of an archive has the man pages as man finds them: man -M man kubectl-machine-plan.
const manFolder = "man/man1"

// hasMan says whether people read man pages on a platform.
func (p platform) hasMan() bool { return p.os != "windows" }

// manPages of the command line, compressed. at is the time that they have.
func manPages(ctx context.Context, root, work string, at time.Time) ([]file, error) {
	folder, err := filepath.Abs(filepath.Join(work, "man"))
	if err != nil {
		return nil, fmt.Errorf("cannot name the man pages: %w", err)
	}

	cmd := exec.CommandContext(ctx, "go", "run", "-trimpath", "-buildvcs=false", "./internal/cmd/commands", "-man", folder)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "SOURCE_DATE_EPOCH="+strconv.FormatInt(at.Unix(), 10))

	if err := execute(cmd, root); err != nil {
		return nil, err
	}

	pages, err := filepath.Glob(filepath.Join(folder, "man1", "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, errors.Join(errors.New("no man page was written"), err)
	}

	var files []file

	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, fmt.Errorf("cannot read a man page: %w", err)
		}

		data, err := compressed(text)
		if err != nil {
			return nil, err
		}

		files = append(files, file{name: path.Join(manFolder, filepath.Base(page)+".gz"), data: data})
	}

	return files, nil
}

// compressed text, with no name and no time in it.
func compressed(text []byte) ([]byte, error) {
	out := &bytes.Buffer{}

	w, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("cannot compress: %w", err)
	}

	_, err = w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("cannot compress: %w", err)
	}

	return out.Bytes(), nil
}

// checkMan: the programs have their pages, and each of the files is a page that is the same in each build.
func checkMan(p platform, files []file) error {
	if !p.hasMan() {
		if len(files) > 0 {
			return fmt.Errorf("%s is no file for %s", files[0].name, p)
		}

		return nil
	}

	there := map[string]bool{}

	for _, f := range files {
		if err := checkManPage(f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}

		there[path.Base(f.name)] = true
	}

	// The program with lint alone has the page of that command.
	for _, program := range programs() {
		if !there[program+".1.gz"] {
			return fmt.Errorf("there is no man page %s/%s.1.gz", manFolder, program)
		}
	}

	return nil
}

func checkManPage(f file) error {
	if path.Dir(f.name) != manFolder || !strings.HasSuffix(f.name, ".1.gz") || f.program {
		return errors.New("is no man page of section 1")
	}

	r, err := gzip.NewReader(bytes.NewReader(f.data))
	if err != nil {
		return fmt.Errorf("cannot uncompress: %w", err)
	}

	if !r.ModTime.IsZero() || r.Name != "" {
		return errors.New("has the name or the time of a file in it")
	}

	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("cannot uncompress: %w", err)
	}

	if !bytes.Contains(text, []byte("\n.TH ")) && !bytes.HasPrefix(text, []byte(".TH ")) {
		return errors.New("has no title, as each man page has")
	}

	return nil
}
