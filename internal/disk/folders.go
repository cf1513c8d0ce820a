// Package disk finds the user's directories. It opens files that people or settings name, without hanging on special
// files and without reading more than a limit.
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

// Home returns the user's home directory: HOME, or else the one in the system's user database. It returns an
// unavailable error if there is none, because a guess such as / would be a shared directory.
func Home() (string, error) {
	home := os.Getenv("HOME")
	if runtime.GOOS == "windows" {
		home = xdg.Home // from the system's API
	}
	if filepath.IsAbs(home) {
		return home, nil
	}
	return listedHome(user.Current())
}

// listedHome returns the home directory in the system's user database. Service users often have the root directory or a
// missing one.
func listedHome(who *user.User, err error) (string, error) {
	if err == nil && filepath.IsAbs(who.HomeDir) && filepath.Dir(who.HomeDir) != who.HomeDir {
		if info, statErr := os.Stat(who.HomeDir); statErr == nil && info.IsDir() {
			return who.HomeDir, nil
		}
	}
	return "", apperr.New(apperr.Unavailable, "No home folder: HOME is not set, and the system knows none for this user").
		WithHint("Set HOME to a folder of yours").Because(err)
}

// Config returns a path in the user's configuration directory. It returns the errors of Home.
func Config(parts ...string) (string, error) {
	return pathIn("XDG_CONFIG_HOME", xdg.ConfigHome, ".config", "Library/Application Support", parts)
}

// Data returns a path in the user's data directory. It returns the errors of Home.
func Data(parts ...string) (string, error) {
	return pathIn("XDG_DATA_HOME", xdg.DataHome, ".local/share", "Library/Application Support", parts)
}

// Cache returns a path in the user's cache directory. It returns the errors of Home.
func Cache(parts ...string) (string, error) {
	return pathIn("XDG_CACHE_HOME", xdg.CacheHome, ".cache", "Library/Caches", parts)
}

// pathIn returns a path in a directory found by package xdg. Without HOME, xdg would use / as home directory.
func pathIn(variable, folder, fallback, darwin string, parts []string) (string, error) {
	if runtime.GOOS != "windows" && !filepath.IsAbs(os.Getenv(variable)) && !filepath.IsAbs(os.Getenv("HOME")) {
		home, err := Home()
		if err != nil {
			return "", err
		}
		if runtime.GOOS == "darwin" {
			fallback = darwin
		}
		folder = filepath.Join(home, fallback)
	}
	return filepath.Join(append([]string{folder}, parts...)...), nil
}
