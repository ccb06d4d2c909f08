package status

// whyFailed is what an outcome of a failed bootstrap of K3s means, and what a person does about it, as a clause. url is the cluster's address, and node
// the name of the machine's Node; the outcomes are those of package guestreport. Empty for an outcome of another release.
func whyFailed(outcome, url, node string) string {
	switch outcome {
	case "configuration":
		return "a value of spec.k3s or of the cluster's entry, K3s' config.yaml, or the guest's host name is wrong"
	case "packages":
		return "curl could not be installed: check the guest's name servers and gateway, and whether it reaches its package mirror"
	case "token":
		return "the token is missing, or is of the wrong kind: `k3s token` on a server shows what a node needs that joins"
	case "endpoint":
		if url != "" {
			url = " " + url
		}

		return "the cluster's address" + url + " does not answer from the guest: check that a server runs, and what is between them"
	case "installer":
		return "K3s or its installer could not be downloaded, does not match its checksum, or failed"
	case "refused":
		return "K3s runs, and its cluster refuses it, mostly because a Node or an etcd member of an earlier VM has its name: `kubectl delete node " + node + "`"
	case "k3s":
		return "K3s was installed and did not become ready: `journalctl -u k3s` on a server and `journalctl -u k3s-agent` on an agent say why"
	case "error":
		return "the bootstrap ended unexpectedly: `journalctl -u k3s-bootstrap` has its last lines"
	}

	return ""
}
