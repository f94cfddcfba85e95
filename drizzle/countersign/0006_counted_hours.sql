-- Sums of counted calls by hours, so that a limit over a whole tenant need not read each of its calls. They are a cache that is
-- only ever discarded: `counted_hours` is only added to, by anybody, until a proposal takes it up that has the tenant's turn.
-- A row with an amount is the sum of an hour. One without is a mark: the calls of this hour have changed. A sum stands as long
-- as it is the only row of its hour. Nobody waits for a mark, because each is a row of its own. It is written together with
-- the change, and a sum with all that is deleted for it in one statement: either that statement saw both the change and its
-- mark, or neither, and then the mark is still there.
-- `npm run db:generate` copies this file into a migration.
CREATE OR REPLACE FUNCTION "countersign"."discard_hours"() RETURNS trigger LANGUAGE plpgsql
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP = 'TRUNCATE' THEN
		TRUNCATE countersign.counted_hours;
		RETURN NULL;
	END IF;
	-- The sums of older hours are gone.
	IF TG_OP <> 'INSERT' AND OLD.counts AND OLD.at > clock_timestamp() - interval '33 days' THEN
		INSERT INTO countersign.counted_hours (tenant_id, counter, hour)
			VALUES (OLD.tenant_id, OLD.counter, date_trunc('hour', OLD.at, 'UTC'));
	END IF;
	-- A new call has the turn and the present hour, which has no sum, unless a clock was set back. What is written by SQL has no turn:
	-- that hour may be summed up before this is committed.
	IF TG_OP <> 'DELETE' AND NEW.counts THEN
		INSERT INTO countersign.counted_hours (tenant_id, counter, hour)
			SELECT NEW.tenant_id, NEW.counter, its.hour FROM (VALUES (date_trunc('hour', NEW.at, 'UTC'))) its (hour)
			WHERE current_setting('countersign.turn', true) IS DISTINCT FROM NEW.tenant_id
				OR its.hour < date_trunc('hour', clock_timestamp(), 'UTC') OR EXISTS (
				SELECT FROM countersign.counted_hours known
				WHERE known.tenant_id = NEW.tenant_id AND known.counter = NEW.counter AND known.hour = its.hour
			);
	END IF;
	RETURN NULL;
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "changed_hours" AFTER INSERT OR UPDATE OR DELETE ON "countersign"."counted_calls"
	FOR EACH ROW EXECUTE FUNCTION "countersign"."discard_hours"();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "changed_all_hours" AFTER TRUNCATE ON "countersign"."counted_calls"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."discard_hours"();
--> statement-breakpoint
-- The time after `since` in parts: each ends with an hour of which `known` is the sum, and the last one never. Between `low` and
-- `high`, both exclusive, each call is to be read. `low` is NULL where there is nothing to read, since a range from NULL costs
-- nothing. Hours are only known if all their calls were counted before a `position` and up to a time. The last part says how
-- many marks there are. This is STABLE: it sees the same as the statement that reads the calls.
CREATE OR REPLACE FUNCTION "countersign"."counted_parts"(
	"tenant" text, "series" text, "since" timestamptz, "up_to" timestamptz, "before" bigint
) RETURNS TABLE ("known" numeric, "low" timestamptz, "high" timestamptz, "marks" bigint)
	LANGUAGE plpgsql STABLE ROWS 25 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
		WITH hours AS MATERIALIZED (
			SELECT its.hour, count(*) = 1 AND count(its.amount) = 1 AS stands, max(its.amount) AS amount,
				max(its.last_position) AS last_position, count(*) - count(its.amount) AS marks
			FROM countersign.counted_hours its WHERE its.tenant_id = tenant AND its.counter = series AND its.hour > since
			GROUP BY its.hour
		), ends AS (
			SELECT hours.hour, hours.amount, 0::bigint AS marks FROM hours
				WHERE hours.stands AND coalesce(hours.last_position < before, true)
					AND coalesce(hours.hour <= up_to - interval '1 hour', true)
			UNION ALL SELECT 'infinity', 0, coalesce(sum(hours.marks), 0)::bigint FROM hours
		)
		SELECT ends.amount,
			CASE WHEN lag(ends.hour) OVER in_order IS NULL THEN since
				ELSE nullif(lag(ends.hour) OVER in_order + interval '1 hour', ends.hour) - interval '1 microsecond' END,
			ends.hour, ends.marks
		FROM ends WINDOW in_order AS (ORDER BY ends.hour);
END;
$$;
--> statement-breakpoint
-- What the calls of a counter have amounted to since a time. Its caller has the tenant's turn. If many calls of hours that are
-- over had to be read, or many marks, it writes the sums of these hours. Few cost less than their sums would.
CREATE OR REPLACE FUNCTION "countersign"."count_in_turn"(
	"tenant" text, "series" text, "since" timestamptz, "clock" timestamptz
) RETURNS numeric LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	few constant int := 100;
	first constant timestamptz := date_trunc('hour', since, 'UTC') + interval '1 hour';
	present constant timestamptz := date_trunc('hour', clock, 'UTC');
	counted record;
BEGIN
	SELECT sum(part.known + coalesce(calls.amount, 0)) AS amount, sum(calls.past + part.marks) AS needless INTO counted
		FROM countersign.counted_parts(tenant, series, since, NULL, NULL) part CROSS JOIN LATERAL (
			SELECT sum(call.amount) AS amount, count(*) FILTER (WHERE call.at >= first AND call.at < present) AS past
			FROM countersign.counted_calls call
			WHERE call.tenant_id = tenant AND call.counter = series AND call.counts AND call.at > part.low AND call.at < part.high
		) calls;
	IF counted.needless > few THEN
		-- One statement, so that the marks that go and the calls that are summed up are of the same moment.
		WITH discarded AS (
			DELETE FROM countersign.counted_hours old
			WHERE old.tenant_id = tenant AND old.counter = series AND old.hour IN (
				SELECT its.hour FROM countersign.counted_hours its
				WHERE its.tenant_id = tenant AND its.counter = series AND its.hour > since
				GROUP BY its.hour HAVING count(*) > 1 OR count(its.amount) = 0
			)
		)
		INSERT INTO countersign.counted_hours (tenant_id, counter, hour, amount, last_position)
			SELECT tenant, series, calls.hour, calls.amount, calls.last_position
			FROM countersign.counted_parts(tenant, series, since, NULL, NULL) part CROSS JOIN LATERAL (
				SELECT date_trunc('hour', call.at, 'UTC') AS hour, coalesce(sum(call.amount), 0) AS amount,
					max(call.position) AS last_position
				FROM countersign.counted_calls call
				WHERE call.tenant_id = tenant AND call.counter = series AND call.counts AND call.at > part.low AND call.at < part.high
					AND call.at >= first AND call.at < present
				GROUP BY 1
			) calls;
	END IF;
	RETURN counted.amount;
END;
$$;
