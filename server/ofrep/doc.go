// Package ofrep serves thresholds and policies to OpenFeature SDKs through the OpenFeature Remote Evaluation Protocol,
// OFREP 0.3. The flag NAME is the value of the threshold with that name. The flag policy:NAME is true if that policy is
// active.
package ofrep
