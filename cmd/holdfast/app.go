package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdfast-go/holdfast/gen"
)

// The exit statuses.
const (
	exitDone  = 0
	exitFault = 1 // the document, the check or the output folder is at fault
	exitUsage = 2 // the command line or the configuration file is
)

// app is the tool with its surroundings, so that tests can give their own.
type app struct {
	stdout, stderr io.Writer
	screen         screen // what stderr is
	output         screen // what stdout is
}

// command is one verb of the tool.
type command struct {
	name    string
	args    string // what follows the name in the usage line
	summary string // one line for the list of commands
	help    string // paragraphs after the usage line
	hidden  bool
	raw     bool // run gets the arguments as they are, flags included
	flags   *pflag.FlagSet
	words   []string // what completion offers as arguments; see completeArgument
	run     func(ctx context.Context, args []string) error
}

// commands is the table of verbs, in the order of the help. A new command is a
// function like these, in a file of its own, and one line here.
func (a *app) commands() []*command {
	return []*command{
		a.generateCommand(),
		a.initCommand(),
		a.lintCommand(),
		a.explainCommand(),
		a.demoCommand(),
		a.schemaCommand(),
		a.importCommand(),
		a.languageCommand(),
		a.completionCommand(),
		a.versionCommand(),
		a.helpCommand(),
		a.completeCommand(),
	}
}

// errReported ends a command whose complaints are on the screen already.
var errReported = errors.New("reported")

// usageError is a mistake in the command line.
type usageError struct {
	problem string
	hint    string // a whole sentence, or empty
}

func (e *usageError) Error() string { return e.problem }

func usagef(format string, args ...any) *usageError {
	return &usageError{problem: fmt.Sprintf(format, args...)}
}

// errConfigFile ends a command whose configuration file is at fault; the
// diagnostics are on the screen already.
var errConfigFile = errors.New("the configuration file has errors")

// run carries out a command line and returns the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		a.writeHelp(a.stderr)
		return exitUsage
	}
	c, args, err := a.find(args)
	name := "holdfast"
	if err == nil {
		name += " " + c.name
		err = a.runCommand(ctx, c, args)
	}
	return a.status(name, err)
}

// find returns the command that the first argument names, and the others.
func (a *app) find(args []string) (*command, []string, error) {
	commands := a.commands()
	name := args[0]
	switch name {
	case "-h", "--help", "-help":
		name = "help"
	case "--version", "-version":
		name = "version"
	}
	if c := lookUp(commands, name); c != nil {
		return c, args[1:], nil
	}
	return nil, nil, unknownCommand(commands, name)
}

func lookUp(commands []*command, name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

func unknownCommand(commands []*command, name string) error {
	if strings.HasPrefix(name, "-") {
		e := usagef("the command comes first, found the option %s", gen.Escape(name))
		e.hint = "For example: holdfast generate --spec openapi.yaml --out api"
		return e
	}
	var names []string
	for _, c := range commands {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	e := usagef("unknown command %q", name)
	if near, ok := gen.Nearest(name, names); ok {
		e.hint = "Did you mean 'holdfast " + near + "'?"
	} else {
		e.hint = "The commands are " + strings.Join(names, ", ") + "."
	}
	return e
}

func (a *app) runCommand(ctx context.Context, c *command, args []string) error {
	if c.raw {
		return c.run(ctx, args)
	}
	if err := c.flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			a.writeCommandHelp(a.stdout, c)
			return nil
		}
		return flagError(c.flags, err)
	}
	return c.run(ctx, c.flags.Args())
}

// status tells what is left to tell and returns the exit status.
func (a *app) status(name string, err error) int {
	if err == nil {
		return exitDone
	}
	if errors.Is(err, errReported) {
		return exitFault
	}
	if errors.Is(err, errConfigFile) {
		return exitUsage
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.stderr, "%s: interrupted; the target at work was left as it was\n", name)
		return exitFault
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(a.stderr, "%s: %s\n", name, gen.Escape(strings.TrimRight(line, "\n")))
	}
	bad, ok := errors.AsType[*usageError](err)
	if !ok {
		return exitFault
	}
	if bad.hint != "" {
		fmt.Fprintln(a.stderr, bad.hint)
	}
	help := "holdfast help"
	if verb, ok := strings.CutPrefix(name, "holdfast "); ok {
		help += " " + verb
	}
	fmt.Fprintf(a.stderr, "Run '%s' for help.\n", help)
	return exitUsage
}
