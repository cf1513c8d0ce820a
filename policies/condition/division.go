package condition

import (
	"math"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// division fails where CEL would go on with infinity, which passes every "at least" there is.
type division struct{ interpreter.InterpretableCall }

func finite(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if call, isCall := i.(interpreter.InterpretableCall); isCall && call.Function() == operators.Divide {
		return division{call}, nil
	}
	return i, nil
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
	if quotient, isDouble := value.(types.Double); isDouble && (math.IsInf(float64(quotient), 0) || math.IsNaN(float64(quotient))) {
		return types.NewErr("division by zero")
	}
	return value
}
