// What atlases declare of actions: JSON lists of {action_id, risk_tier}. Of atlases that the caller may see ($sight).
MATCH (a:Atlas) WHERE a.actions IS NOT NULL AND a.actions IS :: STRING AND ($sight IS NULL OR a.project IS NULL OR toLower(toStringOrNull(a.project)) IN $sight.projects)
RETURN a.actions AS actions
