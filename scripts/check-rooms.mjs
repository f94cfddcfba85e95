// Holds the order of rooms: the folders of each package's source, and those inside its biggest rooms, in which imports only
// run downwards. Imports of types count as well. Biome's noImportCycles holds that no file imports itself by way of others.
//
// Holds the doors as well: tests import packages by their entry points, and apps and documentation nothing without promise.
//
//   node scripts/check-rooms.mjs [folder of the repository]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Lowest first: a module imports its own room and rooms of lines above it in this list. Rooms on one line do not import
 * each other. `.` stands for the files beside the folders, except those that have a line of their own.
 */
const rooms = {
  "packages/policy/src": `
    bounded  shared
    display  questions
    redaction  safety-checks
    previews
    policy
    .`,
  "packages/countersign/src": `
    previews
    approval  audit  stops
    channel
    questions
    evidence  grants
    store
    counting
    confirmations  decision  insight  orchestrator
    delivery
    gate
    call
    agentkit
    history
    ways
    undo
    instance
    auth
    api
    client
    .
    internal.ts
    testing`,
  "packages/countersign/src/store": `
    ports
    database.ts  opaque-store.ts
    built-once.ts
    store.ts
    schema.ts
    connection  rows
    migrations  audit
    delivery  stop
    transact.ts
    proposal-asked.ts
    changes.ts
    verb.ts
    evidence  scopes.ts
    maintenance.ts
    call-seen.ts
    proposal-seen.ts
    grant  thread
    request-seen.ts
    decision-seen.ts
    request
    approval
    reading
    host  push  verify
    safe-errors.ts  verbs  write-probe.ts
    create-store.ts  deferred-store.ts`,
  "packages/countersign/src/call": `
    message.ts  outcome.ts  stream.ts  tool.ts
    fit-conversation.ts
    run
    tool
    execute
    judge
    settle.ts`,
  "packages/countersign/src/agentkit": `
    streaming  transcript
    .`,
  "packages/countersign/src/ways": `
    loop
    ai-sdk  functions  programs  questions`,
  "packages/channels/src": `
    card-names.ts  roundup-option.ts  roundup-words.ts
    email  slack  webhooks
    push
    .`,
  "packages/chat/src": `
    turn
    ag-ui  ai-sdk  use-agent
    client
    .`,
  "packages/mcp/src": `
    asking  serving
    .`,
  "packages/cli/src": `
    cli-io.ts  operating  package-version.ts  unified-diff.ts
    json-option.ts  with-store.ts
    approvals  audit  dev  evidence  init  policy
    deliveries  retention  stops
    .`,
  "packages/testing/src": `
    channel-conformance  scripted-model
    test-harness
    .`,
  "packages/local-engine/src": `
    protocol  requests
    store
    cron  events
    apps
    disorder.ts
    core.ts
    executor
    registration
    api
    .
    conformance  testing`,
  "packages/inbox/src": `
    api
    words
    logic
    data
    components  keyboard
    lazy  sign-in  values
    grants  insight  stops
    decide
    detail
    card  list
    history
    shell
    .
    page  testing`,
  "apps/demo/src": `
    config-error.ts  config-issue.ts  demo-folder.ts
    desk
    channels
    engine
    config.ts
    agent  demo-principals.ts
    http
    courier
    .
    page`,
};

/** Folders of what is installed or built. */
const withoutSource = new Set(["node_modules", "dist", "test-results"]);

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..");
const upwards = Object.entries(rooms).flatMap(([folder, order]) => problemsOf(folder, order));
const pastDoors = [...insidesInTests(), ...unpromisedInApps()];
for (const problem of [...upwards, ...pastDoors]) console.error(problem);
if (pastDoors.length > 0) console.error(`\n${pastDoors.length} imports do not use a public entry point`);
if (upwards.length > 0)
  console.error(`\n${upwards.length} imports run against the order of rooms in scripts/check-rooms.mjs`);
if (upwards.length + pastDoors.length > 0) process.exit(1);

function problemsOf(folder, order) {
  const lines = order
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const place = new Map(lines.flatMap((names, line) => names.map((name) => [name, line])));
  const roomOf = (path) => {
    const [first] = path.split("/");
    return path.includes("/") || place.has(first) ? first : ".";
  };
  return readdirSync(join(root, folder), { recursive: true })
    .map((file) => file.replaceAll(sep, "/"))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) => {
      const from = roomOf(file);
      if (!place.has(from)) return [`${folder}/${file}: the room "${from}" has no place in the order`];
      return importsOf(join(root, folder, file)).flatMap((specifier) => {
        const target = posix.join(posix.dirname(file), specifier).replace(/\.js$/, ".ts");
        if (target.startsWith("../")) {
          // Other rooms, when this folder is one; else a package's own package.json.
          const inside = folder.split("/", 2).join("/");
          return posix.join(folder, target).startsWith(`${inside}/`)
            ? []
            : [`${folder}/${file}: imports ${specifier}, which is outside of its package`];
        }
        const to = roomOf(target);
        if (to === from || (place.get(to) ?? Number.POSITIVE_INFINITY) < place.get(from)) return [];
        return [`${folder}/${file}: imports ${specifier}, but the room "${to}" is not below "${from}"`];
      });
    });
}

/** Imports by which tests reach into a package, past its entry points, also those of types in comments. */
function insidesInTests() {
  return filesIn("tests", /\.(ts|tsx|mts|mjs|js)$/).flatMap((file) =>
    specifiersIn(readFileSync(join(root, file), "utf8"))
      .filter((specifier) => specifier.startsWith("."))
      .filter((specifier) =>
        /^packages\/[^/]+\/(src|dist)\//.test(posix.join(posix.dirname(file), specifier)),
      )
      .map((specifier) => `${file}: imports ${specifier}, which is no entry point of its package`),
  );
}

/** Imports of what has no promise, where users look how to do it. */
function unpromisedInApps() {
  const files = ["apps", "docs", "packages"].flatMap((folder) =>
    filesIn(folder, folder === "packages" ? /\.md$/ : /\.(ts|tsx|mts|mjs|js|md)$/),
  );
  return [...files, ...(existsSync(join(root, "README.md")) ? ["README.md"] : [])].flatMap((file) =>
    specifiersIn(readFileSync(join(root, file), "utf8"))
      .filter((specifier) => /^(countersign|@countersign\/[^/]+)\/internal\b/.test(specifier))
      .map((specifier) => `${file}: imports ${specifier}, which is without promise`),
  );
}

/** The files of a folder and its folders, without what is installed or built. */
function filesIn(folder, name) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return name.test(path) ? [path] : [];
    return withoutSource.has(entry.name) || entry.name.startsWith(".") ? [] : filesIn(path, name);
  });
}

/** The relative specifiers of a file's imports and exports, of values and types, static and dynamic. */
function importsOf(file) {
  const code = readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return specifiersIn(code).filter((specifier) => specifier.startsWith("."));
}

function specifiersIn(code) {
  return [...code.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']*)["']/g)].map(([, specifier]) => specifier);
}
