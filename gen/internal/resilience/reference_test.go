package resilience

import (
	"fmt"

	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	specext "github.com/holdfast-go/holdfast/spec-extensions"
)

// reference is README.md of the language: the sections written by hand, with the tables
// that the grammar and the presets give.
func reference(words *glossary) []byte {
	path := filepath.Join(extensions, "reference", "README.md.tmpl")
	text, err := os.ReadFile(path)
	if err != nil {
		words.t.Fatal(err)
	}
	if strings.Contains(strings.ToLower(string(text)), "supported yet") {
		words.t.Error("README.md.tmpl says by hand what is not supported yet, which is the grammar's to say")
	}
	r := referencer{words}
	t, err := template.New("README.md").Delims("<<", ">>").Funcs(template.FuncMap{
		"about": r.aboutPrimitive, "fields": r.fields, "presets": r.presets, "root": r.root, "policy": r.policy, "selector": r.selector,
		"part": r.part, "default": r.builtIn, "pending": r.pending, "version": func() int { return specext.Version },
	}).Parse(string(text))
	if err != nil {
		words.t.Fatal(err)
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		words.t.Fatal(err)
	}
	// A table ends its own last line, so that two may leave an empty line more.
	return []byte(strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"))
}

type referencer struct{ *glossary }

// aboutPrimitive is the paragraph that begins a primitive's section.
func (r referencer) aboutPrimitive(name string) (string, error) {
	p := primitiveOf(name)
	if p == nil {
		return "", fmt.Errorf("there is no primitive %s", name)
	}
	out := r.about(name)
	where := "A bare `" + name + "` is for both sides."
	if p.bare != bothSides {
		where = "A bare `" + name + "` is the " + p.bare.String() + "'s"
		if p.may == bothSides {
			other := clientSide
			if p.bare == clientSide {
				other = serverSide
			}
			where += "; the " + other.String() + "'s stands in `" + other.String() + "`"
		}
		where += "."
	}
	out += " " + where
	if text := pendingSides(p); text != "" {
		out += " *" + text + "*"
	}
	return wrap(out), nil
}

// wrap breaks a paragraph as the other text of the reference is.
func wrap(text string) string {
	const most = 92
	var out []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > most {
			out = append(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(out, line), "\n")
}

// fields is the table of a primitive's fields, with those of its own objects below.
func (r referencer) fields(name string) string {
	p := primitiveOf(name)
	rows := r.rows(p.object, name, "")
	return table("field", "takes", "meaning", "default") + rows
}

// part is the table of an object that has a name of its own.
func (r referencer) part(name string) (string, error) {
	objects := map[string]*object{"rung": rungObject, "limit": bucketObject, "criterion": criterionObject}
	for o, n := range objectNames {
		objects[n] = o
	}
	if objects[name] == nil {
		return "", fmt.Errorf("there is no object %s", name)
	}
	return table("field", "takes", "meaning", "default") + r.rows(objects[name], name, ""), nil
}

func (r referencer) rows(o *object, part, path string) string {
	var b strings.Builder
	for _, f := range o.fields {
		name := strings.TrimPrefix(path+"."+f.name, ".")
		words := r.field(part, name)
		meaning := words.About
		if text := (&generator{glossary: r.glossary}).pendingWords(f.shape); text != "" {
			meaning += " *" + text + "*"
		}
		if words.Deprecated != "" {
			meaning += " *Deprecated:* " + words.Deprecated
		}
		def := r.defaultOf(part, name)
		if def == "" {
			def = "none"
		}
		b.WriteString(row("`"+name+"`", r.takes(f.shape), meaning, def))
		if inner := innerObject(built(f.shape)); inner != nil && objectNames[inner] == "" && !isNamed(inner) {
			b.WriteString(r.rows(inner, part, name))
		}
	}
	return b.String()
}

func isNamed(o *object) bool { return o == rungObject || o == bucketObject || o == criterionObject }

func table(columns ...string) string {
	return "| " + strings.Join(columns, " | ") + " |\n|" + strings.Repeat(" --- |", len(columns)) + "\n"
}

func row(cells ...string) string {
	out := "|"
	for _, c := range cells {
		c = strings.ReplaceAll(strings.TrimSuffix(c, "."), "|", `\|`)
		if c != "" {
			c += " "
		}
		out += " " + c + "|"
	}
	return out + "\n"
}

// takes says in a few words what a shape takes.
func (r referencer) takes(s shape) string {
	switch s := s.(type) {
	case pending:
		return r.takes(s.of)
	case duration:
		return "duration" + map[bool]string{true: ", or `0s`"}[s.zero] + map[bool]string{true: ", or `none`"}[s.none]
	case size:
		return "size"
	case integer:
		return thousands(s.low) + " to " + thousands(s.high)
	case decimal:
		low := strconv.FormatFloat(s.low, 'f', -1, 64)
		if s.above {
			low = "above " + low
		}
		return low + " to " + thousands(int64(s.high))
	case flag:
		return "true, false"
	case yes:
		return "true"
	case choice:
		return ticked(append(slices.Clone(s.words), s.soon...))
	case numbers:
		words := make([]string, len(s))
		for i, n := range s {
			words[i] = strconv.FormatInt(n, 10)
		}
		return ticked(words)
	case text:
		return textTakes(s)
	case literal:
		return "text, number, true, false"
	case status:
		return "status"
	case expression, flowShape, versionShape:
		return map[bool]string{true: "true, expression", false: "expression"}[s == shape(versionShape{})]
	case list:
		return "list: " + r.takes(s.item)
	case mapping:
		return "mapping: " + textTakes(s.key) + " to " + r.takes(s.value)
	case switched:
		return "object, true, false"
	case optional:
		return "object, false"
	case *object:
		return "object"
	}
	return specialTakes(s)
}

func specialTakes(s shape) string {
	switch s.(type) {
	case anything, flowValue:
		return "any value"
	case schemaShape:
		return "schema"
	case valueShape:
		return "expression, `{func: NAME}`"
	case costShape:
		return "number, expression, `{estimate, actual}`"
	case estimateShape:
		return "number, `{func: NAME}`"
	case tierShape:
		return "tier"
	case quantileShape:
		return "duration, percentile"
	case templateShape:
		return "text with expressions"
	case serverName:
		return "name or number of a server"
	case serverURL:
		return "URL"
	case failureShape:
		return ticked(failureWords) + ", status"
	case assignments:
		return "mapping: expression to value"
	case nextShape:
		return "expression, `{header, rel}`"
	case scheduleShape:
		return "`standard-webhooks`, list of durations"
	case criterionShape, bucketShape, rungShape:
		return "object"
	case compensateShape:
		return "object, false"
	case stepRetry:
		return "as `retry`"
	}
	panic(fmt.Sprintf("a shape that the reference has no words for: %T", s))
}

// textTakes names a kind of text by what messages call it.
func textTakes(s text) string {
	switch s.want {
	case dependencyName.want, "letters, digits, dashes and underscores", "letters, digits, dots, dashes and underscores":
		return "name"
	case pointerText.want:
		return "JSON pointer"
	}
	for _, article := range []string{"the name of ", "the number of ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(s.want, article); ok {
			rest, _, _ = strings.Cut(rest, " such as ")
			return strings.TrimPrefix(strings.TrimPrefix(rest, "a "), "an ")
		}
	}
	return s.want
}

// thousands writes a large number so that one can read it.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func ticked(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// presets is the table of a primitive's presets.
func (r referencer) presets(name string) string {
	own := ownLanguage().presets[name]
	column := "preset"
	if primitiveOf(name).tier {
		column = "tier"
	}
	var b strings.Builder
	b.WriteString(table(column, "settings"))
	names := presetOrder(name)
	for _, n := range names {
		cell := "`" + n + "`"
		if n == own.start {
			cell += " (default)"
		}
		settings := strings.TrimSuffix(strings.TrimPrefix(flowText(own.byName[n].node), "{"), "}")
		if settings != "" {
			settings = "`" + settings + "`"
		} else {
			settings = "nothing is limited"
		}
		if own.byName[n].unsupported {
			settings += " *" + notBuilt + "*"
		}
		b.WriteString(row(cell, settings))
	}
	return b.String()
}

// presetOrder are the names in the order of the file.
func presetOrder(name string) []string {
	var out []string
	for _, m := range builtin(specext.Files()[name]).Get("presets").Members {
		out = append(out, m.Key)
	}
	return out
}

// flowText writes a node of a preset as YAML in flow style, on one line.
func flowText(n *load.Node) string {
	switch {
	case n.Is(load.Object):
		parts := make([]string, len(n.Members))
		for i, m := range n.Members {
			parts[i] = m.Key + ": " + flowText(m.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case n.Is(load.Array):
		parts := make([]string, len(n.Items))
		for i, item := range n.Items {
			parts[i] = flowText(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, _ := n.Written()
	return text
}

// root is the table of the root's keys.
func (r referencer) root() string {
	var b strings.Builder
	b.WriteString(table("field", "meaning", "default"))
	for _, name := range rootKeys {
		f := r.field("root", name)
		meaning := f.About
		if slices.Contains([]string{"sagas", "aggregates", "edge"}, name) && pendingRoot(name) {
			meaning += " *" + notBuilt + "*"
		}
		b.WriteString(row("`"+name+"`", meaning, f.Default))
	}
	return b.String()
}

// policy is the table of what stands in a policy.
func (r referencer) policy() string {
	var b strings.Builder
	b.WriteString(table("field", "bare", "in `client`", "in `server`", "meaning"))
	yesNo := map[bool]string{true: "yes"}
	for _, name := range policyKeys() {
		p := primitiveOf(name)
		if p == nil {
			b.WriteString(row("`"+name+"`", "", yesNo[slices.Contains(sideKeys(clientSide), name)], "", r.field("policy", name).About))
			continue
		}
		meaning, _, _ := strings.Cut(r.about(name), ". ")
		if text := pendingSides(p); text != "" {
			meaning = strings.TrimSuffix(meaning, ".") + ". *" + text + "*"
		}
		b.WriteString(row("["+name+"](#"+strings.ToLower(name)+")", p.bare.String(), yesNo[p.may&clientSide != 0], yesNo[p.may&serverSide != 0], meaning))
	}
	return b.String()
}

func (r referencer) selector() string {
	var b strings.Builder
	b.WriteString(table("field", "matches"))
	for _, name := range selectorKeys {
		b.WriteString(row("`"+name+"`", r.field("selector", name).About))
	}
	return b.String()
}

// builtIn is the built-in policy, without the comments of its file.
func (r referencer) builtIn() string {
	data, err := os.ReadFile(filepath.Join(extensions, specext.Files()["default"]))
	if err != nil {
		r.t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines = append(lines, line)
		}
	}
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "")), new(any)); err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}

// pending lists what this version does not act on yet.
func (r referencer) pending() string {
	var whole, parts []string
	for _, p := range primitives {
		switch text := pendingSides(p); {
		case text == notBuilt:
			whole = append(whole, "`"+p.name+"`")
			continue
		case text != "":
			parts = append(parts, "`"+p.name+"` on the "+p.pending.String())
		}
		for _, f := range p.object.fields {
			if (&generator{glossary: r.glossary}).pendingWords(f.shape) != "" {
				parts = append(parts, "`"+p.name+"."+f.name+"`")
			}
		}
	}
	for _, name := range []string{"sagas", "aggregates", "edge"} {
		if pendingRoot(name) {
			whole = append(whole, "`"+name+"`")
		}
	}
	if len(whole)+len(parts) == 0 {
		return "This version acts on all of the language."
	}
	text := "This version does not act yet on " + and(whole)
	if len(whole) == 0 {
		text = "This version does not act yet on " + and(parts)
	} else if len(parts) > 0 {
		text += ", and not wholly on " + and(slices.Compact(parts))
	}
	return wrap(text + ".")
}
