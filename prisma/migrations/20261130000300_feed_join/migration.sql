-- Transition tables have no statistics: without this the planner compares every new row with every old one of a bulk change.
ALTER FUNCTION "resource_feed"() SET enable_nestloop = off;
