// Package statistics holds the intervals, bounds and resampling of the policy lab, of calibration and of autonomy. Acts
// of one session resemble each other, so functions that take cases count their groups. Calibration still counts
// reviews.
package statistics
