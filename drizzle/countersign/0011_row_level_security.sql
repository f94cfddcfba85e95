-- Each tenant's rows are its own. This is the source of a migration; `npm run db:generate` puts it there. A new table of
-- the schema needs a column "tenant_id" and its name in this list. "ended_runs" alone has none: the engine says that a run
-- has ended, and not for whom it worked. It tells nothing else, so every tenant may read it, and none may write.
-- A transaction says for whom it works (transact.ts): one that does not say sees nothing, since a setting that is over
-- reads as ''. "Everything" has a setting of its own, so that no tenant's name can mean it.
-- CASE and not OR: the planner would take the policy for a second, independent filter beside the statement's own, expect
-- far too few rows, and sort them instead of reading an index in order.
DO $$
DECLARE
	own constant text := $own$CASE current_setting('countersign.all_tenants', true)
		WHEN 'on' THEN true ELSE tenant_id = nullif(current_setting('countersign.tenant', true), '') END$own$;
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY[
		'approvals',
		'audit_entries',
		'audit_heads',
		'evidence',
		'grants',
		'idempotency_keys',
		'outbox',
		'preferences',
		'requests',
		'thread_entries',
		'threads',
		'viewers',
		'votes'
	] LOOP
		EXECUTE format('ALTER TABLE countersign.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
		EXECUTE format('DROP POLICY IF EXISTS own_tenant ON countersign.%I', name);
		EXECUTE format('CREATE POLICY own_tenant ON countersign.%I USING (%s) WITH CHECK (%s)', name, own, own);
	END LOOP;
	ALTER TABLE countersign.ended_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
	DROP POLICY IF EXISTS read_by_all ON countersign.ended_runs;
	CREATE POLICY read_by_all ON countersign.ended_runs FOR SELECT USING (true);
	DROP POLICY IF EXISTS kept_by_countersign ON countersign.ended_runs;
	CREATE POLICY kept_by_countersign ON countersign.ended_runs
		USING (current_setting('countersign.all_tenants', true) = 'on')
		WITH CHECK (current_setting('countersign.all_tenants', true) = 'on');
END $$;
