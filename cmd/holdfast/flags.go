package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdfast-go/holdfast/gen"
)

// newFlags returns an empty set of flags that reports errors to its caller.
func newFlags(name string) *pflag.FlagSet {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SortFlags = false // the help shows them in the order of their use
	fs.Usage = func() {} // printed by the app
	return fs
}

// The annotations that tell completion what the value of a flag is.
const (
	completesWith = "completes-with" // the words it can be
	completesPath = "completes-path" // "files" or "dirs"
)

func annotate(fs *pflag.FlagSet, flag, key string, values ...string) {
	if err := fs.SetAnnotation(flag, key, values); err != nil {
		panic(err) // a flag that the same function has not defined: found by any test
	}
}

// flagError turns an error of pflag into one that tells what to do.
func flagError(fs *pflag.FlagSet, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(fs, e)
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := e.GetFlag()
		kind, _ := pflag.UnquoteUsage(f)
		return usagef("--%s needs a value: --%s %s", f.Name, f.Name, kind)
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		reason := e.Unwrap().Error()
		if e.GetFlag().Value.Type() == "bool" {
			reason = "it is true or false, and true when left out"
		}
		return usagef("--%s cannot be %q: %s", e.GetFlag().Name, e.GetValue(), reason)
	}
	return usagef("%v", err)
}

func unknownFlag(fs *pflag.FlagSet, e *pflag.NotExistError) error {
	name := e.GetSpecifiedName()
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	shown := "--" + name
	if short := e.GetSpecifiedShortnames(); short != "" {
		// Go's own flags have one dash before long names; so many type that.
		shown, name = "-"+short, short
		if i := strings.IndexByte(name, '='); i >= 0 {
			name = name[:i]
		}
		if fs.Lookup(name) != nil {
			bad := usagef("unknown option %s", shown)
			bad.hint = "Options have two dashes: --" + name
			return bad
		}
	}
	bad := usagef("unknown option %s", shown)
	if name == "spec" && (fs.Name() == "lint" || fs.Name() == "explain") {
		bad.hint = "The document is an argument here: holdfast " + fs.Name() + " FILE"
		return bad
	}
	if near, ok := gen.Nearest(name, names); ok {
		bad.hint = "Did you mean --" + near + "?"
	}
	return bad
}

// noArguments is the error for arguments where only options are expected.
func noArguments(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("unexpected argument %q", args[0])
}

// flagOf spells a setting of gen.Config as the flag it is: importPath becomes
// --import-path.
func flagOf(setting string) string {
	if setting == "overlays" {
		return "--overlay" // one file a flag
	}
	var b strings.Builder
	b.WriteString("--")
	for _, r := range setting {
		if 'A' <= r && r <= 'Z' {
			fmt.Fprintf(&b, "-%c", r-'A'+'a')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
