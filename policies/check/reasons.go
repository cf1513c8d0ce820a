package check

import (
	"nomograph/internal/lists"
)

// Reason is one reason for an action or a decision.
type Reason struct {
	Type     string   `json:"type" rule:"enum=authority|analogy|analysis|pattern|intuition|empirical|elimination|constraint"`
	Text     string   `json:"text" rule:"minLength=1,maxLength=10000"`
	Strength *float64 `json:"strength,omitempty" rule:"minimum=0,maximum=1,default=0.8"`
}

// DefaultStrength is the default strength of a reason.
const DefaultStrength = 0.8

// EffectiveStrength returns the strength of the reason or its default.
func (r Reason) EffectiveStrength() float64 {
	if r.Strength == nil {
		return DefaultStrength
	}
	return *r.Strength
}

// ReasonFacts returns reasons as rules see them.
func ReasonFacts(reasons []Reason) []map[string]any {
	return lists.Map(reasons, func(r Reason) map[string]any {
		return map[string]any{"type": r.Type, "text": r.Text, "strength": r.EffectiveStrength()}
	})
}
