-- The audit log only grows. Entries of a sealed segment may be deleted from the front, once they are 30 days old and whatever
-- they prove has expired. A stop can only be released, and deleted 30 days later; the log has an entry about both.
-- Every function sets its search_path, so that no schema of the caller can replace what it calls. A function that reads rows
-- sees those of all tenants meanwhile, because the caller can change the tenant while a statement runs. Only the tables' owner,
-- who can disable the triggers, may write other times than now. `npm run db:generate` copies this file into a migration.
CREATE OR REPLACE FUNCTION "countersign"."refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RAISE EXCEPTION '% refused: countersign.% only grows', TG_OP, TG_TABLE_NAME
		USING ERRCODE = 'insufficient_privilege', HINT = 'Old entries are removed with "countersign prune --audit", which seals them first.';
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."refuse_other_time"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION '% refused: countersign.% must have the current time', TG_OP, TG_TABLE_NAME
		USING ERRCODE = 'insufficient_privilege';
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "written_now" BEFORE INSERT ON "countersign"."audit_entries"
	FOR EACH ROW
	WHEN (NEW.at NOT BETWEEN clock_timestamp() - interval '5 minutes' AND clock_timestamp())
	EXECUTE FUNCTION "countersign"."refuse_other_time"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_entries" ENABLE ALWAYS TRIGGER "written_now";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE UPDATE OR TRUNCATE ON "countersign"."audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_entries" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
-- What an entry proves expires at `proofUntil` or `expiresAt`, ISO 8601 in UTC. Comparing text fails for no content.
CREATE OR REPLACE FUNCTION "countersign"."refuse_unsealed_deletion"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	scope constant text := coalesce(current_setting('countersign.all_tenants', true), '');
	now_text constant text := to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN
	PERFORM set_config('countersign.all_tenants', 'on', true);
	IF EXISTS (
		SELECT FROM removed WHERE removed.at > clock_timestamp() - interval '30 days'
			OR greatest(removed.data ->> 'proofUntil', removed.data ->> 'expiresAt', '') COLLATE "C" > now_text
			OR NOT EXISTS (
				SELECT FROM countersign.audit_segments segment
				WHERE segment.tenant_id = removed.tenant_id AND segment.last_position >= removed.position
					AND segment.first_position <= removed.position
			)
	) OR EXISTS (
		SELECT FROM (SELECT tenant_id, max(position) AS last FROM removed GROUP BY tenant_id) gone
		JOIN countersign.audit_entries entry ON entry.tenant_id = gone.tenant_id AND entry.position BETWEEN 1 AND gone.last - 1
	) THEN
		RAISE EXCEPTION '% refused: countersign.% only grows', TG_OP, TG_TABLE_NAME
			USING ERRCODE = 'insufficient_privilege', HINT = 'Old entries are removed with "countersign prune --audit", which seals them first.';
	END IF;
	PERFORM set_config('countersign.all_tenants', scope, true);
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "only_sealed" AFTER DELETE ON "countersign"."audit_entries" REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_unsealed_deletion"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_entries" ENABLE ALWAYS TRIGGER "only_sealed";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."refuse_wrong_segment"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	scope constant text := coalesce(current_setting('countersign.all_tenants', true), '');
	now_text constant text := to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
	previous record;
	content text;
BEGIN
	PERFORM set_config('countersign.all_tenants', 'on', true);
	SELECT last_position, hash INTO previous FROM countersign.audit_segments
		WHERE tenant_id = NEW.tenant_id ORDER BY last_position DESC LIMIT 1;
	-- The canonical JSON (RFC 8785) of audit/audit-segment.ts.
	content := format('{"firstPosition":%s,"headHash":%s,"lastPosition":%s,"previousHash":%s,"tenantId":%s}', NEW.first_position,
		to_json(NEW.head_hash), NEW.last_position, to_json(NEW.previous_hash), to_json(NEW.tenant_id));
	IF NEW.first_position <> coalesce(previous.last_position, 0) + 1 OR NEW.last_position < NEW.first_position
		OR NEW.previous_hash <> coalesce(previous.hash, repeat('0', 64))
		OR NEW.hash <> encode(sha256(convert_to(content, 'UTF8')), 'hex')
		OR NOT EXISTS (
			SELECT FROM countersign.audit_entries entry
			WHERE entry.tenant_id = NEW.tenant_id AND entry.position = NEW.last_position AND entry.hash = NEW.head_hash
		)
		OR NEW.last_position - NEW.first_position + 1 <> (
			SELECT count(*) FROM countersign.audit_entries entry
			WHERE entry.tenant_id = NEW.tenant_id AND entry.position BETWEEN NEW.first_position AND NEW.last_position
				AND entry.at <= clock_timestamp() - interval '30 days'
				AND greatest(entry.data ->> 'proofUntil', entry.data ->> 'expiresAt', '') COLLATE "C" <= now_text
		)
	THEN
		RAISE EXCEPTION '% refused: countersign.% must continue the segment before it, consist of entries of its log that are 30 days old and prove nothing any more',
			TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
	END IF;
	PERFORM set_config('countersign.all_tenants', scope, true);
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
-- Checked at the commit, because a transaction may send its entries after the head.
CREATE OR REPLACE FUNCTION "countersign"."refuse_head_without_entry"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	scope constant text := coalesce(current_setting('countersign.all_tenants', true), '');
BEGIN
	PERFORM set_config('countersign.all_tenants', 'on', true);
	IF NEW.position <> 0 AND NOT EXISTS (
		SELECT FROM countersign.audit_entries entry
		WHERE entry.tenant_id = NEW.tenant_id AND entry.position = NEW.position AND entry.hash = NEW.hash
	) THEN
		RAISE EXCEPTION '% refused: countersign.% must name an entry of its log', TG_OP, TG_TABLE_NAME
			USING ERRCODE = 'insufficient_privilege';
	END IF;
	PERFORM set_config('countersign.all_tenants', scope, true);
	RETURN NULL;
END;
$$;
--> statement-breakpoint
DROP TRIGGER IF EXISTS "names_entry" ON "countersign"."audit_heads";
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "names_entry" AFTER INSERT OR UPDATE OF "position", "hash" ON "countersign"."audit_heads"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	EXECUTE FUNCTION "countersign"."refuse_head_without_entry"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_heads" ENABLE ALWAYS TRIGGER "names_entry";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."refuse_change_of_stops"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
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
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "released_now" BEFORE UPDATE ON "countersign"."stops"
	FOR EACH ROW
	WHEN (NEW.released_at NOT BETWEEN clock_timestamp() - interval '5 minutes' AND clock_timestamp() + interval '5 minutes')
	EXECUTE FUNCTION "countersign"."refuse_other_time"();
--> statement-breakpoint
ALTER TABLE "countersign"."stops" ENABLE ALWAYS TRIGGER "released_now";
--> statement-breakpoint
-- Whoever changes a stop writes its entry in the same transaction, so it is among the last of the log at the commit.
CREATE OR REPLACE FUNCTION "countersign"."refuse_stop_without_entry"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	scope constant text := coalesce(current_setting('countersign.all_tenants', true), '');
BEGIN
	PERFORM set_config('countersign.all_tenants', 'on', true);
	IF NOT EXISTS (
		SELECT FROM (
			SELECT entry.type, entry.data FROM countersign.audit_entries entry
			WHERE entry.tenant_id = coalesce(NEW.tenant_id, '') ORDER BY entry.position DESC LIMIT 100
		) recent
		WHERE recent.type = CASE WHEN NEW.released_at IS NULL THEN 'stop.engaged' ELSE 'stop.released' END
			AND recent.data ->> 'stopId' = NEW.id
	) THEN
		RAISE EXCEPTION '% refused: the audit log must have an entry about the stop', TG_OP
			USING ERRCODE = 'insufficient_privilege', HINT = 'Use "countersign stop" and "countersign release".';
	END IF;
	PERFORM set_config('countersign.all_tenants', scope, true);
	RETURN NULL;
END;
$$;
--> statement-breakpoint
DROP TRIGGER IF EXISTS "has_entry" ON "countersign"."stops";
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "has_entry" AFTER INSERT OR UPDATE ON "countersign"."stops"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
	EXECUTE FUNCTION "countersign"."refuse_stop_without_entry"();
--> statement-breakpoint
ALTER TABLE "countersign"."stops" ENABLE ALWAYS TRIGGER "has_entry";
--> statement-breakpoint
-- Appends to a tenant's log in one statement: takes the log's turn, then the time, and continues the chain. Each entry comes with
-- the text of its canonical JSON (audit/audit-entry.ts) before its time, before its position, and after the hash before it.
CREATE OR REPLACE FUNCTION "countersign"."append_to_audit_log"("log" text, "shift_ms" double precision, "entries" json) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	head record;
	entry record;
	written timestamptz;
	next_hash text;
BEGIN
	LOOP
		SELECT heads."position", heads.hash INTO head FROM countersign.audit_heads heads WHERE heads.tenant_id = log FOR UPDATE;
		EXIT WHEN FOUND;
		INSERT INTO countersign.audit_heads (tenant_id, "position", hash) VALUES (log, 0, repeat('0', 64)) ON CONFLICT DO NOTHING;
	END LOOP;
	written := date_trunc('milliseconds', clock_timestamp() + shift_ms * interval '1 millisecond');
	FOR entry IN SELECT * FROM json_to_recordset(entries)
		AS given(approval_id text, type text, actor_id text, data text, to_time text, to_position text, to_end text)
	LOOP
		next_hash := encode(sha256(convert_to(concat(
			entry.to_time, to_char(written AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
			entry.to_position, head."position" + 1, ',"prevHash":"', head.hash, entry.to_end
		), 'UTF8')), 'hex');
		INSERT INTO countersign.audit_entries (tenant_id, "position", approval_id, type, actor_id, at, data, prev_hash, hash)
			VALUES (log, head."position" + 1, entry.approval_id, entry.type, entry.actor_id, written, entry.data::json, head.hash, next_hash);
		head."position" := head."position" + 1;
		head.hash := next_hash;
	END LOOP;
	UPDATE countersign.audit_heads heads SET "position" = head."position", hash = head.hash WHERE heads.tenant_id = log;
END;
$$;
