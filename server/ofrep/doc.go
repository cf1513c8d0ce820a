// Package ofrep serves thresholds and policies to OpenFeature SDKs through OpenFeature's remote evaluation protocol,
// OFREP 0.3. The flag NAME is the value of the threshold with that name; policy:NAME tells whether that policy is
// active.
package ofrep
