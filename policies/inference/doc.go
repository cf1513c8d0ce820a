// Package inference holds the intervals, bounds and resampling of the policy lab, of calibration and of autonomy. Acts of one session
// resemble each other, so each function counts sessions, or groups of acts that resemble each other as much, and not acts.
package inference
