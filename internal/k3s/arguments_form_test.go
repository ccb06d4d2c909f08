package k3s

import (
	"strings"
	"testing"
)

// TestArgumentForms: with each of the refused ones a program ends when it starts, and K3s with it.
func TestArgumentForms(t *testing.T) {
	const (
		hard    = "item 1: eviction-hard must be signals of the kubelet, < and an amount or a share, such as memory.available<500Mi,nodefs.available<10%: the kubelet does not start with another one, and K3s neither"
		kept    = "item 1: kube-reserved must be cpu, memory, ephemeral-storage or pid, = and an amount"
		capital = "item 1: has capitals in its name, as fields of a configuration file have, and no argument"
	)

	cases := map[string]struct{ reason, key, item, want string }{
		"Eviction":         {reason: "As K3s' documentation has it.", key: "kubelet-arg", item: "eviction-hard=imagefs.available<5%,nodefs.available<1Gi"},
		"EvictionBlank":    {reason: "The flag takes blanks away.", key: "kubelet-arg", item: "eviction-soft=memory.available<500Mi, nodefs.available<15%"},
		"EvictionNone":     {reason: "No eviction at all.", key: "kubelet-arg", item: "eviction-hard="},
		"EvictionEqual":    {reason: "As of the other flags.", key: "kubelet-arg", item: "eviction-hard=memory.available=500Mi", want: hard},
		"EvictionTwo":      {reason: "One of two is so.", key: "kubelet-arg", item: "--eviction-hard=memory.available<500Mi,nodefs.available=10%", want: hard},
		"EvictionSignal":   {reason: "unsupported eviction signal.", key: "kubelet-arg", item: "eviction-hard=memory.avaliable<500Mi", want: hard},
		"EvictionUnit":     {reason: "As disks are sold.", key: "kubelet-arg", item: "eviction-hard=memory.available<500MB", want: hard},
		"EvictionQuoted":   {reason: "No shell takes the quotes away.", key: "kubelet-arg", item: `eviction-hard="memory.available<500Mi"`, want: hard},
		"EvictionZero":     {reason: "eviction threshold must be positive.", key: "kubelet-arg", item: "eviction-hard=memory.available<0", want: hard},
		"Grace":            {reason: "As Kubernetes' documentation has it.", key: "kubelet-arg", item: "eviction-soft-grace-period=memory.available=1m30s"},
		"GraceNumber":      {reason: "A time has a unit.", key: "kubelet-arg", item: "eviction-soft-grace-period=memory.available=90", want: "item 1: eviction-soft-grace-period must be signals of the kubelet, = and a time"},
		"Reclaim":          {reason: "Nothing is taken for one of them.", key: "kubelet-arg", item: "eviction-minimum-reclaim=memory.available=0Mi,nodefs.available=10%"},
		"Reserved":         {reason: "k3s-io/k3s issue 5488.", key: "kubelet-arg", item: "system-reserved=cpu=500m, memory=1Gi,ephemeral-storage=2Gi,pid=100"},
		"ReservedUnit":     {reason: "As memory is sold.", key: "kubelet-arg", item: "kube-reserved=memory=1GB", want: kept},
		"ReservedColon":    {reason: "As in a file.", key: "kubelet-arg", item: "kube-reserved=memory:1Gi", want: kept},
		"ReservedStorage":  {reason: "cannot reserve \"storage\" resource.", key: "kubelet-arg", item: "kube-reserved=cpu=1,storage=1Gi", want: kept},
		"EvictionPoint":    {reason: "The kubelet reads a number of Go.", key: "kubelet-arg", item: "eviction-hard=nodefs.available<.5%,imagefs.available<100%"},
		"EvictionOver":     {reason: "No share is larger than all.", key: "kubelet-arg", item: "eviction-hard=nodefs.available<101%", want: hard},
		"PodsHex":          {reason: "A flag takes any base.", key: "kubelet-arg", item: "max-pods=0x6e"},
		"PodsPlus":         {reason: "And a sign.", key: "kubelet-arg", item: "max-pods=+110"},
		"Pods":             {reason: "A number.", key: "kubelet-arg", item: "max-pods=200"},
		"PodsWord":         {reason: "No number.", key: "kubelet-arg", item: "max-pods=200m", want: "item 1: max-pods must be a whole number: the kubelet does not start with another one"},
		"ImagesShare":      {reason: "The number is a share already.", key: "kubelet-arg", item: "image-gc-high-threshold=80%", want: "item 1: image-gc-high-threshold must be a whole number, without %"},
		"Logs":             {reason: "As the kubelet has it.", key: "kubelet-arg", item: "container-log-max-size=50Mi"},
		"LogsUnit":         {reason: "As Docker has it.", key: "kubelet-arg", item: "container-log-max-size=50MB", want: "item 1: container-log-max-size must be an amount of Kubernetes, such as 10Mi"},
		"Field":            {reason: "rancher/rke2 issue 4200.", key: "kubelet-arg", item: "evictionHard=memory.available<500Mi", want: capital},
		"FieldHyphens":     {reason: "k3s-io/k3s issue 11781.", key: "kubelet-arg", item: "single-Process-OOM-Kill=true", want: capital},
		"FieldOfScheduler": {reason: "The same of another program.", key: "kube-scheduler-arg", item: "percentageOfNodesToScore=50", want: capital},
		"Added":            {reason: "It is added to what K3s has itself.", key: "kube-apiserver-arg", item: "enable-admission-plugins+=AlwaysPullImages"},
		"Before":           {reason: "Or stands before it.", key: "kube-apiserver-arg", item: "--enable-admission-plugins-=AlwaysPullImages"},
		"AddedForm":        {reason: "What is added has the form, too.", key: "kubelet-arg", item: "eviction-hard+=memory.available", want: hard},
		"Time":             {reason: "time: missing unit in duration.", key: "kube-controller-manager-arg", item: "node-monitor-grace-period=40", want: "item 1: node-monitor-grace-period must be a time with its unit, such as 40s or 2m: kube-controller-manager does not start"},
		"TimeUnit":         {reason: "As Kubernetes has it.", key: "kube-controller-manager-arg", item: "node-monitor-grace-period=40s"},
		"TimeNothing":      {reason: "Go takes nothing without a unit.", key: "kubelet-arg", item: "node-status-update-frequency=0"},
		"TimeKubelet":      {reason: "The same of the kubelet.", key: "kubelet-arg", item: "node-status-update-frequency=4", want: "item 1: node-status-update-frequency must be a time with its unit"},
		"Seconds":          {reason: "These are seconds by their name.", key: "kube-apiserver-arg", item: "default-not-ready-toleration-seconds=30s", want: "item 1: default-not-ready-toleration-seconds must be a whole number"},
		"Inflight":         {reason: "No unit is one.", key: "kube-apiserver-arg", item: "max-requests-inflight=1k", want: "item 1: max-requests-inflight must be a whole number"},
		"Truth":            {reason: "A word of YAML 1.1, and none of Go.", key: "kube-apiserver-arg", item: "anonymous-auth=no", want: "item 1: anonymous-auth must be true or false"},
		"TruthAlone":       {reason: "A flag alone says true.", key: "kubelet-arg", item: "fail-swap-on"},
		"TruthShort":       {reason: "As Go reads it.", key: "kubelet-arg", item: "fail-swap-on=F"},
		"TLS":              {reason: "As web servers have it.", key: "kube-apiserver-arg", item: "tls-min-version=1.3", want: "item 1: tls-min-version must be VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13"},
		"GoAway":           {reason: "validateGoawayChance.", key: "kube-apiserver-arg", item: "goaway-chance=1", want: "item 1: goaway-chance must be a share of 0 to 0.02"},
		"Topology":         {reason: "Half of a word.", key: "kubelet-arg", item: "topology-manager-policy=single-numa", want: "item 1: topology-manager-policy must be none, best-effort, restricted or single-numa-node"},
		"AddressPort":      {reason: "The port is secure-port.", key: "kube-scheduler-arg", item: "bind-address=0.0.0.0:10259", want: "item 1: bind-address must be an IP address alone"},
		"Address":          {reason: "For metrics, as many have it.", key: "kube-proxy-arg", item: "bind-address=::"},
		"Quota":            {reason: "K3s writes text into etcd's file, which takes a number (k3s-io/k3s issue 7293 raises it).", key: "etcd-arg", item: "quota-backend-bytes=8Gi", want: "item 1: quota-backend-bytes must be a number of bytes, such as 8589934592 for 8Gi: etcd does not start"},
		"QuotaBytes":       {reason: "As etcd has it.", key: "etcd-arg", item: "--quota-backend-bytes=8589934592"},
		"Heartbeat":        {reason: "K3s makes nanoseconds of it.", key: "etcd-arg", item: "heartbeat-interval=500ms", want: "item 1: heartbeat-interval must be a number of milliseconds"},
		"Metrics":          {reason: "No address of etcd is without a scheme.", key: "etcd-arg", item: "listen-metrics-urls=0.0.0.0:2381", want: "item 1: listen-metrics-urls must have http:// before each address"},
		"MetricsTwo":       {reason: "As guides for Prometheus have it.", key: "etcd-arg", item: "listen-metrics-urls=http://127.0.0.1:2381,http://192.168.4.211:2381"},
		"Unknown":          {reason: "Nobody knows the form of another argument.", key: "kubelet-arg", item: "volume-plugin-dir=often"},
		"OfAnother":        {reason: "Another program has an argument of the name.", key: "kube-proxy-arg", item: "max-pods=lots"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := BadValue(tc.key, []any{tc.item})
			if (got == "") != (tc.want == "") || !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s\ngot %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestCompanions: arguments of the API server that do nothing alone, or cannot be together.
func TestCompanions(t *testing.T) {
	const (
		together = ", and the API server does not start with one of the two alone: set "
		plugin   = "kube-apiserver-arg: enable-admission-plugins replaces K3s' own NodeRestriction, without which a node may write the labels of other nodes, and read more Secrets than its own: write "
	)

	of := func(items ...any) map[string]any { return map[string]any{"kube-apiserver-arg": items} }

	cases := map[string]struct {
		reason      string
		config      map[string]any
		ends, risks []string
	}{
		"Nothing":      {reason: "K3s' own."},
		"OIDC":         {reason: "As Kubernetes' documentation has it.", config: of("oidc-issuer-url=https://id.lab", "--oidc-client-id=k3s", "oidc-groups-claim=groups")},
		"OIDCNoClient": {reason: "oidc-issuer-url and oidc-client-id must be specified together.", config: of("oidc-issuer-url=https://id.lab"), ends: []string{"kube-apiserver-arg: has oidc-issuer-url" + together + "oidc-client-id, too"}},
		"OIDCNoIssuer": {reason: "The same.", config: of("oidc-client-id=k3s"), ends: []string{"kube-apiserver-arg: has oidc-client-id" + together + "oidc-issuer-url, too"}},
		"Authorize":    {reason: "A file alone.", config: of("authorization-config=/etc/rancher/k3s/authz.yaml")},
		"AuthorizeTwo": {reason: "k3s-io/k3s issue 12017.", config: of("authorization-config=/etc/authz.yaml", "authorization-mode=Node,RBAC"), ends: []string{"kube-apiserver-arg: has authorization-config beside authorization-mode, and the API server does not start with both"}},
		"Anonymous":    {reason: "k3s-io/k3s issue 12245: it depends on the file.", config: of("authentication-config=/etc/authn.yaml", "anonymous-auth=true")},
		"PluginsOff":   {reason: "Who switches it off by name knows of it.", config: of("enable-admission-plugins=AlwaysPullImages", "disable-admission-plugins=NodeRestriction")},
		"Audit":        {reason: "As K3s' hardening guide has it.", config: of("audit-policy-file=/etc/audit.yaml", "audit-log-path=/var/log/audit.log")},
		"AuditWebhook": {reason: "Another place.", config: of("audit-policy-file=/etc/audit.yaml", "audit-webhook-config-file=/etc/hook.yaml")},
		"AuditNoPlace": {reason: "rancher/rke2 issue 410.", config: of("audit-policy-file=/etc/audit.yaml"), risks: []string{"kube-apiserver-arg: has audit-policy-file, and nothing is recorded without a place: set audit-log-path, too"}},
		"AuditAll":     {reason: "No policy is one that records nothing.", config: of("audit-log-path=-"), risks: []string{"kube-apiserver-arg: has audit-log-path, and nothing is recorded without a policy: set audit-policy-file, too"}},
		"Plugins":      {reason: "With K3s' own.", config: of("enable-admission-plugins=NodeRestriction,AlwaysPullImages")},
		"PluginsTwo":   {reason: "Two lists are one.", config: of("enable-admission-plugins=AlwaysPullImages", "enable-admission-plugins=NodeRestriction")},
		"PluginsAdded": {reason: "K3s adds it to its own.", config: of("enable-admission-plugins+=AlwaysPullImages")},
		"PluginsOwn":   {reason: "K3s' own is gone.", config: of("enable-admission-plugins=AlwaysPullImages"), risks: []string{plugin + `"enable-admission-plugins=NodeRestriction,AlwaysPullImages"`}},
		"Elsewhere":    {reason: "Another program's.", config: map[string]any{"kube-scheduler-arg": []any{"oidc-client-id=k3s"}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			contradictionsAre(t, tc.reason, Contradictions(tc.config, "v1.34.3+k3s1", nil), tc.ends)
			contradictionsAre(t, tc.reason, ServerRisks(tc.config, nil, nil), tc.risks)
		})
	}
}
