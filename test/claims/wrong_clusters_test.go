package claims

import "strings"

func wrongClusters() map[string]wrong {
	const token = "token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}"

	lab := func(spec string) string {
		return document("K3sCluster", "{name: lab, namespace: infra}", "{cluster: home, "+token+", "+spec+"}")
	}
	pve := "template: {proxmox: {node: pve}}"

	return map[string]wrong{
		"ClusterOfTwo":    {reason: "etcd needs more than half.", claim: lab(`servers: {count: 2, ` + pve + `}`), xrd: true, want: one("spec.servers.count", "1, 3 or 5")},
		"PoolNamed":       {reason: "The servers have the name.", claim: lab(`servers: {` + pve + `}, agents: [{name: server, count: 1, ` + pve + `}]`), xrd: true, want: one("spec.agents[0].name", "must start with a letter")},
		"PoolNegative":    {reason: "No agents are none.", claim: lab(`servers: {` + pve + `}, agents: [{name: worker, count: -1, ` + pve + `}]`), xrd: true, want: one("spec.agents[0].count", "must be 0 to 100")},
		"PoolTwice":       {reason: "Names of nodes begin with it.", claim: lab(`servers: {` + pve + `}, agents: [{name: worker, count: 1, ` + pve + `}, {name: worker, count: 1, ` + pve + `}]`), xrd: true, want: one("spec.agents[1].name", "Duplicate value")},
		"PoolClass":       {reason: "The path is the pool's, and it is said once.", claim: lab(`servers: {` + pve + `}, agents: [{name: worker, count: 3, class: tiny, ` + pve + `}]`), want: one("spec.agents[0].class", "there is no class of that name")},
		"TemplateRecord":  {reason: "A name points to one machine.", claim: lab(`servers: {template: {proxmox: {node: pve}, network: {dhcp: true, dnsRecord: home.lab.arpa}}}`), want: one("spec.servers.template.network.dnsRecord", "a name belongs to a single machine")},
		"TemplateRollout": {reason: "The cluster decides which node is next.", claim: lab(`servers: {template: {proxmox: {node: pve}, rollout: {group: a, wave: 1}}}`), want: one("spec.servers.template.rollout", "the cluster changes its nodes one after the other")},
		"TemplateIP":      {reason: "An address belongs to one machine.", claim: lab(`servers: {template: {proxmox: {node: pve}, network: {ip: 192.168.4.9}}}`), want: one("spec.servers.template.network.ip", "write spec.nodes[].ip")},
		"TemplateRole":    {reason: "The pool says it.", claim: lab(`servers: {template: {proxmox: {node: pve}, k3s: {role: agent}}}`), want: one("spec.servers.template.k3s.role", "the pool says it")},
		"ClusterRelease":  {reason: "A channel moves.", claim: lab(`version: latest, servers: {` + pve + `}`), xrd: true, want: one("spec.version", "must be a release of K3s, vX.Y.Z+k3sN")},
		"ClusterAddress":  {reason: "K3s speaks TLS.", claim: lab(`endpoint: "http://192.168.4.210:6443", servers: {` + pve + `}`), xrd: true, want: one("spec.endpoint", "must be https://")},
		"JoinTokenOfTwo":  {reason: "One source is enough.", claim: document("K3sCluster", "{name: lab, namespace: infra}", "{cluster: home, "+token+", joinToken: {file: /etc/token, secretRef: {name: t}, allowPlaintext: true}, servers: {"+pve+"}}"), xrd: true, want: one("spec.joinToken", "set exactly one of secretRef, file and secretStore")},
		"NodeTriggerLong": {reason: "It becomes a name.", claim: lab(`servers: {` + pve + `}, nodes: [{name: server-0, lifecycle: {replace: ` + strings.Repeat("a", 64) + `}}]`), xrd: true, want: one("spec.nodes[0].lifecycle.replace", "must be at most 63 characters long")},
		"NodeTriggerText": {reason: "Of the claim, and not of the node that the function writes.", claim: lab(`servers: {` + pve + `}, nodes: [{name: server-0, lifecycle: {reboot: "a b"}}]`), want: one("spec.nodes[0].lifecycle.reboot", "must hold only letters, digits")},
		"RolloutPolicy":   {reason: "A word that is none.", claim: lab(`rollout: {replacePolicy: Never}, servers: {` + pve + `}`), xrd: true, want: one("spec.rollout.replacePolicy", "OnRequest")},
		"RolloutAtOnce":   {reason: "More than there can be.", claim: lab(`rollout: {maxUnavailable: 101}, servers: {` + pve + `}`), xrd: true, want: one("spec.rollout.maxUnavailable", "must be 1 to 100")},
		"ClusterDeletion": {reason: "The path is the claim's, and no template's.", claim: lab(`deletionPolicy: Keep, servers: {` + pve + `}`), xrd: true, want: one("spec.deletionPolicy", "Orphan")},
		"WindowOfNobody": {
			reason: "Only system-upgrade-controller has a clock.", claim: lab(`servers: {` + pve + `}, rollout: {window: {startTime: "02:00", endTime: "05:00"}}`),
			xrd: true, want: one("spec.rollout.window", "is for upgrade: SystemUpgrade only"),
		},
		"WindowOverMidnight": {
			reason: "Its days would be two.", xrd: true, want: one("spec.rollout.window.endTime", "must be later on the same day than startTime"),
			claim: lab(`upgrade: SystemUpgrade, servers: {` + pve + `}, rollout: {window: {startTime: "22:00", endTime: "05:00"}}`),
		},
		"WindowTime": {
			reason: "Hours have two digits.", xrd: true, want: one("spec.rollout.window.startTime", "must be a time as HH:MM"),
			claim: lab(`upgrade: SystemUpgrade, servers: {` + pve + `}, rollout: {window: {startTime: "0200", endTime: "05:00"}}`),
		},
		"WindowDay": {
			reason: "Days have their names.", xrd: true, want: one("spec.rollout.window.days[0]", `"someday": supported values`),
			claim: lab(`upgrade: SystemUpgrade, servers: {` + pve + `}, rollout: {window: {days: [someday], startTime: "02:00", endTime: "05:00"}}`),
		},
		"WindowZone": {
			reason: "Offsets are no names.", xrd: true, want: one("spec.rollout.window.timeZone", "must be a name of the IANA database"),
			claim: lab(`upgrade: SystemUpgrade, servers: {` + pve + `}, rollout: {window: {startTime: "02:00", endTime: "05:00", timeZone: "+01:00"}}`),
		},
		"UpgradeWithoutCluster": {
			reason: "Nobody could write Plans.", xrd: true, want: one("spec.cluster", "upgrade: SystemUpgrade needs an entry of the catalogue's clusters"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}",
				"{upgrade: SystemUpgrade, version: v1.33.6+k3s1, endpoint: \"https://x:6443\", "+token+", servers: {count: 1, "+pve+"}}"),
		},
		"MinorUnknown": {
			reason: "Nobody can tell which release that is.", want: one("spec.version", "is no minor release of K3s that the function knows"),
			claim: lab(`version: v1.99, servers: {` + pve + `}`),
		},
		"SnapshotSchedule": {
			reason: "K3s has cron's five fields.", xrd: true, want: one("spec.servers.snapshots.schedule", "must be the five fields of cron"),
			claim: lab(`servers: {snapshots: {schedule: "every hour"}, ` + pve + `}`),
		},
		"SnapshotRetention": {
			reason: "K3s would keep none.", xrd: true, want: one("spec.servers.snapshots.retention", "must be 1 to 1000"),
			claim: lab(`servers: {snapshots: {retention: 0}, ` + pve + `}`),
		},
		"SnapshotSecret": {
			reason: "The name of a Secret.", xrd: true, want: one("spec.servers.snapshots.s3.secretRef.name", "must be the name of a Secret"),
			claim: lab(`servers: {snapshots: {s3: {secretRef: {name: Etcd_S3}}}, ` + pve + `}`),
		},
		"RestoreWithoutS3": {
			reason: "A new VM has no snapshot.", xrd: true, want: one("spec.servers.restore", "servers.snapshots"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}",
				"{version: v1.33.6+k3s1, endpoint: \"https://x:6443\", "+token+", servers: {count: 1, restore: {snapshot: a}, "+pve+"}}"),
		},
		"RestoreWithoutToken": {
			reason: "Nobody can decrypt it.", xrd: true, want: one("spec.servers.restore", "with the token of the time when it was taken"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}", "{cluster: home, servers: {count: 1, restore: {snapshot: a}, snapshots: {s3: {secretRef: {name: s}}}, "+pve+"}}"),
		},
		"RestorePath": {
			reason: "The folder is an option of S3.", xrd: true, want: one("spec.servers.restore.snapshot", "must be the name of a snapshot in the bucket"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}",
				"{version: v1.33.6+k3s1, endpoint: \"https://x:6443\", "+token+", servers: {count: 1, restore: {snapshot: home/a}, snapshots: {s3: {secretRef: {name: s}}}, "+pve+"}}"),
		},
		"RestoreInPlaintext": {
			reason: "No silent plaintext.", xrd: true, want: one("spec.servers.restore.allowPlaintext", "set allowPlaintext: true"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}",
				"{version: v1.33.6+k3s1, endpoint: \"https://x:6443\", "+token+", servers: {count: 1, restore: {snapshot: a, secretRef: {name: b, key: c}}, snapshots: {s3: {secretRef: {name: s}}}, "+pve+"}}"),
		},
		"RestoreNothing": {
			reason: "Which snapshot?", xrd: true, want: one("spec.servers.restore.snapshot", "Required"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}",
				"{version: v1.33.6+k3s1, endpoint: \"https://x:6443\", "+token+", servers: {count: 1, restore: {}, snapshots: {s3: {secretRef: {name: s}}}, "+pve+"}}"),
		},
		"SnapshotsTwice": {
			reason: "Both paths are named.", want: one("spec.servers.template.k3s.config[etcd-snapshot-retention]", "spec.servers.snapshots.retention says it"),
			claim: lab(`servers: {snapshots: {retention: 3}, template: {proxmox: {node: pve}, k3s: {config: {etcd-snapshot-retention: 5}}}}`),
		},
		"AdoptedTwice": {reason: "A K3sNode becomes one node.", claim: lab(`servers: {` + pve + `}, nodes: [{name: server-0, adopt: a}, {name: server-1, adopt: a}]`), xrd: true, want: one("spec.nodes[1].adopt", "is adopted by server-0 already")},
		"ClusterName": {
			reason: "Names of nodes begin with it.", claim: document("K3sCluster", "{name: "+strings.Repeat("a", 41)+", namespace: infra}", "{cluster: home, "+token+", servers: {"+pve+"}}"),
			xrd: true, want: one("metadata.name", "must be at most 40 characters long"),
		},
		"ClusterPlaintext": {
			reason: "No silent plaintext.", xrd: true, want: one("spec.token.allowPlaintext", "set allowPlaintext: true"),
			claim: document("K3sCluster", "{name: lab, namespace: infra}", "{cluster: silent, version: v1.33.6+k3s1, endpoint: \"https://x:6443\", token: {secretRef: {name: t}, trustOnFirstUse: true}, servers: {count: 1, "+pve+"}}"),
		},
	}
}
