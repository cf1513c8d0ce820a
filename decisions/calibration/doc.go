// Package calibration is the arithmetic of confidence: how often decisions turned out as well as their makers expected. It
// works on counters that can be added and taken away again, so that it costs the same for ten decisions and for a million.
// It knows no database.
package calibration
