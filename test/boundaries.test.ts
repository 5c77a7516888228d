import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";

/** The domain folders of the service, in their order: each imports only those before it. */
const NOUNS = [
  "audit-log",
  "settings",
  "figures",
  "accounts",
  "sign-in",
  "oauth",
  "mcp",
  "events",
  "notices",
  "selling",
  "shares",
  "storage",
  "files",
  "recipients",
  "requests",
  "uploads",
  "imports",
  "webhooks",
  "downloads",
  "reports",
  "scanning",
  "thumbnails",
  "maintenance",
  "administration",
  "system",
  "billing",
  "purchases",
].map((noun) => `src/service/${noun}`);

/** The foundations, which do not import the service. */
const BASE = ["src/blobs", "src/config", "src/contract", "src/db", "src/jobs", "src/lib", "src/mail", "src/net", "src/pay", "src/scan"];

/** The context of the service: of the files in `src`, the one whose importers are limited. */
const CONTEXT = "src/context.ts";

/** What handlers of requests use. */
const SERVED = ["src/config", "src/contract", "src/lib", "src/mcp", "src/net", "src/runtime", "src/service", ...NOUNS];

/** The files of `web` that handle requests: those that import the server. Views import none of them. */
const HANDLERS = "handlers in web";

/** Folder → the folders that its files may import, besides their own and `FOR_ALL`. Files directly in `src` may import everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "src/lib": [],
  "src/contract": [],
  "src/transfer": ["src/lib"],
  "src/runtime": ["src/lib"],
  "src/db": ["src/lib"],
  "src/net": ["src/lib"],
  "src/pay": ["src/contract", "src/lib"],
  "src/scan": ["src/lib"],
  "src/blobs": ["src/lib"],
  "src/jobs": ["src/db", "src/lib"],
  "src/mail": ["src/contract", "src/db", "src/jobs", "src/lib"],
  "src/config": ["src/blobs", "src/lib", "src/mail", "src/net", "src/pay", "src/scan"],
  ...Object.fromEntries(NOUNS.map((noun, index) => [noun, [CONTEXT, ...BASE, "src/service", ...NOUNS.slice(0, index)]])),
  "src/service": [CONTEXT, ...BASE, ...NOUNS],
  "src/client": ["src/contract", "src/lib", "src/net", "src/runtime", "src/transfer"],
  "src/mcp": ["src/client", "src/contract", "src/lib"],
  "src/http": [CONTEXT, ...SERVED, "web/site", "web/texts"],
  "src/cli": [
    "src",
    CONTEXT,
    "src/client",
    "src/config",
    "src/contract",
    "src/doctor",
    "src/lib",
    "src/mail",
    "src/mcp",
    "src/service",
    ...NOUNS,
  ],
  "src/doctor": ["src", "src/blobs", "src/config", "src/contract", "src/db", "src/lib", "src/mail", "src/net", "src/pay", "src/scan"],
  // Views, which also run in browsers.
  "web/site": ["src/contract", "src/lib", "src/transfer", "web", "web/texts"],
  "web/texts": ["src/contract", "web", "web/site"],
  web: ["src/contract", "src/lib", "src/transfer", "web/site", "web/texts"],
  [HANDLERS]: [CONTEXT, ...SERVED, "src/http", "web", "web/site", "web/texts"],
};

/** Files that every folder may import. */
const FOR_ALL = new Set(["src/errors.ts"]);

/** Package → the only folders that may import it. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "#runtime": ["src", "src/cli", "src/http"],
  "@codemirror/legacy-modes": ["web"],
  "@codemirror/streamparser": ["web"],
  "@aws-sdk/client-s3": ["src/blobs", "src/doctor"],
  "@libsql/client": ["src/db"],
  "@simplewebauthn/browser": ["web"],
  "@simplewebauthn/server": ["src/service/sign-in"],
  "reflect-metadata": ["src/service/sign-in"],
  "@modelcontextprotocol/server": ["src/http", "src/mcp"],
  "@better-auth/oauth-provider": ["src/service/oauth"],
  "better-auth": ["src/service/oauth", "src/service/sign-in"],
  croner: ["src/jobs"],
  hono: ["src", "src/http"],
  kysely: ["src/db", "src/jobs", "src/service", ...NOUNS],
  libsql: ["src/db"],
  nodemailer: ["src/mail"],
  "markdown-it": ["web"],
  "openid-client": ["src/net"],
  stripe: ["src/pay"],
  "pdfjs-dist": ["web"],
  preact: ["web", "web/site"],
  undici: ["src/blobs", "src/net"],
};

/**
 * Table → the folders of `src`, or of `src/service`, that write its rows: its own, and exceptions that say why. The OAuth library writes
 * to some by variables (`src/service/oauth/library-database.ts`).
 */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  account_links: ["sign-in"],
  api_keys: ["accounts"],
  audit_log: ["audit-log"],
  authenticators: ["sign-in"],
  awaited_blocks: ["scanning"],
  blocked_addresses: ["recipients"],
  blocked_digests: ["scanning"],
  challenges: ["accounts"],
  // The OAuth library creates its rows.
  device_codes: ["oauth"],
  daily_figures: ["figures"],
  download_grants: ["downloads"],
  events: ["events"],
  expected_parts: ["uploads"],
  file_lineage: ["shares"],
  // Each writes different columns: grants count downloads, verdicts, what a share's settings change, and uploads create the row. The state
  // only changes by `transition`.
  files: ["downloads", "files", "scanning", "shares", "uploads"],
  // Triggers write it.
  folder_totals: [],
  folders: ["files"],
  idempotent_requests: ["service"],
  imports: ["imports"],
  job_keys: ["jobs"],
  invites: ["sign-in"],
  jobs: ["jobs"],
  mails: ["mail"],
  mcp_cancellations: ["mcp"],
  mcp_questions: ["mcp"],
  mcp_sessions: ["mcp"],
  passkey_challenges: ["sign-in"],
  passkeys: ["sign-in"],
  pending_sign_ins: ["sign-in"],
  notice_settings: ["notices"],
  notices: ["notices"],
  // The OAuth library writes it as well, as it does consents.
  oauth_access_tokens: ["oauth"],
  oauth_clients: ["oauth"],
  // Requests record the use of an application.
  oauth_consents: ["accounts", "oauth"],
  oauth_refresh_tokens: ["oauth"],
  owner_archives: ["downloads"],
  provider_flows: ["sign-in"],
  quotas: ["accounts"],
  rate_windows: ["accounts"],
  // Downloads and unlocking record by functions of `shares`, which also makes the links.
  recipient_links: ["shares"],
  recovery_codes: ["sign-in"],
  reports: ["reports"],
  // Uploads reserve by its functions.
  request_submissions: ["requests"],
  requests: ["requests"],
  run_time_settings: ["settings"],
  schedule_runs: ["jobs"],
  server_instances: ["jobs"],
  server_state: ["db"],
  // Requests prolong their session.
  sessions: ["accounts", "sign-in"],
  purchase_downloads: ["selling"],
  purchases: ["selling"],
  sellers: ["selling"],
  share_recipients: ["recipients", "shares"],
  subscriptions: ["billing"],
  // A removed agent takes its shares along, a removed file the share that it leaves empty, and an upload creates its share. `notices` records which
  // ends of shares their owners were told of.
  shares: ["accounts", "files", "notices", "shares", "uploads"],
  share_aliases: ["shares"],
  sign_in_methods: ["sign-in"],
  upload_delegations: ["uploads"],
  upload_parts: ["uploads"],
  unknown_blobs: ["maintenance"],
  // The column `publish_fields` has the settings of the share to be, which its owner may change.
  upload_sessions: ["shares", "uploads"],
  users: ["accounts"],
  verifications: ["oauth"],
  webhook_deliveries: ["webhooks"],
  webhook_endpoints: ["webhooks"],
  withdrawals: ["files"],
  withdrawn_files: ["files"],
};

/** What makes the tables. */
const isSchema = (file: string): boolean => /^src\/db\/(migrations|schema)\//.test(file);

const files = globSync(["src/**/*.ts", "web/**/*.{ts,tsx}"]).filter((file) => !file.endsWith(".d.ts"));
const folders = Object.keys(MAY_IMPORT).sort((left, right) => right.length - left.length);
const folderOf = (file: string): string =>
  isHandler(file) ? HANDLERS : (folders.find((folder) => file.startsWith(`${folder}/`)) ?? "src");
/** What `MAY_IMPORT` calls a file that is imported. */
const nameOf = (file: string): string => (file === CONTEXT ? CONTEXT : folderOf(file));

const IMPORT = /^(?:import|export)\b[^;"]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;

function importsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, from, bare, called]) => from ?? bare ?? called ?? "");
}

/** What views may import of `src`: contracts of operations too, whose types browsers use. */
const OF_VIEWS = /^src\/(?:contract|lib|transfer|errors|service\/(?:.*contract|client)\.ts)\b/;
/** What clients of the API import from the service: its definitions, and no operation. */
const OF_CLIENTS = /^src\/service\/(?:.*contract|client|parse-input|accounts\/actor)\.ts$/;
const handlers = new Set(
  files.filter(
    (file) =>
      /^web\/(?!\w+\/browser\/).*\.ts$/.test(file) &&
      importsOf(file).some(
        (name) => name.startsWith(".") && /^src\//.test(join(dirname(file), name)) && !OF_VIEWS.test(join(dirname(file), name)),
      ),
  ),
);
const isHandler = (file: string): boolean => handlers.has(file);

function refusal(file: string, name: string): string | undefined {
  const folder = folderOf(file);
  if (!name.startsWith(".")) {
    const owner = Object.keys(PACKAGES).find((known) => name === known || name.startsWith(`${known}/`));
    return owner === undefined || PACKAGES[owner]?.includes(folder) ? undefined : `${file} imports the package ${name}`;
  }
  const target = join(dirname(file), name);
  if (folder === "src" || nameOf(target) === folder || FOR_ALL.has(target)) return undefined;
  if (folder.startsWith("web") && OF_VIEWS.test(target)) return undefined;
  if ((folder === "src/client" || folder === "src/mcp") && OF_CLIENTS.test(target)) return undefined;
  return MAY_IMPORT[folder]?.includes(nameOf(target)) ? undefined : `${file} imports ${target}`;
}

describe("imports", () => {
  test("every folder imports only what the table allows", () => {
    assert.ok(files.length > 200, "the sources were found");
    assert.deepEqual(
      files.flatMap((file) => importsOf(file).flatMap((name) => refusal(file, name) ?? [])),
      [],
    );
  });

  test("a contract imports only zod and other contracts, so that browsers can load it", () => {
    const isContract = (file: string): boolean => /^src\/(?:contract\/|service\/.*contract\.ts$)/.test(file);
    const contracts = files.filter(isContract);
    const isAllowed = (file: string, name: string): boolean => name === "zod" || isContract(join(dirname(file), name));
    assert.deepEqual(
      contracts.flatMap((file) => importsOf(file).flatMap((name) => (isAllowed(file, name) ? [] : `${file} imports ${name}`))),
      [],
    );
  });

  test("every folder is in the table", () => {
    const unknown = files.filter((file) => folderOf(file) === "src" && file.split("/").length > 2);
    assert.deepEqual(unknown, []);
  });
});

const WRITE =
  /\b(?:insertInto|replaceInto|mergeInto|updateTable|deleteFrom)\(\s*"(\w+)|\binsertMany\([^,()]+,\s*"(\w+)|\b(?:INSERT(?: OR \w+)?|REPLACE) INTO (\w+)|\bUPDATE (\w+)\s+SET\b|\bDELETE FROM (\w+)/g;
/** A write to a table that a variable names. */
const UNNAMED_WRITE = /\b(?:insertInto|replaceInto|mergeInto|updateTable|deleteFrom)\((?!\s*")|\b(?:INTO|UPDATE|DELETE FROM) \$\{/;

describe("writes to the database", () => {
  const sources = files.map((file) => ({ file, text: readFileSync(file, "utf8") }));

  test("every table is written by the folders that the table allows", () => {
    const schema = sources
      .filter(({ file }) => isSchema(file))
      .flatMap(({ text }) => [...text.matchAll(/(CREATE|DROP) TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+)/g)]);
    const writers = new Map<string, Set<string>>();
    for (const [, change, table = "", formerName = "", newName] of schema) {
      if (change === "CREATE") writers.set(table, new Set());
      else writers.delete(table || formerName);
      if (newName !== undefined) writers.set(newName, new Set());
    }
    for (const { file, text } of sources) {
      if (isSchema(file)) continue;
      const folder = folderOf(file).replace(/^src\/(?:service\/)?/, "");
      for (const [, ...names] of text.matchAll(WRITE)) writers.get(names.find((name) => name !== undefined) ?? "")?.add(folder);
    }
    assert.deepEqual(Object.fromEntries([...writers].map(([table, folders]) => [table, [...folders].sort()])), WRITERS);
  });

  test("only bulk writes, corrections of times, and writes of the OAuth library name their table by a variable", () => {
    const unnamed = sources.filter(({ text }) => UNNAMED_WRITE.test(text)).map(({ file }) => file);
    assert.deepEqual(unnamed.sort(), ["src/db/bulk.ts", "src/db/future-times.ts", "src/service/oauth/library-database.ts"]);
  });
});

describe("refusals", () => {
  test("are responded to by pages with respondToRefusals, and no page catches an AppError", () => {
    const catching = files.filter((file) => file.startsWith("web/") && readFileSync(file, "utf8").includes("instanceof AppError"));
    assert.deepEqual(catching, []);
  });

  test("give a page its status and headers by respondPage", () => {
    const writing = files.filter((file) => file.startsWith("web/") && readFileSync(file, "utf8").includes("errorHeaders("));
    assert.deepEqual(writing, []);
  });
});

describe("the output of commands with --json", () => {
  test("is made in one place, which gives it its names and words", () => {
    const makers = files.filter((file) => file.startsWith("src/cli/") && readFileSync(file, "utf8").includes("JSON.stringify("));
    // The overview quotes what a proxy sent, in a text for people.
    assert.deepEqual(makers.sort(), ["src/cli/commands/overview.ts", "src/cli/terminal/json-output.ts"]);
  });
});

describe("the header Location", () => {
  test("is made in one place, which encodes it", () => {
    const makes = /\bLocation\b["']?\]?\s*[:=,]|\(["']location["'],|\bResponse\.redirect\(|\bc\.redirect\(/;
    // The descriptions of the API only name it.
    const makers = files.filter((file) => /^src\/(?!http\/endpoints\/openapi\/)/.test(file) && makes.test(readFileSync(file, "utf8")));
    assert.deepEqual(makers.sort(), ["src/http/responding/location.ts"]);
  });
});
