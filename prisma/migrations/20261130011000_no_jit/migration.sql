-- Short statements on few rows are not compiled. That a nested loop is turned off makes the planner take the feed's statement for very dear,
-- and a server with JIT (its default) then compiled it anew for every update: 0.17 s each.
ALTER FUNCTION "resource_feed"() SET jit = off;
ALTER FUNCTION "report" SET jit = off;
