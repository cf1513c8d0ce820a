package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/policies/change"
	"nomograph/policies/cstp"
	"nomograph/policies/pack"
	"nomograph/tools"
)

// guardrailPack is the pack of the configured CSTP guardrails.
const guardrailPack = "cstp-guardrails"

// configuredGuardrails converts the configured CSTP guardrails to a pack, or returns none if none are configured. It
// returns an error if any of them is unsupported, because a server without it would allow actions that must be denied.
func (a *app) configuredGuardrails(ctx context.Context) ([]pack.Source, error) {
	place := a.config.CSTP.Guardrails
	if place == "" {
		return nil, nil
	}
	if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
		return nil, apperr.Newf(apperr.NotFound, "cstp.guardrails.config_path: no guardrails at %s", place).
			WithHint("Add guardrails there, or remove the setting to use the rules of the graph (the pack core on first start)")
	}
	if !strings.ContainsAny(place, `./\`) {
		place = "./" + place
	}
	sources, err := packSources([]string{place})
	if err != nil {
		return nil, err
	}
	imported, err := cstp.Import(ctx, sources, guardrailPack)
	if err != nil {
		return nil, err
	}
	if len(imported.LeftOut) > 0 {
		return nil, apperr.Newf(apperr.Validation, "cstp.guardrails.config_path: Nomograph does not support all guardrails\n%s", strings.Join(imported.LeftOut, "\n")).
			WithHint("Remove these from the file and write them as policies of a pack: docs/guides/packs.md")
	}
	for _, note := range imported.Notes {
		a.log.Warn().Msg("cstp.guardrails: " + note)
	}
	if imported.Policies == 0 {
		return nil, apperr.Newf(apperr.Validation, "cstp.guardrails.config_path: %s contains no guardrail", place).
			WithHint("Remove the setting to use the rules of the graph")
	}
	return []pack.Source{{Name: imported.Pack, Text: imported.Text}}, nil
}

// applyGuardrails applies the configured guardrails before the server starts, and logs warnings about differences in
// the graph.
func (a *app) applyGuardrails(ctx context.Context, opened *tools.App) error {
	if len(a.guardrails) == 0 {
		return nil
	}
	applied, err := opened.Change.ApplyConfigured(ctx,
		change.ApplyRequest{Packs: a.guardrails, By: a.agent(), Reason: change.GuardrailsReason})
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(applied.Summary), "\n") {
		a.log.Info().Msg(strings.TrimSpace(line))
	}
	for _, c := range applied.Packs[0].Changes {
		switch c.Action {
		case "drift":
			a.log.Warn().Str("guardrail", c.Name).Msg("guardrail changed in the graph; the graph's version applies")
		case "left":
			a.log.Warn().Str("guardrail", c.Name).Msg("guardrail is no longer in the file but still applies; to remove it, run `nomograph pack remove " + guardrailPack + "` before the next start")
		}
	}
	return nil
}
