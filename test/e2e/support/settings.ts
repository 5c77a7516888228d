import assert from "node:assert/strict";
import { type ServerWith, withAccounts } from "./accounts.ts";
import { call, getShare, type Upload, upload } from "./api.ts";
import { patchSettings } from "./owned.ts";
import { startPlainServer } from "./plain.ts";

export const DAY_MS = 86_400_000;

/** A time so many days from now, as the API takes it. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

/** Asserts that a time is the expected one but for what the test took. */
export function assertNear(ms: number, expected: number): void {
  assert.ok(Math.abs(ms - expected) < 20_000, `${new Date(ms).toISOString()} is not about ${new Date(expected).toISOString()}`);
}

const OWNERS = {
  free: {},
  pro: { tier: "pro" },
  named: { tier: "pro", username: "ada" },
  freeNamed: { username: "bob" },
  reader: { scope: "files_read" },
} as const;

type Owner = keyof typeof OWNERS;

export type SettingsServer = ServerWith<Owner>;

/** A server with an account of each kind that may set other things. */
export const startSettingsServer = (): Promise<SettingsServer> => withAccounts(startPlainServer(), OWNERS);

/** What owners do with their files' settings; `made` is asked with each call, since servers begin in a hook. */
export function settingsCalls(made: () => SettingsServer) {
  const patch = (owner: Owner, file: Upload, fields: object) => patchSettings(made(), { fileId: file.id, ...fields }, made()[owner].key);
  return {
    patch,
    /** A file of that owner. */
    of: (owner: Owner, fields: Record<string, string> = {}): Promise<Upload> =>
      upload(made(), { bytes: "hello", fields }, { key: made()[owner].key }),
    /** Changes that are taken. */
    async taken(owner: Owner, file: Upload, fields: object) {
      const { status, body } = await patch(owner, file, fields);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    },
    async expiryOf(file: Upload): Promise<number> {
      const { status, body } = await getShare(made(), file.shortId);
      assert.equal(status, 200);
      return body.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(String(body.expires_at));
    },
    remove: (owner: Owner, file: Upload, query = "") =>
      call(made(), "DELETE", `/api/files/delete?fileId=${file.id}${query}`, { key: made()[owner].key }),
  };
}
