package condition

import (
	"math"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// division fails for a division by zero, where CEL would return infinity, which passes every minimum.
type division struct{ interpreter.InterpretableCall }

func boundCalls(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch made := i.(type) {
	case interpreter.InterpretableCall:
		switch made.Function() {
		case operators.Divide:
			return division{made}, nil
		case operators.Add:
			return checkedCall{made}, nil
		}
	case interpreter.InterpretableConstructor:
		return checkedList{made}, nil
	}
	return i, nil
}

// checkedCall and construction fail if a list grows too large. A list built from itself takes little memory, because
// its parts are shared, but a comparison visits each part and cannot be interrupted.
type checkedCall struct{ interpreter.InterpretableCall }

type checkedList struct {
	interpreter.InterpretableConstructor
}

// Exec is part of interpreter.InterpretableV2.
func (b checkedCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return refuseLarge(b.InterpretableCall.Exec(frame))
}

// Eval is part of interpreter.Interpretable.
func (b checkedCall) Eval(activation interpreter.Activation) ref.Val {
	return refuseLarge(b.InterpretableCall.Eval(activation))
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

// Exec is part of interpreter.InterpretableV2.
func (d division) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return refuseInfinite(d.InterpretableCall.Exec(frame))
}

// Eval is part of interpreter.Interpretable.
func (d division) Eval(activation interpreter.Activation) ref.Val {
	return refuseInfinite(d.InterpretableCall.Eval(activation))
}

func refuseInfinite(value ref.Val) ref.Val {
	if quotient, ok := value.(types.Double); ok && (math.IsInf(float64(quotient), 0) || math.IsNaN(float64(quotient))) {
		return types.NewErr("division by zero")
	}
	return value
}
