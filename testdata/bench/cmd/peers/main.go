// Command peers generates what the benchmarks compare into the folder generated,
// which git ignores: holdfast from this checkout, the peers as go.mod pins them.
//
//	go run ./cmd/peers
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	out := filepath.Join(here, "generated")
	if err := os.MkdirAll(filepath.Join(out, "oapi"), 0o755); err != nil {
		return err
	}
	if err := writeRoutes(filepath.Join(out, "routes.json")); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"go", "-C", "../..", "run", "./cmd/holdfast", "generate", "--spec", filepath.Join(here, "order.yaml"), "--out", filepath.Join(out, "holdfast")},
		{"go", "tool", "oapi-codegen", "-config", "config/oapi.yaml", "order.yaml"},
		{"go", "tool", "ogen", "-config", "config/ogen.yaml", "-package", "ogen", "-target", "generated/ogen", "-clean", "order.yaml"},
		{"go", "tool", "ogen", "-config", "config/ogenotel.yaml", "-package", "ogenotel", "-target", "generated/ogenotel", "-clean", "order.yaml"},
		{"go", "tool", "ogen", "-config", "config/routes.yaml", "-package", "ogenroutes", "-target", "generated/ogenroutes", "-clean", "generated/routes.json"},
	} {
		fmt.Println(command)
		c := exec.CommandContext(ctx, command[0], command[1:]...)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("%v: %w", command, err)
		}
	}
	return nil
}
