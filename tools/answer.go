package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"nomograph/fault"
)

// Fits checks arguments against the input schema, as Run does before it does anything else.
func (o Operation) Fits(ctx context.Context, arguments json.RawMessage) error {
	_, err := o.decode(ctx, arguments)
	return err
}

// Answered reads an answer of this operation that came from another process, in the type that Run gives. What a newer version has
// added to it is left out.
func (o Operation) Answered(answer json.RawMessage) (any, error) {
	out := reflect.New(o.out)
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	if err := decoder.Decode(out.Interface()); err != nil {
		return nil, fault.Newf(fault.Unavailable, "The answer of `%s` is not one that this version understands", o.Name).
			WithHint("Use the version of the server on both sides: `nomograph version` says which this is").Because(err)
	}
	return out.Elem().Interface(), nil
}
