import { html, raw } from "hono/html";
import type { openApiDocument } from "./openapi.js";

type Document = ReturnType<typeof openApiDocument>;

/** The parts of an operation that the page shows. */
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: unknown }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  responses: Record<string, { description: string; content: Record<string, { schema: unknown }> }>;
}

/** Renders the document as HTML, without scripts or external resources. */
export function referencePage(document: Document, documentUrl: string) {
  const { title, description } = document.info as { title: string; description: string };
  const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p>${description}</p>
          <p><a href="${documentUrl}">OpenAPI document</a></p>
        </header>
        <nav aria-label="Endpoints">
          ${tags.map(
            (tag) =>
              html`<h2>${tag}</h2>
                <ul>
                  ${operations
                    .filter(({ operation }) => operation.tags.includes(tag))
                    .map(
                      ({ path, method, operation }) =>
                        html`<li>
                          <a href="#${operation.operationId}"><b>${method.toUpperCase()}</b> ${path}</a>
                        </li>`,
                    )}
                </ul>`,
          )}
        </nav>
        <main>${operations.map(section)}</main>
      </body>
    </html>`;
}

function section({ path, method, operation }: { path: string; method: string; operation: Operation }) {
  const answer = operation.responses[200]?.content ?? {};
  const problems = Object.entries(operation.responses)
    .filter(([status]) => /^[45]/.test(status))
    .map(([status, { description }]) => `${status} ${description}`)
    .join("; ");
  return html`<section id="${operation.operationId}">
    <h2><b>${method.toUpperCase()}</b> ${path}</h2>
    <p>${operation.summary}</p>
    ${operation.description ? html`<p>${operation.description}</p>` : ""}
    ${
      operation.parameters
        ? html`<table>
            <caption>
              Parameters
            </caption>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">In</th>
              <th scope="col">Meaning</th>
            </tr>
            ${operation.parameters.map(
              (parameter) =>
                html`<tr>
                  <td><code>${parameter.name}</code>${parameter.required ? " (required)" : ""}</td>
                  <td>${parameter.in}</td>
                  <td>${parameter.description ?? ""} <code>${JSON.stringify(parameter.schema)}</code></td>
                </tr>`,
            )}
          </table>`
        : ""
    }
    ${Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => schemaOf("Body", type, schema))}
    ${Object.entries(answer).map(([type, { schema }]) => schemaOf("Response", type, schema))}
    ${problems.length > 0 ? html`<p>Problems: ${problems}</p>` : ""}
  </section>`;
}

function schemaOf(what: string, type: string, schema: unknown) {
  return html`<details>
    <summary>${what} <code>${type}</code></summary>
    <pre tabindex="0">${JSON.stringify(schema, null, 2)}</pre>
  </details>`;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem; }
nav ul { list-style: none; padding: 0; }
nav a { text-decoration: none; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
section { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
b { font-size: .8em; letter-spacing: .04em; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem .25rem 0; }
code, pre { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow: auto; max-height: 30rem; padding: .75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
`;
