-- The audit log only grows. This is the source of the migration "append_only"; `npm run db:generate` puts it there.
CREATE OR REPLACE FUNCTION "countersign"."refuse_change_of_audit_log"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% refused: countersign.% only grows', TG_OP, TG_TABLE_NAME
		USING ERRCODE = 'insufficient_privilege', HINT = 'Nothing of an audit log is ever changed or removed.';
END;
$$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "countersign"."audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_entries" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "append_only" BEFORE DELETE OR TRUNCATE ON "countersign"."audit_heads"
	FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_heads" ENABLE ALWAYS TRIGGER "append_only";
--> statement-breakpoint
CREATE OR REPLACE TRIGGER "only_forward" BEFORE UPDATE ON "countersign"."audit_heads"
	FOR EACH ROW
	WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.position < OLD.position OR (NEW.position = OLD.position AND NEW.hash <> OLD.hash))
	EXECUTE FUNCTION "countersign"."refuse_change_of_audit_log"();
--> statement-breakpoint
ALTER TABLE "countersign"."audit_heads" ENABLE ALWAYS TRIGGER "only_forward";
