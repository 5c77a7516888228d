import assert from "node:assert/strict";
import { DAY_MS } from "../../../../src/lib/text/duration.ts";
import { type ServerWith, withAccounts } from "../accounts/accounts.ts";
import { call, getShare, type InputOf, type Upload, upload } from "../api/api.ts";
import { startPlainServer } from "../servers/plain-server.ts";
import { changeSettings, patchSettings } from "./shares.ts";

/** Returns the time `days` days from now in the API's format. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** Asserts that a time (ms) is within 20 s of the expected one. */
export function assertNear(ms: number, expected: number): void {
  assert.ok(Math.abs(ms - expected) < 20_000, `${new Date(ms).toISOString()} is not about ${new Date(expected).toISOString()}`);
}

/** The settings of an unchanged share, in the response of a change. */
export const UNCHANGED = {
  alias: null,
  visibility: "unlisted",
  title: null,
  message: null,
  handoffMessage: null,
  retention: "ttl",
  direct: false,
  immutable: false,
  encrypted: false,
  maxDownloads: null,
  priceCents: null,
  priceThumbnails: false,
  sellingFee: null,
  notify: null,
  state: "active",
  otherLinks: 0,
  downloads: 0,
  scanStatus: "clean",
  uploading: false,
  unlockRequired: false,
  unlockKind: null,
} as const;

const OWNERS = {
  free: {},
  pro: { tier: "pro" },
  named: { tier: "pro", username: "ada" },
  freeNamed: { username: "bob" },
  reader: { scope: "files_read" },
} as const;

type Owner = keyof typeof OWNERS;

export type SettingsServer = ServerWith<Owner>;

/** Starts a server with an account of each kind whose allowed settings differ. */
export const startSettingsServer = (): Promise<SettingsServer> => withAccounts(startPlainServer(), OWNERS);

/** Makes calls of owners on their files' settings. `getServer` is called each time, because suites start their server in a hook. */
export function settingsCalls(getServer: () => SettingsServer) {
  const patch = (owner: Owner, file: Upload, fields: object) =>
    patchSettings(getServer(), { fileId: file.id, ...fields }, getServer()[owner].key);
  return {
    patch,
    /** Uploads a file of the given owner. */
    uploadAs: (owner: Owner, fields: Record<string, string> = {}): Promise<Upload> =>
      upload(getServer(), { bytes: "hello", fields }, { key: getServer()[owner].key }),
    /** Changes settings; asserts that the change is accepted. */
    patchAccepted: (owner: Owner, file: Upload, fields: Omit<InputOf<"updateShareSettings">, "fileId">) =>
      changeSettings(getServer(), { fileId: file.id, ...fields }, getServer()[owner].key),
    async expiryOf(file: Upload): Promise<number> {
      const body = await getShare(getServer(), file.shortId);
      return body.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(body.expires_at);
    },
    remove: (owner: Owner, file: Upload, query = "") =>
      call(getServer(), "DELETE", `/api/files/delete?fileId=${file.id}${query}`, { key: getServer()[owner].key }),
  };
}
