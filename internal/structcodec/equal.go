package structcodec

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
)

// Equal says whether two values are the same, as proto.Equal does, but without its garbage: proto.Equal takes a copy of each
// map's keys. Nil and a value without a kind are the same to it as well.
func Equal(a, b *structpb.Value) bool {
	if a == b {
		return true
	}

	switch a := a.GetKind().(type) {
	case *structpb.Value_NullValue:
		_, ok := b.GetKind().(*structpb.Value_NullValue)
		return ok
	case *structpb.Value_BoolValue:
		b, ok := b.GetKind().(*structpb.Value_BoolValue)
		return ok && a.BoolValue == b.BoolValue
	case *structpb.Value_NumberValue:
		b, ok := b.GetKind().(*structpb.Value_NumberValue)
		return ok && a.NumberValue == b.NumberValue
	case *structpb.Value_StringValue:
		b, ok := b.GetKind().(*structpb.Value_StringValue)
		return ok && a.StringValue == b.StringValue
	case *structpb.Value_ListValue:
		b, ok := b.GetKind().(*structpb.Value_ListValue)
		return ok && slices.EqualFunc(a.ListValue.GetValues(), b.ListValue.GetValues(), Equal)
	case *structpb.Value_StructValue:
		b, ok := b.GetKind().(*structpb.Value_StructValue)
		return ok && maps.EqualFunc(a.StructValue.GetFields(), b.StructValue.GetFields(), Equal)
	default:
		return b.GetKind() == nil
	}
}
