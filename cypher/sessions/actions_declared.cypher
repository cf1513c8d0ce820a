// What atlases declare of actions: JSON lists of {action_id, risk_tier}. No parameters.
MATCH (a:Atlas) WHERE a.actions IS NOT NULL AND a.actions IS :: STRING
RETURN a.actions AS actions
