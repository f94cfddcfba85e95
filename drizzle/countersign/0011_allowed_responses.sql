CREATE TABLE "countersign"."allowed_responses" (
	"request_id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"allowed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "allowed_responses_age" ON "countersign"."allowed_responses" USING btree ("allowed_at");