package shell

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmts runs statements in order and returns what they print.
func (s *state) stmts(list []*syntax.Stmt) value {
	out := value{}
	for _, stmt := range list {
		v := s.stmt(stmt)
		if s.execOutput != nil {
			s.writeTo(*s.execOutput, v)
		}
		out = concat(out, v)
	}
	return out
}

func (s *state) stmt(stmt *syntax.Stmt) value {
	if stmt == nil || !s.step() {
		return unknown(0)
	}
	if stmt.Background { // it runs in a subshell
		s = s.child()
		s.depth--
	}
	if len(stmt.Redirs) == 0 {
		return s.command(stmt.Cmd)
	}
	// exec with redirections and nothing else changes the shell itself.
	here := s
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	lasting := ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
	if !lasting {
		here = s.child()
		here.depth--
		if ok || stmt.Cmd == nil {
			here.vars, here.functions, here.arrays = s.vars, s.functions, s.arrays
		}
	}
	outs := here.redirect(stmt.Redirs)
	if lasting {
		if len(outs) > 0 {
			s.execOutput = &outs[0]
		}
		return value{}
	}
	out := here.command(stmt.Cmd)
	here.copyVariablesTo(s)
	for _, end := range outs {
		here.writeTo(end, out)
	}
	if len(outs) > 0 {
		return value{labels: 0}
	}
	return out
}

// copyVariablesTo carries the variables of a group with redirections back to the shell.
func (s *state) copyVariablesTo(to *state) {
	to.vars, to.functions, to.arrays, to.cwd, to.folders = s.vars, s.functions, s.arrays, s.cwd, s.folders
}

// redirect sets up redirections. It returns the targets of standard output; without any, standard output is unchanged.
func (s *state) redirect(redirs []*syntax.Redirect) (outs []endpoint) {
	for _, r := range redirs {
		number := ""
		if r.N != nil {
			number = r.N.Value
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			s.setInput(number, endpoint{content: s.hereText(r)})
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn:
			end := s.inputEndpoint(r)
			if number == "1" && (end.network || end.path != "") { // 1<>/dev/tcp/HOST/PORT
				s.fds["1"], outs = end, []endpoint{end}
			} else {
				s.setInput(number, end)
			}
		default:
			end := s.outputEndpoint(r)
			switch {
			case number == "" || number == "1":
				s.fds["1"], outs = end, nil
				if end.path != "" || end.network || end.stmts != nil {
					outs = []endpoint{end}
				}
			case number != "2":
				s.setDescriptor(number, end)
			case end.path != "" && r.Op != syntax.DplOut:
				s.writeTo(end, value{incomplete: true})
			}
		}
	}
	return outs
}

// setDescriptor opens a file descriptor, which may be a variable: {NAME}>FILE.
func (s *state) setDescriptor(number string, end endpoint) {
	end = s.orEarlierEndpoint(number, end)
	if strings.HasPrefix(number, "{") {
		s.vars[strings.Trim(number, "{}")] = []value{known(s.newDescriptor(end))}
	} else {
		s.fds[number] = end
	}
}

// setInput opens a file descriptor for reading; "" and "0" are standard input.
func (s *state) setInput(number string, end endpoint) {
	if number != "" && number != "0" {
		s.setDescriptor(number, end)
		return
	}
	s.stdin, s.hasStdin, s.fds["0"] = end.content, true, end
	if end.network {
		s.stdin = unknown(network)
	}
}

// hereText returns the text of a heredoc or of <<< WORD.
func (s *state) hereText(r *syntax.Redirect) value {
	if r.Op == syntax.WordHdoc {
		content := s.text(r.Word)
		content.text += "\n"
		return content
	}
	if r.Hdoc == nil {
		return value{}
	}
	return s.heredoc(r.Hdoc, len(r.Word.Parts) != 1 || r.Word.Lit() == "")
}

// inputEndpoint returns the source of an input redirection.
func (s *state) inputEndpoint(r *syntax.Redirect) endpoint {
	target := s.text(r.Word)
	if r.Op != syntax.RdrIn {
		end := s.duplicate(target, r.Op == syntax.DplIn)
		if !end.network && end.path != "" && end.content == (value{}) {
			end.content = s.read(known(end.path))
		}
		return end
	}
	if end, ok := s.descriptor(target.text); ok {
		return end
	}
	return endpoint{path: target.text, content: s.read(target)}
}

// outputEndpoint returns the target of an output redirection.
func (s *state) outputEndpoint(r *syntax.Redirect) endpoint {
	target := s.text(r.Word)
	if end, ok := s.descriptor(target.text); ok {
		return end
	}
	isNumber := strings.Trim(strings.TrimSuffix(target.text, "-"), "0123456789") == ""
	if r.Op == syntax.DplOut && isNumber {
		return s.duplicate(target, true)
	}
	appends := r.Op == syntax.AppOut || r.Op == syntax.AppAll
	return endpoint{path: target.text, each: target.labels&tree != 0, appends: appends}
}

// orEarlierEndpoint returns the target of a descriptor after a redirection that might not have run. If the earlier
// target is another machine, it counts as the target.
func (s *state) orEarlierEndpoint(number string, end endpoint) endpoint {
	if before, ok := s.fds[number]; ok && before.network && s.conditional+s.listDepth > 0 {
		end.network = true
	}
	return end
}

func (s *state) duplicate(target value, byNumber bool) endpoint {
	text := strings.TrimSuffix(target.text, "-")
	if end, ok := s.fds[text]; byNumber && ok {
		return end
	}
	if end, ok := s.descriptor(target.text); ok {
		return end
	}
	if byNumber && strings.Trim(text, "0123456789") == "" {
		return endpoint{}
	}
	return endpoint{path: target.text}
}

// heredoc returns the body of a heredoc. A quoted tag disables expansions, and the parser then returns plain text.
func (s *state) heredoc(body *syntax.Word, quoted bool) value {
	if quoted {
		var b strings.Builder
		for _, part := range body.Parts {
			if lit, ok := part.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		return known(b.String())
	}
	return s.parts(body.Parts, true)[0]
}

func (s *state) command(command syntax.Command) value {
	switch c := command.(type) {
	case nil:
		return value{}
	case *syntax.CallExpr:
		return s.call(c)
	case *syntax.Block:
		return s.stmts(c.Stmts)
	case *syntax.Subshell:
		return s.child().stmts(c.Stmts)
	case *syntax.BinaryCmd:
		return s.binaryCommand(c)
	case *syntax.IfClause:
		return s.ifClause(c)
	case *syntax.WhileClause:
		s.noteLoop(s.endless(c), c.Do)
		s.conditional++
		defer func() { s.conditional-- }()
		out := concat(s.stmts(c.Cond), s.stmts(c.Do))
		return out
	case *syntax.ForClause:
		return s.loop(c)
	case *syntax.CaseClause:
		s.text(c.Word)
		s.conditional++
		defer func() { s.conditional-- }()
		out := value{}
		for _, item := range c.Items {
			out = concat(out, s.stmts(item.Stmts))
		}
		return out
	case *syntax.FuncDecl:
		s.declareFunction(c)
	case *syntax.ArithmCmd:
		s.runSubstitutions(c)
	case *syntax.LetClause:
		s.runSubstitutions(c)
	case *syntax.DeclClause:
		s.declare(c)
		if len(c.Args) == 0 || len(c.Args) == 1 && c.Args[0].Value != nil &&
			(c.Args[0].Value.Lit() == "-p" || c.Args[0].Value.Lit() == "-x") {
			return unknown(secret)
		}
	case *syntax.TimeClause:
		return s.stmt(c.Stmt)
	case *syntax.CoprocClause:
		s.coprocess(c)
	case *syntax.TestClause:
		s.test(c.X)
	}
	return value{}
}

func (s *state) declareFunction(c *syntax.FuncDecl) {
	if c.Name == nil {
		return
	}
	s.functions[c.Name.Value] = c.Body
	if tooLarge(c.Body) {
		s.unresolved(TooComplex)
	} else if multiplies(c.Body, c.Name.Value) {
		add(&s.effects.Resources, "fork bomb")
	}
}

// coprocess runs a command whose input and output are descriptors in an array: NAME[0] for reading, NAME[1] for
// writing.
func (s *state) coprocess(c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil {
		name = s.text(c.Name).text
	}
	from := known(s.newDescriptor(endpoint{content: s.child().stmt(c.Stmt)}))
	to := known(s.newDescriptor(endpoint{stmts: []*syntax.Stmt{c.Stmt}}))
	s.arrays[name] = map[string]value{"0": from, "1": to}
	s.vars[name] = []value{from}
}

// test expands the words of a condition, which may hold command substitutions.
func (s *state) test(e syntax.TestExpr) {
	if !s.step() {
		return
	}
	switch e := e.(type) {
	case *syntax.BinaryTest:
		s.test(e.X)
		s.test(e.Y)
	case *syntax.UnaryTest:
		s.test(e.X)
	case *syntax.ParenTest:
		s.test(e.X)
	case *syntax.Word:
		s.text(e)
	}
}

// concat joins two texts. It cuts a result longer than maxText at its end.
func concat(a, b value) value { return concatWith(a, "", b) }

func concatWith(a value, separator string, b value) value {
	out := value{text: a.text, incomplete: a.incomplete || b.incomplete, labels: a.labels | b.labels}
	switch {
	case separator == "" && b.text == "":
	case len(a.text)+len(separator)+len(b.text) > maxText:
		out.incomplete, out.labels = true, out.labels|cutOff
	default:
		out.text += separator + b.text
	}
	return out
}

// bounded returns a value without its text if that is longer than maxText.
func bounded(v value) value {
	if len(v.text) <= maxText {
		return v
	}
	return unknown(v.labels | cutOff)
}

func (s *state) binaryCommand(c *syntax.BinaryCmd) value {
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		first := s.stmt(c.X)
		before := s.conditional
		if c.Op != syntax.AndStmt || !s.succeeds(c.X) {
			s.conditional++
		}
		s.listDepth++
		second := s.stmt(c.Y)
		s.listDepth--
		s.conditional = before
		return concat(first, second)
	}
	left := s.child()
	out := left.stmt(c.X)
	right := s.child()
	right.depth--
	right.stdin, right.hasStdin = out, true
	return right.stmt(c.Y)
}

func (s *state) ifClause(c *syntax.IfClause) value {
	out := s.stmts(c.Cond)
	s.conditional++
	defer func() { s.conditional-- }()
	out = concat(out, s.stmts(c.Then))
	if c.Else != nil {
		out = concat(out, s.ifClause(c.Else))
	}
	return out
}

// maxPlaces is the maximum number of sensitive places for which the body of a loop is read.
const maxPlaces = 64

func (s *state) loop(c *syntax.ForClause) value {
	var rest []value // places for which the body is read again
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var items []value
		for _, word := range l.Items {
			for _, fields := range s.fields(word) {
				items = append(items, fields...)
			}
		}
		if len(items) == 0 {
			items = append(append([]value{}, s.args...), unknown(0))
		}
		// Values with sensitive places come first, because the number of values is limited.
		places := sortByWeight(s, items, func(item value) string { return item.text })
		s.noteLoop(slices.ContainsFunc(l.Items, longRange) ||
			slices.ContainsFunc(items, func(item value) bool { return item.labels&endlessData != 0 }), c.Do)
		if len(items) > maxAlternatives {
			if places > maxPlaces {
				s.unresolved(TooComplex)
			}
			rest = slices.Clone(items[maxAlternatives-1 : max(maxAlternatives-1, min(places, maxPlaces))])
			items = append(items[:maxAlternatives-1:maxAlternatives-1],
				value{text: "$" + l.Name.Value, incomplete: true})
		}
		s.vars[l.Name.Value] = items
	case *syntax.CStyleLoop:
		s.noteLoop(endlessCount(l), c.Do)
	}
	s.conditional++
	defer func() { s.conditional-- }()
	out := s.stmts(c.Do)
	for len(rest) > 0 && s.step() {
		n := min(len(rest), maxAlternatives)
		s.vars[c.Loop.(*syntax.WordIter).Name.Value] = rest[:n:n]
		out, rest = concat(out, s.stmts(c.Do)), rest[n:]
	}
	return out
}

func (s *state) declare(c *syntax.DeclClause) {
	if c.Variant.Value == "export" {
		s.setsVariables = true
		defer func() { s.setsVariables = false }()
	}
	refers := slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool {
		return a.Name == nil && a.Value != nil && isCluster(a.Value.Lit()) && strings.Contains(a.Value.Lit(), "n")
	}) && c.Variant.Value != "export"
	for _, a := range c.Args {
		switch {
		case a.Name != nil && refers: // declare -n, whose references are not followed
			s.vars[a.Name.Value] = []value{{text: "$" + a.Name.Value, incomplete: true}}
		case a.Name != nil && !a.Naked:
			s.assignment(a)
		case a.Name == nil && a.Value != nil:
			s.declareComputed(a.Value)
		}
	}
	if !slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool {
		return a.Name != nil || a.Value == nil || !strings.HasPrefix(a.Value.Lit(), "-") ||
			strings.ContainsAny(a.Value.Lit(), "fF")
	}) {
		s.noteEnvironment()
	}
}

// declareComputed declares the variable in a word such as "$NAME=x".
func (s *state) declareComputed(word *syntax.Word) {
	for _, v := range s.alternatives(word) {
		if at := assignmentAt(v.text); at > 0 {
			s.assign(v.text[:at], []value{v.with(v.text[at+1:])})
		} else if v.incomplete {
			s.doubtVariables()
		}
	}
}

func (s *state) assignment(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name, values := a.Name.Value, []value{{}}
	switch {
	case a.Array != nil:
		values = s.setArray(name, a)
	case a.Value != nil:
		values = s.alternatives(a.Value)
		for i := range values {
			values[i].text = tilde(values[i].text)
		}
	}
	if a.Index != nil && a.Value != nil {
		key := s.index(a.Index)
		if s.arrays[name] == nil {
			s.arrays[name] = map[string]value{}
		}
		s.arrays[name][key] = values[0]
		if key != "0" {
			return
		}
	}
	if before, ok := s.vars[name]; ok && a.Append && len(before) > 0 {
		values = []value{concat(before[0], values[0])}
	}
	s.assign(name, values)
}

// setArray sets the elements of an array: NAME=(WORD [INDEX]=WORD ...). It returns the first element and all as one
// text.
func (s *state) setArray(name string, a *syntax.Assign) []value {
	elements, all := map[string]value{}, value{}
	if a.Append {
		maps.Copy(elements, s.arrays[name])
	}
	for _, elem := range a.Array.Elems {
		for _, fields := range s.fields(elem.Value) {
			for _, v := range fields {
				key := strconv.Itoa(len(elements))
				if elem.Index != nil {
					key = s.index(elem.Index)
				}
				all = concatWith(all, strings.Repeat(" ", min(len(elements), 1)), v)
				elements[key] = v
			}
		}
	}
	s.arrays[name] = elements
	if first, ok := elements["0"]; ok && len(elements) > 1 {
		return []value{first, all}
	}
	return []value{all}
}

// call runs a simple command, once for each way in which its words can be read.
func (s *state) call(c *syntax.CallExpr) value {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.assignment(a)
		}
		return value{}
	}
	if len(c.Assigns) > 0 {
		defer s.assignForCall(c.Assigns)()
	}
	words := make([][][]value, len(c.Args))
	ways := 1
	s.setsVariables = s.setsVariables || c.Args[0].Lit() == "env"
	for i, word := range c.Args {
		words[i] = s.fields(word)
		ways = max(ways, len(words[i]))
	}
	s.setsVariables = s.setsVariables && c.Args[0].Lit() != "env"
	out := value{}
	for way := range ways {
		var args []value
		for _, alternatives := range words {
			args = append(args, alternatives[min(way, len(alternatives)-1)]...)
		}
		if ways > 1 {
			s.conditional++
		}
		v := s.run(args)
		if ways > 1 {
			s.conditional--
			out = concat(out, v)
		} else {
			out = v
		}
		if !s.step() {
			break
		}
	}
	return out
}

// assignForCall sets variables for one command. The function that it returns restores the others, but variables that
// the command itself sets stay: IFS= read LINE.
func (s *state) assignForCall(assigns []*syntax.Assign) (restore func()) {
	before, possibly := s.vars, s.conditional
	s.vars, s.conditional = maps.Clone(before), 0
	for _, a := range assigns {
		s.assignment(a)
	}
	s.conditional = possibly
	return func() {
		for name, values := range s.vars {
			if !slices.ContainsFunc(assigns,
				func(a *syntax.Assign) bool { return a.Name != nil && a.Name.Value == name }) {
				before[name] = values
			}
		}
		s.vars = before
	}
}

// run evaluates a command with its expanded words.
func (s *state) run(args []value) value {
	if len(args) == 0 || !s.step() {
		return unknown(0)
	}
	name := args[0].text
	if args[0].incomplete {
		s.noteUnknownProgram(args)
	}
	direct := s.skipFunctions
	s.skipFunctions = false
	if body, ok := s.functions[name]; ok && !direct && !(s.isAlias[name] && slices.Contains(s.callStack, name)) {
		return s.callFunction(name, body, args[1:])
	}
	c := &call{name: handledName(programName(name)), path: name, args: args[1:]}
	if args[0].incomplete && name == "$0" {
		c.name = "bash"
	}
	handle := handlerOf(c.name)
	if _, ok := cmdlets()[strings.ToLower(name)]; ok && strings.Contains(name, "-") && !args[0].incomplete &&
		handle == nil {
		return s.runCmdlet(args)
	}
	add(&s.effects.Programs, c.name)
	if strings.Contains(name, "/") {
		s.runFile(args[0], c.args)
	} else if handle == nil {
		s.noteWrittenProgram(c.name)
	}
	labels := s.noteOperations(c)
	s.noteInstall(c)
	s.noteUploadedFiles(c)
	if handle == nil {
		handle = unknownProgram
		s.noteUnknown(c)
	}
	out := handle(s, c)
	out.labels |= labels | s.toStdout.labels
	s.toStdout = value{}
	if args[0].incomplete && c.name != "bash" {
		out.labels |= decoded // code that it prints has not been seen
		if content := s.labelsOfFiles(args[1:]) | s.stdin.labels; content&secret != 0 {
			s.noteFlow(secretToNetwork)
		}
	}
	return out
}

// handledName returns the name under which a program has a handler: in lower case, or without the g of GNU programs. It
// returns other names unchanged.
func handledName(base string) string {
	for _, name := range []string{base, strings.ToLower(base), strings.TrimPrefix(base, "g")} {
		if handlerOf(name) != nil {
			return name
		}
	}
	return base
}

// shellInputs are arguments with which a shell reads code from its input.
var shellInputs = []string{"-", "-s", "-x", "-e", "/dev/stdin"}

// noteUnknownProgram notes a call of a program whose name is not known. It may be a shell or rm.
func (s *state) noteUnknownProgram(args []value) {
	s.noteCode(value{labels: args[0].labels})
	s.unresolved("a program named by a value that is not known")
	if !slices.ContainsFunc(args[1:], func(a value) bool { return !slices.Contains(shellInputs, a.text) }) &&
		args[0].text != "$PAGER" {
		s.noteCode(value{labels: s.stdin.labels & unread})
	}
	if len(args) > 1 {
		if end, ok := s.descriptor(args[1].text); ok {
			s.noteCode(value{labels: end.content.labels & unread})
		}
	}
	s.guessDeletion(args[1:])
}

// runFile runs a file that the command has written.
func (s *state) runFile(file value, args []value) {
	content := s.content(file)
	switch {
	case content.labels&unread != 0:
		s.noteCode(value{labels: content.labels})
	case !content.incomplete && content.text != "":
		s.runText(content, args)
	}
}

// noteWrittenProgram notes code in a program that the command has written to a folder of programs.
func (s *state) noteWrittenProgram(name string) {
	for file, content := range s.files {
		if programName(file) == name && content.labels&unread != 0 {
			s.noteCode(value{labels: content.labels})
		}
	}
}

func (s *state) labelsOfFiles(args []value) (labels label) {
	for _, a := range args {
		if looksLikePath(a.text) && !strings.HasPrefix(a.text, "-") && a.text != "" && a.text != "/" && a.text != "~" &&
			!s.isProjectHome(a.text) {
			labels |= s.content(value{text: strings.TrimPrefix(a.text, "@")}).labels
		}
	}
	return labels
}

func programName(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	if lower := strings.ToLower(base); strings.HasSuffix(lower, ".exe") {
		base = strings.TrimSuffix(lower, ".exe")
	}
	return base
}

// callFunction calls a function of the command. Its local variables are forgotten afterwards.
func (s *state) callFunction(name string, body *syntax.Stmt, args []value) value {
	if slices.Contains(s.callStack, name) {
		return unknown(0)
	}
	sub := s.child()
	sub.args, sub.callStack = args, append(s.callStack[:len(s.callStack):len(s.callStack)], name)
	out := sub.stmt(body)
	locals := map[string]bool{}
	syntax.Walk(body, func(n syntax.Node) bool {
		s.steps++
		if decl, ok := n.(*syntax.DeclClause); ok && decl.Variant.Value != "export" &&
			decl.Variant.Value != "readonly" {
			for _, a := range decl.Args {
				if a.Name != nil {
					locals[a.Name.Value] = true
				}
			}
		}
		return true
	})
	for variable, values := range sub.vars {
		if !locals[variable] {
			s.vars[variable] = values
		}
	}
	s.cwd, s.fds, s.folders = sub.cwd, sub.fds, sub.folders
	return out
}

// guessDeletion handles a program with an unknown name as rm if its arguments are options of rm and a path.
func (s *state) guessDeletion(args []value) {
	recursive := len(args) > 0 && handlerOf(programName(args[0].text)) == nil &&
		slices.ContainsFunc(args,
			func(a value) bool { return a.text == "/" || a.text == "/*" || a.text == "~" || a.text == "~/*" })
	recursive = recursive || slices.ContainsFunc(args, func(a value) bool {
		return a.text == "--recursive" || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") &&
			strings.ContainsAny(a.text, "rR")
	})
	for _, a := range args {
		if recursive && !strings.HasPrefix(a.text, "-") {
			s.remove(a, true)
		}
	}
}
