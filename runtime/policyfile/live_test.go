package policyfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
)

// tries is a file that sets maxAttempts.
func tries(n int) string {
	return fmt.Sprintf(`{"version": 1, "all": {"retry": {"maxAttempts": %d}}}`, n)
}

// write replaces a file as editors and mounted volumes do.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// follow is a Live whose T is the number of tries of getPet, and what it has reported.
func follow(t *testing.T, c policyfile.Config) (*policyfile.Live[int], *[]string) {
	t.Helper()
	var reports []string
	c.Specs = append(c.Specs, getPet())
	c.Report = func(err error) { reports = append(reports, fmt.Sprint(err)) }
	l, err := policyfile.NewLive(c, func(p *policyfile.Policies) *int {
		n := 0
		if r := p.ByID("getPet").Client.Retry; r != nil {
			n = r.MaxAttempts
		}
		return &n
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, &reports
}

func TestFileIsLookedAtOnceInAnInterval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	write(t, path, tries(3))
	synctest.Test(t, func(t *testing.T) {
		l, reports := follow(t, policyfile.Config{Path: path})
		want := func(n int) {
			t.Helper()
			if got := *l.Current(); got != n {
				t.Fatalf("%d tries, want %d", got, n)
			}
		}
		want(3)
		write(t, path, tries(4))
		time.Sleep(policyfile.Interval - time.Nanosecond)
		want(3)
		time.Sleep(time.Nanosecond)
		want(4)
		write(t, path, tries(5))
		want(4)
		if err := l.Reload(); err != nil {
			t.Fatal(err)
		}
		want(5)
		time.Sleep(time.Hour)
		want(5)
		if len(*reports) != 2 {
			t.Errorf("reports %q, want one for each change", *reports)
		}
	})
}

func TestBadFileLeavesTheLastGoodOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	write(t, path, tries(3))
	synctest.Test(t, func(t *testing.T) {
		l, reports := follow(t, policyfile.Config{Path: path})
		step := func(want int, problem string) {
			t.Helper()
			time.Sleep(policyfile.Interval)
			if got := *l.Current(); got != want {
				t.Errorf("%d tries, want %d", got, want)
			}
			if got := fmt.Sprint(l.Err()); !strings.Contains(got, problem) {
				t.Errorf("error %s, want %s", got, problem)
			}
		}
		write(t, path, tries(0))
		step(3, "/all/retry/maxAttempts: 0 does not fit: want a whole number from 1 to 10")
		step(3, "maxAttempts")
		if len(*reports) != 1 {
			t.Errorf("reports %q, want one", *reports)
		}
		if e, ok := errors.AsType[*policyfile.Error](l.Err()); !ok || e.Problems[0].Line != 1 || e.Problems[0].Column != 49 {
			t.Errorf("%#v", l.Err())
		}
		write(t, path, `{"version": 1, "all": {"retry"`)
		step(3, "not valid JSON")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		step(3, "no such file")
		step(3, "no such file")
		write(t, path, tries(3))
		step(3, "<nil>")
		write(t, path, tries(7))
		step(7, "<nil>")
		if len(*reports) != 5 || (*reports)[3] != "<nil>" {
			t.Errorf("reports %q, want five", *reports)
		}
	})
}

func TestFirstReadFails(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, policyfile.MaxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	write(t, bad, `{"version": 1, "profiles": {"prud": {}}}`)
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file", dir: "no regular file", large: "it has 1048577 bytes, and may have 1048576",
		os.DevNull: "no regular file", bad: "bad:1:29: /profiles/prud: the document has no such profile: did you mean prod?",
	} {
		_, err := policyfile.NewLive(policyfile.Config{Path: path, Profiles: []string{"dev", "prod"}}, func(*policyfile.Policies) *int { return new(int) })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestProfileFileAndOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	write(t, path, `{"version": 1, "profiles": {"prod": {"all": {"retry": {"maxAttempts": 6}, "breaker": {"probes": 9}}}}}`)
	s := getPet()
	inProfile := getPet()
	inProfile.Client.Retry.MaxDelay = time.Hour
	s.Profiles = []policy.Profile{{Name: "prod", Client: inProfile.Client, Server: inProfile.Server}}
	off, err := policyfile.ParseOff("breaker")
	if err != nil {
		t.Fatal(err)
	}
	l, err := policyfile.NewLive(
		policyfile.Config{Path: path, Specs: []*policy.Spec{s}, Profile: "prod", Profiles: []string{"prod"}, Off: off},
		func(p *policyfile.Policies) *policyfile.Policies { return p })
	if err != nil {
		t.Fatal(err)
	}
	got := l.Current().ByID("getPet")
	if got.Client.Retry.MaxDelay != time.Hour || got.Client.Retry.MaxAttempts != 6 || got.Client.Breaker != nil {
		t.Errorf("%+v: want the profile's, then the file's, and no breaker", got.Client)
	}
	if l.Current().Of(s) != got || l.Current().All()[0] != got || l.Current().ByID("other") != nil {
		t.Error("the same policy is not the same")
	}
	other := createPet()
	if got := l.Current().Of(other); got.Client.Breaker != nil || got.Client.Retry != other.Client.Retry {
		t.Errorf("an operation that the API does not list: %+v", got.Client)
	}
}

// The detector of races looks on; each reader sees one edition as a whole.
func TestReloadingDuringCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	write(t, path, tries(1))
	specs := []*policy.Spec{getPet(), createPet()}
	l, err := policyfile.NewLive(policyfile.Config{Path: path, Specs: specs}, func(p *policyfile.Policies) *policyfile.Policies { return p })
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				p := l.Current()
				if a, b := p.Of(specs[0]).Client.Retry.MaxAttempts, p.Of(specs[1]).Client.Retry.MaxAttempts; a != b {
					t.Errorf("%d tries of the one and %d of the other", a, b)
				}
			}
		})
	}
	for i := range 200 {
		write(t, path, tries(1+i%10))
		if err := l.Reload(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	if n := l.Current().Of(specs[0]).Client.Retry.MaxAttempts; n != 10 {
		t.Errorf("%d tries, want the last file's", n)
	}
}

// A change that leaves the file's size and its time as they were is found as well.
func TestChangeWithinATick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.json")
	l := func() *policyfile.Live[int] {
		write(t, path, tries(3))
		l, _ := follow(t, policyfile.Config{Path: path})
		return l
	}()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(tries(4)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := l.Reload(); err != nil || *l.Current() != 4 {
		t.Errorf("%d tries, %v", *l.Current(), err)
	}
}

func TestLookingCostsNothing(t *testing.T) {
	without, _ := follow(t, policyfile.Config{})
	path := filepath.Join(t.TempDir(), "p.json")
	write(t, path, tries(3))
	with, _ := follow(t, policyfile.Config{Path: path})
	for name, l := range map[string]*policyfile.Live[int]{"without a file": without, "with one": with} {
		if n := testing.AllocsPerRun(1000, func() { l.Current() }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if without.Err() != nil || without.Reload() != nil {
		t.Error("no file is an error")
	}
}

func BenchmarkCurrentWithoutAFile(b *testing.B) {
	l, err := policyfile.NewLive(policyfile.Config{}, func(*policyfile.Policies) *int { return new(int) })
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Current()
	}
}

func BenchmarkCurrentWithAFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "p.json")
	if err := os.WriteFile(path, []byte(tries(3)), 0o600); err != nil {
		b.Fatal(err)
	}
	l, err := policyfile.NewLive(policyfile.Config{Path: path, Specs: []*policy.Spec{getPet()}}, func(*policyfile.Policies) *int { return new(int) })
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Current()
	}
}
