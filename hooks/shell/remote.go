package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// remoteVerbs maps programs that manage resources on other systems to their words that delete. nil means the
// common ones, such as in delete-bucket and terminate-instances.
var remoteVerbs = sync.OnceValue(func() map[string][]string {
	verbs := programsWith("manages")
	for name, words := range verbs {
		if slices.Contains(words, "+") {
			verbs[name] = nil
		}
	}
	return verbs
})

var sqlPattern = pattern.New(`(?i)\bdrop\s+(?:database|schema|table|keyspace|user|role|view|collection|index|column)\b|\btruncate\s+(?:table\s+)?["\w]|\bdelete\s+from\s+["\w.` + "`" + `]+\s*(?:;|$|["']|where\s+(?:1\s*=\s*1|true|1)\b)|\bupdate\s+\S+\s+set\s[^;]*where\s+(?:1\s*=\s*1|true)\b|\bdrop\s+owned\b|\brevoke\s+all\b|\bgrant\s+all\b.*\bto\s+public\b|dropDatabase|\.drop\(|deleteMany\(\s*(?:\{\s*\})?\s*\)|\.remove\(\s*\{?\s*\}?\s*\)|\bdetach\s+delete\b|\balter\s+table\s+\S+\s+drop\b|flushall|flushdb|\binto\s+(?:outfile|dumpfile)\b|\bcopy\b[^;]*\b(?:to|from)\s+program\b|\bgrant\s+all\b[^;]*\bon\s+\*\.\*\s+to\s+\S*@["']?%|\bdrop\s+(?:function|trigger|extension|publication|subscription|server|sequence|materialized\s+view|tablespace|type|policy)\b`)

// sqlCommentPattern matches a comment inside a statement.
var sqlCommentPattern = pattern.New(`/\*[^*]*\*/`)
var railsPattern = pattern.New(`destroy_all|delete_all|drop_table|drop_database|\.destroy\b|db:drop|db:reset|db:schema:load\s+DISABLE|migrate:fresh|migrate:reset|db:wipe|execute\(.*(?i:drop|truncate)`)

// fileDatabases are programs whose database is a file of this machine.
var fileDatabases = []string{"sqlite3", "duckdb", "litecli"}

var (
	localContextPattern = pattern.New(`^(?:kind-.*|k3d-.*|minikube|docker-desktop|docker-for-desktop|rancher-desktop|colima.*|orbstack|microk8s)$`)
	testDatabasePattern = pattern.New(`(?i)^(?:(?:.*[_-])?(?:test|tests|testing|dev|devel|development|local|sandbox|tmp|scratch)(?:[_-]?\d*)?|test[_-].*|dev[_-].*)$`)
	productionPattern   = pattern.New(`(?i)\bprod(?:uction)?|prod(?:uction)?\b|[_-]prod`)
)

// staysHere reports whether a database or a cluster is on this machine: by its address, or by a name that says so.
func (s *state) staysHere(c *call) bool {
	if slices.ContainsFunc(c.args, func(a value) bool { return productionPattern.MatchString(a.text) }) {
		return false
	}
	if context, ok := c.option("--context", "--kube-context"); ok {
		return localContextPattern.MatchString(context.text)
	}
	if slices.Contains(fileDatabases, c.name) {
		return true
	}
	if host, ok := c.option("-h", "--host"); ok && c.name != "kubectl" {
		return onThisMachine(host.text) || strings.HasPrefix(host.text, "/")
	}
	words := c.words("cehUdpPuDQqFfn", "--eval", "--username", "--port", "--command", "--dbname")
	switch c.name {
	case "supabase":
		return !c.has("--linked", "--db-url") && len(words) > 1 && words[0].text == "db"
	case "redis-cli":
		address, ok := c.option("-u", "--uri")
		return !ok || onThisMachine(address.text)
	case "psql", "dropdb", "mysql", "mariadb", "mysqladmin", "mongosh", "mongo", "pg_restore":
		if len(words) > 0 && strings.Contains(words[0].text, "://") {
			return onThisMachine(words[0].text)
		}
		if name, ok := c.option("-d", "--dbname", "-D", "--database"); ok && c.name != "dropdb" {
			words = []value{name}
		}
		return s.host == container || len(words) > 0 && testDatabasePattern.MatchString(words[0].text)
	}
	return false
}

// remoteProgram notes deletions on other systems.
func remoteProgram(s *state, c *call) value {
	if out, ok := s.commandElsewhere(c); ok {
		return out
	}
	verbs, named := remoteVerbs()[c.name]
	labels := s.labelsOf(c) | s.stdin.labels
	switch {
	case named && len(verbs) == 1 && verbs[0] == "*":
		s.noteRemote(c, joinArgs(c.args).text)
		return unknown(labels)
	case named && len(verbs) == 1 && verbs[0] == "sql":
		return unknown(s.databaseClient(c))
	case verbs == nil:
		verbs = commonWords()["deletes"]
	}
	words := c.words("")
	s.noteDeletingWords(c, words, verbs)
	if all := joinArgs(c.args).text; slices.Contains(sqlRunners, c.name) &&
		sqlPattern.MatchString(all+" "+s.stdin.text) {
		s.noteRemote(c, "sql")
	} else if found := deletingMutationPattern.FindString(all); found != "" && c.name == "gh" {
		s.noteRemote(c, found)
	}
	s.noteUploads(c, words, labels)
	return unknown(labels | s.downloads(c, words))
}

// sqlRunners are programs that run statements of SQL, besides doing other things.
var sqlRunners = []string{"heroku", "npx", "wrangler", "bq", "turso", "supabase"}

// noteRemote notes what a call deletes on another system.
func (s *state) noteRemote(c *call, what string) {
	if !s.staysHere(c) && !c.isDryRun() && !c.contains("help") {
		add(&s.effects.Remote, c.name+" "+what)
	}
}

// commandElsewhere runs the command of a call on another machine, if it has one: gcloud compute ssh --command, kubectl
// exec --, heroku run. Programs that pass secrets to a command run it here: doppler run -- COMMAND.
func (s *state) commandElsewhere(c *call) (out value, ok bool) {
	if command, ok := c.option("--command", "--scripts"); ok && c.contains("ssh", "run-command") {
		s.runRemotely("remote", command)
	}
	if c.name == "aws" && c.contains("send-command") {
		for _, quoted := range literalPattern.FindAllString(joinArgs(c.args).text, 5) {
			s.runRemotely("remote", known(textOf(quoted)))
		}
	}
	words := c.words("a")
	if isOneOf(c.name, "heroku", "vagrant", "multipass", "lxc", "flyctl", "fly") && len(words) > 1 &&
		isOneOf(words[0].text, "run", "ssh", "exec", "run:detached") {
		s.runRemotely("remote", joinArgs(words[1:]))
	}
	if command, ok := c.option("-c"); ok && c.name == "vagrant" {
		s.runRemotely("remote", command)
	}
	at := slices.IndexFunc(c.args, func(a value) bool { return a.text == "--" })
	if at < 0 || at+1 == len(c.args) {
		return value{}, false
	}
	switch c.name {
	case "kubectl", "oc", "heroku", "flyctl", "gcloud", "multipass", "lxc":
		return s.runInside("pod", "", c.args[at+1:]), true
	case "chamber", "infisical", "doppler":
		return s.child().run(c.args[at+1:]), s.step()
	}
	return value{}, false
}

// noteDeletingWords notes an operation that deletes: one of verbs among the first words, or as an option.
func (s *state) noteDeletingWords(c *call, words []value, verbs []string) {
	common := verbs[0] == commonWords()["deletes"][0]
	if c.name == "gh" && len(words) > 0 && words[0].text == "pr" {
		words = words[:1]
	}
	for at, word := range words[:min(len(words), maxVerb)] {
		if c.name == "aws" && word.text == "remove-tags" || c.name == "aws" && at > 4 {
			continue
		}
		if slices.ContainsFunc(verbs, func(verb string) bool { return isVerb(word.text, verb, common) }) {
			s.noteRemote(c, joinArgs(words[:min(at+2, len(words))]).text)
		}
	}
	for _, a := range c.args {
		if slices.Contains(verbs, a.text) && strings.HasPrefix(a.text, "-") {
			s.noteRemote(c, a.text)
		}
	}
	if isOneOf(c.name, "redis-cli", "hbase", "cbt") { // they read commands
		for word := range strings.FieldsSeq(s.stdin.text) {
			if slices.Contains(verbs, word) {
				s.noteRemote(c, word)
			}
		}
	}
}

// maxVerb is the number of words among which an operation is looked for.
const maxVerb = 6

// isVerb reports whether a word is a verb, or begins with a common one: delete-bucket, db:drop.
func isVerb(word, verb string, common bool) bool {
	return word == verb || common && (strings.HasPrefix(word, verb+"-") || strings.HasPrefix(word, verb+"_") ||
		strings.HasSuffix(word, ":"+verb))
}

// downloads returns network if a call prints data of another machine. It notes the file that aws s3 cp writes.
func (s *state) downloads(c *call, words []value) label {
	operation := joinArgs(words[:min(2, len(words))]).text
	if !isOneOf(operation, "s3 cp", "gist view", "release download", "storage cat") &&
		!(c.name == "gh" && strings.HasPrefix(operation, "api ")) &&
		!(c.name == "gsutil" && strings.HasPrefix(operation, "cat")) {
		return 0
	}
	if to := words[len(words)-1]; operation == "s3 cp" && len(words) > 3 && !strings.Contains(to.text, "://") &&
		to.text != "-" {
		if to.text == "." || strings.HasSuffix(to.text, "/") {
			to = known(strings.TrimSuffix(to.text, ".") + path.Base(words[2].text))
		}
		s.write(to, unknown(network))
	}
	return network
}

// javaProgram handles java, which runs the client of Jenkins.
func javaProgram(s *state, c *call) value {
	if strings.Contains(joinArgs(c.args).text, "jenkins-cli") {
		for _, a := range c.args {
			if strings.HasPrefix(a.text, "delete-") || a.text == "safe-shutdown" {
				s.noteRemote(c, a.text)
			}
		}
	}
	return unknownProgram(s, c)
}

// frameworkTask handles tasks of web frameworks that delete the data of a production database.
func frameworkTask(s *state, c *call) value {
	text := joinArgs(c.args).text
	production := strings.Contains(text, "prod") || s.host != "" || c.name == "gitlab-rails"
	for _, name := range []string{"RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV"} {
		production = production || slices.ContainsFunc(s.vars[name],
			func(v value) bool { return strings.HasPrefix(v.text, "prod") })
	}
	if c.name == "gitlab-rails" && s.hasStdin {
		text += " " + s.stdin.text
	}
	if found := railsPattern.FindString(text); found != "" && production {
		s.noteRemote(c, found)
	}
	return unknown(s.labelsOf(c) | s.stdin.labels)
}

// databaseClient notes statements that delete, and files that a client of a database reads. It returns the labels of
// its output.
func (s *state) databaseClient(c *call) label {
	all := joinArgs(c.args)
	text := all.text
	if s.hasStdin {
		text += " " + s.stdin.text
	}
	if file, ok := c.option("-f", "--file"); ok {
		content := s.content(file)
		s.noteCode(value{labels: content.labels & cutOff})
		text += " " + content.text
	}
	s.noteStatements(c, text)
	labels := s.labelsOf(c) | s.stdin.labels
	for _, quoted := range literalPattern.FindAllString(text, maxItems) {
		if name := textOf(quoted); looksLikePath(name) {
			labels |= s.readSecret(known(name))
		}
	}
	for _, word := range c.words("cehUdpPuDQq") {
		labels |= s.readSecret(word)
	}
	// compressed dumps and generated statements are common
	s.noteCode(value{labels: all.labels&cutOff | s.stdin.labels&unread&^unpacked})
	host, named := c.option("-h", "--host")
	if named && !onThisMachine(host.text) || namesHost(c) ||
		slices.ContainsFunc(c.args, func(a value) bool {
			return strings.HasPrefix(a.text, "$") || strings.Contains(a.text, "host=")
		}) {
		s.send(unknown(labels))
	}
	return labels
}

// noteStatements notes statements of a database client that delete data, and commands that it gives to a shell.
func (s *state) noteStatements(c *call, text string) {
	for line := range strings.Lines(text) {
		if _, command, ok := strings.Cut(line, `\! `); ok {
			s.runText(known(strings.Trim(command, "'\"\n")), nil)
		}
	}
	text = sqlCommentPattern.ReplaceAllString(text, " ")
	for statement := range strings.SplitSeq(strings.ToLower(text), ";") {
		if strings.Contains(statement, "update ") && strings.Contains(statement, " set ") &&
			!limitedUpdatePattern.MatchString(statement) {
			s.noteRemote(c, "UPDATE without WHERE")
		}
	}
	if found := sqlPattern.FindString(text); found != "" {
		s.noteRemote(c, strings.TrimSpace(found))
	}
}

var limitedUpdatePattern = pattern.New(`where|on conflict|on duplicate`)

// readSecret notes the read of a file if it may hold secrets, and returns the labels of its content.
func (s *state) readSecret(file value) label {
	if file.text == "" || len(readPlaces(s.absolute(file.text))) == 0 {
		return 0
	}
	return s.read(file).labels
}

var deletingMutationPattern = pattern.New(`mutation[\s\S]*\b(?:delete|remove|archive|destroy|purge)[A-Z]\w*\s*\(`)

// Statement returns the part of a database statement that deletes, "" if none does.
func Statement(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.TrimSpace(sqlPattern.FindString(sqlCommentPattern.ReplaceAllString(text, " ")))
}

// runRemotely runs a text as a command on another machine.
func (s *state) runRemotely(host string, code value) {
	sub := s.child()
	s.noteCode(value{labels: bounded(code).labels & cutOff})
	if sub.step() && len(code.text) <= maxText {
		sub.host, sub.cwd = host, ""
		sub.runHere(code)
	}
}

// runInside runs a command in a container or on another machine.
func (s *state) runInside(host, folder string, command []value) value {
	sub := s.child()
	if !sub.step() {
		return unknown(0)
	}
	sub.host, sub.cwd = host, folder
	return sub.run(command)
}

// containers handles docker and podman: exec and run take a command.
func containers(s *state, c *call) value {
	words := c.args
	for len(words) > 0 && (strings.HasPrefix(words[0].text, "-") || words[0].text == "compose" ||
		words[0].text == "container") {
		words = words[1:]
	}
	if len(words) == 0 || words[0].text != "exec" && words[0].text != "run" {
		return unknownProgram(s, withoutSettings(c))
	}
	s.noteContainerAccess(c)
	w := wrapper{valued: "uewvpmlhc", skip: 1, long: valuedOptions()["docker"]}
	if command, _ := w.wrapped(words[1:]); len(command) > 0 {
		sub := s.child()
		options := &call{args: words[1 : len(words)-len(command)]}
		sub.mounts = mountsIn(options.args)
		folder, _ := options.option("-w", "--workdir")
		return sub.runInside(container, folder.text, command)
	}
	return unknown(0)
}

// withoutSettings returns a call without files such as --env-file, which the container engine reads but does not add
// to images.
func withoutSettings(c *call) *call {
	kept := &call{name: c.name, path: c.path}
	for i := 0; i < len(c.args); i++ {
		name, _, ok := strings.Cut(c.args[i].text, "=")
		if name != "--env-file" && name != "--secret" {
			kept.args = append(kept.args, c.args[i])
		} else if !ok {
			i++
		}
	}
	return kept
}

// mountsIn maps paths in a container to the mounted folders of this machine.
func mountsIn(args []value) map[string]string {
	mounts := map[string]string{}
	(&call{name: "docker", args: args}).eachOption(func(option string, v value) {
		if !isOneOf(option, "-v", "--volume", "--mount") {
			return
		}
		from, to, ok := strings.Cut(v.text, ":")
		for field := range strings.SplitSeq(v.text, ",") {
			switch key, path, _ := strings.Cut(field, "="); key {
			case "source", "src":
				from = path
			case "target", "dst", "destination":
				to, ok = path, true
			}
		}
		if to, _, _ = strings.Cut(to, ":"); ok && from != "" && to != "" {
			mounts[strings.TrimSuffix(to, "/")] = from
		}
	})
	return mounts
}

// pathOnHost returns the path on this machine of a mounted path in a container.
func (s *state) pathOnHost(full string) (string, bool) {
	for folder, from := range s.mounts {
		if rest, ok := strings.CutPrefix(full, folder); ok && (rest == "" || rest[0] == '/') {
			outside := *s
			outside.host = ""
			return outside.absolute(strings.TrimSuffix(from, "/") + cmp.Or(rest, "/")), true
		}
	}
	return "", false
}

// printsSecretData reports whether kubectl prints the values of secrets, and not only their names.
func printsSecretData(c *call, words []value) bool {
	if len(words) < 2 || words[0].text != "get" ||
		!slices.ContainsFunc(words[1:], func(w value) bool {
			return strings.HasPrefix(w.text, "secret") || strings.Contains(w.text, ",secret")
		}) {
		return false
	}
	form, ok := c.option("-o", "--output", "--template")
	if !ok || isOneOf(form.text, "name", "wide") {
		return false
	}
	_, path, hasValue := strings.Cut(form.text, "=")
	return !hasValue || form.incomplete || strings.Contains(path, "ata") && !strings.Contains(path, "metadata") ||
		strings.Contains(path, ".data") || !strings.Contains(path, ".")
}

// noteUploads notes files that a program sends to remote storage, and secrets that kubectl prints.
func (s *state) noteUploads(c *call, words []value, labels label) {
	if (c.name == "kubectl" || c.name == "oc") && printsSecretData(c, words) {
		add(&s.effects.ReadsOf, Credentials)
	}
	for _, option := range []string{"--body", "--file", "--zip-file", "--cli-input-json", "--template-body",
		"--user-data", "--user-data-file"} {
		if file, ok := c.option(option); ok {
			labels |= s.labelsOfFile(value{text: strings.TrimPrefix(strings.TrimPrefix(file.text, "fileb://"),
				"file://"), labels: file.labels})
		}
	}
	if folder, ok := c.option("--source"); ok && (c.name == "az" || c.name == "gcloud") &&
		!s.isProjectHome(folder.text) {
		labels |= s.labelsOfFile(folder)
	}
	if file, ok := c.option("-f"); ok && c.name == "az" {
		labels |= s.labelsOfFile(file)
	}
	for _, a := range c.args { // FILE in key=@FILE, file://FILE and fileb://FILE
		for _, mark := range map[string][]string{"aws": {"file://", "fileb://"}, "gh": {"=@"}, "glab": {"=@"}}[c.name] {
			if _, file, ok := strings.Cut(a.text, mark); ok {
				labels |= s.labelsOfFile(known(file))
			}
		}
	}
	hasAddress := slices.ContainsFunc(words, func(w value) bool { return strings.Contains(w.text, ":") })
	if hasAddress || isOneOf(c.name, "gh", "glab", "mc", "b2", "ipfs") || uploads(c) {
		labels |= s.labelsOfUploads(c)
	}
	s.send(value{labels: labels})
}

// labelsOfUploads returns the labels of the files in the words of an upload. The home counts only before an address.
func (s *state) labelsOfUploads(c *call) (labels label) {
	files := withoutRemoteNames(c).words("")
	for i, w := range files {
		wholeHome := strings.HasPrefix(w.text, "~") && i+1 < len(files) &&
			strings.Contains(files[i+1].text, ":") && // before the address it is sent to
			!strings.HasPrefix(argumentBefore(c.args, files[i+1].text), "-") &&
			!slices.ContainsFunc(files[:i], func(before value) bool { return strings.Contains(before.text, "://") })
		if !strings.Contains(w.text, "://") && looksLikePath(w.text) &&
			(strings.Trim(w.text, "./~") != "" || wholeHome) {
			labels |= s.labelsOfFile(w)
		}
	}
	return labels
}

// argumentBefore returns the argument before one with a text, "" if there is none.
func argumentBefore(args []value, text string) string {
	if before := argsBefore(args, text); len(before) > 0 {
		return before[len(before)-1].text
	}
	return ""
}
