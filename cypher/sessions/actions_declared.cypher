// What atlases declare of actions: JSON lists of {action_id, risk_tier}. Of atlases that the caller may see.
MATCH (a:Atlas) WHERE a.actions IS NOT NULL AND a.actions IS :: STRING AND true /* visible: a:Atlas */
RETURN a.actions AS actions
