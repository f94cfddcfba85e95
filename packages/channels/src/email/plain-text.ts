import type { MailContent } from "./content.js";

/** The text part of a mail. Its links come before the texts of the call, which may be long. */
export function plainText(content: MailContent): string {
  const { heading, summary, links, warnings, facts, fields, notes, action, url, footer } = content;
  const parts = [
    heading,
    summary,
    warnings.join("\n"),
    url === null ? `${action}.` : `${action}:\n${url}`,
    links.flatMap(({ text, url }) => (url === null ? [] : [`${text}:\n${url}`])).join("\n"),
    rows(fields),
    notes.join("\n"),
    rows(facts),
    footer,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function rows(all: readonly (readonly [name: string, text: string])[]): string {
  return all.map(([name, text]) => `  ${name}: ${indented(text)}`).join("\n");
}

/** Lines after the first are indented, so that none of them looks like a line of the mail's own. */
function indented(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "\n    ");
}
