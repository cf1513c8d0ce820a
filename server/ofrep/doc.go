// Package ofrep lets every OpenFeature SDK read thresholds and policies, by OpenFeature's remote evaluation protocol, OFREP 0.3. The
// flag NAME is the threshold of that name with its value; policy:NAME is whether that policy is active.
package ofrep
