package output

import (
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"nomograph/internal/terminal"
)

const defaultWidth = 80

// Page describes standard output. A terminal has a width, and its times are relative. Other output is never truncated
// and times are absolute, so that scripts get the same output everywhere. -o wide prints such output on a terminal too.
func (f Form) Page(w io.Writer) terminal.Page {
	onTerminal := OnTerminal(w)
	page := terminal.Page{Color: colored(onTerminal), Wide: f.Name == "wide"}
	if onTerminal && f.Name != "wide" {
		page.Width, page.Now = widthOf(w), time.Now()
	}
	return page
}

// OnTerminal reports whether a writer is a terminal.
func OnTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// widthOf returns COLUMNS if set, as POSIX defines, or else the width of the terminal.
func widthOf(w io.Writer) int {
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	if width, _, err := term.GetSize(int(w.(*os.File).Fd())); err == nil && width > 0 {
		return width
	}
	return defaultWidth
}

// colored follows NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM, in this order.
func colored(onTerminal bool) bool {
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return onTerminal && os.Getenv("CLICOLOR") != "0" && os.Getenv("TERM") != "dumb"
}
