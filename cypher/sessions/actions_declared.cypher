// Returns the declarations of actions in atlases that the caller may see: JSON lists of {action_id, risk_tier}.
MATCH (a:Atlas) WHERE a.actions IS NOT NULL AND a.actions IS :: STRING AND true /* visible: a:Atlas */
RETURN a.actions AS actions
