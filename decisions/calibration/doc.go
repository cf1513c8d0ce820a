// Package calibration computes how well stated confidence matches outcomes. It works on counters that can be added and
// subtracted, so its cost does not depend on the number of decisions. It reads no graph.
package calibration
