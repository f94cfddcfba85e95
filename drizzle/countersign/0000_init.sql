CREATE SCHEMA "countersign";
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
	"policy_version" text NOT NULL,
	"timeout_ms" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"announced_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"decision_type" text,
	"decided_by" text,
	"decision_reason" text,
	"decided_at" timestamp (3) with time zone,
	"withdrawal_cause" text,
	"started_at" timestamp (3) with time zone,
	"handler_kind" text,
	"finished_at" timestamp (3) with time zone,
	"response_json" text,
	"outcome_json" text
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
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."outbox" (
	"request_id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."requests" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"thread_id" text,
	"run_id" text,
	"wake_up_token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone
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
CREATE TABLE "countersign"."votes" (
	"approval_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"reason" text,
	"voted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "votes_approval_id_principal_id_pk" PRIMARY KEY("approval_id","principal_id")
);
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD CONSTRAINT "approvals_request_id_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "countersign"."requests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."outbox" ADD CONSTRAINT "outbox_request_id_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "countersign"."requests"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."votes" ADD CONSTRAINT "votes_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "countersign"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_request" ON "countersign"."approvals" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "approvals_run" ON "countersign"."approvals" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "approvals_list" ON "countersign"."approvals" USING btree ("tenant_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_thread" ON "countersign"."approvals" USING btree ("tenant_id","thread_id","created_at");--> statement-breakpoint
CREATE INDEX "approvals_due" ON "countersign"."approvals" USING btree ("status","expires_at");--> statement-breakpoint
CREATE INDEX "audit_approval" ON "countersign"."audit_entries" USING btree ("tenant_id","approval_id","position");--> statement-breakpoint
CREATE INDEX "outbox_due" ON "countersign"."outbox" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "requests_run" ON "countersign"."requests" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "thread_entries_key" ON "countersign"."thread_entries" USING btree ("tenant_id","thread_id","key");--> statement-breakpoint
CREATE INDEX "threads_run" ON "countersign"."threads" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "threads_owner" ON "countersign"."threads" USING btree ("tenant_id","owner_id","updated_at");