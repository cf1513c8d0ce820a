//go:build !linux

package main

// forgetProgram does nothing, because other systems unload unused pages by themselves.
func forgetProgram() {}
