package preview

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/function-sdk-go/errors"
)

// withDefaults is a composite with the defaults of its XRD's schema, as an API server sets them. A version that the XRD does not have is
// an error.
func withDefaults(composite map[string]any, apiVersion string, d definition) (map[string]any, error) {
	for _, v := range d.Spec.Versions {
		if d.Spec.Group+"/"+v.Name != apiVersion {
			continue
		}

		out := runtime.DeepCopyJSON(composite)
		setDefaults(out, v.Schema.OpenAPIV3Schema)

		return out, nil
	}

	return nil, errors.Errorf("XRD %s has no version %s", d.object.GetName(), apiVersion)
}

// setDefaults below a value, whose schema is the schema.
func setDefaults(value any, schema map[string]any) {
	switch value := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			setDefault(value, name, property)
		}

		if additional, ok := schema["additionalProperties"].(map[string]any); ok {
			for name := range value {
				if _, named := properties[name]; !named {
					setDefaults(value[name], additional)
				}
			}
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, item := range value {
			setDefaults(item, items)
		}
	}
}

// setDefault of one property. A null counts as missing, unless the property may be null.
func setDefault(object map[string]any, name string, property any) {
	schema, ok := property.(map[string]any)
	if !ok {
		return
	}

	def, has := schema["default"]
	present, there := object[name]

	if nullable, _ := schema["nullable"].(bool); has && (!there || present == nil && !nullable) {
		object[name] = runtime.DeepCopyJSONValue(def)
	}

	setDefaults(object[name], schema)
}
