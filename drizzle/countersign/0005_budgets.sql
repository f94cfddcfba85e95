ALTER TABLE "countersign"."approvals" ADD COLUMN "grant_amount" numeric;
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "over_budget" jsonb;
--> statement-breakpoint
ALTER TABLE "countersign"."grants" ADD COLUMN "budget" jsonb;
--> statement-breakpoint
ALTER TABLE "countersign"."grants" ADD COLUMN "spent" numeric DEFAULT '0' NOT NULL;
--> statement-breakpoint
CREATE INDEX "approvals_spending" ON "countersign"."approvals" USING btree ("tenant_id","grant_id") WHERE "countersign"."approvals"."grant_amount" is not null and "countersign"."approvals"."status" = 'approved';