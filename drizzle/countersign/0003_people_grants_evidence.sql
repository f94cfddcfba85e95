CREATE TABLE "countersign"."evidence" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"approval_id" text,
	"origin" text NOT NULL,
	"decision" text NOT NULL,
	"principal_id" text NOT NULL,
	"digest" text NOT NULL,
	"token" text NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"consumed_at" timestamp (3) with time zone
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
	"summary" text NOT NULL,
	"granted_by" text NOT NULL,
	"approval_id" text NOT NULL,
	"approver_roles" text[] NOT NULL,
	"approver_ids" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"uses_left" integer,
	"uses_taken" integer DEFAULT 0 NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"revoked_by" text
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
ALTER TABLE "countersign"."approvals" ADD COLUMN "assignee_id" text;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "grant_id" text;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "duplicate_of" text;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "extensions_used" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "resolution_outcome" text;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "resolved_by" text;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "resolution_note" text;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "resolved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "countersign"."outbox" ADD COLUMN "tenant_id" text;--> statement-breakpoint
UPDATE "countersign"."outbox" SET "tenant_id" = (SELECT "tenant_id" FROM "countersign"."requests" WHERE "requests"."id" = "outbox"."request_id");--> statement-breakpoint
ALTER TABLE "countersign"."outbox" ALTER COLUMN "tenant_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."votes" ADD COLUMN "type" text DEFAULT 'approve' NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."votes" ADD COLUMN "roles" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."viewers" ADD CONSTRAINT "viewers_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "countersign"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "evidence_approval" ON "countersign"."evidence" USING btree ("tenant_id","approval_id");--> statement-breakpoint
CREATE INDEX "grants_lookup" ON "countersign"."grants" USING btree ("tenant_id","tool_name","scope","scope_id");--> statement-breakpoint
CREATE INDEX "grants_list" ON "countersign"."grants" USING btree ("tenant_id","created_at","id");