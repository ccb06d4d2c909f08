package cloudinit

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"
)

// Secrets that the tests look for. They are of the right shape and of no use.
var (
	k3sToken = "K10" + strings.Repeat("0f", 32) + "::server:" + "hunter2hunter2"
	pemKey   = "-----BEGIN " + "OPENSSH PRIVATE KEY-----"
	ageKeyOf = "AGE-SECRET-" + "KEY-1" + strings.Repeat("Q", 58)
)

func base64Of(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(text))
}

func gzipOf(text string) string {
	var out bytes.Buffer

	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}

	if err := w.Close(); err != nil {
		panic(err)
	}

	return out.String()
}

func TestFindSecret(t *testing.T) {
	for text, want := range map[string]string{
		"--node-label=" + k3sToken: "a K3s token", pemKey: "a private key", ageKeyOf: "an age private key", "K10abc::server:x": "", "": "",
	} {
		if got := FindSecret(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
