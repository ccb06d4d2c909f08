package provider

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// proxyTo passes calls on to the simulator, or to what stands before it.
func proxyTo(endpoint string) (http.Handler, error) {
	to, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("cannot read the simulator's address: %w", err)
	}

	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // Self-signed, on loopback.

	return proxy, nil
}
