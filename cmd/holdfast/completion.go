package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The scripts ask the binary itself what can follow, by the hidden command
// __complete, so that they never disagree with its options.
//
//go:embed completion/*
var completionScripts embed.FS

var shells = []string{"bash", "zsh", "fish", "powershell"}

const completionHelp = `Completion prints a script for your shell. To try it in this shell:

    bash        source <(holdfast completion bash)
    zsh         source <(holdfast completion zsh)
    fish        holdfast completion fish | source
    powershell  holdfast completion powershell | Out-String | Invoke-Expression

For every new shell, write the script where yours looks for completions, such as
~/.local/share/bash-completion/completions/holdfast for bash, a file _holdfast in
a folder of $fpath for zsh, ~/.config/fish/completions/holdfast.fish for fish, or
put the line above into $PROFILE for PowerShell.`

func (a *app) completionCommand() *command {
	return &command{
		name:    "completion",
		args:    strings.Join(shells, "|"),
		summary: "print a completion script for a shell",
		help:    completionHelp,
		flags:   newFlags("completion"),
		words:   shells,
		run: func(_ context.Context, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				e := usagef("name one shell: %s", strings.Join(shells, ", "))
				if len(args) == 1 {
					e = usagef("no completion for %q: it is there for %s", args[0], strings.Join(shells, ", "))
				}
				return e
			}
			script, err := completionScripts.ReadFile("completion/holdfast." + args[0])
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(script)
			return err
		},
	}
}

// completeCommand is what the scripts call: the words of the command line so
// far, the unfinished last one included, give one candidate a line, with its
// description after a tab. A line ":files" or ":dirs" asks the shell for paths.
func (a *app) completeCommand() *command {
	return &command{
		name:   "__complete",
		hidden: true,
		raw:    true,
		flags:  newFlags("__complete"),
		run: func(_ context.Context, words []string) error {
			for _, line := range candidates(a.commands(), words) {
				if _, err := fmt.Fprintln(a.stdout, line); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// candidates returns what can stand for the last of the words.
func candidates(commands []*command, words []string) []string {
	words = joinAssignments(words)
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	if last == `""` { // PowerShell cannot pass an empty word
		last = ""
	}
	if len(words) == 1 {
		return completeCommands(commands, last)
	}
	c := lookUp(commands, words[0])
	if c == nil || c.hidden {
		return nil
	}
	if f := flagBefore(c.flags, words[1:len(words)-1]); f != nil {
		return completeValue(f, last)
	}
	if name, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(name, "--") {
		f := c.flags.Lookup(strings.TrimPrefix(name, "--"))
		if f == nil {
			return nil
		}
		return completeValue(f, value)
	}
	if strings.HasPrefix(last, "-") {
		return completeFlags(c.flags, last)
	}
	if c.name == "help" {
		return completeCommands(commands, last)
	}
	return completeArgument(c.words, words[1:len(words)-1], last)
}

// completeArgument offers what can stand for an argument. Where completeFiles ends
// the words, those before it are for the first argument, and files follow.
func completeArgument(choices, before []string, last string) []string {
	if n := len(choices) - 1; n >= 0 && choices[n] == completeFiles {
		first := choices[:n]
		if n == 0 || slices.ContainsFunc(before, func(w string) bool { return slices.Contains(first, w) }) {
			return []string{completeFiles}
		}
		choices = first
	}
	return startingWith(choices, last)
}

// completeFiles asks the shell for names of files.
const completeFiles = ":files"

// joinAssignments undoes what bash does to "--spec=a": three words, since "="
// parts words there.
func joinAssignments(words []string) []string {
	var joined []string
	for i := 0; i < len(words); i++ {
		if words[i] == "=" && len(joined) > 0 && strings.HasPrefix(joined[len(joined)-1], "--") {
			joined[len(joined)-1] += "="
			if i+1 < len(words) {
				i++
				joined[len(joined)-1] += words[i]
			}
			continue
		}
		joined = append(joined, words[i])
	}
	return joined
}

// flagBefore returns the flag whose value comes next, if the words end in one.
func flagBefore(fs *pflag.FlagSet, words []string) *pflag.Flag {
	if len(words) == 0 {
		return nil
	}
	name, ok := strings.CutPrefix(words[len(words)-1], "--")
	if !ok {
		return nil
	}
	if f := fs.Lookup(name); f != nil && f.NoOptDefVal == "" {
		return f
	}
	return nil
}

func completeCommands(commands []*command, prefix string) []string {
	var lines []string
	for _, c := range commands {
		if !c.hidden && strings.HasPrefix(c.name, prefix) {
			lines = append(lines, c.name+"\t"+c.summary)
		}
	}
	return lines
}

func completeFlags(fs *pflag.FlagSet, prefix string) []string {
	var lines []string
	fs.VisitAll(func(f *pflag.Flag) {
		if name := "--" + f.Name; !f.Hidden && strings.HasPrefix(name, prefix) {
			_, usage := pflag.UnquoteUsage(f)
			lines = append(lines, name+"\t"+usage)
		}
	})
	return lines
}

func completeValue(f *pflag.Flag, prefix string) []string {
	if paths := f.Annotations[completesPath]; len(paths) == 1 {
		return []string{":" + paths[0]}
	}
	return startingWith(f.Annotations[completesWith], prefix)
}

func startingWith(words []string, prefix string) []string {
	var found []string
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			found = append(found, w)
		}
	}
	return found
}
