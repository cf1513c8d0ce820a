package condition

import (
	"math"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// boundCalls makes evaluations fail where their result would be wrong or expensive. A division by zero fails, because
// CEL would return infinity, which passes every minimum. A list that is built from itself fails once it is too large:
// it takes little memory, because its parts are shared, but a comparison visits each part and cannot be interrupted.
func boundCalls(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch made := i.(type) {
	case interpreter.InterpretableCall:
		switch made.Function() {
		case operators.Divide:
			return checkedCall{made, refuseInfinite}, nil
		case operators.Add:
			return checkedCall{made, refuseLarge}, nil
		}
	case interpreter.InterpretableConstructor:
		return checkedList{made}, nil
	}
	return i, nil
}

// checkedCall is a call whose result is checked.
type checkedCall struct {
	interpreter.InterpretableCall
	check func(ref.Val) ref.Val
}

// Exec is part of interpreter.InterpretableV2.
func (c checkedCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return c.check(c.InterpretableCall.Exec(frame))
}

// Eval is part of interpreter.Interpretable.
func (c checkedCall) Eval(activation interpreter.Activation) ref.Val {
	return c.check(c.InterpretableCall.Eval(activation))
}

// checkedList is a list or map that must not be too large.
type checkedList struct {
	interpreter.InterpretableConstructor
}

// Exec is part of interpreter.InterpretableV2.
func (c checkedList) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return refuseLarge(c.InterpretableConstructor.Exec(frame))
}

// Eval is part of interpreter.Interpretable.
func (c checkedList) Eval(activation interpreter.Activation) ref.Val {
	return refuseLarge(c.InterpretableConstructor.Eval(activation))
}

// maxBuilt is the maximum number of values, at any depth, in a list or map that a condition builds.
const maxBuilt = 2000

func refuseLarge(value ref.Val) ref.Val {
	left := maxBuilt
	if count(value, &left); left < 0 {
		return types.NewErr("the condition builds too large a list")
	}
	return value
}

// count subtracts the number of values within a value from left.
func count(value ref.Val, left *int) {
	if *left--; *left < 0 {
		return
	}
	switch v := value.(type) {
	case traits.Lister:
		size, _ := v.Size().(types.Int)
		for i := types.Int(0); i < size && *left >= 0; i++ {
			count(v.Get(i), left)
		}
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True && *left >= 0; {
			count(v.Get(it.Next()), left)
		}
	}
}

func refuseInfinite(value ref.Val) ref.Val {
	if quotient, ok := value.(types.Double); ok && (math.IsInf(float64(quotient), 0) || math.IsNaN(float64(quotient))) {
		return types.NewErr("division by zero")
	}
	return value
}
