package client_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// A file changes a client that runs. Calls look at it once a second; a program that
// wants it at once, at a signal say, calls ReloadPolicy.
func ExampleWithPolicyFile() {
	dir, err := os.MkdirTemp("", "policy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "policy.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			fmt.Println(err)
		}
	}
	write(`{"version": 1, "all": {"retry": {"maxAttempts": 2}}}`)

	api := &client.API{ // generated
		Title: "Booking", Servers: clientAPI.Servers, Operations: []*policy.Spec{&getBookingSpec, &createBookingSpec},
	}
	core, err := client.New(api, client.WithPolicyFile(path), client.Observe(&observe.Hooks{
		PolicyReload: func(e observe.PolicyReload) { fmt.Println("in force:", e.Err == nil) },
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(core.Policy("getBooking").Client.Retry.MaxAttempts)

	write(`{"version": 1, "operations": {"getBooking": {"retry": false}}}`)
	fmt.Println(core.ReloadPolicy(), core.Policy("getBooking").Client.Retry == nil)

	write(`{"version": 1, "operations": {"getBookings": {}}}`)
	_ = core.ReloadPolicy()
	fmt.Println(core.PolicyError() != nil, core.Policy("getBooking").Client.Retry == nil)
	// Output:
	// 2
	// in force: true
	// <nil> true
	// in force: false
	// true true
}
