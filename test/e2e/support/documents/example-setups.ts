import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestTerminal } from "../../../support/machine/terminal.ts";
import type { TestServer } from "../../../support/server.ts";
import type { TestStripe } from "../../../support/services/stripe.ts";
import type { s3Settings } from "../../../support/services/swift.ts";
import { createKey } from "../accounts/accounts.ts";
import { decideOn, sendForm } from "../accounts/oauth.ts";
import { codeOf } from "../accounts/two-step.ts";
import { clientOf, type Upload, upload } from "../api/api.ts";
import { startSession } from "../api/callers.ts";
import {
  makeAnonymousFile,
  makeFailedJob,
  makeFile,
  makeFolder,
  makeReport,
  makeRequest,
  type OwnerFixture,
  startImport,
} from "../api/fixtures.ts";
import { type ClientDevice, rememberUpload, siteOf } from "../client/client-device.ts";
import { makeBrowser } from "../client/client-login.ts";
import { withDatabase } from "../servers/state.ts";
import { buy, priced, type TestSeller } from "../shares/selling.ts";

/** What the examples of help run on. */
export interface Stage extends OwnerFixture {
  readonly server: TestServer;
  /** Where they run, with the files that they name. */
  readonly device: ClientDevice;
  readonly stripe: TestStripe;
  readonly seller: TestSeller;
  /** The settings of an empty bucket; undefined without a store that has buckets. */
  readonly bucketSettings: ReturnType<typeof s3Settings> | undefined;
}

/** What an example needs to run. */
export interface Setup {
  /** The replacements of the IDs, addresses and folders that the example names. */
  readonly values?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** What a person does while it runs. Questions whose answer is yes or no are answered without it. */
  during?(terminal: TestTerminal): Promise<void>;
  /** Its exit code, if Ctrl-C is how it ends. */
  readonly code?: number;
}

export type Prepare = (stage: Stage, example: string) => Setup | Promise<Setup>;

/** The files that examples name. */
export const FILES = ["report.pdf", "video.mp4", "photos/a.jpg", "photos/b.jpg", "project/a.c", "a.log", "b.log", "Shared/note.txt"];

const SHARE = "7kXq9Zab";
const FILE = "5hQ2vR8kLm3xTz0B";
const UUID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const PUBLIC_SHARE = "4kTqW9xZ";
const DATA = "/var/lib/filehost";
const EMAIL = "ada@example.org";
const DIGEST = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

const pressCtrlC = (text: string | RegExp) => async (terminal: TestTerminal) => {
  await terminal.waitFor(text);
  terminal.press("ctrl-c");
};

const CLOSED_BROWSER = { BROWSER: "true" };

/** A share of the owner, another file of it, and the folder `Reports/2026`. */
const ofOwner: Prepare = async (stage) => {
  const [share, other] = [await makeFile(stage), await makeFile(stage)];
  await run(stage, ["mkdir", "Reports/2026"]);
  return { values: { [SHARE]: share.shortId, [FILE]: other.id }, env: CLOSED_BROWSER };
};

/** Runs a command of the owner that prepares. */
async function run({ device, server, owner }: Stage, args: readonly string[], input?: string): Promise<string> {
  const env = { FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: owner.key };
  const { code, stdout, stderr } = await device.run(args, { env, ...(input !== undefined && { input }) });
  assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Runs a command on the server's machine that prepares, and reads its result. */
async function administer<T>({ server }: Stage, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await server.run([...args, "--json"]);
  assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

const ofRequest: Prepare = async (stage) => ({ values: { [UUID]: (await makeRequest(stage)).id } });

const signedIn: Prepare = async (stage) => {
  await run(stage, ["login", siteOf(stage.server), "--with-key", "--profile", "work"], stage.owner.key);
  return { env: { FILEHOST_SERVER: "", FILEHOST_KEY: "" } };
};

const asSeller: Prepare = ({ seller }) => ({ env: { FILEHOST_KEY: seller.key, ...CLOSED_BROWSER } });

/** The account that examples about accounts name, whatever others did to it. */
const withAda: Prepare = async (stage) => {
  await withoutAda(stage, "");
  await administer(stage, ["users", "create", "--email", EMAIL, "--name", "Ada"]);
  return {};
};

const withoutAda: Prepare = async ({ server }) => {
  await withDatabase(server, (db) =>
    db
      .updateTable("users")
      .set({ email: `${crypto.randomUUID()}@example.org`, username: null })
      .where("email", "in", [EMAIL, "bob@example.org"])
      .execute(),
  );
  return {};
};

const ofAnonymous: Prepare = async (stage) => {
  const [share, file] = [await makeAnonymousFile(stage), await makeAnonymousFile(stage)];
  return { values: { [PUBLIC_SHARE]: share.shortId, [FILE]: file.id } };
};

const ofReport: Prepare = async (stage) => {
  const id = await makeReport(stage);
  const { short_id } = await withDatabase(stage.server, (db) =>
    db.selectFrom("reports").select("short_id").where("id", "=", id).executeTakeFirstOrThrow(),
  );
  return { values: { [UUID]: id, [PUBLIC_SHARE]: short_id ?? "" } };
};

async function sendAnonymous({ device, server }: Stage): Promise<Upload> {
  const sent = await upload(server, { bytes: "mine" });
  await rememberUpload(device, server, sent);
  return sent;
}

async function payWhenAsked(terminal: TestTerminal, { stripe }: Stage): Promise<void> {
  const [, session = ""] = await terminal.waitFor(/http\S+\/(cs_[^\s?#"]+)/);
  stripe.checkouts.pay(session, { email: "buyer@example.org" });
}

/** What each command's examples need. */
export const SETUPS: Readonly<Record<string, Prepare>> = {
  up: async (stage, example) => {
    const { shortId } = (await clientOf(stage.server, stage.owner).call("createShare", {})).data;
    const values = { [SHARE]: shortId, "3hT8nQ9kWm2X": (await makeRequest(stage)).requestToken };
    const isWatching = example.includes("--watch");
    return { values, ...(isWatching && { during: pressCtrlC("Ctrl-C"), code: 130 }) };
  },
  down: async (stage) => {
    await mkdir(join(stage.device.path, "Downloads"));
    const [, shortId = ""] = /\/d\/(\w+)/.exec(await run(stage, ["up", "report.pdf", "photos"])) ?? [];
    return { values: { [SHARE]: shortId } };
  },
  buy: async (stage) => {
    const { shortId } = await priced(stage.server, stage.seller, { bytes: "sold" }, 499);
    return { values: { [SHARE]: shortId }, env: CLOSED_BROWSER, during: (terminal) => payWhenAsked(terminal, stage) };
  },
  mcp: async ({ device, owner, server }) => {
    await writeFile(join(device.path, ".filehost-key"), owner.key, { mode: 0o600 });
    const during = async (terminal: TestTerminal): Promise<void> => {
      terminal.type(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
      await terminal.waitFor(/"result":\s*\{/);
      terminal.press("ctrl-d");
    };
    return { values: { "bc_...": owner.key, "https://files.example.org": siteOf(server) }, during };
  },
  ls: ofOwner,
  info: async (stage, example) => {
    const { shortId, unlockCode = "" } = await makeFile(stage, example.includes("--code") ? { protect: "true" } : {});
    const during = async (terminal: TestTerminal): Promise<void> => {
      await terminal.waitFor(/code.*: /i);
      terminal.type(`${unlockCode}\r`);
    };
    return { values: { [SHARE]: shortId }, ...(example.includes("--code") && { during }) };
  },
  open: ofOwner,
  share: async (stage, example) => {
    const client = clientOf(stage.server, stage.seller);
    const file = await upload(stage.server, { bytes: "x" }, { key: stage.seller.key });
    const env = { FILEHOST_KEY: stage.seller.key };
    if (!example.includes("--again")) return { values: { [SHARE]: file.shortId }, env };
    const { shortId } = (await client.call("shareFiles", { fileIds: [file.id] })).data;
    await client.call("closeShare", { shortId });
    return { values: { [SHARE]: shortId }, env };
  },
  send: async (stage, example) => {
    const { shortId } = await makeFile(stage);
    if (example.includes("--remove")) await run(stage, ["send", shortId, "--to", "grace@example.org"]);
    return { values: { [SHARE]: shortId } };
  },
  protect: async (stage, example) => {
    const { shortId } = await makeFile(stage, /--(rotate|remove)/.test(example) ? { protect: "true" } : {});
    return { values: { [SHARE]: shortId } };
  },
  mkdir: () => ({}),
  mv: ofOwner,
  rm: async (stage, example) => ({ values: { ...(await ofOwner(stage, example)).values, [UUID]: await makeFolder(stage) } }),
  import: async (stage, example) => {
    const { jobId } = await startImport(stage, example.includes("--cancel") ? stage.slowUrl : stage.remoteUrl);
    const urls = { "https://example.org/report.pdf": stage.remoteUrl, "https://example.org/video.mp4": stage.remoteUrl };
    return { values: { [UUID]: jobId, "3hT8nQ9kWm2X": (await makeRequest(stage)).requestToken, ...urls } };
  },
  watch: async (stage, example) => {
    const { shortId } = await makeFile(stage);
    if (!example.includes(SHARE)) return { during: pressCtrlC(shortId), code: 130 };
    const during = async (terminal: TestTerminal): Promise<void> => {
      await terminal.waitFor(shortId);
      await run(stage, ["rm", shortId]);
    };
    return { values: { [SHARE]: shortId }, during };
  },
  claim: async (stage) => {
    const { shortId, claimToken = "" } = await sendAnonymous(stage);
    await writeFile(join(stage.device.path, "token.txt"), claimToken);
    return { values: { [SHARE]: shortId } };
  },
  "requests list": ofRequest,
  "requests create": () => ({}),
  "requests show": ofRequest,
  "requests change": ofRequest,
  "requests close": ofRequest,
  "requests rotate": ofRequest,
  "requests delete": ofRequest,
  "sell status": asSeller,
  "sell setup": asSeller,
  "sell dashboard": asSeller,
  "sell sales": async (stage, example) => {
    const { shortId } = await priced(stage.server, stage.seller, { bytes: "sold" }, 499);
    return { ...(await asSeller(stage, example)), values: { [SHARE]: shortId } };
  },
  "sell refund": async (stage, example) => {
    const { shortId } = await priced(stage.server, stage.seller, { bytes: "sold" }, 499);
    await buy(stage.server, stage.stripe, shortId);
    const [sale] = (await clientOf(stage.server, stage.seller).call("listSales", { shortId })).data;
    return { ...(await asSeller(stage, example)), values: { [UUID]: sale?.id ?? "" } };
  },
  login: async (stage, example) => {
    const { device, server, owner } = stage;
    await writeFile(join(device.path, "key.txt"), owner.key);
    const browser = await makeBrowser(device);
    const session = await startSession(server, owner);
    const during = async (terminal: TestTerminal): Promise<void> => {
      if (example.includes("--with-key")) return;
      if (!example.includes("--device")) {
        await terminal.waitFor("Waiting for you");
        const callback = await decideOn({ url: (await browser.opened()).href } as Parameters<typeof decideOn>[0], session);
        await fetch(callback);
        return;
      }
      const [, code = ""] = await terminal.waitFor(/ {2}([0-9A-Z]{4}-[0-9A-Z]{4})\r/);
      await sendForm(`${siteOf(server)}/device`, session, { code, decision: "allow", account: owner.userId });
    };
    const env = { FILEHOST_SERVER: "", FILEHOST_KEY: "", BROWSER: browser.path };
    return { values: { "https://work.example.org": siteOf(server) }, env, during };
  },
  logout: signedIn,
  whoami: signedIn,
  "profiles list": signedIn,
  "profiles use": signedIn,
  register: () => ({ env: { FILEHOST_SERVER: "", FILEHOST_KEY: "" } }),
  serve: ({ device }) => {
    const env = { FILEHOST_LISTEN: "127.0.0.1:0", FILEHOST_DATA: join(device.path, "data"), FILEHOST_SCANNER: "off" };
    // Tests listen on loopback only.
    return { values: { "0.0.0.0:8080": "127.0.0.1:0", [DATA]: env.FILEHOST_DATA }, env, during: pressCtrlC("listening") };
  },
  doctor: ({ server }) => ({ values: { [DATA]: server.dataDir }, env: { FILEHOST_LISTEN: new URL(server.url).host } }),
  health: ({ server }) => {
    const { host } = new URL(server.url);
    return { values: { "127.0.0.1:9000": host }, env: { FILEHOST_LISTEN: host } };
  },
  overview: () => ({}),
  config: ({ server }) => ({ values: { [DATA]: server.dataDir } }),
  "settings list": () => ({}),
  "settings set": async ({ device }) => {
    await writeFile(join(device.path, "logo.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>');
    return {};
  },
  "settings unset": () => ({}),
  "mail test": () => ({}),
  "jobs list": () => ({}),
  "jobs retry": async (stage) => ({ values: { [UUID]: await makeFailedJob(stage) } }),
  "jobs drop": async (stage) => ({ values: { [UUID]: await makeFailedJob(stage) } }),
  "users create": withoutAda,
  "users list": withAda,
  "users show": withAda,
  "users set-role": withAda,
  "users set-tier": withAda,
  "users set-username": withAda,
  "users sign-out": withAda,
  "users reset-password": withAda,
  "users disable": withAda,
  "users enable": withAda,
  "users reset-two-factor": async (stage, example) => {
    const setup = await withoutAda(stage, example);
    const { data } = await clientOf(stage.server).call("signUp", { email: EMAIL, password: "correct horse battery", name: "Ada" });
    await withDatabase(stage.server, (db) => db.updateTable("users").set({ email_verified: 1 }).where("email", "=", EMAIL).execute());
    const client = clientOf(stage.server, { key: data.sessionToken });
    const { secret } = (await client.call("startTotp", {})).data;
    await client.call("confirmTotp", { code: codeOf(secret) });
    return setup;
  },
  "users delete": withAda,
  "invites create": withoutAda,
  "invites list": () => ({}),
  "invites revoke": async (stage) => ({ values: { [UUID]: (await administer<{ readonly id: string }>(stage, ["invites", "create"])).id } }),
  "keys create": withAda,
  "keys list": withAda,
  "keys revoke": async ({ server, owner }) => ({ values: { bc_AbCd1234: (await createKey(server, owner.key)).prefix } }),
  "audit-log": withAda,
  cleanup: () => ({}),
  audit: () => ({}),
  "files list": withAda,
  takedown: async (stage, example) => {
    const setup = await ofAnonymous(stage, example);
    if (example.includes("--undo")) await administer(stage, ["takedown", setup.values?.[PUBLIC_SHARE] ?? ""]);
    return setup;
  },
  rescan: async (stage, example) => ({ ...(await ofAnonymous(stage, example)), env: { FILEHOST_SCANNER: "clamd" } }),
  "reports list": () => ({}),
  "reports show": ofReport,
  "reports takedown": ofReport,
  "reports dismiss": ofReport,
  "blocklist add": async ({ device }) => {
    await writeFile(join(device.path, "digests.txt"), `${DIGEST}\n`);
    return {};
  },
  "blocklist list": () => ({}),
  "blocklist remove": async (stage) => {
    await administer(stage, ["blocklist", "add", DIGEST]);
    return {};
  },
  "storage copy": ({ bucketSettings = assert.fail() }, example) => {
    const { FILEHOST_S3_BUCKET: bucket, ...others } = bucketSettings;
    return example.startsWith("FILEHOST_S3_BUCKET") ? { values: { "=files": `=${bucket}` }, env: others } : { env: bucketSettings };
  },
  "storage adopt": () => ({}),
  "secrets adopt": () => ({}),
  completions: () => ({}),
  licenses: () => ({}),
  man: () => ({ env: { PAGER: "cat", MANPAGER: "cat" } }),
  version: () => ({}),
};
