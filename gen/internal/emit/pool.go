package emit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// pool collects the package variables that several places share: codecs and checks.
// The name of each is made of what it holds, never of who asked first, so that it
// stays when types come and go.
type pool struct {
	role string // first word of the names: codec, check
	vars map[string]poolVar
}

type poolVar struct {
	words string
	code  *jen.Statement
}

func newPool(role string) *pool { return &pool{role: role, vars: map[string]poolVar{}} }

// maxPoolWords is the length past which a name tells less than a hash does.
const maxPoolWords = 48

// get returns the variable that holds code. The key tells all of what the code says;
// two pieces of code with one key are equal. The words are the readable part of the
// name and may be the same for several keys.
func (p *pool) get(key, words string, code func() *jen.Statement) *jen.Statement {
	v, ok := p.vars[key]
	if !ok {
		v = poolVar{words: words}
		if words == "" || len(words) > maxPoolWords || words != key {
			sum := sha256.Sum256([]byte(key))
			v.words = cutWords(words) + "_" + hex.EncodeToString(sum[:4])
		}
		v.code = code()
		p.vars[key] = v
	}
	return jen.Id(names.Private(p.role, v.words))
}

func cutWords(words string) string {
	runes := []rune(words)
	return string(runes[:min(len(runes), maxPoolWords)])
}

// manyVars is past how many variables they are written in one block for each letter,
// so that their file can be cut.
const manyVars = 1000

// varBlock is the declaration of several variables.
type varBlock struct {
	key  string
	code jen.Code
}

// decls writes the variables in the order of their names.
//
//	var (
//		codecSliceLine = json.Slice(json.Of[Line]())
//		…
//	)
func (p *pool) decls() []varBlock {
	vars := make([]poolVar, 0, len(p.vars))
	for _, v := range p.vars {
		vars = append(vars, v)
	}
	slices.SortFunc(vars, func(a, b poolVar) int { return strings.Compare(a.words, b.words) })
	var out []varBlock
	for len(vars) > 0 {
		n, key := len(vars), p.role
		if len(p.vars) > manyVars {
			key = p.role[:1] + fileWord(vars[0].words, 1)
			for n = 1; n < len(vars) && fileWord(vars[n].words, 1) == fileWord(vars[0].words, 1); n++ {
			}
		}
		defs := make([]jen.Code, n)
		for i, v := range vars[:n] {
			defs[i] = jen.Id(names.Private(p.role, v.words)).Op("=").Add(v.code)
		}
		out = append(out, varBlock{key: key, code: jen.Var().Defs(defs...)})
		vars = vars[n:]
	}
	return out
}
