CREATE TABLE "countersign"."ended_runs" (
	"run_id" text PRIMARY KEY NOT NULL,
	"cause" text NOT NULL,
	"ended_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "countersign"."requests" ADD COLUMN "rounds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "ended_runs_age" ON "countersign"."ended_runs" USING btree ("ended_at");--> statement-breakpoint
UPDATE "countersign"."requests" SET "rounds" = 1 WHERE EXISTS (
	SELECT 1 FROM "countersign"."approvals" WHERE "request_id" = "requests"."id" AND "announced_at" IS NOT NULL
);
