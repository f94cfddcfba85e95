ALTER TABLE "countersign"."approvals" ADD COLUMN "started_by" text;
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "undo_token" text;
--> statement-breakpoint
ALTER TABLE "countersign"."requests" ADD COLUMN "instance_id" text;