//go:build !linux

package main

// unloadProgram does nothing, because other systems unload unused pages by themselves.
func unloadProgram() {}
