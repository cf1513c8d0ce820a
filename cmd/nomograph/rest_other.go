//go:build !linux

package main

// forgetProgram does nothing: other systems take unused pages of a program away by themselves.
func forgetProgram() {}
