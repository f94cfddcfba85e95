DROP INDEX "countersign"."counted_calls_counter";
--> statement-breakpoint
ALTER TABLE "countersign"."counted_calls" ADD COLUMN "counts" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
CREATE INDEX "counted_calls_counter" ON "countersign"."counted_calls" USING btree ("tenant_id","counter","at","amount") WHERE "countersign"."counted_calls"."counts";