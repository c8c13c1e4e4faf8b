package notes_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/notes"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// keeper is a service that keeps notes in memory.
type keeper struct {
	mu    sync.Mutex
	notes []notes.Note // newest first
	limit int32        // of the last list
}

func (k *keeper) find(id value.UUID) (int, error) {
	i := slices.IndexFunc(k.notes, func(n notes.Note) bool { return n.ID == id })
	if i < 0 {
		return 0, &notes.NotFound{Body: notes.Problem{Title: value.Some("no such note")}}
	}
	return i, nil
}

func (k *keeper) ListNotes(_ context.Context, r notes.ListNotesRequest) (*notes.ListNotesResponse, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.limit = r.Limit.Or(0)
	res := &notes.ListNotesResponse{}
	for _, n := range k.notes {
		if !slices.ContainsFunc(r.Tag, func(tag string) bool { return !slices.Contains(n.Tags, tag) }) {
			res.Body = append(res.Body, n)
		}
	}
	res.XTotalCount.Set(int64(len(res.Body)))
	res.Body = res.Body[:min(len(res.Body), int(k.limit))]
	return res, nil
}

func (k *keeper) CreateNote(_ context.Context, r notes.CreateNoteRequest) (*notes.Note, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := notes.Note{
		Text: r.Body.Text, State: r.Body.State, Due: r.Body.Due, Tags: r.Body.Tags,
		ID: value.UUID{15: byte(len(k.notes) + 1)}, CreatedAt: time.Date(2024, 2, 29, 10, 0, 0, 0, time.UTC),
	}
	k.notes = slices.Insert(k.notes, 0, n)
	return &n, nil
}

func (k *keeper) GetNote(_ context.Context, r notes.GetNoteRequest) (*notes.Note, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, err := k.find(r.NoteID)
	if err != nil {
		return nil, err
	}
	n := k.notes[i]
	return &n, nil
}

func (k *keeper) UpdateNote(_ context.Context, r notes.UpdateNoteRequest) (*notes.Note, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, err := k.find(r.NoteID)
	if err != nil {
		return nil, err
	}
	n := &k.notes[i]
	n.Text = r.Body.Text.Or(n.Text)
	if state, ok := r.Body.State.Get(); ok {
		n.State.Set(state)
	}
	if r.Body.Due.IsSet() {
		n.Due = r.Body.Due
	}
	out := *n
	return &out, nil
}

func (k *keeper) DeleteNote(_ context.Context, r notes.DeleteNoteRequest) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, err := k.find(r.NoteID)
	if err != nil {
		return err
	}
	k.notes = slices.Delete(k.notes, i, i+1)
	return nil
}

func start(t *testing.T) (*notes.Client, *keeper, string) {
	t.Helper()
	k := &keeper{}
	s := httptest.NewServer(notes.NewHandler(k, server.BasePath("/v1"), server.ValidateResponses()))
	t.Cleanup(s.Close)
	c, err := notes.New(client.BaseURL(s.URL + "/v1/"))
	if err != nil {
		t.Fatal(err)
	}
	return c, k, s.URL
}

func create(t *testing.T, c *notes.Client, draft notes.NoteDraft) *notes.Note {
	t.Helper()
	n, err := c.CreateNote(context.Background(), notes.CreateNoteRequest{Body: draft})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNotes(t *testing.T) {
	c, k, _ := start(t)
	ctx := context.Background()
	due := value.Date{Year: 2024, Month: 2, Day: 29}
	first := create(t, c, notes.NoteDraft{Text: "milk", Due: value.Present(due), Tags: []string{"shop", "food"}})
	second := create(t, c, notes.NoteDraft{Text: "post", Tags: []string{"shop"}})
	if first.State.Or("") != notes.StateOpen {
		t.Errorf("the state is %v, want the default", first.State)
	}

	list, err := c.ListNotes(ctx, notes.ListNotesRequest{Tag: []string{"shop", "food"}})
	if err != nil || len(list.Body) != 1 || list.Body[0].ID != first.ID || list.XTotalCount.Or(0) != 1 || k.limit != 20 {
		t.Errorf("by tags: %+v, %v, limit %d", list, err, k.limit)
	}
	list, err = c.ListNotes(ctx, notes.ListNotesRequest{Limit: value.Some[int32](1)})
	if err != nil || len(list.Body) != 1 || list.Body[0].ID != second.ID || list.XTotalCount.Or(0) != 2 {
		t.Errorf("one: %+v, %v", list, err)
	}

	// What a patch does not name stays, null removes.
	n, err := c.UpdateNote(ctx, notes.UpdateNoteRequest{NoteID: first.ID, Body: notes.NotePatch{Text: value.Some("oat milk")}})
	if due2, ok := n.Due.Get(); err != nil || n.Text != "oat milk" || !ok || due2 != due {
		t.Errorf("a new text: %+v, %v", n, err)
	}
	n, err = c.UpdateNote(ctx, notes.UpdateNoteRequest{NoteID: first.ID, Body: notes.NotePatch{Due: value.NullOf[value.Date]()}})
	if err != nil || n.Text != "oat milk" || !n.Due.IsNull() {
		t.Errorf("no due date: %+v, %v", n, err)
	}

	if err := c.DeleteNote(ctx, notes.DeleteNoteRequest{NoteID: first.ID}); err != nil {
		t.Fatal(err)
	}
	_, err = c.GetNote(ctx, notes.GetNoteRequest{NoteID: first.ID})
	var gone *notes.NotFound
	if !errors.As(err, &gone) || gone.Body.Title.Or("") != "no such note" {
		t.Errorf("a note that is gone: %v", err)
	}
}

// One answer lists everything that is wrong with a request.
func TestEveryViolationAtOnce(t *testing.T) {
	_, _, url := start(t)
	res, err := http.Get(url + "/v1/notes?limit=0&tag=&tag=x")
	if err != nil {
		t.Fatal(err)
	}
	got := violations(t, res)
	if !slices.Equal(got, []string{"query limit ", "query tag /0"}) {
		t.Errorf("parameters: %v", got)
	}
	res, err = http.Post(url+"/v1/notes", "application/json", strings.NewReader(`{"text":"","state":"lost","tags":["a","a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	// An unknown value of an enum cannot be read, so it is told before constraints.
	if got := violations(t, res); !slices.Contains(got, "body  /state") {
		t.Errorf("a body with an unknown state: %v", got)
	}
	res, err = http.Post(url+"/v1/notes", "application/json", strings.NewReader(`{"text":"","tags":["a","a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := violations(t, res); !slices.Equal(got, []string{"body  /text", "body  /tags"}) {
		t.Errorf("a body that breaks constraints: %v", got)
	}
}

// violations reads a 400.
func violations(t *testing.T, res *http.Response) (list []string) {
	t.Helper()
	data, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusBadRequest || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("%d %s: %s", res.StatusCode, res.Header.Get("Content-Type"), data)
	}
	var p struct {
		Violations []struct {
			In      string `json:"in"`
			Name    string `json:"name"`
			Pointer string `json:"pointer"`
		} `json:"violations"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Violations {
		list = append(list, v.In+" "+v.Name+" "+v.Pointer)
	}
	return list
}

// The interface stands in for a client in the tests of a caller.
func TestAFake(t *testing.T) {
	var api notes.API = fake{}
	if n, err := api.GetNote(context.Background(), notes.GetNoteRequest{}); err != nil || n.Text != "fake" {
		t.Errorf("%v, %v", n, err)
	}
}

type fake struct{ notes.API }

func (fake) GetNote(context.Context, notes.GetNoteRequest, ...client.CallOption) (*notes.Note, error) {
	return &notes.Note{Text: "fake"}, nil
}
