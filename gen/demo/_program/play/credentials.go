package play

import (
	"context"

	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// Welcome takes any credential and grants every scope that is asked for.
func Welcome(_ context.Context, c *server.Credentials) (server.Principal, error) {
	return server.Principal{ID: "demo", Scopes: c.Scopes}, nil
}

// Token is a source of one token, for schemes that have no option of their own.
func Token(text string) security.TokenSource { return token(text) }

type token string

func (t token) Token(context.Context) (string, error) { return string(t), nil }
