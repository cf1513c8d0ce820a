package condition

import (
	"math"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// division fails where CEL would go on with infinity, which passes every "at least" there is.
type division struct{ interpreter.InterpretableCall }

func bounded(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch made := i.(type) {
	case interpreter.InterpretableCall:
		switch made.Function() {
		case operators.Divide:
			return division{made}, nil
		case operators.Add:
			return building{made}, nil
		}
	case interpreter.InterpretableConstructor:
		return construction{made}, nil
	}
	return i, nil
}

// building and construction fail where a list grows too large. What is built of itself again and again takes no room, since
// its parts are shared, but comparing it visits each of them, and nothing can interrupt that.
type building struct{ interpreter.InterpretableCall }

type construction struct {
	interpreter.InterpretableConstructor
}

// Exec is part of interpreter.InterpretableV2.
func (b building) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return refuseLarge(b.InterpretableCall.Exec(frame))
}

// Eval is part of interpreter.Interpretable.
func (b building) Eval(activation interpreter.Activation) ref.Val {
	return refuseLarge(b.InterpretableCall.Eval(activation))
}

// Exec is part of interpreter.InterpretableV2.
func (c construction) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return refuseLarge(c.InterpretableConstructor.Exec(frame))
}

// Eval is part of interpreter.Interpretable.
func (c construction) Eval(activation interpreter.Activation) ref.Val {
	return refuseLarge(c.InterpretableConstructor.Eval(activation))
}

// maxBuilt is how many values a list or map that a condition builds may hold, at any depth.
const maxBuilt = 2000

func refuseLarge(value ref.Val) ref.Val {
	left := maxBuilt
	if count(value, &left); left < 0 {
		return types.NewErr("the condition builds too large a list")
	}
	return value
}

// count takes the values within a value from what is left, until nothing is.
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
	if quotient, isDouble := value.(types.Double); isDouble && (math.IsInf(float64(quotient), 0) || math.IsNaN(float64(quotient))) {
		return types.NewErr("division by zero")
	}
	return value
}
