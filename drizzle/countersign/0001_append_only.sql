-- The audit log only grows. Entries of a sealed segment may be deleted once they are 30 days old. A stop can only be released,
-- and deleted 30 days later. `npm run db:generate` copies this file into a migration.
CREATE OR REPLACE FUNCTION "countersign"."refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% refused: countersign.% only grows', TG_OP, TG_TABLE_NAME
		USING ERRCODE = 'insufficient_privilege', HINT = 'Old entries are removed with "countersign prune --audit", which seals them first.';
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE UPDATE OR TRUNCATE ON "countersign"."audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_entries" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."refuse_unsealed_deletion"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (
		SELECT FROM removed WHERE removed.at > clock_timestamp() - interval '30 days' OR NOT EXISTS (
			SELECT FROM "countersign"."audit_segments" segment
			WHERE segment.tenant_id = removed.tenant_id AND segment.last_position >= removed.position
				AND segment.first_position <= removed.position
		)
	) THEN
		RAISE EXCEPTION '% refused: countersign.% only grows', TG_OP, TG_TABLE_NAME
			USING ERRCODE = 'insufficient_privilege', HINT = 'Old entries are removed with "countersign prune --audit", which seals them first.';
	END IF;
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "only_sealed" AFTER DELETE ON "countersign"."audit_entries" REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_unsealed_deletion"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_entries" ENABLE ALWAYS TRIGGER "only_sealed";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."refuse_wrong_segment"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	previous record;
BEGIN
	SELECT last_position, hash INTO previous FROM "countersign"."audit_segments"
		WHERE tenant_id = NEW.tenant_id ORDER BY last_position DESC LIMIT 1;
	IF NEW.first_position <> coalesce(previous.last_position, 0) + 1 OR NEW.last_position < NEW.first_position
		OR NEW.previous_hash <> coalesce(previous.hash, repeat('0', 64))
		OR NOT EXISTS (
			SELECT FROM "countersign"."audit_entries" entry
			WHERE entry.tenant_id = NEW.tenant_id AND entry.position = NEW.last_position AND entry.hash = NEW.head_hash
				AND entry.at <= clock_timestamp() - interval '30 days'
		)
	THEN
		RAISE EXCEPTION '% refused: countersign.% must continue the segment before it, end at an entry of its log, and be 30 days old',
			TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
	END IF;
	RETURN NEW;
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "continues" BEFORE INSERT ON "countersign"."audit_segments"
	FOR EACH ROW EXECUTE FUNCTION "countersign"."refuse_wrong_segment"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_segments" ENABLE ALWAYS TRIGGER "continues";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "countersign"."audit_segments"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_segments" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE DELETE OR TRUNCATE ON "countersign"."audit_heads"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_heads" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "only_forward" BEFORE UPDATE ON "countersign"."audit_heads"
	FOR EACH ROW
	WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.position < OLD.position OR (NEW.position = OLD.position AND NEW.hash <> OLD.hash))
	EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_heads" ENABLE ALWAYS TRIGGER "only_forward";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."refuse_change_of_stops"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% refused: a stop can only be released, once', TG_OP
		USING ERRCODE = 'insufficient_privilege', HINT = 'Release it with "countersign release".';
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE TRUNCATE ON "countersign"."stops"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_stops"();
--> statement-breakpoint
ALTER TABLE "countersign"."stops" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "only_old" BEFORE DELETE ON "countersign"."stops"
	FOR EACH ROW
	WHEN (OLD.released_at IS NULL OR OLD.released_at > clock_timestamp() - interval '30 days')
	EXECUTE FUNCTION "countersign"."refuse_change_of_stops"();
--> statement-breakpoint
ALTER TABLE "countersign"."stops" ENABLE ALWAYS TRIGGER "only_old";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "only_released" BEFORE UPDATE ON "countersign"."stops"
	FOR EACH ROW
	WHEN (OLD.released_at IS NOT NULL
		OR (NEW.id, NEW.tenant_id, NEW.tool, NEW.reason, NEW.engaged_by, NEW.engaged_at)
			IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.tool, OLD.reason, OLD.engaged_by, OLD.engaged_at))
	EXECUTE FUNCTION "countersign"."refuse_change_of_stops"();
--> statement-breakpoint
ALTER TABLE "countersign"."stops" ENABLE ALWAYS TRIGGER "only_released";
