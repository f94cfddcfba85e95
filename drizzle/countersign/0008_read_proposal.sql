-- What is judged of a proposal, and compared when it is written. `asked` says about what: the request, its run and place, the
-- calls that would ask people, and what their verdicts rest on. When people are asked is decided in TypeScript:
-- store/request/proposal-limits.ts.
-- `npm run db:generate` copies this file into a migration.
--
-- Waiting calls, and those that a program withdrew lately: otherwise it could notify people without limit, by asking again.
CREATE OR REPLACE FUNCTION "countersign"."waiting_calls"("asked" jsonb, "clock" timestamptz) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	waiting record;
	withdrawn bigint := 0;
BEGIN
	-- A call that was never announced waits until its timeout.
	SELECT count(*) AS tenant,
			count(*) FILTER (WHERE call.run_id = asked ->> 'runId') AS run,
			count(*) FILTER (WHERE call.thread_id = asked ->> 'threadId') AS thread,
			count(*) FILTER (WHERE call.requester_id = asked ->> 'requesterId') AS requester
		INTO waiting FROM countersign.approvals call
		WHERE call.tenant_id = asked ->> 'tenantId' AND call.status IN ('proposed', 'pending')
			AND coalesce(call.expires_at, call.created_at + call.timeout_ms * interval '1 millisecond') > clock;
	IF asked ->> 'threadId' IS NOT NULL AND (asked ->> 'isProgram')::boolean THEN
		SELECT count(*) INTO withdrawn FROM countersign.approvals call
			WHERE call.tenant_id = asked ->> 'tenantId' AND call.thread_id = asked ->> 'threadId'
				AND call.status = 'withdrawn' AND call.withdrawal_cause = 'run_cancelled' AND call.announced_at IS NOT NULL
				AND call.finished_at > clock - (asked ->> 'memoryMs')::bigint * interval '1 millisecond';
	END IF;
	RETURN jsonb_build_object('tenant', waiting.tenant, 'run', waiting.run, 'thread', waiting.thread + withdrawn,
		'requester', waiting.requester);
END;
$$;
--> statement-breakpoint
-- What must be the same when the proposal is written: whether its request exists, how its run has ended, whether its calls were
-- allowed before, whether people have denied the last ones, and of each call the one that waits already and the grants that
-- may cover it, in the order in which they are used: a rerun, then the narrowest first (exact arguments before a
-- condition before any, a thread before a user before the team), then one with limited uses, then the one that expires first.
CREATE OR REPLACE FUNCTION "countersign"."proposal_facts"("asked" jsonb, "clock" timestamptz) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	call jsonb;
	its jsonb;
	twin text;
	covering jsonb;
	twins jsonb := '[]';
	grants jsonb := '[]';
	denials bigint;
BEGIN
	IF (asked ->> 'denialsInARow') IS NOT NULL AND asked ->> 'runId' IS NOT NULL THEN
		SELECT count(*) FILTER (WHERE latest.decision_type = 'deny') INTO denials FROM (
			SELECT decided.decision_type FROM countersign.approvals decided
			WHERE decided.tenant_id = asked ->> 'tenantId' AND decided.run_id = asked ->> 'runId'
				AND decided.decided_by IS NOT NULL AND decided.grant_id IS NULL
			ORDER BY decided.decided_at DESC, decided.id DESC LIMIT (asked ->> 'denialsInARow')::bigint
		) latest;
	ELSIF (asked ->> 'denialsInARow') IS NOT NULL AND (asked ->> 'isProgram')::boolean THEN
		-- Programs outside of runs are known by their thread, and only what was decided lately counts.
		SELECT count(*) FILTER (WHERE latest.decision_type = 'deny') INTO denials FROM (
			SELECT decided.decision_type FROM countersign.approvals decided
			WHERE decided.tenant_id = asked ->> 'tenantId' AND decided.thread_id = asked ->> 'threadId'
				AND decided.decided_by IS NOT NULL AND decided.grant_id IS NULL
				AND decided.decided_at > clock - (asked ->> 'memoryMs')::bigint * interval '1 millisecond'
			ORDER BY decided.decided_at DESC, decided.id DESC LIMIT (asked ->> 'denialsInARow')::bigint
		) latest;
	END IF;
	FOR call IN SELECT value FROM jsonb_array_elements(asked -> 'calls') LOOP
		twin := NULL;
		IF asked ->> 'threadId' IS NOT NULL THEN
			SELECT same.id INTO twin FROM countersign.approvals same
				WHERE same.tenant_id = asked ->> 'tenantId' AND same.thread_id = asked ->> 'threadId'
					AND same.call_hash = call ->> 'hash' AND same.status IN ('proposed', 'pending')
					AND coalesce(same.expires_at, same.created_at + same.timeout_ms * interval '1 millisecond') > clock
				ORDER BY same.created_at, same.id LIMIT 1;
		ELSIF asked ->> 'runId' IS NOT NULL THEN
			SELECT same.id INTO twin FROM countersign.approvals same
				WHERE same.tenant_id = asked ->> 'tenantId' AND same.thread_id IS NULL AND same.run_id = asked ->> 'runId'
					AND same.requester_id IS NOT DISTINCT FROM asked ->> 'requesterId'
					AND same.call_hash = call ->> 'hash' AND same.status IN ('proposed', 'pending')
					AND coalesce(same.expires_at, same.created_at + same.timeout_ms * interval '1 millisecond') > clock
				ORDER BY same.created_at, same.id LIMIT 1;
		END IF;
		twins := twins || jsonb_build_array(twin);
		covering := '[]';
		its := call -> 'grant';
		IF jsonb_typeof(its) = 'object' THEN
			SELECT coalesce(jsonb_agg(given.id ORDER BY given.rerun DESC, given.input_hash IS NULL, given.condition IS NULL,
					array_position(ARRAY['thread', 'user', 'team'], given.scope), given.uses_left IS NULL, given.expires_at, given.id), '[]')
				INTO covering FROM countersign.grants given
				WHERE given.tenant_id = asked ->> 'tenantId' AND given.tool_name = its ->> 'toolName'
					AND given.tool_version = its ->> 'toolVersion'
					AND given.revoked_at IS NULL AND given.expires_at > clock AND coalesce(given.uses_left, 1) > 0
					AND (given.scope = 'team' OR given.scope = 'thread' AND given.scope_id = its ->> 'threadId'
						OR given.scope = 'user' AND given.scope_id = its ->> 'userId')
					-- An interrupted call had been approved, so its rerun does not depend on the rule.
					AND (given.rerun OR its -> 'grantable' ? given.scope)
					AND (given.input_hash IS NULL OR given.input_hash = its ->> 'inputHash');
		END IF;
		grants := grants || jsonb_build_array(covering);
	END LOOP;
	RETURN jsonb_build_object(
		'exists', EXISTS (SELECT FROM countersign.requests request WHERE request.id = asked ->> 'requestId'),
		'end', (SELECT run.cause FROM countersign.ended_runs run WHERE run.run_id = asked ->> 'runId'),
		'isAllowed', asked ->> 'runId' IS NOT NULL AND EXISTS (
			SELECT FROM countersign.allowed_responses response WHERE response.request_id = asked ->> 'requestId'
		),
		'isDiscouraged', coalesce(denials = (asked ->> 'denialsInARow')::bigint, false),
		'twins', twins,
		'grants', grants
	);
END;
$$;
--> statement-breakpoint
-- How often a grant has approved a call by the log, as of the last commit.
CREATE OR REPLACE FUNCTION "countersign"."logged_uses"("wanted" text) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT count(*) FROM countersign.grants used JOIN countersign.audit_entries entry
			ON entry.tenant_id = used.tenant_id AND entry.type = 'approval.granted' AND (entry.data ->> 'grantId') = used.id
		WHERE used.id = wanted
	);
END;
$$;
--> statement-breakpoint
-- What the calls of a grant have spent of its budget, and what those will spend that it has approved and that have not started.
-- With `by_log`, at least what the log says, as of the last commit: the amounts of all calls that the grant approved, without
-- those that ended before they started. Somebody with write access can add entries. But an end that is added to a call that
-- has started changes nothing, and one that is added to another call keeps it from starting.
CREATE OR REPLACE FUNCTION "countersign"."budget_used"("wanted" text, "by_log" boolean) RETURNS numeric
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	rows numeric;
BEGIN
	SELECT used.spent + coalesce((
			SELECT sum(call.grant_amount) FROM countersign.approvals call
			WHERE call.tenant_id = used.tenant_id AND call.grant_id = used.id
				AND call.grant_amount IS NOT NULL AND call.status = 'approved'
		), 0) INTO rows FROM countersign.grants used WHERE used.id = wanted;
	IF NOT by_log THEN RETURN rows; END IF;
	RETURN greatest(rows, (
		SELECT coalesce(sum(greatest((entry.data ->> 'amount')::numeric, 0)), 0)
		FROM countersign.grants used JOIN countersign.audit_entries entry
			ON entry.tenant_id = used.tenant_id AND entry.type = 'approval.granted' AND (entry.data ->> 'grantId') = used.id
		WHERE used.id = wanted AND (
			EXISTS (
				SELECT FROM countersign.audit_entries later WHERE later.tenant_id = entry.tenant_id
					AND later.approval_id = entry.approval_id AND later.type = 'approval.executing'
			) OR NOT EXISTS (
				SELECT FROM countersign.audit_entries later WHERE later.tenant_id = entry.tenant_id
					AND later.approval_id = entry.approval_id AND later.type IN ('approval.withdrawn', 'approval.expired')
			)
		)
	));
END;
$$;
--> statement-breakpoint
-- All that is judged of a proposal.
CREATE OR REPLACE FUNCTION "countersign"."read_proposal"("asked" jsonb, "shift_ms" double precision) RETURNS json
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	clock constant timestamptz := date_trunc('milliseconds', clock_timestamp() + shift_ms * interval '1 millisecond');
	facts constant jsonb := countersign.proposal_facts(asked, clock);
	calls json;
	waiting jsonb;
	given json;
	undone json;
	query jsonb;
	counted text[] := '{}';
BEGIN
	IF (facts ->> 'exists')::boolean THEN
		SELECT json_agg(to_json(call) ORDER BY call."position") INTO calls
			FROM countersign.approvals call WHERE call.request_id = asked ->> 'requestId';
		RETURN json_build_object('now', floor(extract(epoch FROM clock) * 1000)::bigint, 'facts', facts, 'calls', calls);
	END IF;
	IF (asked ->> 'denialsInARow') IS NOT NULL THEN waiting := countersign.waiting_calls(asked, clock); END IF;
	IF jsonb_path_exists(facts, '$.grants[*][*]') THEN
		-- The log about a grant that is used often is long, so it is only counted where that matters.
		SELECT json_agg(json_build_object(
				'row', to_json(used),
				'used', CASE WHEN used.budget IS NOT NULL THEN countersign.budget_used(used.id, (asked ->> 'byLog')::boolean)::text END,
				'loggedUses', CASE WHEN used.uses_left IS NOT NULL AND (asked ->> 'byLog')::boolean THEN countersign.logged_uses(used.id) END,
				'entries', (
					SELECT json_agg(DISTINCT entry.type) FROM countersign.audit_entries entry
					WHERE entry.tenant_id = used.tenant_id AND entry.approval_id = used.approval_id AND entry.data ->> 'grantId' = used.id
				)
			)) INTO given FROM countersign.grants used
			WHERE used.id IN (SELECT id FROM jsonb_array_elements(facts -> 'grants') its, jsonb_array_elements_text(its) id);
	END IF;
	IF asked -> 'undoes' <> '[]' THEN
		SELECT json_agg(json_build_object('row', to_json(done), 'version', done.xmin::text, 'undo', (
				SELECT to_json(earlier) FROM countersign.approvals earlier
				WHERE earlier.tenant_id = done.tenant_id AND earlier.id = done.undo_id
			))) INTO undone FROM countersign.approvals done
			WHERE done.tenant_id = asked ->> 'tenantId' AND asked -> 'undoes' ? done.id;
	END IF;
	FOR query IN SELECT value FROM jsonb_array_elements(asked -> 'counts') LOOP
		counted := counted || countersign.count_in_turn(asked ->> 'tenantId', query ->> 'counter',
			clock - (query ->> 'windowMs')::double precision * interval '1 millisecond', clock)::text;
	END LOOP;
	RETURN json_build_object(
		'now', floor(extract(epoch FROM clock) * 1000)::bigint, 'facts', facts, 'waiting', waiting, 'grants', given, 'undone', undone,
		'counted', counted
	);
END;
$$;
