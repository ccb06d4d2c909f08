{{- define "members" -}}
{{- $field := . -}}
_{{ template "of" $field.Type }}_
{{- range $field.Validation }}{{ if hasPrefix "Required" . }}, required{{ end }}{{ end }}
{{- with $field.Default }}, default `{{ . }}`{{ end }}
{{- range $field.Validation }}{{ template "rule" . }}{{ end }}.
{{- if eq $field.Name "metadata" }}
  Kubernetes' own [ObjectMeta](https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/).
{{- else }}{{ template "text" $field.Doc }}
{{- end }}
{{- end -}}
