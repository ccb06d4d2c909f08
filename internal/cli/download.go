package cli

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

const (
	// maxDownload is more than any file with claims.
	maxDownload = 10 << 20
	// downloadTimeout is that of a whole file.
	downloadTimeout = 30 * time.Second
	// maxRedirects is what browsers and kubectl follow.
	maxRedirects = 10
)

// downloads are the files of -f, and where those of URLs were put.
type downloads struct {
	paths  []string          // To be read, in the order of -f.
	urls   map[string]string // By path, of what was downloaded.
	folder string            // With what was downloaded; empty without any.
}

// download what -f names by URL.
func download(ctx context.Context, s Streams, files []string) (downloads, error) {
	out := downloads{urls: map[string]string{}}

	for i, file := range files {
		if !manifest.IsURL(file) {
			out.paths = append(out.paths, file)
			continue
		}

		data, err := s.read(ctx, file)
		if err != nil {
			return out, errors.Join(err, out.remove())
		}

		if out.folder == "" {
			if out.folder, err = os.MkdirTemp("", "kubectl-machine-"); err != nil {
				return out, errors.Wrap(err, "cannot keep what was downloaded")
			}
		}

		path := filepath.Join(out.folder, strconv.Itoa(i)+".yaml")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return out, errors.Join(errors.Wrap(err, "cannot keep what was downloaded"), out.remove())
		}

		out.paths = append(out.paths, path)
		out.urls[path] = file
	}

	return out, nil
}

// remove what was downloaded.
func (d downloads) remove() error {
	if d.folder == "" {
		return nil
	}

	return errors.Wrap(os.RemoveAll(d.folder), "cannot remove what was downloaded")
}

// name of a file as the person typed it.
func (d downloads) name(path string) string {
	if url, ok := d.urls[path]; ok {
		return url
	}

	return path
}

// said is an error with the names that the person typed.
func (d downloads) said(err error) error {
	if err == nil || len(d.urls) == 0 {
		return err
	}

	var pairs []string
	for path, url := range d.urls {
		pairs = append(pairs, path, url)
	}

	if text := strings.NewReplacer(pairs...).Replace(err.Error()); text != err.Error() {
		return errors.New(text)
	}

	return err
}

// read what a URL has. Only https: what the network changes on its way would be a claim of somebody else's.
func (s Streams) read(ctx context.Context, url string) ([]byte, error) {
	if !strings.HasPrefix(url, "https://") {
		return nil, &ExitError{Code: ExitUsage, Err: errors.Errorf("cannot read %s: only https:// URLs are read", message.Text(url))}
	}

	client := http.Client{Timeout: downloadTimeout, Transport: s.transport, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if to.URL.Scheme != "https" || len(via) >= maxRedirects {
			return errors.Errorf("it redirects to %s", message.Text(to.URL.Redacted()))
		}

		return nil
	}}

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read a URL")
	}

	answer, err := client.Do(request)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read a URL")
	}

	defer func() { _ = answer.Body.Close() }()

	if answer.StatusCode != http.StatusOK {
		return nil, errors.Errorf("cannot read %s: the server answers %s", message.Text(request.URL.Redacted()), message.Text(answer.Status))
	}

	data, err := io.ReadAll(io.LimitReader(answer.Body, maxDownload+1))

	switch {
	case err != nil:
		return nil, errors.Wrap(err, "cannot read a URL")
	case len(data) > maxDownload:
		return nil, errors.Errorf("cannot read %s: it has more than %d MiB", message.Text(request.URL.Redacted()), maxDownload>>20) //nolint:mnd // MiB.
	case strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html"):
		return nil, errors.Errorf("cannot read %s: it is a web page, and not the file itself (GitHub has it at raw.githubusercontent.com)", message.Text(request.URL.Redacted()))
	default:
		return data, nil
	}
}
