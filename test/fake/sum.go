package fake

import (
	"hash/maphash"
	"math"
	"math/bits"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// seed of the checksums, which hold for one process. They do not depend on the order of maps, and cost a tenth of marshalling a message.
var seed = maphash.MakeSeed()

// What stands before a value in a checksum, so that no two kinds of values have the same.
const (
	sumNull uint64 = iota + 1
	sumFalse
	sumTrue
	sumNumber
	sumList
	sumStruct
	sumResource
)

// mixed is a checksum of two, in their order.
func mixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)

	return hi ^ lo ^ bits.RotateLeft64(a, 32) //nolint:mnd // Half of it.
}

// sumOfRequest is a checksum of all that a request has.
func sumOfRequest(req *fnv1.RunFunctionRequest) uint64 {
	// The rest is small.
	rest := &fnv1.RunFunctionRequest{
		Meta: req.GetMeta(), Desired: req.GetDesired(), Context: req.GetContext(), Credentials: req.GetCredentials(), RequiredSchemas: req.GetRequiredSchemas(),
		ExtraResources: req.GetExtraResources(), //nolint:staticcheck // Crossplane before 2.0 sends it.
	}

	sum := mixed(sumOfMessage(rest), sumOfStruct(req.GetInput()))
	sum = mixed(sum, sumOfState(req.GetObserved()))

	var required uint64

	for name, r := range req.GetRequiredResources() {
		of := maphash.String(seed, name)
		for _, item := range r.GetItems() {
			of = mixed(of, sumOfResource(item))
		}

		required += mixed(of, sumList)
	}

	return mixed(sum, required)
}

func sumOfMessage(m proto.Message) uint64 {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		differs(errors.Wrap(err, "cannot read a message"))
	}

	return maphash.Bytes(seed, b)
}

func sumOfState(s *fnv1.State) uint64 {
	var resources uint64
	for name, r := range s.GetResources() {
		resources += mixed(maphash.String(seed, name), sumOfResource(r))
	}

	return mixed(sumOfResource(s.GetComposite()), resources)
}

func sumOfResource(r *fnv1.Resource) uint64 {
	sum := mixed(sumResource, sumOfStruct(r.GetResource()))

	if len(r.GetConnectionDetails()) > 0 || r.GetReady() != fnv1.Ready_READY_UNSPECIFIED {
		sum = mixed(sum, sumOfMessage(&fnv1.Resource{ConnectionDetails: r.GetConnectionDetails(), Ready: r.GetReady()}))
	}

	return sum
}

func sumOfStruct(s *structpb.Struct) uint64 {
	if s == nil {
		return sumNull
	}

	var fields uint64
	for name, v := range s.GetFields() {
		fields += mixed(maphash.String(seed, name), sumOfValue(v))
	}

	return mixed(sumStruct, fields)
}

func sumOfValue(v *structpb.Value) uint64 {
	switch k := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return maphash.String(seed, k.StringValue)
	case *structpb.Value_NumberValue:
		return mixed(sumNumber, math.Float64bits(k.NumberValue))
	case *structpb.Value_BoolValue:
		if k.BoolValue {
			return sumTrue
		}

		return sumFalse
	case *structpb.Value_StructValue:
		return sumOfStruct(k.StructValue)
	case *structpb.Value_ListValue:
		sum := sumList
		for _, item := range k.ListValue.GetValues() {
			sum = mixed(sum, sumOfValue(item))
		}

		return sum
	}

	return sumNull
}
