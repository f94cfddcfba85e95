-- A verb reads what it judges with one statement and writes what follows with another. No transaction is open between the two,
-- so each row comes with its version, and nothing is written unless all versions are the same. The version is the transaction
-- that wrote the row (xmin): whoever changes a row raises it. There is no rule about calls here: store/verb.ts.
-- `npm run db:generate` copies this file into a migration.
CREATE OR REPLACE FUNCTION "countersign"."enter_scope"("tenant" text, "all_tenants" text, "wait_ms" text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Behind a lock, an older snapshot would hide what its holder wrote. The caller then begins a transaction itself.
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'the transaction must be read committed' USING ERRCODE = 'CT001';
	END IF;
	PERFORM set_config('countersign.tenant', tenant, true), set_config('countersign.all_tenants', all_tenants, true),
		set_config('lock_timeout', wait_ms, true);
END;
$$;
--> statement-breakpoint
-- All that is judged of one call: the row, what proves its approval, the log about it, the votes, the grant, the engaged stops,
-- and the call that it undoes. The row comes first: whoever changes something else about the call later also raises its version.
CREATE OR REPLACE FUNCTION "countersign"."read_call"(
	"tenant" text, "all_tenants" text, "wait_ms" text, "shift_ms" double precision, "call_id" text, "types" text
) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	trail_types constant text[] := string_to_array(types, ',');
	call record;
	votes json;
	given json;
	undone json;
BEGIN
	PERFORM countersign.enter_scope(tenant, all_tenants, wait_ms);
	SELECT own.tenant_id, own.grant_id, own.terms, own.xmin AS version, to_json(own) AS content, request.settled_at INTO call
		FROM countersign.approvals own JOIN countersign.requests request ON request.id = own.request_id WHERE own.id = call_id;
	IF NOT FOUND THEN RETURN NULL; END IF;
	IF call.terms ? 'quorum' THEN
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
		'stops', (
			SELECT json_agg(to_json(stop) ORDER BY stop.id) FROM countersign.stops stop
			WHERE stop.released_at IS NULL AND (stop.tenant_id IS NULL OR stop.tenant_id = call.tenant_id)
		)
	)::text;
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
-- Writes a verb's changes, or nothing if something of what it judged is no longer so. Returns when it wrote them, in milliseconds
-- since 1970, or the part that has changed. Every lock is taken before anything is written: calls, the turn of claims, proofs,
-- grants, and last the log.
CREATE OR REPLACE FUNCTION "countersign"."apply_changes"(
	"tenant" text, "all_tenants" text, "wait_ms" text, "shift_ms" double precision, "json" text
) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	changes constant jsonb := json;
	change jsonb;
	given jsonb;
	clock timestamptz;
BEGIN
	PERFORM countersign.enter_scope(tenant, all_tenants, wait_ms);
	FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'approvals') LOOP
		PERFORM FROM countersign.approvals call WHERE call.id = change ->> 'id' AND CASE WHEN change ? 'version'
			THEN call.xmin = (change ->> 'version')::xid ELSE call.status = change ->> 'status' END FOR NO KEY UPDATE;
		IF NOT FOUND THEN RETURN 'approvals'; END IF;
	END LOOP;
	IF changes ? 'stops' THEN
		-- Whoever engages a stop waits for this lock, so what starts here has seen the stop, or is over when they return.
		PERFORM pg_advisory_xact_lock_shared(hashtextextended('countersign:claims', 0));
		PERFORM FROM countersign.stops stop WHERE stop.released_at IS NULL
			AND (stop.tenant_id IS NULL OR stop.tenant_id = changes #>> '{stops,tenantId}')
			AND NOT (changes #> '{stops,seen}') ? stop.id;
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
				PERFORM FROM countersign.grants used WHERE used.id = change ->> 'id' AND used.revoked_at IS NULL
					AND used.spent + (change ->> 'spend')::numeric <= (change ->> 'total')::numeric FOR NO KEY UPDATE;
			ELSE
				PERFORM FROM countersign.grants used WHERE used.id = change ->> 'id' AND used.revoked_at IS NULL FOR SHARE;
			END IF;
			IF NOT FOUND THEN RETURN 'grants'; END IF;
		END LOOP;
	END IF;
	-- Last, because a lock may have been long in coming: it was judged not long ago, and nothing has become due since.
	clock := date_trunc('milliseconds', clock_timestamp() + shift_ms * interval '1 millisecond');
	IF clock < (changes ->> 'judgedAt')::timestamptz OR clock > (changes ->> 'validUntil')::timestamptz THEN
		RETURN 'time';
	END IF;

	FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'approvals') LOOP
		given := change -> 'set';
		CONTINUE WHEN given IS NULL;
		-- Also with nothing to set: the version tells others that the row was judged.
		UPDATE countersign.approvals call SET
			status = coalesce(given ->> 'status', call.status),
			withdrawal_cause = CASE WHEN given ? 'withdrawalCause' THEN given ->> 'withdrawalCause' ELSE call.withdrawal_cause END,
			handler_kind = CASE WHEN given ? 'handlerKind' THEN given ->> 'handlerKind' ELSE call.handler_kind END,
			started_by = CASE WHEN given ? 'startedBy' THEN given ->> 'startedBy' ELSE call.started_by END,
			started_at = CASE WHEN given ? 'startedAt' THEN (given ->> 'startedAt')::timestamptz ELSE call.started_at END,
			finished_at = CASE given ->> 'finishedAt' WHEN 'now' THEN clock
				ELSE coalesce((given ->> 'finishedAt')::timestamptz, call.finished_at) END,
			outcome_json = CASE WHEN given ? 'outcomeJson' THEN given ->> 'outcomeJson' ELSE call.outcome_json END,
			outcome_token = CASE WHEN given ? 'outcomeToken' THEN given ->> 'outcomeToken' ELSE call.outcome_token END,
			undone_at = CASE WHEN given ? 'undoneAt' THEN (given ->> 'undoneAt')::timestamptz ELSE call.undone_at END
		WHERE call.id = change ->> 'id';
	END LOOP;
	IF changes ? 'evidence' THEN
		UPDATE countersign.evidence proof SET consumed_at = (changed ->> 'consumedAt')::timestamptz
			FROM jsonb_array_elements(changes -> 'evidence') changed WHERE proof.id = changed ->> 'id';
	END IF;
	IF changes ? 'grants' THEN
		UPDATE countersign.grants used SET spent = used.spent + (changed ->> 'spend')::numeric
			FROM jsonb_array_elements(changes -> 'grants') changed WHERE used.id = changed ->> 'id' AND changed ? 'spend';
	END IF;
	IF changes ? 'deliveries' THEN
		INSERT INTO countersign.deliveries
				(id, tenant_id, approval_id, channel, target, event, occurred_at, next_attempt_at, created_at)
			SELECT id, tenant_id, approval_id, channel, target, event, clock, clock, clock
			FROM jsonb_to_recordset(changes -> 'deliveries')
				AS due(id text, tenant_id text, approval_id text, channel text, target text, event text);
	END IF;
	FOR change IN SELECT value FROM jsonb_array_elements(changes -> 'logs') LOOP
		PERFORM countersign.append_to_audit_log(change ->> 'tenantId', shift_ms, (change -> 'entries')::json);
	END LOOP;
	RETURN floor(extract(epoch FROM clock) * 1000)::bigint::text;
END;
$$;
