package config

import (
	"errors"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/timeparse"
)

// Setting is a field of Config that is a setting, with its name in each source: the tags of the field.
type Setting struct {
	Key     string // tag key: key in the config file, with dots: neo4j.uri
	Env     string // tag env: name in the environment and in .env
	Flag    string // tag flag: command-line flag without dashes; empty if a flag would leak a secret or be useless
	Default string // tag default; {config}/ is this program's settings directory
	Help    string // tag help
	Secret  bool
	// tag with: key of the address that this credential is sent to; it applies only to the address from the same source
	With  string
	Of    string // tag of: command with this flag; empty means all commands
	paths bool   // the values are paths of files or directories
	// rule and limit are the tag rule: address, port, nonempty, none (the word for an empty text), min, minLength or
	// max with a limit, or enum with choices.
	rule, limit string
	index       []int // of the field
}

// Settings lists all settings in the order of the help.
var Settings = settingsOf(reflect.TypeFor[Config](), nil)

func settingsOf(of reflect.Type, path []int) (all []Setting) {
	for i := range of.NumField() {
		field, index := of.Field(i), append(slices.Clone(path), i)
		tag := field.Tag.Get
		if tag("key") == "" {
			if field.Type.Kind() == reflect.Struct {
				all = append(all, settingsOf(field.Type, index)...)
			}
			continue
		}
		s := Setting{Key: tag("key"), Env: tag("env"), Flag: tag("flag"), Default: tag("default"), Help: tag("help"),
			Secret: tag("secret") != "",
			With:   tag("with"), Of: tag("of"), paths: tag("paths") != "", index: index}
		s.rule, s.limit, _ = strings.Cut(tag("rule"), "=")
		if name, own := strings.CutPrefix(s.Default, "{config}/"); own {
			s.Default = ownFile(name)
		}
		all = append(all, s)
	}
	return all
}

// set parses a value into the field of the setting. Its error says what the value must be.
func (s Setting) set(c *Config, value string) (err error) {
	must := func(what string) error { return errors.New("must be " + what + ", not " + strconv.Quote(value)) }
	switch field := reflect.ValueOf(c).Elem().FieldByIndex(s.index).Addr().Interface().(type) {
	case *string:
		*field, err = s.text(value, must)
	case *[]string:
		*field, err = s.list(value)
	case *bool:
		if *field, err = strconv.ParseBool(value); err != nil {
			return must("true or false")
		}
	case *int:
		minimum, _ := strconv.Atoi(s.limit) // 0 without a rule
		switch *field, err = strconv.Atoi(value); {
		case err == nil && *field >= minimum:
		case s.rule == "":
			return must("a whole number")
		default:
			return must("a whole number from " + s.limit + " on")
		}
	case *float64:
		if *field, err = strconv.ParseFloat(value, 64); err != nil || !(*field >= 0 && *field <= 1) {
			return errors.New("must be from 0 to 1, not " + strconv.Quote(value))
		}
	case *time.Duration:
		if *field, err = timeparse.Duration(value); err != nil || *field < 0 {
			return must("a duration such as 90s, 5m or 30d")
		}
		if limit, err := time.ParseDuration(s.limit); err == nil && *field > limit {
			return errors.New("must be at most " + limit.String())
		}
	}
	return err
}

// text applies the rule of a text.
func (s Setting) text(value string, must func(what string) error) (string, error) {
	switch s.rule {
	case "none":
		if value == "none" {
			return "", nil
		}
	case "minLength":
		if minimum, _ := strconv.Atoi(s.limit); value != "" && len(value) < minimum {
			return "", errors.New("must have " + s.limit + " characters or more")
		}
	case "port":
		if n, err := strconv.ParseUint(value, 10, 16); err != nil || n == 0 {
			return "", must("a port")
		}
	case "enum":
		if choices := strings.Split(s.limit, "|"); !slices.Contains(choices, value) {
			return "", must("one of " + strings.Join(choices, ", "))
		}
	case "address": // host:port, :port, or a port alone for loopback
		address := value
		if _, err := strconv.ParseUint(value, 10, 16); err == nil {
			address = "127.0.0.1:" + value
		}
		if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
			return "", must("an address such as " + DefaultAddress)
		}
		return address, nil
	}
	return value, nil
}

// list splits a list at commas. A list with choices can be none. A list that is set but empty is refused if treating
// it as unset would disable a protection.
func (s Setting) list(value string) (items []string, err error) {
	for item := range strings.SplitSeq(value, ",") {
		switch item = strings.TrimSpace(item); {
		case item == "" || s.rule == "enum" && item == "none":
		case s.rule == "enum" && !slices.Contains(strings.Split(s.limit, "|"), item):
			return nil, errors.New("must be none or some of " + strings.ReplaceAll(s.limit, "|", ", ") + ", not " +
				strconv.Quote(item))
		default:
			items = append(items, item)
		}
	}
	if s.rule == "nonempty" && len(items) == 0 {
		return nil, errors.New("must name at least one")
	}
	return items, nil
}
