import type { MailContent } from "./content.js";

const font = "font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:15px;line-height:1.5";
const cell = "padding:4px 12px 4px 0;vertical-align:top;text-align:left";
const value = `${cell};white-space:pre-wrap;word-break:break-word`;
const button =
  "display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#ffffff;text-decoration:none";

/** The HTML part of a mail: without images, styles or anything else from elsewhere. */
export function html(content: MailContent): string {
  const { heading, summary, links, warnings, facts, fields, notes, action, url, footer } = content;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta name="color-scheme" content="light dark"><title>${escaped(heading)}</title></head>`,
    `<body style="${font}"><div style="max-width:640px;margin:0 auto;padding:16px">`,
    `<h1 dir="auto" style="font-size:18px;margin:0 0 8px">${escaped(heading)}</h1>`,
    summary === "" ? "" : paragraph(summary),
    ...warnings.map((text) => paragraph(text, "font-weight:600;")),
    ...links.flatMap(({ text, url }) => (url === null ? [] : [linked(url, text)])),
    table(fields),
    ...notes.map((note) => paragraph(note)),
    url === null
      ? `<p style="margin:20px 0">${escaped(action)}.</p>`
      : `<p style="margin:20px 0"><a href="${escaped(url)}" style="${button}">${escaped(action)}</a></p>`,
    table(facts),
    `<p style="font-size:13px">${escaped(footer)}</p>`,
    "</div></body></html>",
  ]
    .filter((part) => part !== "")
    .join("\n");
}

const paragraph = (text: string, style = ""): string =>
  `<p dir="auto" style="${style}margin:0 0 12px">${escaped(text)}</p>`;

const linked = (url: string, text: string): string =>
  `<p dir="auto" style="margin:0 0 8px"><a href="${escaped(url)}">${escaped(text)}</a></p>`;

function table(rows: readonly (readonly [name: string, text: string])[]): string {
  if (rows.length === 0) return "";
  const lines = rows.map(
    ([name, text]) =>
      `<tr><th scope="row" style="${cell};font-weight:600">${escaped(name)}</th><td dir="auto" style="${value}">${escaped(text)}</td></tr>`,
  );
  return `<table style="border-collapse:collapse">${lines.join("")}</table>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
