package site

// The types of a site's conditions, beside those that it has in common with machines.
const (
	// TypeSiteReady says whether the interfaces and pools of a ProxmoxSite are in Proxmox.
	TypeSiteReady = "SiteReady"
	// TypeInterruptionPending says whether changes wait for a word of the claim, because they interrupt traffic.
	TypeInterruptionPending = "InterruptionPending"
)

// Reasons of [TypeSiteReady].
const (
	// ReasonAllPresent (True): all interfaces and pools of the claim are in Proxmox.
	ReasonAllPresent = "AllPresent"
	// ReasonNameTaken (False): there is an interface or a pool of the name, which the claim did not create.
	ReasonNameTaken = "NameTaken"
	// ReasonInterfaceUnfit (False): what an interface needs is not there, or must not be used.
	ReasonInterfaceUnfit = "InterfaceUnfit"
	// ReasonProviderError (False): the provider reports an error.
	ReasonProviderError = "ProviderError"
	// ReasonLooking (False): the provider has not answered yet, or creates something else first.
	ReasonLooking = "Looking"
	// ReasonCreating (False): the provider creates something.
	ReasonCreating = "Creating"
)

// Reasons of [TypeInterruptionPending].
const (
	// ReasonNothingPending (False): no change waits.
	ReasonNothingPending = "NothingPending"
	// ReasonWaitingForWord (True): a change that interrupts traffic, or a removal, waits until the claim names it.
	ReasonWaitingForWord = "WaitingForWord"
)
