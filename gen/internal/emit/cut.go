package emit

import "strings"

// maxLines is the length past which a file is cut.
const maxLines = 5000

// maxPrefix is how many letters of a name a file is cut by at most. Many names of one
// document may begin alike, as those of webhooks do.
const maxPrefix = 48

// cut divides the declarations of a file that has grown too long by the first
// letters of the names that they belong to, as often as needed: types_a.go,
// types_re.go. A name always goes to the same place, so a new type leaves all others
// where they are until its own file is full.
func cut(name string, decls []*decl) map[string][]*decl {
	c := cutter{name: name, out: map[string][]*decl{}, lines: map[string]int{}}
	for _, d := range decls {
		c.lines[d.key] += strings.Count(d.text, "\n") + 2
	}
	c.divide(decls, 0)
	return c.out
}

type cutter struct {
	name  string
	lines map[string]int // by key
	out   map[string][]*decl
}

func (c *cutter) divide(decls []*decl, depth int) {
	lines := 0
	seen := map[string]bool{}
	for _, d := range decls {
		if !seen[d.key] {
			seen[d.key] = true
			lines += c.lines[d.key]
		}
	}
	if lines <= maxLines || depth == maxPrefix || len(decls) == 1 {
		part := c.name
		if depth > 0 {
			part += "_" + fileWord(decls[0].key, depth)
		}
		c.out[part] = append(c.out[part], decls...)
		return
	}
	groups := map[string][]*decl{}
	for _, d := range decls {
		word := fileWord(d.key, depth+1)
		groups[word] = append(groups[word], d)
	}
	for _, group := range groups {
		c.divide(group, depth+1)
	}
}

// fileWord is the first n letters of a name as they stand in a file's name.
func fileWord(key string, n int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(key) {
		if b.Len() == n {
			break
		}
		if r < 'a' || r > 'z' {
			r = 'x'
		}
		b.WriteRune(r)
	}
	word := b.String()
	if constrains[word] {
		word += "_part"
	}
	return word
}

// constrains are the words that make a file, by its name, one of a system, of an
// architecture or of the tests. Those with digits cannot occur.
var constrains = map[string]bool{
	"test": true, "aix": true, "android": true, "darwin": true, "dragonfly": true, "freebsd": true, "hurd": true,
	"illumos": true, "ios": true, "js": true, "linux": true, "nacl": true, "netbsd": true, "openbsd": true,
	"solaris": true, "windows": true, "zos": true,
	"arm": true, "armbe": true, "mips": true, "mipsle": true, "ppc": true, "riscv": true, "sparc": true, "wasm": true,
}
