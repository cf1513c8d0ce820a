// Package attribution proposes outcomes from git history: whether the change that a decision made was merged, remained
// or was reverted.
//
// Store.ProposeOutcomes reads a repository and returns an Attribution with proposals. A proposal becomes a review only
// if the caller asks for it and no rule denies it.
package attribution
