-- One meaning of "paused" in SQL: a pause without an end, or whose end is ahead.
CREATE FUNCTION "pause_in_force"(paused jsonb) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT paused IS NOT NULL AND jsonb_typeof(paused) = 'object'
    AND (paused->>'until' IS NULL OR (paused->>'until')::timestamptz > clock_timestamp())
$$;
