ALTER TABLE "countersign"."approvals" ADD COLUMN "arguments_hash" text;
--> statement-breakpoint
CREATE INDEX "approvals_started" ON "countersign"."approvals" USING btree ("tenant_id","arguments_hash","created_at") WHERE "countersign"."approvals"."status" in ('responded', 'executing', 'executed', 'failed', 'interrupted');