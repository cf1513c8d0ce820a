// Package attribution proposes outcomes by the history of git: whether what a decision changed was merged, stayed or was
// reverted.
//
// Store.ProposeOutcomes reads a repository and gives an Attribution with its proposals. One becomes a review only where that is
// asked for and no rule denies it.
package attribution
