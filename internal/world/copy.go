package world

import (
	"maps"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// copyAnswer is [proto.CloneOf] for answers, in half of the time: nearly all of an answer are the Structs of what is desired.
func copyAnswer(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	rest := &fnv1.RunFunctionResponse{}
	to := rest.ProtoReflect()

	rsp.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if field.Name() != "desired" {
			to.Set(field, v)
		}

		return true
	})

	out := proto.CloneOf(rest)

	if desired := rsp.GetDesired(); desired != nil {
		out.Desired = &fnv1.State{Composite: copyResource(desired.GetComposite())}

		if desired.GetResources() != nil {
			out.Desired.Resources = make(map[string]*fnv1.Resource, len(desired.GetResources()))
			for name, r := range desired.GetResources() {
				out.Desired.Resources[name] = copyResource(r)
			}
		}
	}

	return out
}

func copyResource(r *fnv1.Resource) *fnv1.Resource {
	if r == nil {
		return nil
	}

	return &fnv1.Resource{Resource: copyStruct(r.GetResource()), ConnectionDetails: maps.Clone(r.GetConnectionDetails()), Ready: r.GetReady()}
}

func copyStruct(s *structpb.Struct) *structpb.Struct {
	if s == nil {
		return nil
	}

	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(s.GetFields()))}
	for name, v := range s.GetFields() {
		out.Fields[name] = copyValue(v)
	}

	return out
}

func copyValue(v *structpb.Value) *structpb.Value {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return structpb.NewStringValue(k.StringValue)
	case *structpb.Value_NumberValue:
		return structpb.NewNumberValue(k.NumberValue)
	case *structpb.Value_BoolValue:
		return structpb.NewBoolValue(k.BoolValue)
	case *structpb.Value_NullValue:
		return structpb.NewNullValue()
	case *structpb.Value_StructValue:
		return structpb.NewStructValue(copyStruct(k.StructValue))
	case *structpb.Value_ListValue:
		out := &structpb.ListValue{Values: make([]*structpb.Value, len(k.ListValue.GetValues()))}
		for i, item := range k.ListValue.GetValues() {
			out.Values[i] = copyValue(item)
		}

		return structpb.NewListValue(out)
	}

	return &structpb.Value{}
}
