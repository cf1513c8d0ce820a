//go:build !linux

package main

import "os"

// peakOf is not known here.
func peakOf(*os.ProcessState) float64 { return 0 }

// faultsOf is not known here.
func faultsOf(*os.ProcessState) float64 { return 0 }
