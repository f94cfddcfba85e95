import type { DisplayWords } from "@countersign/policy/display";

/** The entries of the audit log as sentences. `by` follows the name of a person. */
export const audit: DisplayWords["audit"] = {
  types: {
    "approval.proposed": { label: "Vom Agenten beantragt" },
    "approval.notified": { label: "Von den Regeln erlaubt, und Zuständige wurden benachrichtigt" },
    "approval.denied_by_policy": { label: "Von den Regeln abgelehnt" },
    "approval.granted": {
      label: "Durch eine befristete Erlaubnis erlaubt",
      by: "hat dies mit einer befristeten Erlaubnis erlaubt",
    },
    "approval.announced": { label: "Zuständige wurden gefragt" },
    "approval.reminded": { label: "Zuständige wurden erinnert" },
    "approval.escalated": { label: "Weitere Zuständige wurden gefragt" },
    "approval.voted": { label: "Eine Stimme wurde abgegeben", by: "hat eine Stimme abgegeben" },
    "approval.held": {
      label: "Eine Entscheidung wurde getroffen und kann noch zurückgenommen werden",
      by: "hat entschieden und kann das noch zurücknehmen",
    },
    "approval.taken_back": {
      label: "Die Entscheidung wurde zurückgenommen",
      by: "hat die Entscheidung zurückgenommen",
    },
    "approval.approved": { label: "Freigegeben", by: "hat dies freigegeben" },
    "approval.edited": { label: "Mit Änderungen freigegeben", by: "hat dies mit Änderungen freigegeben" },
    "approval.denied": { label: "Abgelehnt", by: "hat dies abgelehnt" },
    "approval.responded": { label: "Das Ergebnis wurde eingegeben", by: "hat das Ergebnis eingegeben" },
    "approval.assigned": { label: "Neu zugewiesen", by: "hat dies neu zugewiesen" },
    "approval.extended": { label: "Die Frist wurde verlängert", by: "hat die Frist verlängert" },
    "approval.expired": { label: "Abgelaufen" },
    "approval.withdrawn": { label: "Zurückgezogen" },
    "approval.executing": { label: "Gestartet" },
    "approval.executed": { label: "Ausgeführt" },
    "approval.failed": { label: "Ausgeführt und fehlgeschlagen" },
    "approval.interrupted": { label: "Unterbrochen, vielleicht ausgeführt" },
    "approval.resolved": { label: "Das Ergebnis wurde festgehalten", by: "hat das Ergebnis festgehalten" },
    "call.undo_started": { label: "Die Rücknahme hat begonnen" },
    "call.undone": { label: "Rückgängig gemacht", by: "hat dies rückgängig gemacht" },
    "decision.refused": {
      label: "Eine Entscheidung wurde nicht angenommen",
      by: "wollte entscheiden und durfte nicht",
    },
    "taking_back.refused": {
      label: "Das Zurücknehmen einer Entscheidung wurde nicht zugelassen",
      by: "wollte eine Entscheidung zurücknehmen und durfte nicht",
    },
    "assignment.refused": {
      label: "Eine neue Zuweisung wurde nicht zugelassen",
      by: "wollte dies neu zuweisen und durfte nicht",
    },
    "extension.refused": {
      label: "Eine Verlängerung wurde nicht zugelassen",
      by: "wollte die Frist verlängern und durfte nicht",
    },
    "resolution.refused": {
      label: "Das Festhalten des Ergebnisses wurde nicht zugelassen",
      by: "wollte das Ergebnis festhalten und durfte nicht",
    },
    "evidence.refused": { label: "Der Nachweis war ungültig" },
    "delivery.failed": { label: "Eine Nachricht dazu ließ sich nicht zustellen" },
    "delivery.disabled": {
      label: "Nachrichten an einen Empfänger wurden nach Tagen ohne Zustellung abgeschaltet",
    },
    "delivery.enabled": { label: "Nachrichten an einen Empfänger wurden wieder eingeschaltet" },
    "delivery.replayed": {
      label: "Eine Nachricht wurde erneut gesendet",
      by: "hat eine Nachricht erneut gesendet",
    },
    "grant.created": {
      label: "Eine befristete Erlaubnis wurde erteilt",
      by: "hat eine befristete Erlaubnis erteilt",
    },
    "grant.revoked": {
      label: "Eine befristete Erlaubnis wurde widerrufen",
      by: "hat eine befristete Erlaubnis widerrufen",
    },
    "call.refused": { label: "Ein Vorgang wurde abgewiesen, bevor jemand gefragt wurde" },
    "policy.shadow_difference": { label: "Die Schattenregeln hätten anders entschieden" },
    "confirmation.recorded": {
      label: "Eine Bestätigung wurde festgehalten",
      by: "hat eine Aktion bestätigt",
    },
    "confirmation.consumed": { label: "Eine Bestätigung wurde verwendet" },
    "confirmation.refused": { label: "Eine Bestätigung wurde nicht angenommen" },
    "database.restored": {
      label: "Die Datenbank wurde aus einer Sicherung wiederhergestellt",
      by: "hat gemeldet, dass die Datenbank aus einer Sicherung wiederhergestellt wurde",
    },
    "audit.sealed": { label: "Ältere Einträge wurden versiegelt" },
    "retention.pruned": { label: "Alte Datensätze wurden entfernt" },
    "retention.forgotten": { label: "Die Daten einer Person wurden entfernt" },
    "stop.engaged": { label: "Eine Sperre wurde verhängt", by: "hat eine Sperre verhängt" },
    "stop.released": { label: "Eine Sperre wurde aufgehoben", by: "hat eine Sperre aufgehoben" },
  },
  another: (type) => `Anderes Ereignis: ${type}`,
};
