-- Each tenant sees its own rows only. `npm run db:generate` copies this file into a migration. A new table of the schema
-- needs a column "tenant_id" and its name in the list below. "ended_runs" has no tenant, because the engine reports the end
-- of a run without saying for whom it worked; every tenant may read it. "engine_watch" and "installation" belong to
-- Countersign alone.
-- A transaction names its tenant (store/transact.ts). Without a tenant it sees nothing, since an unset setting reads as ''.
-- Access to all tenants is a setting of its own, so no tenant's name can grant it.
-- The policy uses CASE instead of OR: with OR, the planner assumes a second, independent filter beside the statement's own,
-- underestimates the number of rows, and sorts them instead of reading an index in order.
DO $$
DECLARE
	own constant text := $own$CASE current_setting('countersign.all_tenants', true)
		WHEN 'on' THEN true ELSE tenant_id = nullif(current_setting('countersign.tenant', true), '') END$own$;
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY[
		'allowed_responses',
		'approvals',
		'audit_entries',
		'audit_heads',
		'audit_segments',
		'counted_calls',
		'counted_hours',
		'deliveries',
		'evidence',
		'failing_recipients',
		'grants',
		'outbox',
		'preferences',
		'push_subscriptions',
		'refusals',
		'requests',
		'snoozes',
		'stops',
		'thread_entries',
		'threads',
		'viewers',
		'votes'
	] LOOP
		EXECUTE format('ALTER TABLE countersign.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
		EXECUTE format('DROP POLICY IF EXISTS own_tenant ON countersign.%I', name);
		EXECUTE format('CREATE POLICY own_tenant ON countersign.%I USING (%s) WITH CHECK (%s)', name, own, own);
	END LOOP;
	-- A stop for all tenants has no tenant. Every tenant may read it, and none may write it.
	DROP POLICY IF EXISTS of_all_tenants ON countersign.stops;
	CREATE POLICY of_all_tenants ON countersign.stops FOR SELECT
		USING (tenant_id IS NULL AND nullif(current_setting('countersign.tenant', true), '') IS NOT NULL);
	ALTER TABLE countersign.ended_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	DROP POLICY IF EXISTS read_by_all ON countersign.ended_runs;
	CREATE POLICY read_by_all ON countersign.ended_runs FOR SELECT USING (true);
	DROP POLICY IF EXISTS kept_by_countersign ON countersign.ended_runs;
	CREATE POLICY kept_by_countersign ON countersign.ended_runs
		USING (current_setting('countersign.all_tenants', true) = 'on')
		WITH CHECK (current_setting('countersign.all_tenants', true) = 'on');
	ALTER TABLE countersign.engine_watch ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	DROP POLICY IF EXISTS kept_by_countersign ON countersign.engine_watch;
	CREATE POLICY kept_by_countersign ON countersign.engine_watch
		USING (current_setting('countersign.all_tenants', true) = 'on')
		WITH CHECK (current_setting('countersign.all_tenants', true) = 'on');
	ALTER TABLE countersign.installation ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	DROP POLICY IF EXISTS kept_by_countersign ON countersign.installation;
	CREATE POLICY kept_by_countersign ON countersign.installation
		USING (current_setting('countersign.all_tenants', true) = 'on')
		WITH CHECK (current_setting('countersign.all_tenants', true) = 'on');
END $$;
