package shell

import (
	"path"
	"slices"
	"strings"

	"nomograph/internal/pattern"
)

// Places classify paths for rules.
const (
	System      = "system"      // the system's own files and folders, with the root
	Home        = "home"        // a user's home, or a folder that contains it
	Device      = "device"      // a disk or another device
	GitData     = "git"         // the data of a repository: .git and what is in it
	Credentials = "credentials" // keys, tokens and passwords
	Environment = "environment" // .env files
	Accounts    = "accounts"    // /etc/passwd
	Project     = "project"     // the whole working directory of the command
	RemoteHost  = "remote host" // on another machine
	Above       = "above"       // a folder above the working directory
	FromList    = "from a list" // paths from a list in a file
	Startup     = "startup"     // files that start programs automatically: cron, systemd, launchd, logins
	AgentFiles  = "agent"       // settings of agents and of Nomograph that decide what an agent may do
	// files with commands that run automatically: hooks of git and of agents, shell profiles, cron
	HookFiles = "hooks"
)

// placesByKind are the entries of places.tsv. One pass over the table takes less time at the start than one for each
// kind.
var placesByKind = func() map[string][]string {
	kinds := map[string][]string{}
	for line := range strings.Lines(placeTable) {
		if kind, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok {
			kinds[kind] = append(kinds[kind], name)
		}
	}
	return kinds
}()

var (
	devices           = placesByKind["device"] // beginnings of names in /dev
	kernelFiles       = placesByKind["kernel file"]
	startupParts      = placesByKind["part of a startup path"]
	startupEndings    = placesByKind["ending of a startup path"]
	startupInHome     = placesByKind["startup path of a home"]
	machineProfiles   = placesByKind["profile of the machine"]
	agentFolders      = placesByKind["folder of an agent"]
	plainGitFiles     = placesByKind["plain file of a repository"]
	exampleWords      = placesByKind["word of an example"]
	keyFolderNames    = placesByKind["name of a folder of keys"]
	homeKeys          = placesByKind["key of a home"]
	certificates      = placesByKind["folder of certificates"]
	commonEndings     = placesByKind["ending of ordinary files"]
	copyEndings       = placesByKind["ending of a copy"]
	windowsFolders    = placesByKind["folder of windows"]
	mergedFolders     = placesByKind["merged folder"]
	installerSettings = placesByKind["setting of an installer"]
	packageSources    = placesByKind["source of packages"]
)

// beginsWith and endsWith report whether a path begins or ends with one of the texts.
func beginsWith(full string, starts []string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(full, start) })
}

func endsWith(full string, ends []string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(full, end) })
}

// isListed reports whether a path is one of those listed, or lies in one that ends with a slash.
func isListed(full string, list []string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return full == one || strings.HasSuffix(one, "/") && strings.HasPrefix(full, one)
	})
}

// emptiable are patterns for everything in a temporary folder.
var emptiable = []string{"/tmp/*", "/var/tmp/*", "/private/tmp/*"}

// inHome returns the part of a path below a home directory, "" for the home itself.
func inHome(full string) (rest string, ok bool) {
	switch {
	case full == "~" || full == "/root" || full == "$HOME":
		return "", true
	case strings.HasPrefix(full, "~/"):
		return full[2:], true
	case strings.HasPrefix(full, "/root/"):
		return full[6:], true
	}
	if IsWindowsPath(full) && len(full) > 9 && strings.EqualFold(full[2:9], "/users/") {
		_, rest, _ := strings.Cut(full[9:], "/")
		return rest, true
	}
	for _, homes := range []string{"/home/", "/Users/"} {
		if below, found := strings.CutPrefix(full, homes); found {
			_, rest, _ := strings.Cut(below, "/")
			return rest, true
		}
	}
	return "", false
}

// deletePlaces returns the places of a path that is deleted.
func deletePlaces(full string, recursive bool, cwd string) (places []string) {
	if full == "" || slices.Contains(emptiable, full) {
		return nil
	}
	for _, one := range topFolders(full) {
		add(&places, deletePlaces(one, recursive, cwd)...)
	}
	whole := full
	for _, all := range []string{"/*", "/.*", "/**", "/.[!.]*", "/.[^.]*", "/.??*", "/{*,.*}"} {
		if rest, ok := strings.CutSuffix(whole, all); ok {
			whole, recursive = path.Clean(rest+"/"), true
		}
	}
	if full == "." || full == "*" {
		whole = full
	}
	places = append(places, filePlaces(full, whole, recursive)...)
	if recursive {
		places = append(places, folderPlaces(full, whole, cwd)...)
	}
	if rest, ok := inHome(whole); ok {
		if recursive && isHomeFolder(rest) {
			return append(places, Home, System)
		}
		if rest != "" || !strings.HasPrefix(full, "/root/") {
			return places
		}
	}
	if isSystem(full, whole, recursive, cwd) {
		places = append(places, System)
	}
	return places
}

// when returns a place if a condition holds.
func when(holds bool, place string) []string {
	if holds {
		return []string{place}
	}
	return nil
}

// filePlaces returns the places of a deleted path that need no other paths. whole is the folder if all files in it are
// deleted.
func filePlaces(full, whole string, recursive bool) []string {
	return slices.Concat(
		when(isGitData(full), GitData),
		when(isDevice(full), Device),
		when(isAgentSetting(full) || recursive && holdsAgentFiles(whole), AgentFiles),
		when(inKeyFolder(full), Credentials),
	)
}

// folderPlaces returns the places of a deleted folder: the project, a folder above it, or a folder of keys elsewhere.
func folderPlaces(full, whole, cwd string) []string {
	return slices.Concat(
		when(whole == "*" || full == "." || full == "./*" || cwd != "" && (whole == cwd || full == cwd+"/*"), Project),
		when(isAbove(whole, cwd), Above),
		when(holdsSecretFolder(full) && full != path.Join(cwd, path.Base(full)), Credentials),
	)
}

// isHomeFolder reports whether a path below a home is the home itself or one of its main folders.
func isHomeFolder(rest string) bool {
	return isOneOf(rest, "", "$(stdin)", "$(...)") || slices.Contains(homeFolders, rest) ||
		matchesAny(strings.ReplaceAll(rest, "[!", "[^"), homeFolders[2:])
}

// isSystem reports whether a deletion removes files of the system. cwd may be a project in a folder of the system.
func isSystem(full, whole string, recursive bool, cwd string) bool {
	switch {
	case isWindowsRoot(full), strings.HasPrefix(whole, "/$") && strings.Count(whole, "/") == 1 && recursive:
		return true
	case slices.Contains(wholeFolders, whole):
		return recursive || whole == "/"
	case slices.ContainsFunc(deletableFolders,
		func(prefix string) bool { return strings.HasPrefix(whole+"/", prefix) && whole+"/" != prefix }):
		return false
	case strings.HasPrefix(whole, "/opt/") && strings.Count(whole, "/") > 2:
		return false
	case cwd != "" && !slices.Contains(systemFolders, cwd) && strings.HasPrefix(whole, cwd+"/"):
		return false
	}
	return slices.ContainsFunc(systemFolders, func(folder string) bool { return isIn(whole, folder) })
}

// isIn reports whether a path is a folder, lies in it, or is a pattern that matches it, such as /us*.
func isIn(full, folder string) bool {
	if full == folder || strings.HasPrefix(full, folder+"/") {
		return true
	}
	if start, ok := strings.CutSuffix(full, "*"); ok && !strings.Contains(start, "*") {
		return strings.HasPrefix(folder, start) && strings.Count(full, "/") == 1
	}
	ok, _ := path.Match(full, folder)
	return ok && !strings.Contains(full, "*")
}

// isAbove reports whether a folder is above the working directory cwd, which is "" if unknown.
func isAbove(folder, cwd string) bool {
	if folder == ".." || strings.HasSuffix(folder, "/..") && strings.Trim(folder, "./") == "" {
		return true
	}
	return (strings.HasPrefix(folder, "/") && folder != "/" || IsWindowsPath(folder)) &&
		strings.HasPrefix(cwd, folder+"/")
}

// topFolders expands a pattern in the first folder of a path: /h*/dev gives /home/dev. "/*" is the root, so it gives
// none.
func topFolders(full string) (paths []string) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	if full == "" || full[0] != '/' || !strings.ContainsAny(first, "*?[") ||
		rest == "" && strings.Trim(first, "*.") == "" {
		return nil
	}
	first = strings.ReplaceAll(first, "[!", "[^")
	for _, folder := range slices.Concat(wholeFolders, systemFolders) {
		if ok, _ := path.Match("/"+first, folder); ok && folder != "/" {
			paths = append(paths, path.Join(folder, rest))
		}
	}
	return paths
}

// inKeyFolder reports whether a file holds credentials in ~/.ssh, ~/.gnupg or ~/.aws.
func inKeyFolder(full string) bool {
	rest, ok := inHome(full)
	return ok &&
		(strings.HasPrefix(rest, ".ssh/") || strings.HasPrefix(rest, ".gnupg/") || strings.HasPrefix(rest, ".aws/")) &&
		isCredentials(full)
}

// isWindowsRoot reports whether a path is a drive of Windows, or a folder of the system on it. HKLM is the registry of
// the machine.
func isWindowsRoot(full string) bool {
	lower := strings.ToLower(full)
	if isRegistryKey(full) {
		return strings.HasPrefix(lower, "hklm:")
	}
	if !IsWindowsPath(full) {
		return false
	}
	rest := strings.TrimRight(lower[2:], "/*.")
	return rest == "" || slices.ContainsFunc(windowsFolders, func(folder string) bool {
		return rest == folder || folder != "/users" && strings.HasPrefix(rest, folder+"/")
	})
}

// isGitData reports whether a path is the data of a repository, except sample hooks and lock files.
func isGitData(full string) bool {
	parts := strings.Split(full, "/")
	for i, part := range parts {
		if ok, _ := path.Match(part, ".git"); part == ".git" ||
			ok && len(part) > 2 && part[0] == '.' && part[1] != '*' && part[1] != '?' {
			rest := strings.Join(parts[i+1:], "/")
			return !strings.HasSuffix(rest, ".lock") && !beginsWith(rest, plainGitFiles)
		}
		if strings.HasSuffix(part, ".git") && i+1 < len(parts) &&
			isOneOf(parts[i+1], "objects", "refs", "packed-refs", "HEAD", "config", "logs") {
			return true
		}
	}
	return false
}

// isDevice reports whether a path is a disk, memory, or a kernel trigger such as /proc/sysrq-trigger.
func isDevice(full string) bool {
	if name, ok := strings.CutPrefix(full, "/dev/"); ok {
		if strings.ContainsAny(name, "*?[") && !strings.Contains(name, "/") {
			return true
		}
		return beginsWith(name, devices)
	}
	return isListed(full, kernelFiles) ||
		strings.Contains(strings.ToLower(strings.ReplaceAll(full, `\`, "/")), "/./physicaldrive")
}

// keepsKeys reports whether a key at a path is one of the user or of the machine. To create a key in a project is
// ordinary.
func keepsKeys(full string) bool {
	rest, ok := inHome(full)
	if ok {
		return !strings.Contains(rest, "/") || strings.HasPrefix(rest, ".")
	}
	return beginsWith(full, []string{"/etc/", "/var/", "/usr/", "/opt/", "/Library/"}) && !isDeployment(full)
}

// writePlaces returns the places of a path that is written.
func writePlaces(full string) []string {
	inWindows := IsWindowsPath(full) && strings.HasPrefix(strings.ToLower(full[2:]), "/windows/")
	return slices.Concat(
		when(inWindows || slices.Contains(systemFiles, full) || beginsWith(full, systemFilesIn), System),
		when(isKeyFile(full) && keepsKeys(full), Credentials),
		when(isGitData(full), GitData),
		when(isHookFile(full), HookFiles),
		when(isStartupFile(full), Startup),
		when(isAgentSetting(full), AgentFiles),
	)
}

// isHookFile reports whether a file contains commands that run automatically later.
func isHookFile(full string) bool {
	slashed := "/" + full
	switch rest, ok := inHome(full); {
	case strings.Contains(slashed, "/.git/hooks/"), isStartupFile(full), isAgentSetting(full):
		return !strings.HasSuffix(full, ".sample")
	case strings.HasSuffix(full, "PowerShell_profile.ps1"),
		strings.Contains(slashed, "/.husky/") && !strings.Contains(full, ".husky/_/"):
		return true
	case ok:
		return isListed(rest, profiles)
	}
	return isListed(full, machineProfiles)
}

// registryRunPattern matches keys of the registry of Windows with programs that start by themselves.
var registryRunPattern = pattern.New(`(?i)^hk\w+:?/.*/currentversion/run`)

// isStartupFile reports whether a file has commands that run at a start of the machine or at a remote login.
func isStartupFile(full string) bool {
	rest, ok := inHome(full)
	pythonPath := strings.HasSuffix(full, ".pth") && strings.Contains(full, "-packages/")
	return ok && beginsWith(rest, startupInHome) || pythonPath || beginsWith(full, startupFolders) ||
		endsWith(full, startupEndings) ||
		containsAny(full, startupParts...) || registryRunPattern.MatchString(full)
}

// holdsAgentFiles reports whether a folder contains settings of agents.
func holdsAgentFiles(full string) bool {
	slashed := "/" + strings.TrimPrefix(full, "/")
	shared := []string{"/", "/etc/claude-code", "/.github/hooks", "/.config"} // folders with other files
	for _, end := range agentFiles {
		if folder := path.Dir(end); !slices.Contains(shared, folder) && strings.HasSuffix(slashed, folder) {
			return true
		}
	}
	return endsWith(slashed+"/", agentFolders)
}

// isAgentSetting reports whether a file decides what an agent may do.
func isAgentSetting(full string) bool {
	slashed := "/" + strings.TrimPrefix(full, "/")
	return endsWith(slashed, agentFiles) || containsAny(slashed, agentFolders...) || path.Base(full) == "nomograph-hook"
}

// unitCommand returns the command in a line of a systemd unit or a desktop entry, and other lines unchanged.
func unitCommand(line string) string {
	for _, key := range []string{"ExecStart=", "ExecStartPre=", "ExecStartPost=", "ExecStop=", "ExecReload=", "Exec="} {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
			return strings.TrimLeft(command, "-@+!")
		}
	}
	return line
}

// readPlaces returns the places of a path that is read.
func readPlaces(full string) (places []string) {
	switch {
	case isEnvironment(full):
		places = append(places, Environment)
	case isCredentials(full):
		places = append(places, Credentials)
	case isAccounts(full):
		places = append(places, Accounts)
	}
	return places
}

// holdsSecrets reports whether a path has content that must not leave the machine.
func holdsSecrets(full string) bool {
	switch full {
	case "~", "/", "/etc", "/root", "/home", "/Users":
		return true
	}
	if rest, ok := inHome(full); ok && rest == "" {
		return true
	}
	bare := full
	for _, ending := range copyEndings {
		bare = strings.TrimSuffix(bare, ending)
	}
	if isEnvironment(bare) || isCredentials(bare) || isAccounts(bare) || holdsSecretFolder(full) ||
		bare != full && holdsSecretFolder(bare) || isBrowserProfile(full) {
		return true
	}
	public := endsWith(full, []string{".crt", ".pub", ".cer", ".gitignore", ".gitkeep"}) ||
		strings.HasPrefix(path.Base(full), "README")
	return !public && isOneOf(path.Base(path.Dir(full)), "certs", "secrets", ".secrets", "private")
}

var accountFiles = []string{"/etc/passwd", "/etc/group"}

func isAccounts(full string) bool {
	return slices.Contains(accountFiles, full) || matchesPath(full, accountFiles)
}

func isEnvironment(full string) bool {
	base := path.Base(full)
	if strings.ContainsAny(base, "*?[") {
		return matchesName(base, []string{".env"})
	}
	if isFixture(full) {
		return false
	}
	named := isOneOf(base, ".env", ".envrc", ".dev.vars") || strings.HasPrefix(base, ".env.")
	if ending := strings.HasSuffix(base, ".env") && len(base) > 4 && !strings.HasPrefix(full, "$"); !named && !ending {
		return false
	}
	return !containsAny(base, exampleWords...) && !isOneOf(base, "process.env", "import.meta.env", "test.env") &&
		!strings.HasSuffix(base, ".test")
}

// isBrowserProfile reports whether a folder is a whole profile of a browser, or holds all of them.
func isBrowserProfile(full string) bool {
	slashed, base := full+"/", path.Base(full)
	return slices.ContainsFunc(browserFolders, func(folder string) bool {
		return strings.HasSuffix(slashed, folder) ||
			strings.Contains(slashed, folder) &&
				(base == "Default" || base == "Profiles" || base == "Brave-Browser" ||
					strings.HasPrefix(base, "Profile ") || strings.Contains(base, ".default") ||
					strings.Trim(base, "*?") == "")
	})
}

var publicNames = []string{"known_hosts", "config", "authorized_keys", "known_hosts.old"}

func isCredentials(full string) bool {
	if rest, ok := inHome(full); ok && slices.Contains(homeKeys, rest) ||
		strings.HasSuffix(full, "/ConsoleHost_history.txt") {
		return true
	}
	if slices.Contains(keyPaths, full) || matchesPath(full, keyPaths) ||
		strings.HasPrefix(full, "/proc/") && strings.HasSuffix(full, "/environ") {
		return true
	}
	base := path.Base(full)
	slashed := "/" + strings.TrimPrefix(full, "/") + "/"
	for _, folder := range keyFolders {
		if !strings.Contains(slashed, folder) {
			continue
		}
		if folder == "/.ssh/" && (slices.Contains(publicNames, base) || strings.HasSuffix(base, ".pub")) ||
			folder == "/.kube/" && strings.Contains(full, "/cache/") {
			continue
		}
		return true
	}
	return isKeyFile(full)
}

func isFixture(full string) bool {
	slashed := "/" + strings.TrimPrefix(full, "/")
	return !strings.Contains(full, "..") &&
		slices.ContainsFunc(fixtureFolders, func(folder string) bool { return strings.Contains(slashed, folder) })
}

// isKeyFile reports whether the name of a file means a key, a token or a password.
func isKeyFile(full string) bool {
	if isFixture(full) {
		return false
	}
	if beginsWith(full, certificates) && !strings.Contains(full, "..") {
		return false
	}
	base := path.Base(full)
	if strings.ContainsAny(base, "*?[") {
		return matchesName(base, append([]string{"server.key", "private.pem"}, keyNames...))
	}
	if slices.Contains(keyNames, base) || base == "credentials" && strings.Contains(full, "/") {
		return true
	}
	if strings.HasPrefix(base, "id_") && (strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519")) &&
		!strings.HasSuffix(base, ".pub") {
		return true
	}
	lower := strings.ToLower(base)
	for _, ending := range keyEndings {
		if strings.HasSuffix(lower, ending) && len(lower) > len(ending) {
			if strings.Contains(lower, "cert") && ending == ".pem" && !strings.Contains(lower, "key") {
				return false
			}
			return !strings.Contains(lower, "public") && !strings.Contains(lower, "cacert") &&
				!strings.HasPrefix(lower, "ca.") && !strings.Contains(lower, "ca-bundle") &&
				!strings.Contains(lower, "fullchain")
		}
	}
	return false
}

// holdsSecretFolder reports whether a folder contains a folder of keys.
func holdsSecretFolder(full string) bool {
	base := path.Base(full)
	if strings.ContainsAny(base, "*?") && full != base && strings.Trim(base, "*?.") == "" {
		return holdsSecretFolder(path.Dir(full))
	}
	if strings.ContainsAny(base, "*?[") {
		return matchesName(base, []string{"certs", "secrets"})
	}
	return slices.Contains(keyFolderNames, base)
}

// matchesName reports whether a pattern with at least one literal part matches one of the names.
func matchesName(pattern string, names []string) bool {
	letters, stem := 0, pattern
	if dot := strings.LastIndexByte(pattern, '.'); dot >= 0 && matchesAny(pattern[dot+1:], commonEndings) {
		stem = pattern[:dot]
	}
	for _, r := range stem {
		if r != '*' && r != '?' && r != '[' && r != ']' && r != '.' {
			letters++
		}
	}
	if letters < 2 && !strings.HasPrefix(pattern, ".e") {
		return false
	}
	return matchesAny(pattern, names)
}

func matchesAny(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(pattern, name); return ok })
}

// matchesPath reports whether a pattern with at least one literal part matches one of the files.
func matchesPath(pattern string, files []string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return false
	}
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	return slices.ContainsFunc(files, func(file string) bool {
		ok, _ := path.Match(pattern, file)
		return ok && matchesName(path.Base(pattern), []string{path.Base(file)})
	})
}

// PlacesOf returns the places of a file for reading, writing and deleting it. cwd is the working directory, "" if
// unknown.
func PlacesOf(name, cwd string) (reads, writes, deletes []string) {
	full := newState(cwd).absolute(strings.ReplaceAll(name, "\x00", ""))
	writes = writePlaces(full)
	if isDevice(full) {
		writes = append(writes, Device)
	}
	return readPlaces(full), writes, deletePlaces(full, true, cwd)
}
