package config

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nomograph/internal/apperr"
)

// owner is the party that controls a source.
type owner int

const (
	caller owner = iota // the person who started the process: flags and environment
	folder              // the author of the working directory's .env
	user                // the user: the config file and the .env in its folder
)

// CommandLine is the origin of settings that flags give.
const CommandLine = "the command line"

// source is a source of settings.
type source struct {
	origin string // display name
	owner  owner
	base   string            // base directory of relative paths; empty means the working directory
	values map[string]string // by setting key
}

// Load resolves the configuration. flags are the command-line settings by Key. file is the config file; empty means the
// default one, which may be missing. It returns a validation_error that names the setting and its source.
func Load(flags map[string]string, file string) (Config, error) {
	return LoadFor(".", os.Getenv, flags, file)
}

// LoadFor is Load for a process with a different working directory and environment, and the same home directory.
func LoadFor(dir string, getenv func(string) string, flags map[string]string, file string) (Config, error) {
	named := file != ""
	if !named {
		file = DefaultFile()
	}
	fromFile, err := readFile(file)
	if err != nil && (named || !errors.Is(err, fs.ErrNotExist)) {
		return Config{}, readError(file, err)
	}
	userDotenv := ""
	if file != "" { // false without a home directory
		userDotenv = filepath.Join(filepath.Dir(file), dotenv)
	}
	userDotenvFile, err := readDotenv(userDotenv)
	if err != nil {
		return Config{}, err
	}
	here, err := ReadEnvFile(dir)
	if err != nil {
		return Config{}, err
	}
	if here.is(userDotenv) { // the user's own directory needs no trust, except if a flag selected it
		if named {
			userDotenvFile = nil
		} else {
			here = EnvFile{}
		}
	}

	c := Config{File: file, Values: map[string]string{}, Origins: map[string]string{}}
	asked := []source{{CommandLine, caller, "", flags}, {"the environment", caller, "", environment(getenv)}}
	owned := []source{{userDotenv, user, filepath.Dir(userDotenv), userDotenvFile},
		{file, user, filepath.Dir(file), fromFile}}
	theirs := source{dotenv, folder, "", here.values}
	sources := slices.Concat(asked, []source{theirs}, owned)
	if !here.Trusted {
		theirs.values = here.names()
		sources = slices.Concat(asked, owned, []source{theirs})
		c.Notices = here.ignoredNotice(asked)
	}
	if err := c.apply(sources); err != nil {
		return Config{}, err
	}
	return c, nil
}

// apply sets each setting to its value in the first source that has one.
func (c *Config) apply(sources []source) error {
	for _, s := range Settings {
		value, from, err := resolve(s, sources, c)
		if err != nil {
			return err
		}
		if from.origin != "" {
			c.Origins[s.Key] = from.origin
			if s.paths {
				value = makeAbsolute(value, from.base)
			}
		}
		if value == "" {
			continue
		}
		c.Values[s.Key] = value
		if err := s.set(c, value); err != nil {
			return apperr.Newf(apperr.Validation, "%s: %v", s.Key, err).
				WithHint("Correct it in %s", from.origin)
		}
	}
	c.applyCSTPAddress()
	return nil
}

// Defaults returns the configuration in which nothing is set.
func Defaults() Config {
	c := Config{Values: map[string]string{}, Origins: map[string]string{}}
	for _, s := range Settings {
		if s.Default == "" {
			continue
		}
		c.Values[s.Key] = s.Default
		if err := s.set(&c, s.Default); err != nil { // cannot happen, since the defaults are valid
			panic(s.Key + ": " + err.Error())
		}
	}
	c.applyCSTPAddress()
	return c
}

// resolve returns the value and source of a setting. The source is empty for the default.
func resolve(s Setting, sources []source, c *Config) (string, source, error) {
	if s.With != "" {
		return credentialFor(s, sources, c)
	}
	for _, from := range sources {
		if value := from.values[s.Key]; value != "" {
			return value, from, nil
		}
	}
	return s.Default, source{}, nil
}

func environment(getenv func(string) string) map[string]string {
	values := map[string]string{}
	for _, s := range Settings {
		values[s.Key] = getenv(s.Env)
	}
	return values
}

// makeAbsolute makes relative paths in a comma-separated list relative to a directory, so that they do not depend on
// the working directory. Base64 public keys are not paths.
func makeAbsolute(list, base string) string {
	if base == "" {
		return list
	}
	parts := strings.Split(list, ",")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if raw, err := base64.StdEncoding.DecodeString(part); part != "" && !filepath.IsAbs(part) &&
			(err != nil || len(raw) != 32) {
			parts[i] = filepath.Join(base, part)
		}
	}
	return strings.Join(parts, ",")
}
