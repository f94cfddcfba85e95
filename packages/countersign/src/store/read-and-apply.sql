-- A verb reads what it judges with one statement and writes what follows with another. No transaction is open between the two,
-- so each row comes with its version, and nothing is written unless all versions are the same. The version is the transaction
-- that wrote the row (xmin): whoever changes a row changes it. Under load, one statement reads or writes for several verbs. The
-- rules about calls are in TypeScript: store/verb.ts.
-- `npm run db:generate` copies this file into a migration.
CREATE OR REPLACE FUNCTION "countersign"."enter_scope"("tenant" text, "all_tenants" text, "wait_ms" text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Behind a lock, an older snapshot would hide what its holder wrote. The caller then begins a transaction itself.
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'the transaction must be read committed' USING ERRCODE = 'CT001';
	END IF;
	-- Within a transaction, its scope stays.
	IF tenant IS NOT NULL THEN
		PERFORM set_config('countersign.tenant', tenant, true), set_config('countersign.all_tenants', all_tenants, true),
			set_config('lock_timeout', wait_ms, true),
			set_config('idle_in_transaction_session_timeout', (3 * wait_ms::bigint)::text, true);
	END IF;
END;
$$;
--> statement-breakpoint
-- The entries about a call that say whether a signature still counts, oldest first.
CREATE OR REPLACE FUNCTION "countersign"."trail_of"("log" text, "call_id" text, "types" text[]) RETURNS json
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT coalesce(json_agg(json_build_object('type', entry.type, 'actorId', entry.actor_id,
			'at', floor(extract(epoch FROM entry.at) * 1000)::bigint, 'data', entry.data) ORDER BY entry.position), '[]')
		FROM countersign.audit_entries entry
		WHERE entry.tenant_id = log AND entry.approval_id = call_id AND entry.type = ANY (types)
	);
END;
$$;
--> statement-breakpoint
-- The engaged stops of a tenant, and of all.
CREATE OR REPLACE FUNCTION "countersign"."engaged_stops"("tenant" text) RETURNS SETOF "countersign"."stops"
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY SELECT stop.* FROM countersign.stops stop
		WHERE stop.released_at IS NULL AND (stop.tenant_id IS NULL OR stop.tenant_id = tenant);
END;
$$;
--> statement-breakpoint
-- All that is judged of one call: the row, what proves its approval, the log about it, the votes, the grant, the engaged stops,
-- and the call that it undoes. The row comes first: whoever changes something else about the call later also raises its version.
CREATE OR REPLACE FUNCTION "countersign"."read_call"("call_id" text, "trail_types" text[], "shift_ms" double precision) RETURNS json
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	call record;
	votes json;
	given json;
	undone json;
BEGIN
	SELECT own.tenant_id, own.grant_id, own.terms, own.xmin AS version, to_json(own) AS content, request.settled_at INTO call
		FROM countersign.approvals own JOIN countersign.requests request ON request.id = own.request_id WHERE own.id = call_id;
	IF NOT FOUND THEN RETURN NULL; END IF;
	-- Default terms are not stored: without these, one person decides.
	IF call.terms ?| ARRAY['quorum', 'denials'] THEN
		SELECT json_agg(to_json(vote) ORDER BY vote.voted_at, vote.principal_id) INTO votes
			FROM countersign.votes vote WHERE vote.approval_id = call_id AND vote.taken_back_at IS NULL;
	END IF;
	IF call.grant_id IS NOT NULL THEN
		SELECT json_build_object('row', to_json(used), 'spent', used.spent::text, 'entries', (
			SELECT json_agg(DISTINCT entry.type) FROM countersign.audit_entries entry
			WHERE entry.tenant_id = used.tenant_id AND entry.approval_id = used.approval_id AND entry.data ->> 'grantId' = used.id
		)) INTO given FROM countersign.grants used WHERE used.id = call.grant_id;
	END IF;
	IF call.terms ? 'undoes' THEN
		SELECT json_build_object('row', to_json(earlier), 'version', earlier.xmin::text,
			'trail', countersign.trail_of(earlier.tenant_id, earlier.id, trail_types), 'undos', (
				SELECT json_agg(to_json(undo)) FROM countersign.approvals undo
				WHERE undo.tenant_id = earlier.tenant_id AND undo.id IN (
					SELECT entry.data ->> 'undoId' FROM countersign.audit_entries entry
					WHERE entry.tenant_id = earlier.tenant_id AND entry.approval_id = earlier.id AND entry.type = 'call.undo_started'
				)
			)) INTO undone
			FROM countersign.approvals earlier WHERE earlier.tenant_id = call.tenant_id AND earlier.id = call.terms #>> '{undoes,approvalId}';
	END IF;
	RETURN json_build_object(
		'row', call.content, 'version', call.version::text, 'settledAt', call.settled_at,
		'votes', votes, 'grant', given, 'undone', undone,
		'now', floor(extract(epoch FROM clock_timestamp() + shift_ms * interval '1 millisecond') * 1000)::bigint,
		'trail', countersign.trail_of(call.tenant_id, call_id, trail_types),
		'proof', (
			SELECT json_build_object('row', to_json(proof), 'version', proof.xmin::text)
			FROM countersign.evidence proof WHERE proof.tenant_id = call.tenant_id AND proof.approval_id = call_id
			ORDER BY proof.created_at, proof.id LIMIT 1
		),
		'stops', (SELECT json_agg(to_json(stop) ORDER BY stop.id) FROM countersign.engaged_stops(call.tenant_id) stop)
	);
END;
$$;
--> statement-breakpoint
-- A request with its calls in their order. What the log says of a call is only judged while a decision about it is held, or if
-- it is `decided` now.
CREATE OR REPLACE FUNCTION "countersign"."read_request"(
	"wanted" text, "trail_types" text[], "shift_ms" double precision, "decided" text DEFAULT NULL
) RETURNS json LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	request record;
BEGIN
	SELECT own.xmin AS version, to_json(own) AS content INTO request FROM countersign.requests own WHERE own.id = wanted;
	IF NOT FOUND THEN RETURN NULL; END IF;
	RETURN json_build_object(
		'row', request.content, 'version', request.version::text,
		'now', floor(extract(epoch FROM clock_timestamp() + shift_ms * interval '1 millisecond') * 1000)::bigint,
		'calls', (
			SELECT json_agg(json_build_object('row', to_json(call), 'version', call.xmin::text, 'trail',
				CASE WHEN call.held_until IS NOT NULL OR call.id = decided
					THEN countersign.trail_of(call.tenant_id, call.id, trail_types) END
			) ORDER BY call."position")
			FROM countersign.approvals call WHERE call.request_id = wanted
		)
	);
END;
$$;
--> statement-breakpoint
-- The number of a tenant's grants that are neither revoked, expired nor used up.
CREATE OR REPLACE FUNCTION "countersign"."live_grants"("tenant" text, "clock" timestamptz) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT count(*) FROM countersign.grants given WHERE given.tenant_id = tenant
			AND given.revoked_at IS NULL AND given.expires_at > clock AND coalesce(given.uses_left, 1) > 0
	);
END;
$$;
--> statement-breakpoint
-- A request, and all that is judged of a decision about one of its calls: the log about it, the votes, who looks at it or has put
-- it aside, the engaged stops, and the grant that an earlier decision gave. Whoever changes one of these for a decision also
-- changes the call's row, which is read before.
CREATE OR REPLACE FUNCTION "countersign"."read_decision"(
	"call_id" text, "trail_types" text[], "shift_ms" double precision, "counts_grants" boolean
) RETURNS json LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	request json;
	call record;
	clock timestamptz;
	votes json;
	looking json;
	aside json;
	given json;
	live bigint;
BEGIN
	request := countersign.read_request(
		(SELECT own.request_id FROM countersign.approvals own WHERE own.id = call_id), trail_types, shift_ms, call_id
	);
	SELECT own.tenant_id, own.terms, own.status, own.held_until INTO call FROM countersign.approvals own WHERE own.id = call_id;
	IF request IS NULL OR NOT FOUND THEN RETURN NULL; END IF;
	clock := clock_timestamp() + shift_ms * interval '1 millisecond';
	-- Default terms are not stored: without these, one person decides.
	IF call.terms ?| ARRAY['quorum', 'denials'] THEN
		SELECT json_agg(to_json(vote) ORDER BY vote.voted_at, vote.principal_id) INTO votes
			FROM countersign.votes vote WHERE vote.approval_id = call_id AND vote.taken_back_at IS NULL;
	END IF;
	IF call.status = 'pending' THEN
		SELECT json_agg(to_json(person) ORDER BY person.principal_id) INTO looking
			FROM countersign.viewers person WHERE person.approval_id = call_id AND person.until > clock;
		SELECT json_agg(to_json(person)) INTO aside
			FROM countersign.snoozes person WHERE person.approval_id = call_id AND person.until > clock;
	END IF;
	IF call.status <> 'pending' OR call.held_until IS NOT NULL THEN
		SELECT json_agg(to_json(grants)) INTO given FROM countersign.grants WHERE grants.tenant_id = call.tenant_id AND grants.id IN (
			SELECT entry.data ->> 'grantId' FROM countersign.audit_entries entry
			WHERE entry.tenant_id = call.tenant_id AND entry.approval_id = call_id AND entry.type = 'grant.created'
		);
	END IF;
	IF counts_grants THEN live := countersign.live_grants(call.tenant_id, clock); END IF;
	RETURN json_build_object(
		'request', request, 'votes', votes, 'viewers', looking, 'snoozes', aside, 'grants', given, 'liveGrants', live,
		'stops', (SELECT json_agg(to_json(stop) ORDER BY stop.id) FROM countersign.engaged_stops(call.tenant_id) stop)
	);
END;
$$;
--> statement-breakpoint
-- The calls of a request in their order. With a run, also its calls to which the model gave some ids, whatever their request.
CREATE OR REPLACE FUNCTION "countersign"."read_calls"("asked" jsonb) RETURNS json
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT json_agg(to_json(call) ORDER BY call."position") FROM countersign.approvals call
		WHERE call.request_id = asked ->> 'requestId' OR call.run_id = asked ->> 'runId'
			AND call.tool_call_id = ANY (ARRAY(SELECT jsonb_array_elements_text(asked -> 'callIds')))
	);
END;
$$;
--> statement-breakpoint
-- The oldest transitions of a tenant whose events may not have been sent, and the head of its log if that has entries to look at.
CREATE OR REPLACE FUNCTION "countersign"."read_unpublished"("asked" jsonb) RETURNS json
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	log constant text := asked ->> 'tenantId';
	types constant text[] := ARRAY(SELECT jsonb_array_elements_text(asked -> 'types'));
	head record;
BEGIN
	SELECT own."position", own.published_position INTO head FROM countersign.audit_heads own
		WHERE own.tenant_id = log AND own.published_position < own."position";
	RETURN json_build_object('head', head."position", 'transitions', (
		SELECT coalesce(json_agg(unsent.content ORDER BY unsent."position"), '[]') FROM (
			SELECT entry."position", json_build_object('position', entry."position", 'type', entry.type, 'actorId', entry.actor_id,
				'at', floor(extract(epoch FROM entry.at) * 1000)::bigint, 'data', entry.data,
				'approvalId', call.id, 'requestId', call.request_id, 'threadId', call.thread_id, 'toolName', call.tool_name,
				'digest', call.digest, 'risk', call.risk, 'awaitedEventId', call.awaited_event_id,
				'decidedAt', floor(extract(epoch FROM call.decided_at) * 1000)::bigint,
				'decisionReason', call.decision_reason, 'withdrawalCause', call.withdrawal_cause) AS content
			FROM countersign.audit_entries entry
				JOIN countersign.approvals call ON call.id = entry.approval_id AND call.tenant_id = entry.tenant_id
			WHERE entry.tenant_id = log AND entry."position" > head.published_position AND entry.type = ANY (types)
				AND (entry.type <> 'approval.announced' OR call.awaited_event_id IS NOT NULL)
			ORDER BY entry."position" LIMIT (asked ->> 'limit')::int
		) unsent
	));
END;
$$;
--> statement-breakpoint
-- Reads what verbs judge, each after the other: a JSON array in the order of their ids, with NULL where there is none.
CREATE OR REPLACE FUNCTION "countersign"."read_all"(
	"tenant" text, "all_tenants" text, "wait_ms" text, "shift_ms" double precision, "kind" text, "ids" text, "types" text
) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	trail_types constant text[] := string_to_array(types, ',');
	wanted text;
	found json[] := '{}';
BEGIN
	PERFORM countersign.enter_scope(tenant, all_tenants, wait_ms);
	FOR wanted IN SELECT value FROM json_array_elements_text(ids::json) LOOP
		found := found || CASE kind
			WHEN 'call' THEN countersign.read_call(wanted, trail_types, shift_ms)
			WHEN 'calls' THEN countersign.read_calls(wanted::jsonb)
			WHEN 'request' THEN countersign.read_request(wanted, trail_types, shift_ms)
			WHEN 'decision' THEN countersign.read_decision(wanted, trail_types, shift_ms, false)
			WHEN 'granting' THEN countersign.read_decision(wanted, trail_types, shift_ms, true)
			WHEN 'proposal' THEN countersign.read_proposal(wanted::jsonb, shift_ms)
			WHEN 'unpublished' THEN countersign.read_unpublished(wanted::jsonb)
		END;
	END LOOP;
	RETURN to_json(found)::text;
END;
$$;
--> statement-breakpoint
-- The times of a new row: those of its columns that are to be now, less a millisecond for each row that follows.
CREATE OR REPLACE FUNCTION "countersign"."times_of"("change" jsonb, "clock" timestamptz) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT coalesce(jsonb_object_agg("column", CASE WHEN "column" = 'created_at'
			THEN clock - (change ->> 'followed')::int * interval '1 millisecond' ELSE clock END), '{}')
		FROM jsonb_array_elements_text(change -> 'now') "column"
	);
END;
$$;
--> statement-breakpoint
-- Writes one verb's changes but for its entries of the log, or nothing if something of what it judged is no longer so. Returns
-- when it wrote them, in milliseconds since 1970, or the part that has changed. Every lock on what is judged is taken before anything
-- is written: the turn of proposals, the end of the run, request, calls, the turn of claims, proofs, grants, the turn of whoever
-- gives a grant.
CREATE OR REPLACE FUNCTION "countersign"."write_changes"("changes" jsonb, "shift_ms" double precision) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	change jsonb;
	given jsonb;
	clock timestamptz;
BEGIN
	-- A newer process must not believe that this has written what it does not know.
	IF changes - ARRAY['logs', 'deliveries', 'judgedAt', 'validUntil', 'turn', 'proposal', 'allowed', 'request', 'approvals', 'stops', 'evidence',
		'proofs', 'grants', 'vote', 'counted', 'newGrant', 'names', 'snooze', 'snoozeEnds'] <> '{}' THEN
		RAISE EXCEPTION 'this function is older than the process that calls it' USING ERRCODE = 'undefined_function';
	END IF;
	IF changes ? 'turn' THEN
		-- What proposals judge by others holds behind this lock, and the order of what is counted is that of the verdicts.
		PERFORM pg_advisory_xact_lock(hashtextextended('countersign:propose:' || (changes ->> 'turn'), 0)),
			set_config('countersign.turn', changes ->> 'turn', true);
	END IF;
	IF changes ? 'proposal' THEN
		change := changes #> '{proposal,asked}';
		-- Whoever records the end of a run waits for this lock, and then finds these calls.
		PERFORM pg_advisory_xact_lock_shared(hashtextextended('countersign:run:' || (change ->> 'runId'), 0));
		clock := clock_timestamp() + shift_ms * interval '1 millisecond';
		IF countersign.proposal_facts(change, clock) <> changes #> '{proposal,facts}' THEN RETURN 'proposal'; END IF;
		IF changes -> 'proposal' ? 'room' THEN
			given := countersign.waiting_calls(change, clock);
			PERFORM FROM jsonb_each(changes #> '{proposal,room}') room WHERE (given -> room.key)::bigint > room.value::bigint;
			IF FOUND THEN RETURN 'proposal'; END IF;
		END IF;
	END IF;
	IF changes ? 'allowed' THEN
		-- Proposals of the run that are in progress are over by then, and later ones find the record.
		PERFORM pg_advisory_xact_lock(hashtextextended('countersign:run:' || (changes #>> '{allowed,runId}'), 0));
		PERFORM FROM countersign.requests proposed WHERE proposed.id = changes #>> '{allowed,requestId}';
		IF FOUND THEN RETURN 'allowed'; END IF;
	END IF;
	IF changes ? 'request' THEN
		change := changes -> 'request';
		PERFORM FROM countersign.requests request
			WHERE request.id = change ->> 'id' AND request.xmin = (change ->> 'version')::xid FOR NO KEY UPDATE;
		IF NOT FOUND THEN RETURN 'request'; END IF;
	END IF;
	FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'approvals') LOOP
		PERFORM FROM countersign.approvals call WHERE call.id = change ->> 'id' AND CASE WHEN change ? 'version'
			THEN call.xmin = (change ->> 'version')::xid ELSE call.status = change ->> 'status' END FOR NO KEY UPDATE;
		IF NOT FOUND THEN RETURN 'approvals'; END IF;
	END LOOP;
	IF changes -> 'request' ? 'isComplete' THEN
		-- Whoever ends an open call has the lock of its request.
		PERFORM FROM countersign.approvals call WHERE call.request_id = changes #>> '{request,id}'
			AND call.status IN ('proposed', 'pending') AND NOT EXISTS (
				SELECT FROM jsonb_array_elements(changes -> 'approvals') ended
				WHERE ended ->> 'id' = call.id AND ended #>> '{set,status}' NOT IN ('proposed', 'pending')
			);
		IF FOUND = (changes #>> '{request,isComplete}')::boolean THEN RETURN 'approvals'; END IF;
	END IF;
	IF changes ? 'stops' THEN
		-- Whoever engages a stop waits for this lock, so what starts here has seen the stop, or is over when they return.
		PERFORM pg_advisory_xact_lock_shared(hashtextextended('countersign:claims', 0));
		PERFORM FROM countersign.engaged_stops(changes #>> '{stops,tenantId}') stop
			WHERE NOT (changes #> '{stops,seen}') ? stop.id;
		IF FOUND THEN RETURN 'stops'; END IF;
	END IF;
	IF changes ? 'evidence' THEN
		FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'evidence') LOOP
			PERFORM FROM countersign.evidence proof
				WHERE proof.id = change ->> 'id' AND proof.xmin = (change ->> 'version')::xid FOR NO KEY UPDATE;
			IF NOT FOUND THEN RETURN 'evidence'; END IF;
		END LOOP;
	END IF;
	IF changes ? 'grants' THEN
		-- Many calls use a grant at once, so it has no version: it must not be revoked, and what is added must stay within a sum.
		FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'grants') LOOP
			IF change ? 'spend' THEN
				PERFORM FROM countersign.grants used WHERE used.id = change ->> 'id' AND used.tenant_id = change ->> 'tenantId'
					AND used.revoked_at IS NULL AND used.spent + (change ->> 'spend')::numeric <= (change ->> 'total')::numeric FOR NO KEY UPDATE;
			ELSIF change ? 'take' THEN
				PERFORM FROM countersign.grants used WHERE used.id = change ->> 'id' AND used.tenant_id = change ->> 'tenantId'
					AND used.revoked_at IS NULL AND used.expires_at > clock_timestamp() + shift_ms * interval '1 millisecond'
					AND coalesce(used.uses_left >= (change ->> 'take')::int, true) FOR NO KEY UPDATE;
			ELSE
				PERFORM FROM countersign.grants used WHERE used.id = change ->> 'id' AND used.tenant_id = change ->> 'tenantId'
					AND used.revoked_at IS NULL FOR SHARE;
			END IF;
			IF NOT FOUND THEN RETURN 'grants'; END IF;
			IF change ? 'uses' AND countersign.logged_uses(change ->> 'id') + (change ->> 'take')::int > (change ->> 'uses')::bigint
				OR change ? 'reserve' AND countersign.budget_used(change ->> 'id', (change ->> 'byLog')::boolean)
					+ (change ->> 'reserve')::numeric > (change ->> 'total')::numeric THEN
				RETURN 'grants';
			END IF;
			-- Its row can be reset or moved, the log cannot.
			PERFORM FROM countersign.audit_entries entry WHERE entry.tenant_id = change ->> 'tenantId'
				AND entry.approval_id = change ->> 'approvalId' AND entry.type = 'grant.revoked'
				AND entry.data ->> 'grantId' = change ->> 'id';
			IF FOUND THEN RETURN 'grants'; END IF;
		END LOOP;
	END IF;
	IF changes -> 'newGrant' ? 'limit' THEN
		-- Grants are given one after another, so that two given at once cannot both be the last one.
		change := changes #> '{newGrant,row}';
		PERFORM pg_advisory_xact_lock(hashtextextended('countersign:grants:' || (change ->> 'tenant_id'), 0));
		IF countersign.live_grants(change ->> 'tenant_id', clock_timestamp() + shift_ms * interval '1 millisecond')
			>= (changes #>> '{newGrant,limit}')::bigint THEN
			RETURN 'newGrant';
		END IF;
	END IF;
	-- Behind those locks, which may have been long in coming: it was judged not long ago, and nothing has become due since.
	clock := date_trunc('milliseconds', clock_timestamp() + shift_ms * interval '1 millisecond');
	IF changes ? 'judgedAt' AND (
		clock BETWEEN (changes ->> 'judgedAt')::timestamptz AND (changes ->> 'validUntil')::timestamptz
	) IS NOT TRUE THEN
		RETURN 'time';
	END IF;

	IF changes ? 'proposal' THEN
		change := changes -> 'proposal';
		INSERT INTO countersign.requests SELECT proposed.* FROM jsonb_populate_record(
				NULL::countersign.requests, (change #> '{request,row}') || countersign.times_of(change -> 'request', clock)
			) proposed ON CONFLICT DO NOTHING;
		IF NOT FOUND THEN RETURN 'proposal'; END IF;
		INSERT INTO countersign.approvals SELECT proposed.* FROM jsonb_array_elements(change -> 'calls') call,
			jsonb_populate_record(NULL::countersign.approvals, (call -> 'row') || countersign.times_of(call, clock)) proposed;
		INSERT INTO countersign.counted_calls (approval_id, tenant_id, counter, at, amount)
			SELECT call #>> '{row,id}', call #>> '{row,tenant_id}', counter,
				clock - (call ->> 'followed')::int * interval '1 millisecond', amount
			FROM jsonb_array_elements(change -> 'calls') call,
				jsonb_to_recordset(call -> 'counted') AS counted(counter text, amount numeric);
	END IF;
	IF changes ? 'allowed' THEN
		INSERT INTO countersign.allowed_responses (request_id, tenant_id, allowed_at)
			VALUES (changes #>> '{allowed,requestId}', changes #>> '{allowed,tenantId}', clock) ON CONFLICT DO NOTHING;
	END IF;
	-- Before the calls: a trigger has the rows of a call that ends no longer count.
	IF changes ? 'counted' THEN
		change := changes -> 'counted';
		DELETE FROM countersign.counted_calls counted WHERE counted.approval_id = change ->> 'approvalId';
		INSERT INTO countersign.counted_calls (approval_id, tenant_id, counter, at, amount)
			SELECT change ->> 'approvalId', change ->> 'tenantId', counter, clock, amount
			FROM jsonb_to_recordset(change -> 'rows') AS counted(counter text, amount numeric);
	END IF;
	FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'approvals') LOOP
		given := change -> 'set';
		CONTINUE WHEN given IS NULL;
		-- Also with nothing to set: its new version makes others judge again.
		UPDATE countersign.approvals call SET
			status = coalesce(given ->> 'status', call.status),
			announced_at = coalesce((given ->> 'announcedAt')::timestamptz, call.announced_at),
			expires_at = coalesce((given ->> 'expiresAt')::timestamptz, call.expires_at),
			extensions_used = coalesce((given ->> 'extensionsUsed')::int, call.extensions_used),
			escalation_steps = coalesce((given ->> 'escalationSteps')::int, call.escalation_steps),
			approver_roles = CASE WHEN given ? 'approverRoles'
				THEN ARRAY(SELECT jsonb_array_elements_text(given -> 'approverRoles')) ELSE call.approver_roles END,
			assignee_id = CASE WHEN given ? 'assigneeId' THEN given ->> 'assigneeId' ELSE call.assignee_id END,
			assigned_by = CASE WHEN given ? 'assignedBy' THEN given ->> 'assignedBy' ELSE call.assigned_by END,
			assigned_roles = CASE WHEN NOT given ? 'assignedRoles' THEN call.assigned_roles
				WHEN given ->> 'assignedRoles' IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(given -> 'assignedRoles')) END,
			assignment_token = CASE WHEN given ? 'assignmentToken' THEN given ->> 'assignmentToken' ELSE call.assignment_token END,
			held = CASE WHEN given ? 'held' THEN nullif(given -> 'held', 'null') ELSE call.held END,
			held_until = CASE WHEN given ? 'heldUntil' THEN (given ->> 'heldUntil')::timestamptz ELSE call.held_until END,
			decision_type = CASE WHEN given ? 'decisionType' THEN given ->> 'decisionType' ELSE call.decision_type END,
			decided_by = CASE WHEN given ? 'decidedBy' THEN given ->> 'decidedBy' ELSE call.decided_by END,
			decided_roles = CASE WHEN given ? 'decidedRoles'
				THEN ARRAY(SELECT jsonb_array_elements_text(given -> 'decidedRoles')) ELSE call.decided_roles END,
			decision_reason = CASE WHEN given ? 'decisionReason' THEN given ->> 'decisionReason' ELSE call.decision_reason END,
			decided_at = coalesce((given ->> 'decidedAt')::timestamptz, call.decided_at),
			response_json = CASE WHEN given ? 'responseJson' THEN given ->> 'responseJson' ELSE call.response_json END,
			edited_input_json = CASE WHEN given ? 'editedInputJson' THEN given ->> 'editedInputJson' ELSE call.edited_input_json END,
			edited_digest = CASE WHEN given ? 'editedDigest' THEN given ->> 'editedDigest' ELSE call.edited_digest END,
			arguments_hash = coalesce(given ->> 'argumentsHash', call.arguments_hash),
			withdrawal_cause = CASE WHEN given ? 'withdrawalCause' THEN given ->> 'withdrawalCause' ELSE call.withdrawal_cause END,
			handler_kind = CASE WHEN given ? 'handlerKind' THEN given ->> 'handlerKind' ELSE call.handler_kind END,
			started_by = CASE WHEN given ? 'startedBy' THEN given ->> 'startedBy' ELSE call.started_by END,
			started_at = CASE WHEN given ? 'startedAt' THEN (given ->> 'startedAt')::timestamptz ELSE call.started_at END,
			finished_at = CASE given ->> 'finishedAt' WHEN 'now' THEN clock
				ELSE coalesce((given ->> 'finishedAt')::timestamptz, call.finished_at) END,
			outcome_json = CASE WHEN given ? 'outcomeJson' THEN given ->> 'outcomeJson' ELSE call.outcome_json END,
			outcome_token = CASE WHEN given ? 'outcomeToken' THEN given ->> 'outcomeToken' ELSE call.outcome_token END,
			undo_id = CASE WHEN given ? 'undoId' THEN given ->> 'undoId' ELSE call.undo_id END,
			resolution_outcome = coalesce(given ->> 'resolutionOutcome', call.resolution_outcome),
			resolved_by = coalesce(given ->> 'resolvedBy', call.resolved_by),
			resolution_note = CASE WHEN given ? 'resolutionNote' THEN given ->> 'resolutionNote' ELSE call.resolution_note END,
			resolved_at = coalesce((given ->> 'resolvedAt')::timestamptz, call.resolved_at),
			undone_at = CASE WHEN given ? 'undoneAt' THEN (given ->> 'undoneAt')::timestamptz ELSE call.undone_at END
		WHERE call.id = change ->> 'id';
	END LOOP;
	IF changes ? 'request' THEN
		given := changes #> '{request,set}';
		IF given ?| ARRAY['rounds', 'settledAt'] THEN
			UPDATE countersign.requests request SET
				rounds = coalesce((given ->> 'rounds')::int, request.rounds),
				settled_at = CASE WHEN given ? 'settledAt' THEN (given ->> 'settledAt')::timestamptz ELSE request.settled_at END
			WHERE request.id = changes #>> '{request,id}';
		END IF;
		IF given ->> 'wakeUp' = 'queued' THEN
			-- An earlier, unanswered wake-up may have its row there already.
			INSERT INTO countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
				SELECT request.id, request.tenant_id, clock, 0, clock + (given ->> 'retrySeconds')::int * interval '1 second'
				FROM countersign.requests request WHERE request.id = changes #>> '{request,id}'
				ON CONFLICT DO NOTHING;
		ELSIF given ->> 'wakeUp' = 'answered' THEN
			DELETE FROM countersign.outbox queued WHERE queued.request_id = changes #>> '{request,id}';
		END IF;
	END IF;
	IF changes ? 'vote' THEN
		INSERT INTO countersign.votes SELECT vote.* FROM jsonb_populate_record(NULL::countersign.votes, changes -> 'vote') vote
			ON CONFLICT (approval_id, principal_id) DO UPDATE SET
				type = excluded.type, roles = excluded.roles, on_behalf_of = excluded.on_behalf_of,
				on_behalf_of_roles = excluded.on_behalf_of_roles, reason = excluded.reason, voted_at = excluded.voted_at,
				token = excluded.token, taken_back_at = excluded.taken_back_at;
	END IF;
	IF changes ? 'newGrant' THEN
		INSERT INTO countersign.grants SELECT given_now.*
			FROM jsonb_populate_record(NULL::countersign.grants, changes #> '{newGrant,row}') given_now;
	END IF;
	IF changes ? 'names' THEN
		FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'names') LOOP
			INSERT INTO countersign.viewers AS known (approval_id, tenant_id, principal_id, display_name, until)
				VALUES (change ->> 'approvalId', change ->> 'tenantId', change ->> 'principalId', change ->> 'displayName', clock)
				ON CONFLICT (approval_id, principal_id) DO UPDATE SET display_name = excluded.display_name
					WHERE known.display_name IS DISTINCT FROM excluded.display_name;
		END LOOP;
	END IF;
	IF changes ? 'snooze' THEN
		INSERT INTO countersign.snoozes
			SELECT aside.* FROM jsonb_populate_record(NULL::countersign.snoozes, changes -> 'snooze') aside
			ON CONFLICT (approval_id, principal_id) DO UPDATE SET until = excluded.until;
	END IF;
	IF changes ? 'snoozeEnds' THEN
		-- The rows stay: applications may not delete them.
		change := changes -> 'snoozeEnds';
		UPDATE countersign.snoozes snooze SET until = clock WHERE snooze.approval_id = change ->> 'approvalId'
			AND snooze.principal_id = coalesce(change ->> 'principalId', snooze.principal_id) AND snooze.until > clock;
	END IF;
	IF changes ? 'proofs' THEN
		INSERT INTO countersign.evidence SELECT proof.* FROM jsonb_populate_recordset(NULL::countersign.evidence, changes -> 'proofs') proof
			ON CONFLICT DO NOTHING;
	END IF;
	IF changes ? 'evidence' THEN
		UPDATE countersign.evidence proof SET consumed_at = (changed ->> 'consumedAt')::timestamptz
			FROM jsonb_array_elements(changes -> 'evidence') changed WHERE proof.id = changed ->> 'id' AND changed ? 'consumedAt';
	END IF;
	IF changes ? 'grants' THEN
		UPDATE countersign.grants used SET spent = used.spent + (changed ->> 'spend')::numeric
			FROM jsonb_array_elements(changes -> 'grants') changed WHERE used.id = changed ->> 'id' AND changed ? 'spend';
		UPDATE countersign.grants used SET uses_left = used.uses_left - (changed ->> 'take')::int,
				uses_taken = used.uses_taken + (changed ->> 'take')::int
			FROM jsonb_array_elements(changes -> 'grants') changed WHERE used.id = changed ->> 'id' AND changed ? 'take';
	END IF;
	IF changes ? 'deliveries' THEN
		INSERT INTO countersign.deliveries
				(id, tenant_id, approval_id, channel, target, event, occurred_at, next_attempt_at, created_at)
			SELECT id, tenant_id, approval_id, channel, target, event, clock, clock, clock
			FROM jsonb_to_recordset(changes -> 'deliveries')
				AS due(id text, tenant_id text, approval_id text, channel text, target text, event text);
	END IF;
	RETURN floor(extract(epoch FROM clock) * 1000)::bigint::text;
END;
$$;
--> statement-breakpoint
-- Writes the changes of some verbs, each of them or nothing of it: a later one finds what those before it have written. Returns a
-- JSON array of what `write_changes` returns, or `locked` if a lock but the log's would have to be waited for longer than
-- `row_wait_ms`. The logs come last, as in all transactions, and in the order in which all of them lock these.
CREATE OR REPLACE FUNCTION "countersign"."apply_changes"(
	"tenant" text, "all_tenants" text, "wait_ms" text, "shift_ms" double precision, "row_wait_ms" text, "sets" text
) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	changes jsonb;
	result text;
	results text[] := '{}';
	written jsonb[] := '{}';
	taken jsonb := '[]';
	log record;
BEGIN
	PERFORM countersign.enter_scope(tenant, all_tenants, wait_ms);
	-- Those that take turns go together, and wait for their turn before anything else, so with nothing in their hands.
	PERFORM pg_advisory_xact_lock(hashtextextended('countersign:propose:' || (sets::jsonb #>> '{0,turn}'), 0));
	IF row_wait_ms <> wait_ms THEN PERFORM set_config('lock_timeout', row_wait_ms, true); END IF;
	FOR changes IN SELECT value FROM jsonb_array_elements(sets::jsonb) LOOP
		BEGIN
			-- The log counts what a grant has approved, and does not have the entries of this statement yet.
			result := CASE WHEN jsonb_path_exists(changes, '$.grants[*] ? (exists(@.take) && @.id == $taken[*])', jsonb_build_object('taken', taken))
				THEN 'locked' ELSE countersign.write_changes(changes, shift_ms) END;
		EXCEPTION WHEN lock_not_available THEN
			-- Whoever may wait for longer is told that it was in vain.
			IF (row_wait_ms = wait_ms) IS NOT FALSE THEN RAISE; END IF;
			result := 'locked';
		END;
		results := results || result;
		IF result ~ '^[0-9]+$' THEN
			written := written || (changes -> 'logs');
			taken := taken || jsonb_path_query_array(changes, '$.grants[*] ? (exists(@.take)).id');
		END IF;
	END LOOP;
	IF row_wait_ms <> wait_ms THEN PERFORM set_config('lock_timeout', wait_ms, true); END IF;
	FOR log IN
		SELECT (part ->> 'tenantId') COLLATE "C" AS tenant_id, max((part ->> 'publishedUpTo')::bigint) AS published,
			json_agg(entry ORDER BY number, place) FILTER (WHERE place IS NOT NULL) AS entries
		FROM unnest(written) WITH ORDINALITY AS logs (parts, number), jsonb_array_elements(parts) AS part
			LEFT JOIN jsonb_array_elements(part -> 'entries') WITH ORDINALITY AS its (entry, place) ON true
		GROUP BY tenant_id ORDER BY tenant_id
	LOOP
		IF log.entries IS NOT NULL THEN PERFORM countersign.append_to_audit_log(log.tenant_id, shift_ms, log.entries); END IF;
		IF log.published IS NOT NULL THEN
			UPDATE countersign.audit_heads head SET published_position = log.published
				WHERE head.tenant_id = log.tenant_id AND head.published_position < log.published;
		END IF;
	END LOOP;
	RETURN to_json(results)::text;
END;
$$;
