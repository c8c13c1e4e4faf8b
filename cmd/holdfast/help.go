package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

const intro = `Holdfast turns OpenAPI documents annotated with x-resilience into Go clients and
servers that survive slow, failing and overloaded counterparts.

Usage:

    holdfast COMMAND [OPTIONS]

Commands:

`

const outro = `
Start with

    holdfast generate --spec openapi.yaml --out internal/api --package api

or write a configuration file with 'holdfast init' and run 'holdfast generate'.
'holdfast help COMMAND' explains a command and its options.
`

func (a *app) helpCommand() *command {
	c := &command{
		name:    "help",
		args:    "[COMMAND]",
		summary: "explain a command",
		help:    "Help explains a command and its options, or lists the commands.",
		flags:   newFlags("help"),
	}
	c.run = func(_ context.Context, args []string) error {
		switch len(args) {
		case 0:
			a.writeHelp(a.stdout)
			return nil
		case 1:
		default:
			return usagef("unexpected argument %q", args[1])
		}
		commands := a.commands()
		if about := lookUp(commands, args[0]); about != nil {
			a.writeCommandHelp(a.stdout, about)
			return nil
		}
		return unknownCommand(commands, args[0])
	}
	return c
}

func (a *app) writeHelp(w io.Writer) {
	var b strings.Builder
	b.WriteString(intro)
	for _, c := range a.commands() {
		if !c.hidden {
			fmt.Fprintf(&b, "    %-12s %s\n", c.name, c.summary)
		}
	}
	b.WriteString(outro)
	fmt.Fprint(w, b.String())
}

func (a *app) writeCommandHelp(w io.Writer, c *command) {
	var b strings.Builder
	usage := "holdfast " + c.name
	if c.flags.HasAvailableFlags() {
		usage += " [OPTIONS]"
	}
	if c.args != "" {
		usage += " " + c.args
	}
	fmt.Fprintf(&b, "Usage:\n\n    %s\n\n%s\n", usage, strings.TrimSpace(c.help))
	if c.flags.HasAvailableFlags() {
		b.WriteString("\nOptions:\n\n")
		writeFlags(&b, c.flags)
	}
	fmt.Fprint(w, b.String())
}

// helpColumn is where the explanation of an option starts.
const helpColumn = 26

// writeFlags lists the options, one a line and its explanation beside it.
func writeFlags(b *strings.Builder, fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		left := "    --" + f.Name
		if f.Shorthand != "" {
			left = "    -" + f.Shorthand + ", --" + f.Name
		}
		if f.Value.Type() != "bool" {
			left += " " + value
		}
		fmt.Fprintf(b, "%-*s  %s\n", helpColumn, left, usage)
	})
}
