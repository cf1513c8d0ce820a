package config

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
)

// freeKeys are the settings that an untrusted .env file may set if no other source does. They are names that refer
// neither to a program nor to an address.
var freeKeys = []string{"project", "neo4j.database"}

// EnvFile is the .env file of a directory. It is read once, so the bytes that are hashed, shown, trusted and used are
// the same.
type EnvFile struct {
	Path    string // path of the file with symbolic links of the directory resolved; empty if there is no file
	Trusted bool   // the user trusts exactly this content
	Changed bool   // the user trusted different content

	content []byte
	values  map[string]string
}

// trust is the stored record of a trusted file, in the user's data directory.
type trust struct {
	Path   string    `json:"path"`
	SHA256 string    `json:"sha256"` // SHA-256 of the content
	At     time.Time `json:"at"`
}

// ReadEnvFile reads the .env file of a directory and whether it is trusted. Path is empty if there is none.
func ReadEnvFile(dir string) (EnvFile, error) {
	path, err := dotenvIn(dir)
	if err != nil {
		return EnvFile{}, err
	}
	content, err := dotenvContent(path)
	if content == nil || err != nil {
		return EnvFile{}, err
	}
	f := EnvFile{Path: path, content: content}
	if entries, ok := trusted(path); ok {
		f.Trusted = entries.SHA256 == f.sum() && entries.Path == path
		f.Changed = !f.Trusted
	}
	if !f.Trusted {
		f.values = parseUntrusted(content)
		return f, nil
	}
	f.values, err = parseDotenv(path, content)
	return f, err
}

// dotenvIn returns the path of a directory's .env file. Symbolic links to the directory are resolved, because trust
// applies to a location. A link in place of the file is not resolved, because trust applies to its content.
func dotenvIn(dir string) (string, error) {
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return "", apperr.Newf(apperr.Validation, "Cannot read the folder %s", dir).
			WithHint("Check the path and its permissions").Because(err)
	}
	return filepath.Join(real, dotenv), nil
}

func (f EnvFile) sum() string {
	return fmt.Sprintf("%x", sha256.Sum256(f.content))
}

// Trust trusts this content instead of any earlier one. It returns a validation_error for an invalid .env file, and
// unavailable if the trust cannot be stored.
func (f *EnvFile) Trust() error {
	values, err := parseDotenv(f.Path, f.content)
	if err != nil {
		return err
	}
	text, _ := json.Marshal(trust{f.Path, f.sum(), time.Now().UTC()}) // strings always encode
	place, err := trustFile(f.Path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return trustStoreError(place, err)
	}
	if err := disk.Write(place, text, 0o600); err != nil {
		return trustStoreError(place, err)
	}
	f.Trusted, f.Changed, f.values = true, false, values
	return nil
}

// RevokeTrust removes the trust in a directory's .env file, even if the file is gone. It reports whether it was
// trusted.
func RevokeTrust(dir string) (path string, was bool, err error) {
	if path, err = dotenvIn(dir); err != nil {
		return "", false, err
	}
	place, err := trustFile(path)
	if err != nil {
		return path, false, err
	}
	err = os.Remove(place)
	if errors.Is(err, fs.ErrNotExist) {
		return path, false, nil
	}
	if err != nil {
		return path, false, trustStoreError(place, err)
	}
	return path, true, nil
}

// Values returns the settings that the file sets, or would set if trusted, in the order of the help. Secrets are
// masked. It returns the validation_error of Trust.
func (f EnvFile) Values() ([]FileSetting, error) {
	entries, values := []FileSetting{}, f.values
	if !f.Trusted {
		var err error
		if values, err = parseDotenv(f.Path, f.content); err != nil {
			return entries, err
		}
	}
	for _, s := range Settings {
		if value := values[s.Key]; value != "" {
			for _, other := range Settings {
				if secret := values[other.Key]; other.Secret &&
					secret != "" { // its variable can be a part of other values
					value = strings.ReplaceAll(value, secret, "[secret]")
				}
			}
			entries = append(entries, FileSetting{s.Key, value, s.paths})
		}
	}
	return entries, nil
}

// FileSetting is a setting in a file.
type FileSetting struct {
	Key   string `json:"setting"`
	Value string `json:"value"`
	Paths bool   `json:"-"` // value is a file or directory
}

func trustFile(path string) (string, error) {
	return disk.Data("nomograph", "trusted", fmt.Sprintf("%x.json", sha256.Sum256([]byte(path))))
}

func trusted(path string) (trust, bool) {
	var entries trust
	place, err := trustFile(path)
	if err != nil { // without a data directory nothing is trusted
		return entries, false
	}
	text, err := disk.Read(place, maxDotenv)
	return entries, err == nil && json.Unmarshal(text, &entries) == nil
}

func trustStoreError(place string, cause error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot store the trusted folders in %s", filepath.Dir(place)).
		WithHint("Check its permissions, or set XDG_DATA_HOME to another folder").Because(cause)
}

// is reports whether a path refers to the same file.
func (f EnvFile) is(path string) bool {
	if f.Path == "" {
		return false
	}
	info, err := os.Stat(f.Path)
	other, otherErr := os.Stat(path)
	return err == nil && otherErr == nil && os.SameFile(info, other)
}

// names returns the settings that an untrusted file may set.
func (f EnvFile) names() map[string]string {
	values := map[string]string{}
	for _, key := range freeKeys {
		if f.values[key] == "" { // most often unset; this avoids compiling the pattern
			continue
		}
		if name := plainName.FindStringSubmatch(f.values[key]); name != nil && name[1] == name[3] {
			values[key] = name[2]
		}
	}
	return values
}

// ignoredNotice returns a notice that lists the ignored settings of an untrusted file.
func (f EnvFile) ignoredNotice(stronger []source) []string {
	var names []string
	for _, s := range Settings {
		if f.values[s.Key] == "" || f.names()[s.Key] != "" {
			continue
		}
		entries := false
		for _, from := range stronger {
			entries = entries || from.values[s.Key] != ""
		}
		if !entries {
			names = append(names, s.Env)
		}
	}
	if len(names) == 0 {
		return nil
	}
	why := "is not trusted"
	if f.Changed {
		why = "has changed since it was trusted"
	}
	return []string{fmt.Sprintf("the .env of this folder %s and is ignored, with %s: `nomograph trust --show` shows it, `nomograph trust` trusts it", why, strings.Join(names, ", "))}
}
