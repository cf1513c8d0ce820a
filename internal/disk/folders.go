// Package disk finds the user's folders. It opens files that people or settings name, without hanging on special files
// and without reading more than a limit.
//
//	folder, err := disk.Data("nomograph", "engine")
//	text, err := disk.Read(path, 1<<20)
package disk

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"

	"nomograph/internal/apperr"
)

// Home is the user's home folder: HOME, else what the system's list of users has. It returns an unavailable fault where there is none:
// a guess such as / would be a folder of everybody's, or of nobody's.
func Home() (string, error) {
	home := os.Getenv("HOME")
	if runtime.GOOS == "windows" {
		home = xdg.Home // which the system knows
	}
	if filepath.IsAbs(home) {
		return home, nil
	}
	return listedHome(user.Current())
}

// listedHome is the home folder that the system's list of users has. Services are often listed with the root or with a folder that is not
// there.
func listedHome(who *user.User, err error) (string, error) {
	if err == nil && filepath.IsAbs(who.HomeDir) && filepath.Dir(who.HomeDir) != who.HomeDir {
		if info, statErr := os.Stat(who.HomeDir); statErr == nil && info.IsDir() {
			return who.HomeDir, nil
		}
	}
	return "", apperr.New(apperr.Unavailable, "No home folder: HOME is not set, and the system knows none for this user").
		WithHint("Set HOME to a folder of yours").Because(err)
}

// Config is a path in the folder of the user's settings. It returns an unavailable fault where Home does.
func Config(parts ...string) (string, error) {
	return under("XDG_CONFIG_HOME", xdg.ConfigHome, ".config", "Library/Application Support", parts)
}

// Data is a path in the folder of the user's data, likewise.
func Data(parts ...string) (string, error) {
	return under("XDG_DATA_HOME", xdg.DataHome, ".local/share", "Library/Application Support", parts)
}

// Cache is a path in the folder of what can be fetched again, likewise.
func Cache(parts ...string) (string, error) {
	return under("XDG_CACHE_HOME", xdg.CacheHome, ".cache", "Library/Caches", parts)
}

// under is a path in a folder that the library xdg found, unless it lacked HOME: then it takes / for the home folder.
func under(variable, folder, usual, darwin string, parts []string) (string, error) {
	if runtime.GOOS != "windows" && !filepath.IsAbs(os.Getenv(variable)) && !filepath.IsAbs(os.Getenv("HOME")) {
		home, err := Home()
		if err != nil {
			return "", err
		}
		if runtime.GOOS == "darwin" {
			usual = darwin
		}
		folder = filepath.Join(home, usual)
	}
	return filepath.Join(append([]string{folder}, parts...)...), nil
}
