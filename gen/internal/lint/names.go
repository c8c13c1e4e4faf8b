package lint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// wordsOf splits a name at case, digits' edges and signs: "createOrder", "create-order"
// and "orders/create_order" have the same last words. Capitals together are one word.
func wordsOf(name string) []string {
	var out []string
	start, runes := 0, []rune(name)
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, c := range runes {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			cut(i)
			start = i + 1
		case i > start && unicode.IsUpper(c) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
		}
	}
	cut(len(runes))
	return out
}

// money are words of what must not happen twice.
var money = []string{
	"payment", "payments", "pay", "charge", "charges", "refund", "refunds", "transfer", "transfers", "payout", "payouts",
	"order", "orders", "checkout", "purchase", "purchases", "invoice", "invoices", "withdrawal", "withdrawals",
	"deposit", "deposits", "donation", "donations",
}

// notMoney are words that take the sense of the others away: a search of orders, the
// sort order of a list, a method of payment.
var notMoney = []string{"search", "query", "validate", "preview", "estimate", "quote", "list", "export", "sort", "reorder", "calculate", "webhook", "login", "method", "methods", "budget", "budgets"}

// financial reports whether a write names money or an order: in the last two literal
// segments of its path, or in its operationId.
func financial(op *ir.Operation) bool {
	words := wordsOf(op.ID)
	var literals []string
	for s := range strings.SplitSeq(strings.Trim(op.Path, "/"), "/") {
		if !strings.Contains(s, "{") {
			literals = append(literals, s)
		}
	}
	for _, s := range literals[max(0, len(literals)-2):] {
		words = append(words, wordsOf(s)...)
	}
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	return has(money) && !has(notMoney)
}

// commands are verbs that no safe method has.
var commands = []string{
	"create", "add", "delete", "remove", "destroy", "update", "send", "resend", "cancel", "reset", "trigger", "execute",
	"approve", "reject", "submit", "publish", "unpublish", "revoke", "enable", "disable", "activate", "deactivate", "charge",
	"refund", "transfer", "purge", "clear", "archive", "restart", "reboot", "shutdown", "deploy", "unsubscribe", "logout",
	"lock", "unlock", "rotate", "terminate", "withdraw", "register", "unregister",
}

// command is the verb that an operation's name or path begins or ends with, empty
// where it has none.
func command(op *ir.Operation) string {
	id := op.ID
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[i+1:]
	}
	if words := wordsOf(id); len(words) > 0 && slices.Contains(commands, words[0]) {
		return words[0]
	}
	// In a path a word may be a noun as well (an archive, an update), so only a
	// whole last segment after a resource counts.
	segments := strings.Split(strings.Trim(op.Path, "/"), "/")
	last := strings.ToLower(segments[len(segments)-1])
	nouns := []string{"update", "archive", "transfer", "refund", "charge", "lock", "register"}
	if len(segments) > 1 && slices.Contains(commands, last) && !slices.Contains(nouns, last) && !strings.HasPrefix(strings.ToLower(op.ID), "get") {
		return last
	}
	return ""
}

// lastName is the name of the value that an expression stands for: a parameter, or
// the last member of a pointer.
func lastName(e policy.Expr) string {
	name := e.Name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return name
}

var (
	secretWords   = []string{"password", "passwd", "passphrase", "secret", "cvc", "cvv", "ssn", "pin", "pan", "credential", "credentials"}
	secretPairs   = []string{"card number", "api key", "access token", "auth token", "refresh token", "bearer token", "private key", "session token"}
	volatileWords = []string{"timestamp", "nonce", "now", "uuid4"}
	volatilePairs = []string{"created at", "updated at", "requested at", "sent at", "request id", "trace id", "correlation id", "current time"}
)

func secretName(name string) bool { return hasWords(name, secretWords, secretPairs) }

func volatileName(name string) bool {
	return hasWords(name, volatileWords, volatilePairs) || strings.EqualFold(name, "date") || strings.EqualFold(name, "traceparent")
}

func hasWords(name string, single, pairs []string) bool {
	words := wordsOf(name)
	for i, w := range words {
		if slices.Contains(single, w) || i > 0 && slices.Contains(pairs, words[i-1]+" "+w) {
			return true
		}
	}
	return false
}

// timestamp reports whether an expression is a member of the body that holds a time.
// A date alone may well be part of an intent: a night that is booked.
func (v *view) timestamp(e policy.Expr) bool {
	if e.Source != policy.FromBody || e.Name == "" || v.op.Body == nil {
		return false
	}
	names := strings.Split(strings.TrimPrefix(e.Name, "/"), "/")
	for _, c := range v.op.Body.Contents {
		if f := memberAt(c.Use, names); f != nil && f.Use != nil && f.Use.Type != nil && f.Use.Type.Scalar == ir.DateTime && f.Use.Type.Kind == ir.KindScalar {
			return volatileName(f.Name) || strings.HasSuffix(strings.ToLower(f.Name), "at")
		}
	}
	return false
}

// memberAt is the member of an object at a path of names, nil where there is none.
func memberAt(u *ir.Use, names []string) *ir.Field {
	for depth := 0; u != nil && u.Type != nil && depth < 100; depth++ {
		t := u.Type
		if t.Kind == ir.KindAlias {
			u = t.Target
			continue
		}
		if t.Kind != ir.KindStruct || len(names) == 0 {
			return nil
		}
		i := slices.IndexFunc(t.Fields, func(f *ir.Field) bool { return f.Name == names[0] })
		if i < 0 {
			return nil
		}
		if len(names) == 1 {
			return t.Fields[i]
		}
		u, names = t.Fields[i].Use, names[1:]
	}
	return nil
}
