CREATE TABLE "countersign"."push_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant_id" text NOT NULL,
	"principal_id" text NOT NULL,
	"roles" text[] NOT NULL,
	"endpoint" text NOT NULL,
	"p256dh" text NOT NULL,
	"auth" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "push_subscriptions_endpoint" UNIQUE("endpoint")
);
--> statement-breakpoint
CREATE INDEX "push_subscriptions_of_person" ON "countersign"."push_subscriptions" USING btree ("tenant_id","principal_id");
--> statement-breakpoint
CREATE INDEX "push_subscriptions_age" ON "countersign"."push_subscriptions" USING btree ("confirmed_at");