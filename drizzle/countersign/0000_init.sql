CREATE SCHEMA "countersign";
--> statement-breakpoint
CREATE TABLE "countersign"."allowed_responses" (
	"request_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"allowed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."approvals" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"request_id" text NOT NULL,
	"thread_id" text,
	"run_id" text,
	"agent_name" text,
	"requester_id" text,
	"position" integer NOT NULL,
	"tool_call_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"tool_version" text NOT NULL,
	"input_json" text NOT NULL,
	"digest" text NOT NULL,
	"nonce" text NOT NULL,
	"call_hash" text NOT NULL,
	"edited_input_json" text,
	"edited_digest" text,
	"input_schema_json" text,
	"policy_context" jsonb NOT NULL,
	"status" text NOT NULL,
	"verdict" text NOT NULL,
	"summary" text NOT NULL,
	"risk" text NOT NULL,
	"terms" jsonb NOT NULL,
	"reason" text,
	"approver_roles" text[] NOT NULL,
	"approver_ids" text[] NOT NULL,
	"proposed_roles" text[] NOT NULL,
	"policy_version" text NOT NULL,
	"timeout_ms" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"announced_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"escalation_steps" integer DEFAULT 0 NOT NULL,
	"decision_type" text,
	"decided_by" text,
	"decided_roles" text[],
	"decision_reason" text,
	"decided_at" timestamp (3) with time zone,
	"held" jsonb,
	"held_until" timestamp (3) with time zone,
	"withdrawal_cause" text,
	"started_at" timestamp (3) with time zone,
	"started_by" text,
	"handler_kind" text,
	"finished_at" timestamp (3) with time zone,
	"response_json" text,
	"outcome_json" text,
	"outcome_token" text,
	"assignee_id" text,
	"assigned_by" text,
	"assigned_roles" text[],
	"assignment_token" text,
	"grant_id" text,
	"grant_amount" numeric,
	"over_budget" jsonb,
	"duplicate_of" text,
	"extensions_used" integer DEFAULT 0 NOT NULL,
	"resolution_outcome" text,
	"resolved_by" text,
	"resolution_note" text,
	"resolved_at" timestamp (3) with time zone,
	"awaited_event_id" text,
	"notify" text[] DEFAULT '{}' NOT NULL,
	"undo_id" text,
	"undone_at" timestamp (3) with time zone,
	"undo_token" text,
	CONSTRAINT "approvals_of_tenant" UNIQUE("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."audit_entries" (
	"tenant_id" text NOT NULL,
	"position" bigint NOT NULL,
	"approval_id" text,
	"type" text NOT NULL,
	"actor_id" text,
	"at" timestamp (3) with time zone NOT NULL,
	"data" json NOT NULL,
	"prev_hash" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_entries_tenant_id_position_pk" PRIMARY KEY("tenant_id","position")
);
--> statement-breakpoint
CREATE TABLE "countersign"."audit_heads" (
	"tenant_id" text PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"hash" text NOT NULL,
	"published_position" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."audit_segments" (
	"tenant_id" text NOT NULL,
	"first_position" bigint NOT NULL,
	"last_position" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"previous_hash" text NOT NULL,
	"hash" text NOT NULL,
	"sealed_at" timestamp (3) with time zone NOT NULL,
	"token" text,
	CONSTRAINT "audit_segments_tenant_id_last_position_pk" PRIMARY KEY("tenant_id","last_position")
);
--> statement-breakpoint
CREATE TABLE "countersign"."counted_calls" (
	"approval_id" text NOT NULL,
	"counter" text NOT NULL,
	"tenant_id" text NOT NULL,
	"position" bigserial NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"amount" numeric,
	"counts" boolean DEFAULT true NOT NULL,
	CONSTRAINT "counted_calls_approval_id_counter_pk" PRIMARY KEY("approval_id","counter")
);
--> statement-breakpoint
CREATE TABLE "countersign"."deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"approval_id" text NOT NULL,
	"channel" text NOT NULL,
	"target" text,
	"recipient_id" text,
	"recipient_label" text,
	"event" text NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"wanted_version" integer DEFAULT 1 NOT NULL,
	"sent_version" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"uncertain" boolean DEFAULT false NOT NULL,
	"reference" jsonb,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"replayed_at" timestamp (3) with time zone,
	"roundup_id" text
);
--> statement-breakpoint
CREATE TABLE "countersign"."ended_runs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"cause" text NOT NULL,
	"ended_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."engine_watch" (
	"app_id" text PRIMARY KEY NOT NULL,
	"canary_id" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"checks" integer NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"answered_at" timestamp (3) with time zone,
	"lost_at" timestamp (3) with time zone,
	"lost_runs" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."evidence" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"approval_id" text,
	"origin" text NOT NULL,
	"decision" text NOT NULL,
	"principal_id" text NOT NULL,
	"via" text,
	"digest" text NOT NULL,
	"token" text NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"consumed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."failing_recipients" (
	"tenant_id" text NOT NULL,
	"channel" text NOT NULL,
	"recipient_id" text NOT NULL,
	"recipient_label" text NOT NULL,
	"failing_since" timestamp (3) with time zone NOT NULL,
	"last_failed_at" timestamp (3) with time zone NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	CONSTRAINT "failing_recipients_tenant_id_channel_recipient_id_pk" PRIMARY KEY("tenant_id","channel","recipient_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."grants" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"scope" text NOT NULL,
	"scope_id" text,
	"tool_name" text NOT NULL,
	"tool_version" text NOT NULL,
	"input_hash" text,
	"condition" text,
	"author_sees_all" boolean DEFAULT false NOT NULL,
	"summary" text NOT NULL,
	"granted_by" text NOT NULL,
	"granted_roles" text[] DEFAULT '{}' NOT NULL,
	"approval_id" text NOT NULL,
	"rerun" boolean DEFAULT false NOT NULL,
	"approver_roles" text[] NOT NULL,
	"approver_ids" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"uses_left" integer,
	"uses_taken" integer DEFAULT 0 NOT NULL,
	"budget" jsonb,
	"spent" numeric DEFAULT '0' NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text,
	"token" text
);
--> statement-breakpoint
CREATE TABLE "countersign"."installation" (
	"id" integer PRIMARY KEY NOT NULL,
	"name_secret" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."outbox" (
	"request_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."preferences" (
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "preferences_tenant_id_principal_id_pk" PRIMARY KEY("tenant_id","principal_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."push_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"roles" text[] NOT NULL,
	"endpoint" text NOT NULL,
	"p256dh" text NOT NULL,
	"auth" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "push_subscriptions_endpoint" UNIQUE("endpoint")
);
--> statement-breakpoint
CREATE TABLE "countersign"."refusals" (
	"approval_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"type" text NOT NULL,
	"code" text NOT NULL,
	"times" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "refusals_approval_id_principal_id_type_code_pk" PRIMARY KEY("approval_id","principal_id","type","code")
);
--> statement-breakpoint
CREATE TABLE "countersign"."requests" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"thread_id" text,
	"run_id" text,
	"app_id" text,
	"instance_id" text,
	"model_text" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"rounds" integer DEFAULT 0 NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"probed_round" integer,
	"parent_run_id" text,
	CONSTRAINT "requests_of_tenant" UNIQUE("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."snoozes" (
	"approval_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "snoozes_approval_id_principal_id_pk" PRIMARY KEY("approval_id","principal_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."stops" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text,
	"tool" text NOT NULL,
	"reason" text NOT NULL,
	"engaged_by" text NOT NULL,
	"engaged_at" timestamp (3) with time zone NOT NULL,
	"released_by" text,
	"released_at" timestamp (3) with time zone,
	"release_reason" text
);
--> statement-breakpoint
CREATE TABLE "countersign"."thread_entries" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"thread_id" text NOT NULL,
	"run_id" text,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"body_json" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."threads" (
	"tenant_id" text NOT NULL,
	"id" text NOT NULL,
	"owner_id" text,
	"run_id" text,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "threads_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."viewers" (
	"approval_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"display_name" text,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "viewers_approval_id_principal_id_pk" PRIMARY KEY("approval_id","principal_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."votes" (
	"approval_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"type" text DEFAULT 'approve' NOT NULL,
	"roles" text[] DEFAULT '{}' NOT NULL,
	"on_behalf_of" text,
	"on_behalf_of_roles" text[],
	"reason" text,
	"voted_at" timestamp (3) with time zone NOT NULL,
	"token" text,
	"taken_back_at" timestamp (3) with time zone,
	CONSTRAINT "votes_approval_id_principal_id_pk" PRIMARY KEY("approval_id","principal_id")
);
--> statement-breakpoint
CREATE INDEX "allowed_responses_age" ON "countersign"."allowed_responses" USING btree ("allowed_at");
--> statement-breakpoint
CREATE INDEX "approvals_request" ON "countersign"."approvals" USING btree ("request_id");
--> statement-breakpoint
CREATE INDEX "approvals_run" ON "countersign"."approvals" USING btree ("run_id");
--> statement-breakpoint
CREATE INDEX "approvals_list" ON "countersign"."approvals" USING btree ("tenant_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "approvals_thread" ON "countersign"."approvals" USING btree ("tenant_id","thread_id","created_at");
--> statement-breakpoint
CREATE INDEX "approvals_due" ON "countersign"."approvals" USING btree ("status","expires_at") WHERE "countersign"."approvals"."status" in ('proposed', 'pending', 'approved', 'executing', 'interrupted');
--> statement-breakpoint
CREATE INDEX "approvals_expiring" ON "countersign"."approvals" USING btree ("tenant_id","status","expires_at","id");
--> statement-breakpoint
CREATE INDEX "approvals_of_requester" ON "countersign"."approvals" USING btree ("tenant_id","requester_id","tool_name","decided_at") WHERE "countersign"."approvals"."decided_at" is not null;
--> statement-breakpoint
CREATE INDEX "approvals_held" ON "countersign"."approvals" USING btree ("held_until") WHERE "countersign"."approvals"."held_until" is not null;
--> statement-breakpoint
CREATE INDEX "approvals_decided" ON "countersign"."approvals" USING btree ("tenant_id","decided_at","id");
--> statement-breakpoint
CREATE INDEX "approvals_being_undone" ON "countersign"."approvals" USING btree ("undo_id") WHERE "countersign"."approvals"."undo_id" is not null and "countersign"."approvals"."undone_at" is null;
--> statement-breakpoint
CREATE INDEX "approvals_spending" ON "countersign"."approvals" USING btree ("tenant_id","grant_id") WHERE "countersign"."approvals"."grant_amount" is not null and "countersign"."approvals"."status" = 'approved';
--> statement-breakpoint
CREATE INDEX "audit_approval" ON "countersign"."audit_entries" USING btree ("tenant_id","approval_id","position");
--> statement-breakpoint
CREATE INDEX "audit_grant_uses" ON "countersign"."audit_entries" USING btree ("tenant_id",("data" ->> 'grantId')) WHERE "countersign"."audit_entries"."type" = 'approval.granted';
--> statement-breakpoint
CREATE INDEX "audit_confirmations" ON "countersign"."audit_entries" USING btree ("tenant_id",("data" ->> 'evidenceId')) WHERE "countersign"."audit_entries"."type" = 'confirmation.consumed';
--> statement-breakpoint
CREATE INDEX "counted_calls_counter" ON "countersign"."counted_calls" USING btree ("tenant_id","counter","at","amount") WHERE "countersign"."counted_calls"."counts";
--> statement-breakpoint
CREATE INDEX "deliveries_approval" ON "countersign"."deliveries" USING btree ("tenant_id","approval_id","channel","recipient_id");
--> statement-breakpoint
CREATE INDEX "deliveries_open" ON "countersign"."deliveries" USING btree ("state","next_attempt_at") WHERE "countersign"."deliveries"."state" in ('due', 'failed');
--> statement-breakpoint
CREATE INDEX "deliveries_recipient" ON "countersign"."deliveries" USING btree ("tenant_id","channel","recipient_id","created_at");
--> statement-breakpoint
CREATE INDEX "deliveries_roundup" ON "countersign"."deliveries" USING btree ("tenant_id","channel","recipient_id") WHERE "countersign"."deliveries"."roundup_id" is not null;
--> statement-breakpoint
CREATE INDEX "ended_runs_age" ON "countersign"."ended_runs" USING btree ("ended_at");
--> statement-breakpoint
CREATE INDEX "evidence_approval" ON "countersign"."evidence" USING btree ("tenant_id","approval_id");
--> statement-breakpoint
CREATE INDEX "evidence_age" ON "countersign"."evidence" USING btree ("tenant_id","expires_at","id");
--> statement-breakpoint
CREATE INDEX "grants_lookup" ON "countersign"."grants" USING btree ("tenant_id","tool_name","scope","scope_id");
--> statement-breakpoint
CREATE INDEX "grants_list" ON "countersign"."grants" USING btree ("tenant_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "outbox_due" ON "countersign"."outbox" USING btree ("next_attempt_at");
--> statement-breakpoint
CREATE INDEX "push_subscriptions_of_person" ON "countersign"."push_subscriptions" USING btree ("tenant_id","principal_id");
--> statement-breakpoint
CREATE INDEX "push_subscriptions_age" ON "countersign"."push_subscriptions" USING btree ("confirmed_at");
--> statement-breakpoint
CREATE INDEX "requests_run" ON "countersign"."requests" USING btree ("run_id");
--> statement-breakpoint
CREATE INDEX "requests_parent_run" ON "countersign"."requests" USING btree ("parent_run_id") WHERE "countersign"."requests"."parent_run_id" is not null;
--> statement-breakpoint
CREATE INDEX "requests_waiting" ON "countersign"."requests" USING btree ("created_at") WHERE "countersign"."requests"."settled_at" is null;
--> statement-breakpoint
CREATE INDEX "requests_age" ON "countersign"."requests" USING btree ("tenant_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "snoozes_of_person" ON "countersign"."snoozes" USING btree ("tenant_id","principal_id","until");
--> statement-breakpoint
CREATE INDEX "stops_engaged" ON "countersign"."stops" USING btree ("tenant_id") WHERE "countersign"."stops"."released_at" is null;
--> statement-breakpoint
CREATE INDEX "stops_list" ON "countersign"."stops" USING btree ("tenant_id","engaged_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "thread_entries_key" ON "countersign"."thread_entries" USING btree ("tenant_id","thread_id","key");
--> statement-breakpoint
CREATE INDEX "thread_entries_order" ON "countersign"."thread_entries" USING btree ("tenant_id","thread_id","seq");
--> statement-breakpoint
CREATE INDEX "threads_run" ON "countersign"."threads" USING btree ("run_id");
--> statement-breakpoint
CREATE INDEX "threads_owner" ON "countersign"."threads" USING btree ("tenant_id","owner_id","updated_at");
--> statement-breakpoint
CREATE INDEX "threads_age" ON "countersign"."threads" USING btree ("tenant_id","updated_at","id");
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD CONSTRAINT "approvals_request_of_tenant" FOREIGN KEY ("tenant_id","request_id") REFERENCES "countersign"."requests"("tenant_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."counted_calls" ADD CONSTRAINT "counted_calls_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."deliveries" ADD CONSTRAINT "deliveries_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."outbox" ADD CONSTRAINT "outbox_request_of_tenant" FOREIGN KEY ("tenant_id","request_id") REFERENCES "countersign"."requests"("tenant_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."refusals" ADD CONSTRAINT "refusals_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."snoozes" ADD CONSTRAINT "snoozes_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."viewers" ADD CONSTRAINT "viewers_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "countersign"."votes" ADD CONSTRAINT "votes_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE no action ON UPDATE no action;