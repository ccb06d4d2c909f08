package world

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

func anAnswer(t *testing.T) *fnv1.RunFunctionResponse {
	t.Helper()

	s, err := structpb.NewStruct(map[string]any{"null": nil, "bool": true, "number": 1.5, "text": "a", "list": []any{"b", map[string]any{"c": "d"}}, "object": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}

	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "a", Ttl: durationpb.New(1)},
		Results: []*fnv1.Result{{Message: "a"}}, Conditions: []*fnv1.Condition{{Type: "a"}}, Context: s,
		Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"a": {Kind: "b"}}},
		Desired: &fnv1.State{
			Composite: &fnv1.Resource{Resource: s, Ready: fnv1.Ready_READY_TRUE},
			Resources: map[string]*fnv1.Resource{"a": {Resource: s, ConnectionDetails: map[string][]byte{"b": []byte("c")}}, "nothing": {}},
		},
	}
}

// TestCopyAnswer: a copy is the same, and who changes it changes nothing else.
func TestCopyAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		answer *fnv1.RunFunctionResponse
	}{
		"All":      {"Each kind of value, and each field that the function answers with.", anAnswer(t)},
		"Nothing":  {"An empty answer desires nothing.", &fnv1.RunFunctionResponse{}},
		"NoFields": {"A state without anything in it.", &fnv1.RunFunctionResponse{Desired: &fnv1.State{}}},
		"NoKind": {"A value without a kind.", &fnv1.RunFunctionResponse{Desired: &fnv1.State{Composite: &fnv1.Resource{
			Resource: &structpb.Struct{Fields: map[string]*structpb.Value{"a": {}}},
		}}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := proto.CloneOf(tc.answer)

			got := copyAnswer(tc.answer)
			if !proto.Equal(tc.answer, got) {
				t.Errorf("%s Got %s, want %s", tc.reason, got, tc.answer)
			}

			for _, r := range got.GetDesired().GetResources() {
				for key, v := range r.GetResource().GetFields() {
					v.Kind = &structpb.Value_StringValue{StringValue: "another"}
					delete(r.GetResource().GetFields(), key)
				}

				r.Ready = fnv1.Ready_READY_FALSE
			}

			for _, item := range got.GetDesired().GetComposite().GetResource().GetFields()["list"].GetListValue().GetValues() {
				item.Kind = &structpb.Value_NullValue{}
			}

			if !proto.Equal(tc.answer, before) {
				t.Errorf("%s The copy shares something with it: got %s, want %s", tc.reason, tc.answer, before)
			}
		})
	}
}

// TestCopyAnswerKnowsAllFields of the messages that it copies one by one: the SDK may get new ones.
func TestCopyAnswerKnowsAllFields(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		message protoreflect.ProtoMessage
		want    int
	}{
		{"Composite and resources.", &fnv1.State{}, 2},
		{"The resource, its connection details, and whether it is ready.", &fnv1.Resource{}, 3},
		{"Fields.", &structpb.Struct{}, 1},
		{"Null, number, text, bool, object and list.", &structpb.Value{}, 6},
	} {
		if got := tc.message.ProtoReflect().Descriptor().Fields().Len(); got != tc.want {
			t.Errorf("%T has %d fields, and copyAnswer knows %d: %s", tc.message, got, tc.want, tc.reason)
		}
	}
}
