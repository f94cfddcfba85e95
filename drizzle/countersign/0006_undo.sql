ALTER TABLE "countersign"."approvals" ADD COLUMN "undo_id" text;
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "undone_at" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "approvals_being_undone" ON "countersign"."approvals" USING btree ("undo_id") WHERE "countersign"."approvals"."undo_id" is not null and "countersign"."approvals"."undone_at" is null;