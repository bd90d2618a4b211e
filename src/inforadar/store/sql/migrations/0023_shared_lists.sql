-- Whoever read a list last is found by the sign of the list; else each sweep of a feed reads what all feeds remember.

CREATE INDEX query_state_by_list ON query_state
  (source, (metadata ->> 'lasting_of'), (CAST(metadata ->> 'lasting_turn' AS BIGINT)));
