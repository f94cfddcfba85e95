import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { darkPictures } from "./dark-pictures.mjs";
import { diagrams } from "./diagrams.mjs";
import { headingSlug } from "./heading-slug.mjs";
import { entryPoints, repositoryLinks, sitePath } from "./repository-links.mjs";

const docs = fileURLToPath(new URL("..", import.meta.url));

const decisions = readdirSync(`${docs}/decisions`)
  .filter((name) => /^\d+/.test(name))
  .map((name) => {
    const [, title] = readFileSync(`${docs}/decisions/${name}`, "utf8").match(/^# (.*)$/m);
    return { text: title, link: `/decisions/${name.replace(/\.md$/, "")}` };
  });

const page = (text, link) => ({ text, link });

export default defineConfig({
  title: "Countersign",
  description: "Durable human approval for Inngest AgentKit tool calls",
  head: [["link", { rel: "icon", href: "data:," }]],
  // The whole repository, so that the READMEs of its packages and apps are pages too.
  srcDir: "..",
  // Of two pages whose names differ only in their case, one would get another name.
  srcExclude: ["SECURITY.md", ".github/**", "tests/**", "drizzle/**", "**/dist/**", "test-results/**"],
  rewrites: (file) => sitePath(file) ?? file,
  outDir: "./.vitepress/dist",
  cleanUrls: true,
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    anchor: { slugify: headingSlug },
    toc: { slugify: headingSlug },
    headers: { slugify: headingSlug },
    config: (md) => md.use(repositoryLinks).use(darkPictures).use(diagrams).use(codeAsWritten),
  },
  vite: {
    // Pages are all that there is to scan; other HTML of the repository belongs to its apps.
    optimizeDeps: { entries: [], include: ["mermaid"] },
    publicDir: false,
    // Diagrams are drawn in the browser only.
    ssr: { external: ["mermaid"] },
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    search: {
      provider: "local",
      // The reference has a page for each type, which would hide the guides behind the names of fields.
      options: {
        miniSearch: {
          searchOptions: { boostDocument: (id) => (id.startsWith("/reference/") ? 0.02 : 1) },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      page("Guide", "/agents"),
      page("Concepts", "/architecture"),
      page("Reference", "/reference/"),
      page("Decisions", "/decisions/"),
    ],
    sidebar: {
      "/": [
        {
          text: "Start",
          items: [
            page("What it is", "/"),
            page("Tutorial", "/tutorial"),
            page("The demo", "/demo"),
            page("All pages", "/contents"),
          ],
        },
        {
          text: "Tasks",
          items: [
            page("Add it to your network", "/agents"),
            page("Agents of every kind", "/any-agent"),
            page("Write a policy", "/policies"),
            page("Suggested rules", "/policy-suggest"),
            page("What a call would change", "/previews"),
            page("Undo a call", "/undo"),
            page("Limits over time", "/limits"),
            page("From Inngest's guide", "/from-wait-for-event"),
            page("Put it into Next.js", "/nextjs"),
            page("Approve in the chat", "/channels/chat"),
            page("MCP in both directions", "/mcp"),
            page("Approvals in MCP clients", "/channels/mcp-server"),
            page("Test it", "/testing"),
            page("Sign in approvers", "/authentication"),
            page("Run it in production", "/operating/operations"),
            page("Troubleshooting", "/troubleshooting"),
            page("Channels", "/channels/"),
            page("Ask in Slack", "/channels/slack"),
            page("Send e-mails", "/channels/email"),
            page("Push notifications", "/channels/push"),
            page("Send webhooks", "/channels/webhooks"),
          ],
        },
        {
          text: "Operation",
          items: [
            page("Database", "/operating/database"),
            page("Retention and audit log", "/operating/retention"),
            page("Stops", "/operating/stops"),
          ],
        },
        {
          text: "Concepts",
          items: [
            page("Architecture", "/architecture"),
            page("History", "/history"),
            page("Evidence", "/operating/evidence"),
            page("Security", "/security"),
            page("Chaos", "/chaos"),
            page("Benchmarks", "/benchmarks"),
            page("What the Inngest SDK costs", "/inngest-sdk"),
          ],
        },
        {
          text: "Reference",
          items: [
            page("HTTP API", "/api"),
            page("Options", "/options"),
            page("Fields of policies", "/policy-fields"),
            page("Command line", "/cli"),
            page("From the proposals", "/proposals"),
            page("Supported versions", "/supported-versions"),
            page("Packages and types", "/reference/"),
            page("The policy package", "/packages/policy"),
            page("The inbox", "/packages/inbox"),
            page("The channels", "/packages/channels"),
            page("The chats", "/packages/chat"),
            page("MCP", "/packages/mcp"),
            page("The command", "/packages/cli"),
            page("The test kit", "/packages/testing"),
            page("The local engine", "/packages/local-engine"),
          ],
        },
        {
          text: "Project",
          items: [page("Contributing", "/contributing"), page("Changes", "/changelog")],
        },
        { text: "Decisions", collapsed: true, items: [page("All decisions", "/decisions/"), ...decisions] },
      ],
      "/reference/": [
        page("← Guide", "/"),
        {
          // Without the names that they export: those beside every page would make the site 75 MB larger.
          text: "Entry points",
          items: entryPoints.map(({ name, address }) => page(name, `/${address}`)),
        },
      ],
    },
  },
});

/** Vue would take `{{field}}` in a line of text for an expression of its own. */
function codeAsWritten(md) {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (...given) => render(...given).replace("<code", "<code v-pre");
}
