CREATE TABLE "countersign"."idempotency_keys" (
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_tenant_id_principal_id_key_pk" PRIMARY KEY("tenant_id","principal_id","key")
);
--> statement-breakpoint
CREATE TABLE "countersign"."preferences" (
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "preferences_tenant_id_principal_id_pk" PRIMARY KEY("tenant_id","principal_id")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "countersign"."idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "approvals_expiring" ON "countersign"."approvals" USING btree ("tenant_id","status","expires_at","id");--> statement-breakpoint
CREATE INDEX "approvals_decided" ON "countersign"."approvals" USING btree ("tenant_id","decided_at","id");