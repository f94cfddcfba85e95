CREATE SCHEMA "local_engine";
--> statement-breakpoint
CREATE TABLE "local_engine"."app" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"in_process" boolean NOT NULL,
	"functions" text NOT NULL,
	"synced_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "local_engine"."engine" (
	"id" integer PRIMARY KEY NOT NULL,
	"epoch" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "local_engine"."event" (
	"id" text PRIMARY KEY NOT NULL,
	"event_id" text NOT NULL,
	"name" text NOT NULL,
	"received_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "local_engine"."idempotency_key" (
	"key" text PRIMARY KEY NOT NULL,
	"run_id" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "local_engine"."queue_item" (
	"id" text PRIMARY KEY NOT NULL,
	"run_id" text NOT NULL,
	"step_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"generation" integer NOT NULL,
	"due_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "local_engine"."run" (
	"id" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"function_id" text NOT NULL,
	"event_id" text NOT NULL,
	"event" text NOT NULL,
	"status" text NOT NULL,
	"output" text,
	"request_version" integer DEFAULT -1 NOT NULL,
	"correlation_id" text,
	"started_at" bigint NOT NULL,
	"ended_at" bigint
);
--> statement-breakpoint
CREATE TABLE "local_engine"."step" (
	"run_id" text NOT NULL,
	"id" text NOT NULL,
	"status" text NOT NULL,
	"mode" text,
	"owner" text,
	"position" integer,
	"state" text,
	CONSTRAINT "step_run_id_id_pk" PRIMARY KEY("run_id","id")
);
--> statement-breakpoint
CREATE TABLE "local_engine"."wait" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"run_id" text NOT NULL,
	"step_id" text,
	"event_name" text,
	"expression" text,
	"demands" text,
	"expires_at" bigint
);
--> statement-breakpoint
CREATE INDEX "event_event_id_idx" ON "local_engine"."event" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "idempotency_key_expires_at_idx" ON "local_engine"."idempotency_key" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "queue_item_due_at_idx" ON "local_engine"."queue_item" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "queue_item_run_id_idx" ON "local_engine"."queue_item" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "run_event_id_idx" ON "local_engine"."run" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "wait_event_name_idx" ON "local_engine"."wait" USING btree ("event_name","demands");--> statement-breakpoint
CREATE INDEX "wait_expires_at_idx" ON "local_engine"."wait" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "wait_run_id_idx" ON "local_engine"."wait" USING btree ("run_id");