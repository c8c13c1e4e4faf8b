package gen

import (
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/bundle"
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/runtime"
)

// The ways in which generated code gets at the runtime; see [Config.Runtime].
const (
	// RuntimeModule imports the runtime from the module holdfast, which the
	// user's module has to require. An empty string means the same.
	RuntimeModule = "module"
	// RuntimeVendor copies the packages in use into the folder holdfast below
	// the output folder, so that the user's module requires nothing.
	RuntimeVendor = "vendor"
)

// Config is one target: one document, one package. It is plain data and may be
// copied.
type Config struct {
	// Spec is the path of the OpenAPI document, or its URL with AllowRemote.
	// Diagnostics name the file by this text.
	Spec string
	// Out is the folder of the generated package; it need not exist.
	Out string
	// Package is the name of the generated package. Empty: the last element of
	// Out, if that is a name.
	Package string

	// Client and Server say which sides are generated; with neither, only the
	// models.
	Client, Server bool

	// Runtime is RuntimeModule, RuntimeVendor, or empty for RuntimeModule.
	Runtime string
	// ImportPath is the import path of Out, for RuntimeVendor. Empty: it is
	// derived from the go.mod above Out.
	ImportPath string
	// RuntimeAdd names packages of the runtime, such as "store/redis", that
	// RuntimeVendor copies although no generated code imports them.
	RuntimeAdd []string

	// Strict makes an error of each departure from the standard that is
	// otherwise repaired with a warning.
	Strict bool
	// ExactSchemas reads schemas to the letter of JSON Schema, also where documents
	// mostly mean something else by them: a schema without a type takes any value, and
	// so its Go type is any.
	ExactSchemas bool
	// SkipUnsupported leaves out what is not supported, with a warning each.
	SkipUnsupported bool
	// Include and Exclude choose operations, by "tag:NAME", "path:GLOB" or
	// "operation:GLOB"; a bare word is a glob over operation ids. An operation
	// is generated when it matches some Include, or there is none, and no
	// Exclude.
	Include, Exclude []string
	// AllowRemote permits reading the document and what it refers to over the
	// network.
	AllowRemote bool
	// Overlays names documents of the OpenAPI Overlay Specification, 1.0 or 1.1,
	// that are applied to Spec in this order; paths, or URLs with AllowRemote.
	Overlays []string

	// Lint are the settings of [Lint].
	Lint LintSettings

	// Check compares only: nothing is written, and a difference is ErrStale.
	Check bool
	// DryRun stops before writing; [Output.Changes] says what would be done.
	DryRun bool

	// Reporter, if not nil, is told the name of each stage when it begins. It
	// is called on the goroutine of Run and must return quickly.
	Reporter func(stage string)
}

// A ConfigError says that a setting is wrong, before any document was read.
type ConfigError struct {
	// Setting names the field of Config, in lower camel case: "package".
	Setting string
	// Problem says what is wrong and what to do.
	Problem string
}

// Error returns "setting: problem".
func (e *ConfigError) Error() string { return e.Setting + ": " + e.Problem }

func configErrorf(setting, format string, args ...any) error {
	return &ConfigError{Setting: setting, Problem: fmt.Sprintf(format, args...)}
}

// report tells the reporter, if there is one, which stage begins.
func (c *Config) report(stage string) {
	if c.Reporter != nil {
		c.Reporter(stage)
	}
}

// complete fills in what can be derived and checks the rest. It returns all
// that is wrong, each as a *ConfigError.
func (c *Config) complete() error {
	var errs []error
	if c.Spec == "" {
		errs = append(errs, configErrorf("spec", "no document given"))
	}
	if isURL(c.Spec) && !c.AllowRemote {
		errs = append(errs, configErrorf("spec", "%s would be read over the network, which has to be allowed: allow remote documents, or download it first", c.Spec))
	}
	if c.Out == "" {
		errs = append(errs, configErrorf("out", "no output folder given"))
	}
	errs = append(errs, c.completePackage(), c.completeRuntime(), c.completeLintSettings())
	for _, overlay := range c.Overlays {
		switch {
		case overlay == "":
			errs = append(errs, configErrorf("overlays", "an overlay has no name"))
		case isURL(overlay) && !c.AllowRemote:
			errs = append(errs, configErrorf("overlays", "%s would be read over the network, which has to be allowed: allow remote documents, or download it first", overlay))
		}
	}
	if c.Check && c.DryRun {
		errs = append(errs, configErrorf("check", "a check and a dry run exclude each other: both write nothing, a check fails on a difference"))
	}
	return errors.Join(errs...)
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

func (c *Config) completePackage() error {
	derived := c.Package == ""
	if derived && c.Out != "" {
		abs, err := filepath.Abs(c.Out)
		if err != nil {
			return configErrorf("out", "%v", err)
		}
		c.Package = filepath.Base(abs)
	}
	switch {
	case c.Package == "":
		return nil // the missing Out is told already
	case !token.IsIdentifier(c.Package) || c.Package == "_":
		if derived {
			return configErrorf("package", "the name of the output folder, %q, is no package name: give one", c.Package)
		}
		return configErrorf("package", "%q is no package name: letters, digits and underscores, not a keyword of Go", c.Package)
	case c.Package == "init":
		return configErrorf("package", "no file can import a package called init: give another name")
	case strings.HasSuffix(c.Package, "_test"):
		return configErrorf("package", "%q would be a package of tests: leave the suffix away", c.Package)
	}
	return nil
}

func (c *Config) completeRuntime() error {
	switch c.Runtime {
	case "":
		c.Runtime = RuntimeModule
	case RuntimeModule, RuntimeVendor:
	default:
		return configErrorf("runtime", "%q is unknown: %q imports it from the module holdfast, %q copies it next to the generated code", c.Runtime, RuntimeModule, RuntimeVendor)
	}
	if c.Runtime != RuntimeVendor {
		if c.ImportPath != "" {
			return configErrorf("importPath", "it has a meaning only for the vendored runtime")
		}
		if len(c.RuntimeAdd) > 0 {
			return configErrorf("runtimeAdd", "it has a meaning only for the vendored runtime")
		}
		return nil
	}
	if err := c.checkAdded(); err != nil {
		return err
	}
	if c.ImportPath != "" {
		if err := bundle.CheckImportPath(c.ImportPath); err != nil {
			return configErrorf("importPath", "%v", err)
		}
		return nil
	}
	if c.Out == "" {
		return nil
	}
	p, err := bundle.ImportPath(c.Out)
	if errors.Is(err, bundle.ErrNoModule) {
		return configErrorf("importPath", "no go.mod stands above %s, so the import path of the copied runtime is not known: run 'go mod init' or give the import path", c.Out)
	}
	if err != nil {
		return configErrorf("importPath", "%v", err)
	}
	c.ImportPath = p
	return nil
}

func (c *Config) checkAdded() error {
	if len(c.RuntimeAdd) == 0 {
		return nil
	}
	known, err := bundle.Packages(runtime.Sources)
	if err != nil {
		return err
	}
	for _, name := range c.RuntimeAdd {
		if slices.Contains(known, name) {
			continue
		}
		if near, ok := diag.Nearest(name, known); ok {
			return configErrorf("runtimeAdd", "%q is no package of the runtime: did you mean %s?", name, near)
		}
		return configErrorf("runtimeAdd", "%q is no package of the runtime", name)
	}
	return nil
}
