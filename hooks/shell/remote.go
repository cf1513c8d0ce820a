package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"nomograph/internal/pattern"
)

// remoteVerbs maps programs that manage resources on other systems to their words that delete. nil means deletingWords.
var remoteVerbs = sync.OnceValue(func() map[string][]string {
	verbs := programsWith("manages")
	for name, words := range verbs {
		if slices.Contains(words, "+") {
			verbs[name] = nil
		}
	}
	return verbs
})

// deletingWords are first words of operations that delete: delete-bucket, terminate-instances.
var deletingWords = []string{"delete", "destroy", "purge", "remove", "terminate", "drop", "flush", "wipe", "reset-all", "rm", "rb", "deregister", "release-address", "revoke", "empty", "deprovision", "disable-key", "schedule-key-deletion", "close-account", "stop-logging", "nuke", "force_reset", "force-delete", "undeploy", "batch-delete", "bulk-delete", "detach-role-policy", "cancel-job", "reset"}

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
	verbs, named := remoteVerbs()[c.name]
	all := joinArgs(c.args)
	labels := s.labelsOf(c) | s.stdin.labels
	note := func(what string) {
		if !s.staysHere(c) && !c.isDryRun() && !slices.ContainsFunc(c.args, func(a value) bool { return a.text == "help" }) {
			add(&s.effects.Remote, c.name+" "+what)
		}
	}
	if command, ok := c.option("--command", "-C", "--scripts"); ok && (strings.Contains(all.text, "ssh") || strings.Contains(all.text, "run-command")) {
		s.runRemotely("remote", command)
	}
	if c.name == "aws" && strings.Contains(all.text, "send-command") {
		for _, quoted := range literalPattern.FindAllString(all.text, 5) {
			s.runRemotely("remote", known(textOf(quoted)))
		}
	}
	if words := c.words("a"); (c.name == "heroku" || c.name == "vagrant" || c.name == "multipass" || c.name == "lxc" || c.name == "flyctl" || c.name == "fly") && len(words) > 1 && (words[0].text == "run" || words[0].text == "ssh" || words[0].text == "exec" || words[0].text == "run:detached") {
		s.runRemotely("remote", remoteCommand(words[1:]))
	}
	if command, ok := c.option("-c"); ok && c.name == "vagrant" {
		s.runRemotely("remote", command)
	}
	if c.name == "kubectl" || c.name == "oc" || c.name == "heroku" || c.name == "flyctl" || c.name == "gcloud" || c.name == "multipass" || c.name == "lxc" {
		for i, a := range c.args {
			if a.text == "--" && i+1 < len(c.args) {
				return s.runInside("pod", "", c.args[i+1:])
			}
		}
	}
	if slices.Contains([]string{"chamber", "infisical", "doppler"}, c.name) { // these programs pass secrets to a command
		for i, a := range c.args {
			if a.text == "--" && i+1 < len(c.args) && s.step() {
				return s.child().run(c.args[i+1:])
			}
		}
	}
	switch {
	case c.name == "java":
		if strings.Contains(all.text, "jenkins-cli") {
			for _, a := range c.args {
				if strings.HasPrefix(a.text, "delete-") || a.text == "safe-shutdown" {
					note(a.text)
				}
			}
		}
		return unknownProgram(s, c)
	case c.name == "gitlab-rails" || c.name == "rails" || c.name == "rake" || c.name == "artisan" || c.name == "bin/rails":
		production := strings.Contains(all.text, "prod") || s.host != ""
		for _, name := range []string{"RAILS_ENV", "RACK_ENV", "APP_ENV", "NODE_ENV"} {
			for _, v := range s.vars[name] {
				production = production || strings.HasPrefix(v.text, "prod")
			}
		}
		if code, ok := c.option("-e", "--execute"); ok && c.name == "rake" {
			s.scanCode("ruby", code)
		}
		if c.name == "gitlab-rails" && s.hasStdin {
			all.text += " " + s.stdin.text
		}
		if found := railsPattern.FindString(all.text); found != "" && (c.name == "gitlab-rails" || production) {
			note(found)
		}
		return unknown(labels)
	case named && len(verbs) == 1 && verbs[0] == "*":
		note(all.text)
		return unknown(labels)
	case named && len(verbs) == 1 && verbs[0] == "sql":
		text := all.text
		if s.hasStdin {
			text += " " + s.stdin.text
		}
		for _, line := range strings.Split(text, "\n") { // \! of psql and system of mysql run a shell
			if _, command, ok := strings.Cut(line, `\! `); ok {
				s.runText(known(strings.Trim(command, `'"`)), nil)
			}
		}
		for _, statement := range strings.Split(text, ";") {
			if lower := strings.ToLower(statement); strings.Contains(lower, "update ") && strings.Contains(lower, " set ") && !strings.Contains(lower, "where") && !strings.Contains(lower, "on conflict") && !strings.Contains(lower, "on duplicate") {
				note("UPDATE without WHERE")
			}
		}
		if file, ok := c.option("-f", "--file"); ok {
			content := s.content(file)
			s.noteCode(value{labels: content.labels & cutOff})
			text += " " + content.text
		}
		if strings.Contains(text, "/*") {
			text = sqlCommentPattern.ReplaceAllString(text, " ")
		}
		if found := sqlPattern.FindString(text); found != "" {
			note(strings.TrimSpace(found))
		}
		for _, quoted := range literalPattern.FindAllString(text, 20) {
			if name := textOf(quoted); looksLikePath(name) && len(readPlaces(s.absolute(name))) > 0 && name != "" {
				labels |= s.read(known(name)).labels
			}
		}
		for _, word := range c.words("cehUdpPuDQq") {
			if len(readPlaces(s.absolute(word.text))) > 0 {
				labels |= s.read(word).labels
			}
		}
		s.noteCode(value{labels: all.labels&cutOff | s.stdin.labels&unread&^unpacked}) // compressed dumps and generated statements are common
		host, named := c.option("-h", "--host")
		if named && !onThisMachine(host.text) || namesHost(c) || slices.ContainsFunc(c.args, func(a value) bool { return strings.HasPrefix(a.text, "$") || strings.Contains(a.text, "host=") }) {
			s.send(unknown(labels))
		}
		return unknown(labels)
	}
	if verbs == nil {
		verbs = deletingWords
	}
	words := c.words("")
	if c.name == "supabase" && !c.has("--linked", "--db-url") && len(words) > 1 && words[0].text == "db" {
		return unknown(labels)
	}
	for at, word := range words {
		if at > 5 {
			break
		}
		for _, verb := range verbs {
			text := word.text
			if text == verb || verbs[0] == deletingWords[0] && (strings.HasPrefix(text, verb+"-") || strings.HasPrefix(text, verb+"_") || strings.HasSuffix(text, ":"+verb) || strings.HasPrefix(text, verb+"s ")) {
				if c.name == "aws" && (at > 4 || text == "remove-tags") || c.name == "gh" && at > 0 && words[0].text == "pr" {
					continue
				}
				note(joinArgs(words[:min(at+2, len(words))]).text)
				break
			}
		}
	}
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "--delete") && (c.name == "aws" || strings.HasPrefix(c.name, "kafka")) || slices.Contains(verbs, a.text) && strings.HasPrefix(a.text, "-") {
			note(a.text)
		}
	}
	if c.name == "gh" || c.name == "glab" {
		if method, ok := c.option("-X", "--method"); ok && strings.EqualFold(method.text, "DELETE") {
			note("api DELETE")
		}
	}
	if c.name == "gsutil" && len(words) > 0 && words[0].text == "rsync" && c.has("-d") {
		note("rsync -d")
	}
	if c.name == "terraform" || c.name == "tofu" {
		if len(words) > 1 && words[0].text == "workspace" && words[1].text == "delete" {
			note("workspace delete")
		}
		if slices.ContainsFunc(c.args, func(a value) bool { return a.text == "-destroy" }) && len(words) > 0 && words[0].text == "apply" {
			note("apply -destroy")
		}
		if len(words) > 1 && words[0].text == "state" && words[1].text == "rm" {
			note("state rm")
		}
	}
	if c.name == "redis-cli" || c.name == "hbase" || c.name == "cbt" || c.name == "nsupdate" {
		for _, word := range strings.Fields(s.stdin.text) {
			if slices.Contains(verbs, word) {
				note(word)
			}
		}
	}
	if c.name == "gh" && len(words) > 1 && words[0].text == "api" && words[1].text == "graphql" {
		if found := deletingMutationPattern.FindString(all.text); found != "" {
			note(found)
		}
	}
	if sqlPattern.MatchString(all.text+" "+s.stdin.text) && (c.name == "heroku" || c.name == "npx" || c.name == "wrangler" || c.name == "bq" || c.name == "turso" || c.name == "supabase") {
		note("sql")
	}
	s.noteUploads(c, words, labels)
	if gives := joinArgs(words[:min(2, len(words))]).text; slices.Contains([]string{"s3 cp", "gist view", "release download", "storage cat"}, gives) || c.name == "gh" && strings.HasPrefix(gives, "api ") || c.name == "gsutil" && strings.HasPrefix(gives, "cat") {
		labels |= network
		if to := words[len(words)-1]; gives == "s3 cp" && len(words) > 3 && !strings.Contains(to.text, "://") && to.text != "-" {
			name := to.text
			if name == "." || strings.HasSuffix(name, "/") {
				name = strings.TrimSuffix(name, ".") + path.Base(words[2].text)
			}
			s.write(known(name), unknown(network))
		}
	}
	return unknown(labels)
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
	for len(words) > 0 && (strings.HasPrefix(words[0].text, "-") || words[0].text == "compose" || words[0].text == "container") {
		words = words[1:]
	}
	if len(words) == 0 || words[0].text != "exec" && words[0].text != "run" {
		return unknownProgram(s, withoutSettings(c))
	}
	s.noteContainerAccess(c)
	w := wrapper{valued: "uewvpmlhc", skip: 1, long: []string{"--name", "--user", "--env", "--workdir", "--volume", "--network", "--entrypoint", "--mount", "--env-file", "--platform", "--memory", "--cpus", "--publish", "--hostname", "--label", "--pull", "--gpus", "--restart"}}
	if command, _ := w.wrapped(words[1:]); len(command) > 0 {
		sub := s.child()
		options := &call{args: words[1 : len(words)-len(command)]}
		sub.mounts = mountsIn(options.args)
		folder, _ := options.option("-w", "--workdir")
		return sub.runInside(container, folder.text, command)
	}
	return unknown(0)
}

// withoutSettings returns a call without files such as --env-file, which the container engine reads but does not add to images.
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
	for i, a := range args {
		text := ""
		switch name, value, ok := strings.Cut(a.text, "="); {
		case (name == "--volume" || name == "--mount") && ok:
			text = value
		case (a.text == "-v" || a.text == "--volume" || a.text == "--mount") && i+1 < len(args):
			text = args[i+1].text
		case strings.HasPrefix(a.text, "-v") && len(a.text) > 2:
			text = a.text[2:]
		}
		from, to, ok := strings.Cut(text, ":")
		for _, field := range strings.Split(text, ",") {
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
	}
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
	if len(words) < 2 || words[0].text != "get" || !slices.ContainsFunc(words[1:], func(w value) bool { return strings.HasPrefix(w.text, "secret") || strings.Contains(w.text, ",secret") }) {
		return false
	}
	form, ok := c.option("-o", "--output", "--template")
	if !ok || slices.Contains([]string{"name", "wide"}, form.text) {
		return false
	}
	_, path, hasValue := strings.Cut(form.text, "=")
	return !hasValue || form.incomplete || strings.Contains(path, "ata") && !strings.Contains(path, "metadata") || strings.Contains(path, ".data") || !strings.Contains(path, ".")
}

// noteUploads notes files that a program sends to remote storage, and secrets that it prints.
func (s *state) noteUploads(c *call, words []value, labels label) {
	text := joinArgs(words).text
	if strings.Contains(text, "get-secret-value") || strings.Contains(text, "secrets versions access") || (c.name == "kubectl" || c.name == "oc") && printsSecretData(c, words) || c.name == "az" && strings.Contains(text, "keyvault secret show") || c.name == "doppler" && (strings.Contains(text, "secrets download") || strings.Contains(text, "secrets get")) {
		add(&s.effects.ReadsOf, Credentials)
	}
	if (c.name == "vault" && (strings.HasPrefix(text, "kv get") || strings.HasPrefix(text, "read "))) || c.name == "aws" && (strings.Contains(text, "ssm get-parameter") && c.has("--with-decryption") || strings.Contains(text, "configure get aws_secret") || strings.Contains(text, "configure export-credentials")) || c.name == "kubectl" && strings.HasPrefix(text, "config view") && c.has("--raw") {
		add(&s.effects.ReadsOf, Credentials)
	}
	sent := value{labels: labels}
	for _, option := range []string{"--body", "--file", "--zip-file", "--cli-input-json", "--template-body", "--user-data", "--user-data-file", "--source"} {
		if file, ok := c.option(option); ok && (option != "--source" || (c.name == "az" || c.name == "gcloud") && !s.isProjectHome(file.text)) {
			sent.labels |= s.labelsOfFile(value{text: strings.TrimPrefix(strings.TrimPrefix(file.text, "fileb://"), "file://"), labels: file.labels})
		}
	}
	if c.name == "aws" { // the value of any option may name a file
		for _, a := range c.args {
			_, file, ok := strings.Cut(a.text, "file://")
			if !ok {
				_, file, ok = strings.Cut(a.text, "fileb://")
			}
			if ok {
				sent.labels |= s.labelsOfFile(known(file))
			}
		}
	}
	if c.name == "gh" || c.name == "glab" {
		for _, a := range c.args {
			if _, file, ok := strings.Cut(a.text, "=@"); ok {
				sent.labels |= s.labelsOfFile(known(file))
			}
		}
	}
	if file, ok := c.option("-f"); ok && c.name == "az" {
		sent.labels |= s.labelsOfFile(file)
	}
	remoteTarget := slices.ContainsFunc(words, func(w value) bool { return strings.Contains(w.text, "://") || strings.Contains(w.text, ":") })
	if remoteTarget || slices.Contains([]string{"gh", "glab", "mc", "b2", "ipfs"}, c.name) || uploads(c) {
		files := withoutRemoteNames(c).words("")
		for i, w := range files {
			wholeHome := strings.HasPrefix(w.text, "~") && i+1 < len(files) && strings.Contains(files[i+1].text, ":") && // before the address it is sent to
				!strings.HasPrefix(argumentBefore(c.args, files[i+1].text), "-") && !slices.ContainsFunc(files[:i], func(before value) bool { return strings.Contains(before.text, "://") })
			if !strings.Contains(w.text, "://") && looksLikePath(w.text) && (strings.Trim(w.text, "./~") != "" || wholeHome) {
				sent.labels |= s.labelsOfFile(w)
			}
		}
	}
	s.send(sent)
}

// argumentBefore returns the argument before one with a text, "" if there is none.
func argumentBefore(args []value, text string) string {
	if before := argsBefore(args, text); len(before) > 0 {
		return before[len(before)-1].text
	}
	return ""
}
