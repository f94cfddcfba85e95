CREATE TABLE "countersign"."counted_calls" (
	"approval_id" text NOT NULL,
	"counter" text NOT NULL,
	"tenant_id" text NOT NULL,
	"position" bigserial NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"amount" numeric,
	CONSTRAINT "counted_calls_approval_id_counter_pk" PRIMARY KEY("approval_id","counter")
);
--> statement-breakpoint
CREATE INDEX "counted_calls_counter" ON "countersign"."counted_calls" USING btree ("tenant_id","counter","at");
--> statement-breakpoint
ALTER TABLE "countersign"."counted_calls" ADD CONSTRAINT "counted_calls_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE cascade ON UPDATE no action;