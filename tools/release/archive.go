package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// A file of an archive, with the folder that it is in.
type file struct {
	name    string
	data    []byte
	program bool
}

// Modes say what can be run. Owner and umask of the machine that builds are in no archive.
const (
	programMode = 0o755
	textMode    = 0o644
)

func (f file) mode() int64 {
	if f.program {
		return programMode
	}

	return textMode
}

// archiveName is that of a platform's archive.
func archiveName(version string, p platform) string {
	suffix := ".tar.gz"
	if p.os == "windows" {
		suffix = ".zip"
	}

	return "kubectl-machine_" + version + "_" + p.String() + suffix
}

// pack files into an archive, of the kind that its name has, in the order of their names.
func pack(name string, files []file, at time.Time) ([]byte, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })

	out := &bytes.Buffer{}

	write := packTar
	if strings.HasSuffix(name, ".zip") {
		write = packZip
	}

	if err := write(out, files, at); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}

	return out.Bytes(), nil
}

func packTar(out io.Writer, files []file, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestSpeed+4) //nolint:mnd // A second a program; 9 saves 1 % and takes three times as long.
	if err != nil {
		return fmt.Errorf("cannot compress: %w", err)
	}

	w := tar.NewWriter(compressed)

	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.data)), Mode: f.mode(), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return fmt.Errorf("cannot add %s: %w", f.name, err)
		}

		if _, err := w.Write(f.data); err != nil {
			return fmt.Errorf("cannot add %s: %w", f.name, err)
		}
	}

	return errors.Join(w.Close(), compressed.Close())
}

func packZip(out io.Writer, files []file, at time.Time) error {
	w := zip.NewWriter(out)

	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(fs.FileMode(f.mode())) //nolint:gosec // One of the two above.

		to, err := w.CreateHeader(header)
		if err != nil {
			return fmt.Errorf("cannot add %s: %w", f.name, err)
		}

		if _, err := to.Write(f.data); err != nil {
			return fmt.Errorf("cannot add %s: %w", f.name, err)
		}
	}

	return w.Close() //nolint:wrapcheck // The caller says what is written.
}

// unpack an archive that pack wrote.
func unpack(name string, archive []byte) ([]file, error) {
	read := unpackTar
	if strings.HasSuffix(name, ".zip") {
		read = unpackZip
	}

	files, err := read(archive)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}

	return files, nil
}

func unpackTar(archive []byte) ([]file, error) {
	compressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("cannot uncompress: %w", err)
	}

	var files []file

	for r := tar.NewReader(compressed); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}

		if err != nil {
			return nil, fmt.Errorf("cannot read: %w", err)
		}

		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", header.Name, err)
		}

		files = append(files, file{name: header.Name, data: data, program: header.Mode&0o111 != 0})
	}
}

func unpackZip(archive []byte) ([]file, error) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("cannot uncompress: %w", err)
	}

	var files []file

	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", f.Name, err)
		}

		data, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", f.Name, err)
		}

		files = append(files, file{name: f.Name, data: data, program: f.Mode()&0o111 != 0})
	}

	return files, nil
}
