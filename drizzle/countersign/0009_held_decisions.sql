ALTER TABLE "countersign"."approvals" ADD COLUMN "held" jsonb;
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "held_until" timestamp (3) with time zone;
--> statement-breakpoint
CREATE INDEX "approvals_held" ON "countersign"."approvals" USING btree ("held_until") WHERE "countersign"."approvals"."held_until" is not null;