ALTER TABLE "countersign"."approvals" ADD COLUMN "assigned_by" text;--> statement-breakpoint
ALTER TABLE "countersign"."grants" ADD COLUMN "rerun" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."votes" ADD COLUMN "on_behalf_of" text;