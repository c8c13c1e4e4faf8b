package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"demo/play"
)

// remote sets the faults of the service and asks what it has done.
type remote struct{ url string }

// faults sets what happens to the next requests, one fault each.
func (r remote) faults(ctx context.Context, faults ...play.Fault) error {
	if faults == nil {
		faults = []play.Fault{}
	}
	body, err := json.Marshal(faults)
	if err != nil {
		return err
	}
	return r.do(ctx, http.MethodPut, play.FaultsPath, body, nil)
}

// effects is how often each operation was run.
func (r remote) effects(ctx context.Context) (map[string]int, error) {
	var got map[string]int
	err := r.do(ctx, http.MethodGet, play.EffectsPath, nil, &got)
	return got, err
}

func (r remote) do(ctx context.Context, method, path string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s", method, path, res.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(into)
}
