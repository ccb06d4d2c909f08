package cli

import (
	"io"
	"net/http"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

// Streams are where a command reads and prints.
type Streams struct {
	In  io.Reader
	Out io.Writer // What was asked for.
	Err io.Writer // Progress, remarks and errors.

	Now func() time.Time // For how long something lasts.

	colour    *colourMode       // Of --color; nil is automatic.
	transport http.RoundTripper // For the URLs of -f; nil is Go's own.
}

// readStream reads the standard input.
func readStream(s Streams) ([]byte, error) {
	if s.In == nil {
		return nil, errors.New("there is no standard input")
	}

	data, err := io.ReadAll(s.In)

	return data, errors.Wrap(err, "cannot read standard input")
}
