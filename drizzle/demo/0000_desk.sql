CREATE SCHEMA "demo";
--> statement-breakpoint
CREATE TABLE "demo"."customers" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "demo"."effects" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "demo"."effects_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"tool_name" text NOT NULL,
	"input" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"approval_id" text
);
--> statement-breakpoint
CREATE TABLE "demo"."orders" (
	"id" text PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"total_cents" integer NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"card_last4" text NOT NULL
);
