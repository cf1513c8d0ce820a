package config

import (
	"crypto/sha256"
	"encoding/hex"
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

// freeKeys are the settings that a folder's .env may give without being trusted, where nobody else gives them: names, which
// lead neither to a program nor to an address.
var freeKeys = []string{"project", "neo4j.database"}

// EnvFile is the .env of a folder. It is read once: what is hashed, shown, trusted and obeyed are the same bytes.
type EnvFile struct {
	Path    string // of the file, in the folder's real place; empty where there is none
	Trusted bool   // by this user, with exactly this content
	Changed bool   // it was trusted with another content

	content []byte
	values  map[string]string
}

// trust is what is kept of a folder that is trusted, in a file of the user's own data folder.
type trust struct {
	Path   string    `json:"path"`
	SHA256 string    `json:"sha256"` // of the file's content
	At     time.Time `json:"at"`
}

// ReadEnvFile reads the .env of a folder, and whether it is trusted. A folder without one gives an empty Path.
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
	if given, known := trusted(path); known {
		f.Trusted = given.SHA256 == f.sum() && given.Path == path
		f.Changed = !f.Trusted
	}
	if !f.Trusted {
		f.values = glance(content)
		return f, nil
	}
	f.values, err = parseDotenv(path, content)
	return f, err
}

// dotenvIn is the path of a folder's .env. The links that lead to the folder are followed, since trust is given to a place;
// a file that is a link itself is not, since its content is what counts.
func dotenvIn(dir string) (string, error) {
	real, err := filepath.Abs(dir)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return "", apperr.Newf(apperr.Validation, "Cannot read the folder %s", dir).WithHint("Check the path and its permissions").Because(err)
	}
	return filepath.Join(real, dotenv), nil
}

func (f EnvFile) sum() string {
	sum := sha256.Sum256(f.content)
	return hex.EncodeToString(sum[:])
}

// Trust lets this content count from now on, in the place of one that was trusted before. It returns a validation_error for
// a file that cannot be read as a .env, and unavailable where trust cannot be kept.
func (f *EnvFile) Trust() error {
	values, err := parseDotenv(f.Path, f.content)
	if err != nil {
		return err
	}
	text, _ := json.Marshal(trust{f.Path, f.sum(), time.Now().UTC()}) // strings
	place, err := trustFile(f.Path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
		return untrustable(place, err)
	}
	aside, err := os.CreateTemp(filepath.Dir(place), "new-*") // of mode 0600
	if err != nil {
		return untrustable(place, err)
	}
	_, err = aside.Write(text)
	if err = errors.Join(err, aside.Close()); err == nil {
		err = os.Rename(aside.Name(), place)
	}
	if err != nil {
		_ = os.Remove(aside.Name())
		return untrustable(place, err)
	}
	f.Trusted, f.Changed, f.values = true, false, values
	return nil
}

// RevokeTrust takes the trust in a folder's .env back, also where the file is gone. It says whether there was any.
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
		return path, false, untrustable(place, err)
	}
	return path, true, nil
}

// Values are the settings that the file gives, or would give once it is trusted, in the order in which help shows them, secrets left out.
func (f EnvFile) Values() []FileSetting {
	given, values := []FileSetting{}, f.values
	if !f.Trusted {
		values = unexpanded(f.content)
	}
	for _, s := range Settings {
		if value := values[s.Key]; value != "" {
			if s.Secret {
				value = "[secret]"
			}
			given = append(given, FileSetting{s.Key, value, s.paths})
		}
	}
	return given
}

// FileSetting is a setting as a file gives it.
type FileSetting struct {
	Key   string `json:"setting"`
	Value string `json:"value"`
	Paths bool   `json:"-"` // it names files or folders
}

func trustFile(path string) (string, error) {
	sum := sha256.Sum256([]byte(path))
	return disk.Data("nomograph", "trusted", hex.EncodeToString(sum[:])+".json")
}

func trusted(path string) (trust, bool) {
	var given trust
	place, err := trustFile(path)
	if err != nil { // nobody trusts anything
		return given, false
	}
	text, err := disk.Read(place, maxDotenv)
	return given, err == nil && json.Unmarshal(text, &given) == nil
}

func untrustable(place string, cause error) error {
	return apperr.Newf(apperr.Unavailable, "Cannot store the trusted folders in %s", filepath.Dir(place)).
		WithHint("Check its permissions, or set XDG_DATA_HOME to another folder").Because(cause)
}

// is tells whether a path means the same file, by whatever way.
func (f EnvFile) is(path string) bool {
	if f.Path == "" {
		return false
	}
	ours, err := os.Stat(f.Path)
	other, otherErr := os.Stat(path)
	return err == nil && otherErr == nil && os.SameFile(ours, other)
}

// names gives what an untrusted file may say.
func (f EnvFile) names() map[string]string {
	values := map[string]string{}
	for _, key := range freeKeys {
		if f.values[key] == "" { // most often, and then no pattern need be compiled
			continue
		}
		if name := plainName.FindStringSubmatch(f.values[key]); name != nil && name[1] == name[3] {
			values[key] = name[2]
		}
	}
	return values
}

// leftAside says in one line which settings of an untrusted file would count, and do not.
func (f EnvFile) leftAside(stronger []source) []string {
	var names []string
	for _, s := range Settings {
		if f.values[s.Key] == "" || f.names()[s.Key] != "" {
			continue
		}
		given := false
		for _, from := range stronger {
			given = given || from.values[s.Key] != ""
		}
		if !given {
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
	return []string{fmt.Sprintf("the .env of this folder %s and left aside, with %s: `nomograph trust --show` shows it, `nomograph trust` lets it count", why, strings.Join(names, ", "))}
}
