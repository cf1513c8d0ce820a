package hooks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"nomograph/hooks"
)

func TestRecent_SameAction_IsCheckedOnce(t *testing.T) {
	var r hooks.Recent
	checks := 0
	once := func(key string, lasts time.Duration) string {
		v, err := r.Once(t.Context(), time.Minute, key, lasts, func(context.Context) (hooks.Verdict, error) {
			checks++
			return hooks.Verdict{ID: key}, nil
		})
		if err != nil {
			t.Error(err)
		}
		return v.ID
	}
	for _, key := range []string{"a", "a", "b", "a"} {
		if got := once(key, time.Minute); got != key {
			t.Errorf("got the verdict %s, want %s", got, key)
		}
	}
	if checks != 2 {
		t.Errorf("got %d checks of two actions, want 2", checks)
	}
	once("c", 0)
	if once("c", 0); checks != 4 {
		t.Errorf("got %d checks, want 4: one for each call of an action that may not be kept", checks)
	}
}

func TestRecent_SharedCheckFails_IsRepeatedForTheOtherCaller(t *testing.T) {
	var r hooks.Recent
	started, end := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := r.Once(context.Background(), time.Minute, "a", time.Minute, func(context.Context) (hooks.Verdict, error) {
			close(started)
			<-end
			return hooks.Verdict{}, errors.New("no time left")
		})
		first <- err
	}()
	<-started
	second := make(chan hooks.Verdict)
	go func() {
		v, err := r.Once(context.Background(), time.Minute, "a", time.Minute, func(context.Context) (hooks.Verdict, error) { return hooks.Verdict{ID: "own"}, nil })
		if err != nil {
			t.Error(err)
		}
		second <- v
	}()
	close(end)
	if err := <-first; err == nil {
		t.Error("the caller whose check failed got no error")
	}
	if v := <-second; v.ID != "own" {
		t.Errorf("the other caller got %+v, want the verdict of its own check", v)
	}
}

func TestKey_ActionInAnotherFolder_Differs(t *testing.T) {
	a := hooks.Action{Session: "s", Kind: hooks.ShellRun, Params: map[string]any{"command": "git push"}, Cwd: "/work/sandbox"}
	b := a
	b.Cwd = "/work/prod"
	one, _, err := a.Key("agent")
	other, _, otherErr := b.Key("agent")
	if err != nil || otherErr != nil || one == other {
		t.Errorf("got the keys %s and %s (%v, %v), want two", one, other, err, otherErr)
	}
}
