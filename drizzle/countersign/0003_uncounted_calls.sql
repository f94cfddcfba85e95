-- A call that is denied, expires or is withdrawn did not run and never will, so limits over time stop counting it. A trigger
-- does so whoever ends the call, and reading the numbers need not look at each counted call's status.
-- `npm run db:generate` copies this file into a migration.
CREATE OR REPLACE FUNCTION "countersign"."stop_counting"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	UPDATE countersign.counted_calls SET counts = false WHERE approval_id = NEW.id;
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "not_counted" AFTER UPDATE OF "status" ON "countersign"."approvals"
	FOR EACH ROW
	WHEN (NEW.status IN ('denied', 'expired', 'withdrawn') AND OLD.status <> NEW.status)
	EXECUTE FUNCTION "countersign"."stop_counting"();
--> statement-breakpoint
UPDATE "countersign"."counted_calls" counted SET "counts" = false FROM "countersign"."approvals" call
WHERE call.id = counted.approval_id AND call.status IN ('denied', 'expired', 'withdrawn');
