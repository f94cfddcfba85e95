import type { MailContent } from "./content.js";

/** The text part of a mail. Its link comes before the texts of the call, which may be long. */
export function plainText({
  heading,
  summary,
  facts,
  fieldsTitle,
  fields,
  notes,
  action,
  url,
  footer,
}: MailContent): string {
  const parts = [
    heading,
    summary,
    url === null ? `${action}.` : `${action}:\n${url}`,
    facts.map(([name, text]) => `${name}: ${indented(text)}`).join("\n"),
    fields.length > 0
      ? `${fieldsTitle}:\n${fields.map(([name, text]) => `  ${name}: ${indented(text)}`).join("\n")}`
      : "",
    notes.join("\n"),
    footer,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Lines after the first are indented, so that none of them looks like a line of the mail's own. */
function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "\n    ");
}
