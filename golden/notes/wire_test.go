package notes_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/notes"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// watched is a keeper behind a network that records and fails by plan.
func watched(t *testing.T, plan faulty.Plan) (*notes.Client, *keeper, *faulty.Service) {
	t.Helper()
	k := &keeper{}
	s := faulty.OverTCP(t, notes.NewHandler(k, server.ValidateResponses(), server.OnError(nil)), plan)
	c, err := notes.New(s.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	return c, k, s
}

// last is the last request that arrived.
func last(t *testing.T, s *faulty.Service) faulty.Request {
	t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		t.Fatal("nothing was sent")
	}
	return all[len(all)-1]
}

// The three states of a member of a patch are three texts, and each does what it
// says to a note that has a value already.
func TestPatch(t *testing.T) {
	old, next := value.Date{Year: 2024, Month: 2, Day: 29}, value.Date{Year: 2024, Month: 3, Day: 1}
	for name, tt := range map[string]struct {
		patch notes.NotePatch
		sent  string
		want  notes.NotePatch // of the note afterwards
	}{
		"absent stays": {
			notes.NotePatch{Text: value.Some("oat milk")}, `{"text":"oat milk"}`,
			notes.NotePatch{Text: value.Some("oat milk"), State: value.Some(notes.StateDone), Due: value.Present(old)},
		},
		"null removes": {
			notes.NotePatch{Due: value.NullOf[value.Date]()}, `{"due":null}`,
			notes.NotePatch{Text: value.Some("milk"), State: value.Some(notes.StateDone), Due: value.NullOf[value.Date]()},
		},
		"a value replaces": {
			notes.NotePatch{Due: value.Present(next), State: value.Some(notes.StateOpen)}, `{"state":"open","due":"2024-03-01"}`,
			notes.NotePatch{Text: value.Some("milk"), State: value.Some(notes.StateOpen), Due: value.Present(next)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, s := watched(t, nil)
			n := create(t, c, notes.NoteDraft{Text: "milk", State: value.Some(notes.StateDone), Due: value.Present(old)})
			n, err := c.UpdateNote(t.Context(), notes.UpdateNoteRequest{NoteID: n.ID, Body: tt.patch})
			if err != nil {
				t.Fatal(err)
			}
			r := last(t, s)
			if r.Method != http.MethodPatch || r.Body != tt.sent || r.Header.Get("Content-Type") != "application/merge-patch+json" {
				t.Errorf("%s of %s: %s", r.Method, r.Header.Get("Content-Type"), r.Body)
			}
			if got := (notes.NotePatch{Text: value.Some(n.Text), State: n.State, Due: n.Due}); got != tt.want {
				t.Errorf("the note is %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A patch of nothing, and one that takes away what has to be there.
func TestPatchThatIsNone(t *testing.T) {
	c, _, s := watched(t, nil)
	n := create(t, c, notes.NoteDraft{Text: "milk"})
	_, err := c.UpdateNote(t.Context(), notes.UpdateNoteRequest{NoteID: n.ID})
	var p *notes.ProblemResponse
	if !errors.As(err, &p) || p.StatusCode != http.StatusBadRequest || last(t, s).Body != "{}" {
		t.Errorf("nothing: %v", err)
	}
	for body, status := range map[string]int{`{"text":null}`: 400, `{"text":""}`: 400, `{"state":"lost"}`: 400, `{"due":"soon"}`: 400, `[]`: 400, ``: 400, `{"other":1}`: 400} {
		if got := send(t, http.MethodPatch, s.URL()+"/notes/"+n.ID.String(), "application/merge-patch+json", body); got.status != status {
			t.Errorf("%s: %d, want %d", body, got.status, status)
		}
	}
	res := send(t, http.MethodPatch, s.URL()+"/notes/"+n.ID.String(), "application/json", `{"text":"x"}`)
	if res.status != http.StatusUnsupportedMediaType || res.header.Get("Accept-Patch") != "application/merge-patch+json" {
		t.Errorf("another type: %d, Accept-Patch %q", res.status, res.header.Get("Accept-Patch"))
	}
}

// head is an answer without its body.
type head struct {
	status int
	header http.Header
}

// send makes a request by hand.
func send(t *testing.T, method, url, contentType, body string) head {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Error(err)
	}
	_ = res.Body.Close() // it was read to its end
	return head{res.StatusCode, res.Header}
}

// What the caller does not give is not sent; the server fills in what the document
// says.
func TestDefaults(t *testing.T) {
	c, k, s := watched(t, nil)
	n := create(t, c, notes.NoteDraft{Text: "milk"})
	if got := last(t, s).Body; got != `{"text":"milk"}` || n.State != value.Some(notes.StateOpen) {
		t.Errorf("sent %s, kept %v", got, n.State)
	}
	for target, tt := range map[string]struct {
		limit value.Opt[int32]
		want  int32
	}{"/notes": {value.Opt[int32]{}, 20}, "/notes?limit=1": {value.Some[int32](1), 1}, "/notes?limit=100": {value.Some[int32](100), 100}} {
		if _, err := c.ListNotes(t.Context(), notes.ListNotesRequest{Limit: tt.limit}); err != nil {
			t.Fatal(err)
		}
		if got := last(t, s).Target; got != target || k.limit != tt.want {
			t.Errorf("sent %s, want %s; the limit is %d, want %d", got, target, k.limit, tt.want)
		}
	}
}

func TestTotalCount(t *testing.T) {
	c, _, s := watched(t, nil)
	for range 3 {
		create(t, c, notes.NoteDraft{Text: "milk"})
	}
	var meta client.Meta
	list, err := c.ListNotes(t.Context(), notes.ListNotesRequest{Limit: value.Some[int32](2)}, client.Into(&meta))
	if err != nil || len(list.Body) != 2 || list.XTotalCount != value.Some[int64](3) || meta.Header.Get("X-Total-Count") != "3" {
		t.Errorf("%+v, %v", list, err)
	}
	if got := send(t, http.MethodGet, s.URL()+"/notes", "", "").header.Values("X-Total-Count"); len(got) != 1 || got[0] != "3" {
		t.Errorf("X-Total-Count is %q", got)
	}
	// It is optional, but when it is there it is a number.
	for text, tt := range map[string]struct {
		want value.Opt[int64]
		ok   bool
	}{"": {value.Opt[int64]{}, true}, "0": {value.Some[int64](0), true}, "many": {value.Opt[int64]{}, false}} {
		c, _, _ := watched(t, faulty.Every(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			if text != "" {
				w.Header().Set("X-Total-Count", text)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("[]")) // the client is what is tested
		}))
		list, err := c.ListNotes(t.Context(), notes.ListNotesRequest{})
		if (err == nil) != tt.ok || tt.ok && (list.XTotalCount != tt.want || list.Body == nil) {
			t.Errorf("%q: %+v, %v", text, list, err)
		}
		if f := (*fault.Error)(nil); !tt.ok && (!errors.As(err, &f) || f.Kind != fault.Response || !strings.Contains(err.Error(), "X-Total-Count")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The typed failures of the document are those of the service and of the caller.
func TestTypedFailures(t *testing.T) {
	c, _, _ := watched(t, nil)
	ctx := t.Context()
	id := value.UUID{15: 9}
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := c.GetNote(ctx, notes.GetNoteRequest{NoteID: id}); return err },
		"delete": func() error { return c.DeleteNote(ctx, notes.DeleteNoteRequest{NoteID: id}) },
		"update": func() error {
			_, err := c.UpdateNote(ctx, notes.UpdateNoteRequest{NoteID: id, Body: notes.NotePatch{Text: value.Some("x")}})
			return err
		},
	} {
		err := call()
		var gone *notes.NotFound
		var f *fault.Error
		if !errors.As(err, &gone) || gone.Body.Title.Or("") != "no such note" || gone.Error() != "404 Not Found: there is no such note" {
			t.Errorf("%s: %v", name, err)
		}
		if !errors.As(err, &f) || f.Status != http.StatusNotFound || f.Effect != fault.Safe || f.Attempts != 1 || !errors.Is(err, fault.ErrStatus) {
			t.Errorf("%s: %+v", name, f)
		}
	}

	teapot := &notes.ProblemResponse{StatusCode: http.StatusTeapot, Body: notes.Problem{Detail: value.Some("short and stout")}}
	s := faulty.OverTCP(t, notes.NewHandler(stubborn{err: teapot}, server.OnError(nil)), nil)
	c, err := notes.New(s.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	_, err = c.GetNote(ctx, notes.GetNoteRequest{NoteID: id})
	var p *notes.ProblemResponse
	if !errors.As(err, &p) || *p != *teapot || p.Error() != "418 I'm a teapot: the request failed" {
		t.Errorf("%v", err)
	}
}

// stubborn is a service that refuses.
type stubborn struct {
	notes.Unimplemented

	err error
}

func (s stubborn) GetNote(context.Context, notes.GetNoteRequest) (*notes.Note, error) {
	return nil, s.err
}

// A note whose first removal was answered into the void is not there for the second
// one, which therefore proves nothing.
func TestRepeatedRemoval(t *testing.T) {
	c, k, s := watched(t, faulty.First(nil, faulty.Lost))
	n := create(t, c, notes.NoteDraft{Text: "milk"})
	err := c.DeleteNote(t.Context(), notes.DeleteNoteRequest{NoteID: n.ID})
	var gone *notes.NotFound
	var f *fault.Error
	if !errors.As(err, &gone) || !errors.As(err, &f) || f.Attempts != 2 || f.Effect != fault.Unknown {
		t.Errorf("%v", err)
	}
	if len(k.notes) != 0 || len(s.Requests()) != 3 {
		t.Errorf("%d notes, %d requests", len(k.notes), len(s.Requests()))
	}
	// A new note has no key and is sent once.
	c, _, s = watched(t, faulty.First(faulty.Answer(503)))
	if _, err := c.CreateNote(t.Context(), notes.CreateNoteRequest{Body: notes.NoteDraft{Text: "x"}}); err == nil || len(s.Requests()) != 1 {
		t.Errorf("%v, %d requests", err, len(s.Requests()))
	}
}
