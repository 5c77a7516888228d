import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "./support/accounts.ts";
import { type Answer, call, upload } from "./support/api.ts";
import { type Credentials, credentialsIn, download, type ProtectedUpload, patchSettings, postUnlock } from "./support/owned.ts";
import { startPlainServer } from "./support/plain.ts";
import { withDatabase } from "./support/state.ts";
import { here } from "./support/transfers.ts";

type Protected = ProtectedUpload & Credentials & { readonly unlockToken: string; readonly issuedUrl: string };

/** interface, "Transition table" and "Protection credentials"; decisions, "Identifiers and secrets": what was handed out, after each thing that can happen. */
describe("credentials and signed addresses, and what happens to their share", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
  });
  after(() => server[Symbol.asyncDispose]());

  async function share(): Promise<Protected> {
    const file: ProtectedUpload = await upload(
      server,
      { bytes: "hello", fields: { protect: "true", maxDownloads: "2" } },
      { key: server.owner.key },
    );
    const credentials = credentialsIn(file);
    const { body } = await postUnlock(server, { shortId: file.shortId, unlockCode: credentials.unlockCode });
    const issued = await download(server, file.id, { unlockCode: credentials.unlockCode });
    return { ...file, ...credentials, unlockToken: String(body.unlockToken), issuedUrl: String(issued.body.url) };
  }
  const settings = (file: Protected, change: object): Promise<Answer> =>
    patchSettings(server, { fileId: file.id, ...change }, server.owner.key);
  const alter = (table: "files" | "shares", file: Protected, change: object) =>
    withDatabase(server, (db) =>
      table === "files"
        ? db.updateTable("files").set(change).where("id", "=", file.id).execute()
        : db.updateTable("shares").set(change).where("short_id", "=", file.shortId).execute(),
    );

  const happenings: Readonly<Record<string, (file: Protected) => Promise<unknown>>> = {
    nothing: async () => undefined,
    "settings that do not protect": (file) => settings(file, { handoffMessage: "Hello", extendTtl: "1d" }),
    "new credentials": (file) => settings(file, { protect: true }),
    "protection cleared": (file) => settings(file, { protect: false }),
    "its time over": (file) => alter("shares", file, { expires_at: Date.now() - 1 }),
    "used up": (file) => download(server, file.id, { unlockCode: file.unlockCode }),
    blocked: (file) => alter("files", file, { scan_status: "unavailable", scan_reason: "infected" }),
    "to be checked again": (file) => alter("files", file, { scan_status: "pending" }),
    deleted: (file) => call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key: server.owner.key }),
    "taken down": (file) => server.run(["takedown", file.shortId]),
  };

  const told = ({ status, body }: Answer): string => (status === 200 ? "200" : `${status} ${body.errorCode}`);
  const uses: Readonly<Record<string, (file: Protected) => Promise<string>>> = {
    code: async ({ shortId, unlockCode }) => told(await postUnlock(server, { shortId, unlockCode })),
    link: async ({ handoffToken }) => told(await call(server, "GET", `/api/files/handoff/${handoffToken}`)),
    linkUnlocks: async ({ handoffToken }) => told(await postUnlock(server, { handoffToken })),
    token: async ({ id, unlockToken }) => told(await download(server, id, { unlockToken })),
    uploadersUrl: async ({ url }) => String((await fetch(here(server, url), { method: "HEAD" })).status),
    issuedUrl: async ({ issuedUrl }) => {
      const response = await fetch(here(server, issuedUrl));
      const text = await response.text();
      return response.status === 200 ? text : told({ status: response.status, headers: response.headers, body: JSON.parse(text) });
    },
  };

  const all = { code: "200", link: "200", linkUnlocks: "200", token: "200", uploadersUrl: "200", issuedUrl: "hello" };
  const GONE = "404 NOT_FOUND";
  const INVALID = "403 UNLOCK_INVALID";
  const gone = { code: GONE, link: GONE, linkUnlocks: INVALID, token: GONE, uploadersUrl: "404", issuedUrl: GONE };
  const outcomes: Readonly<Record<keyof typeof happenings, Readonly<Record<keyof typeof uses, string>>>> = {
    nothing: all,
    "settings that do not protect": all,
    "new credentials": {
      code: INVALID,
      link: GONE,
      linkUnlocks: INVALID,
      token: INVALID,
      uploadersUrl: "403",
      issuedUrl: "403 SIGNATURE_INVALID",
    },
    // Anything opens what is open; what was signed for the protected share is dead all the same.
    "protection cleared": { ...all, link: GONE, linkUnlocks: INVALID, uploadersUrl: "403", issuedUrl: "403 SIGNATURE_INVALID" },
    "its time over": gone,
    // The delivery that was counted goes on.
    "used up": { ...gone, issuedUrl: "hello" },
    blocked: { ...all, token: "404 SCAN_BLOCKED", uploadersUrl: "404", issuedUrl: "404 SCAN_BLOCKED" },
    "to be checked again": { ...all, token: "409 SCAN_PENDING", uploadersUrl: "409", issuedUrl: "409 SCAN_PENDING" },
    deleted: gone,
    "taken down": gone,
  };

  for (const [what, happen] of Object.entries(happenings)) {
    test(what, async () => {
      const seen: Record<string, string> = {};
      for (const [name, use] of Object.entries(uses)) {
        const file = await share();
        await happen(file);
        seen[name] = await use(file);
      }
      assert.deepEqual(seen, outcomes[what]);
    });
  }
});
