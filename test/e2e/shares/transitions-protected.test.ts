import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ApiResponse, call, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { authorizeWith, type Credentials, credentialsIn, patchSettings, postUnlock, unlock } from "../support/shares/shares.ts";
import { atServer } from "../support/uploads/transfers.ts";

type Protected = Upload & Credentials & { readonly unlockToken: string; readonly issuedUrl: string };

/** model, "Transitions"; sharing, "Protection"; identifiers, "Signed URLs": which credentials still work after each change. */
describe("credentials and signed URLs of a share", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {} });
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  async function share(): Promise<Protected> {
    const file: Upload = await upload(
      server,
      { bytes: "hello", fields: { protect: "true", maxDownloads: "2" } },
      { key: server.owner.key },
    );
    const credentials = credentialsIn(file);
    const unlocked = await unlock(server, { shortId: file.shortId, unlockCode: credentials.unlockCode });
    const issued = await signedUrl(server, file.id, { unlockCode: credentials.unlockCode });
    return { ...file, ...credentials, unlockToken: unlocked.unlockToken, issuedUrl: issued };
  }
  const settings = (file: Protected, change: object): Promise<ApiResponse> =>
    patchSettings(server, { fileId: file.id, ...change }, server.owner.key);
  const alter = (table: "files" | "shares", file: Protected, change: object) =>
    withDatabase(server, (db) =>
      table === "files"
        ? db.updateTable("files").set(change).where("id", "=", file.id).execute()
        : db.updateTable("shares").set(change).where("short_id", "=", file.shortId).execute(),
    );

  const changes: Readonly<Record<string, (file: Protected) => Promise<unknown>>> = {
    "no change": async () => undefined,
    "other settings": (file) => settings(file, { handoffMessage: "Hello", extendTtl: "1d" }),
    "new credentials": (file) => settings(file, { protect: true }),
    "protection removed": (file) => settings(file, { protect: false }),
    expired: (file) => alter("shares", file, { expires_at: Date.now() - 1 }),
    "no downloads left": (file) => authorizeWith(server, file.id, { unlockCode: file.unlockCode }),
    blocked: (file) => alter("files", file, { scan_status: "unavailable", scan_reason: "infected" }),
    "waiting for a scan": (file) => alter("files", file, { scan_status: "pending" }),
    deleted: (file) => call(server, "DELETE", `/api/files/delete?fileId=${file.id}`, { key: server.owner.key }),
    "taken down": (file) => server.run(["takedown", file.shortId]),
  };

  const outcomeOf = ({ status, body }: ApiResponse): string => (status === 200 ? "200" : `${status} ${body.errorCode}`);
  const uses: Readonly<Record<string, (file: Protected) => Promise<string>>> = {
    code: async ({ shortId, unlockCode }) => outcomeOf(await postUnlock(server, { shortId, unlockCode })),
    link: async ({ handoffToken }) => outcomeOf(await call(server, "GET", `/api/files/handoff/${handoffToken}`)),
    linkUnlocks: async ({ handoffToken }) => outcomeOf(await postUnlock(server, { handoffToken })),
    token: async ({ id, unlockToken }) => outcomeOf(await authorizeWith(server, id, { unlockToken })),
    uploadersUrl: async ({ url }) => String((await fetch(atServer(server, url), { method: "HEAD" })).status),
    issuedUrl: async ({ issuedUrl }) => {
      const response = await fetch(atServer(server, issuedUrl));
      const text = await response.text();
      return response.status === 200 ? text : outcomeOf({ status: response.status, headers: response.headers, body: JSON.parse(text) });
    },
  };

  const all = { code: "200", link: "200", linkUnlocks: "200", token: "200", uploadersUrl: "200", issuedUrl: "hello" };
  const GONE = "404 NOT_FOUND";
  const INVALID = "403 UNLOCK_INVALID";
  const gone = { code: GONE, link: GONE, linkUnlocks: INVALID, token: GONE, uploadersUrl: "404", issuedUrl: GONE };
  const outcomes: Readonly<Record<keyof typeof changes, Readonly<Record<keyof typeof uses, string>>>> = {
    "no change": all,
    "other settings": all,
    "new credentials": {
      code: INVALID,
      link: GONE,
      linkUnlocks: INVALID,
      token: INVALID,
      uploadersUrl: "403",
      issuedUrl: "403 SIGNATURE_INVALID",
    },
    // Any credential opens an unprotected share; URLs signed while it was protected are still invalid.
    "protection removed": { ...all, link: GONE, linkUnlocks: INVALID, uploadersUrl: "403", issuedUrl: "403 SIGNATURE_INVALID" },
    expired: gone,
    // A download that was counted can be completed.
    "no downloads left": { ...gone, issuedUrl: "hello" },
    blocked: { ...all, token: "404 SCAN_BLOCKED", uploadersUrl: "404", issuedUrl: "404 SCAN_BLOCKED" },
    "waiting for a scan": { ...all, token: "409 SCAN_PENDING", uploadersUrl: "409", issuedUrl: "409 SCAN_PENDING" },
    deleted: gone,
    "taken down": gone,
  };

  for (const [change, apply] of Object.entries(changes)) {
    test(`${change}: each credential and URL has the expected outcome`, async () => {
      const seen: Record<string, string> = {};
      for (const [name, use] of Object.entries(uses)) {
        const file = await share();
        await apply(file);
        seen[name] = await use(file);
      }
      assert.deepEqual(seen, outcomes[change]);
    });
  }
});
