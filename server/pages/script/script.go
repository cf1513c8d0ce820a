// Package script holds the JavaScript modules of the pages. Cards use some of them.
package script

import "embed"

// Files holds the modules. They import each other by name.
//
//go:embed *.js
var Files embed.FS
