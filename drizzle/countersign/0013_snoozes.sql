CREATE TABLE "countersign"."snoozes" (
	"approval_id" text NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "snoozes_approval_id_principal_id_pk" PRIMARY KEY("approval_id","principal_id")
);
--> statement-breakpoint
CREATE INDEX "snoozes_of_person" ON "countersign"."snoozes" USING btree ("tenant_id","principal_id","until");
--> statement-breakpoint
ALTER TABLE "countersign"."snoozes" ADD CONSTRAINT "snoozes_approval_of_tenant" FOREIGN KEY ("tenant_id","approval_id") REFERENCES "countersign"."approvals"("tenant_id","id") ON DELETE cascade ON UPDATE no action;