//go:build !linux

package main

import "os"

// pageFaults returns 0, because this system does not report page faults.
func pageFaults(*os.ProcessState) float64 { return 0 }
