import type { DisplayWords } from "@countersign/policy/display";

/** Why a call was withdrawn, as the end of a sentence. */
export const withdrawals: DisplayWords["withdrawals"] = {
  run_cancelled: "der Lauf wurde abgebrochen",
  run_failed: "der Lauf ist fehlgeschlagen",
  run_lost: "die Workflow-Engine hat den Lauf verloren",
  policy_changed: "die Regeln wurden nach der Freigabe geändert, und jetzt ist mehr nötig als diese Freigabe",
  tool_changed: "die Definition des Werkzeugs wurde nach der Freigabe geändert",
  digest_changed: "was gespeichert ist, entspricht nicht mehr dem, was freigegeben wurde",
  superseded: "eine neuere Nachricht in der Unterhaltung ist an seine Stelle getreten",
  too_many_pending: "zu viele Vorgänge warten bereits auf eine Freigabe",
  too_many_denials: "die letzten Vorgänge dieses Laufs wurden nacheinander abgelehnt",
  duplicate_call: "derselbe Vorgang wartet bereits auf eine Freigabe",
  grant_revoked: "die befristete Erlaubnis dafür wurde widerrufen",
  budget_exhausted: "das Budget der befristeten Erlaubnis dafür war verbraucht",
  effects_changed: "es hätte sich etwas anderes geändert als das, was freigegeben wurde",
  check_failed: "eine Sicherheitsprüfung unmittelbar vor dem Start ist fehlgeschlagen",
  evidence_invalid: "der Nachweis der Entscheidung ließ sich nicht prüfen",
  stopped: "dieses Werkzeug ist gesperrt",
  asker_gone: "der fragende MCP-Server wartet nicht mehr auf die Antwort",
  restored:
    "die Datenbank wurde aus einer Sicherung wiederhergestellt, und die Freigabe kann seitdem verwendet worden sein",
  orchestration_failed: "die Freigabe ließ sich wegen eines technischen Fehlers nicht abschließen",
};
