package diagnose

// Causes that a connection of the provider fails for, as Go spells them. They are no answer of Proxmox: that begins with
// "received an HTTP", in Perl's words ("Connection refused", "Can't connect to").
const (
	// request is an HTTP request that failed before there was an answer; its cause follows.
	request = `(?:Get|Head|Post|Put|Patch|Delete) "https?://[^"]*": `
	// socket is a connection that could not be made, or broke.
	socket = `\b(?:dial|read|write) (?:tcp|udp)[46]?\b[^\n]*: `
)

// lostRows: the SSH connection broke while the provider wrote a snippet. The cause follows the phrase at once; behind it the
// message may echo the snippet, so the rows for that stand between these and the other network rows.
var lostRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		Name: "ssh.lost", Class: ClassNetworkError, Retryable: true,
		text:    has(`error transferring file: (?:EOF|unexpected EOF|context |` + socket + `|wait: remote command exited without)`),
		Meaning: "The SSH connection to node <node> broke while the provider wrote the snippet.",
		Remedy:  "Check the network between the provider's pod and port 22 of the node, and whether the node restarts.",
	},
}

// networkRows: the provider got no answer. They stand before all rows about answers, because a message begins with what the
// provider tried, and these are the words that other rows match.
var networkRows = []Row{ //nolint:gochecknoglobals // A constant table.
	{
		// The API server's own words, with an address of the cluster in them. crossplane-contrib/provider-upjet-gcp#572.
		Name: "kubernetes.webhook", text: has(`conversion webhook for [^\n]* failed|failed calling webhook|admission webhook "[^"]*" denied`), Class: ClassConfigurationError, Retryable: true,
		Meaning: "A webhook of Kubernetes does not answer, or refuses what the provider writes: its own of a package that is being exchanged, or that of a policy engine. Nothing in Proxmox was changed.",
		Remedy: "Let an upgrade of the provider finish (`kubectl get providers.pkg.crossplane.io`). `kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations` lists the others: their pods must run, " +
			"and their policies must let the provider's ServiceAccount write its managed resources.",
	},
	{
		// Before and after it works on the object, the provider reads and writes in Kubernetes.
		Name: "kubernetes.unreachable", Class: ClassNetworkError, Retryable: true,
		text:    has(`^ReconcileError: (?:connect failed|cannot )[^\n]*(?:` + request + `|` + socket + `|etcdserver: )`),
		Meaning: "The provider cannot reach the API of Kubernetes.",
		Remedy:  "Check the control plane, and the network of the provider's pod.",
	},
	{
		// The message also says "unable to authenticate", which is not the cause.
		Name: "ssh.unreachable", Class: ClassNetworkError, Retryable: true,
		text: has(`failed to dial |SSH handshake to \S+ timed out|ssh: handshake failed: (?:EOF|unexpected EOF|` + socket + `)|` +
			`failed to (?:create SSH session|create SFTP client): (?:EOF|unexpected EOF|` + socket + `)`),
		Meaning: "The provider cannot reach node <node> over SSH, which it needs to write snippets.",
		Remedy: "Open port 22 of the node's address to the provider's pod; `pvesh get /nodes/<node>/network` shows the address: " +
			"the first one with a gateway. A machine without rendered user-data needs no SSH.",
	},
	{
		// Go's own words for both. The node of the provider's pod may have the wrong time, or Proxmox's had it when it made the certificate.
		Name: "tls.time", text: has(`x509: certificate has expired or is not yet valid`), Class: ClassConfigurationError,
		Meaning: "The certificate of Proxmox has expired, or is not valid yet by the clock of the provider's node.",
		Remedy: "`pvenode cert info` on the endpoint's node has its dates. If it has expired: `pvenode acme cert renew`, or, for Proxmox's own, `pvecm updatecerts --force` and " +
			"`systemctl restart pveproxy`. Otherwise a clock is wrong: `timedatectl` on the Kubernetes node of the provider's pod, and on the Proxmox node.",
	},
	{
		Name: "tls", text: has(`x509: |tls: failed to verify certificate`), Class: ClassConfigurationError,
		Meaning: "The provider does not trust the certificate of Proxmox.",
		Remedy: "Give Proxmox a certificate from a trusted authority for the name in the endpoint (`pvenode acme` or `pvenode cert " +
			"set`), or set \"insecure\": \"true\" in the credentials Secret, which disables the check of the server's identity.",
	},
	{
		Name: "tls.handshake", text: has(`tls: |server gave HTTP response to HTTPS client`), Class: ClassConfigurationError,
		Meaning: "The provider and the server at the endpoint cannot agree on an encrypted connection.",
		Remedy: "endpoint in the credentials Secret must be the address of the Proxmox API (https://host:8006/), or of a proxy that " +
			"speaks HTTPS; `curl -vk <endpoint>` shows what answers.",
	},
	{
		Name: "tainted.unreachable", text: has(unplannable), after: has(request + `|` + socket), Class: ClassTainted,
		Meaning: "The provider lost the connection to Proxmox while it created this object. The provider considers the object tainted " +
			"and does not change it any more.",
		Remedy: "When Proxmox answers again, " + restart + ": the provider then continues with this object. Or " + anew + ".",
	},
	{
		Name: "unreachable", Class: ClassNetworkError, Retryable: true,
		text:    has(request + `|` + socket + `|failed to read HTTP \w+ response body|net/http: `),
		Meaning: "The provider cannot reach the Proxmox API.",
		Remedy: "Check endpoint in the credentials Secret (https://host:8006/), whether its name resolves in the cluster, and " +
			"whether a firewall or a NetworkPolicy blocks port 8006 for the provider's pod.",
	},
}
