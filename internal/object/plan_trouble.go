package object

import "cmp"

// PlanTrouble says why a Plan could not be written, and what to do. What the API server says itself is never repeated. Empty: the default namespace.
func PlanTrouble(sight Sight, namespace, providerConfig string) string {
	namespace = cmp.Or(namespace, DefaultUpgradeNamespace)

	switch sight {
	case SightNoPlans:
		return "The cluster has no system-upgrade-controller, so K3s is not upgraded: apply " + PlanManifests + "/crd.yaml and " +
			PlanManifests + "/system-upgrade-controller.yaml there"
	case SightNoNamespace:
		return "The cluster has no namespace " + namespace + " for the Plans of system-upgrade-controller: apply " + PlanManifests +
			"/system-upgrade-controller.yaml there, or correct systemUpgrade.namespace in the catalogue"
	case SightForbidden:
		return "provider-kubernetes may not write Plans into namespace " + namespace + ": apply install/observe/provider-kubernetes-plans.yaml in the cluster"
	case SightNoConfig:
		return "provider-kubernetes has no provider configuration " + providerConfig + " with which it could write Plans"
	default:
		return "provider-kubernetes cannot write the Plans of system-upgrade-controller"
	}
}
