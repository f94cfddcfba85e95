DROP INDEX "local_engine"."wait_event_name_idx";--> statement-breakpoint
ALTER TABLE "local_engine"."wait" ADD COLUMN "demands" text;--> statement-breakpoint
CREATE INDEX "wait_event_name_idx" ON "local_engine"."wait" USING btree ("event_name","demands");