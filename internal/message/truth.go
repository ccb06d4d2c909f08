package message

const (
	// TriggerRule says to somebody who wrote a truth value what a trigger is.
	TriggerRule = `acts once for each new value, which true and false are not: set a new value, such as today's date in quotes, "2026-11-20"`
	// LostRule says to somebody who wrote a truth value what lifecycle.lost is.
	LostRule = "must be the name of the Proxmox node that does not come back, such as pve2"
)
