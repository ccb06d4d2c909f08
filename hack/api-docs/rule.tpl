{{- define "rule" -}}
{{- /* What only the generator of the XRDs needs to know is left out. */ -}}
{{- if not (regexMatch "^(Required|Optional|Type|XIntOrString|Schemaless|XPreserveUnknownFields|ItemsPattern$|items:XValidation)" .) -}}
; {{ if hasPrefix "Enum: " . }}{{ trimPrefix "Enum: [" . | trimSuffix "]" | replace " " ", " }}{{ else }}{{ regexReplaceAll "^([A-Za-z:]*Pattern): `?(.*[^`])`?$" (. | replace "9.99999999e+08" "999999999" | replace "1e+06" "1000000") "${1}: `${2}`" | replace "items:" "each " }}{{ end }}
{{- end -}}
{{- end -}}
