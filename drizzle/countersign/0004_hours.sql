CREATE TABLE "countersign"."counted_hours" (
	"tenant_id" text NOT NULL,
	"counter" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "countersign"."counted_hours_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"amount" numeric,
	"last_position" bigint,
	CONSTRAINT "counted_hours_tenant_id_counter_hour_id_pk" PRIMARY KEY("tenant_id","counter","hour","id")
);
--> statement-breakpoint
CREATE INDEX "counted_hours_age" ON "countersign"."counted_hours" USING btree ("hour");