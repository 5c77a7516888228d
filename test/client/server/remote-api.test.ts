import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { discoverServer } from "../../../src/client/server/discover-server.ts";
import { createRemoteApi, type RemoteApi } from "../../../src/client/server/remote-api.ts";
import { type StreamedForm, streamForm } from "../../../src/client/upload-file/form-stream.ts";
import { AppError } from "../../../src/errors.ts";
import { type Account, type ServerWith, withAccounts } from "../../e2e/support/accounts/accounts.ts";
import { clientOf } from "../../e2e/support/api/api.ts";
import { startPlainServer } from "../../e2e/support/servers/plain-server.ts";
import { withDatabase } from "../../e2e/support/servers/state.ts";
import { startOrigin } from "../../support/services/origin-server.ts";

/** client, "Secrets". */
describe("a key that the server refuses", () => {
  let server: ServerWith<"account">;
  let account: Account;
  before(async () => {
    server = await withAccounts(startPlainServer(), { account: {} });
    ({ account } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** A client whose first key can be replaced by that of the account. */
  function open(first: string): { readonly api: RemoteApi; readonly refused: readonly string[]; readonly set: (key: string) => void } {
    let current = first;
    const refused: string[] = [];
    const renew = async (sent: string): Promise<string> => {
      refused.push(sent);
      current = account.key;
      return current;
    };
    const set = (key: string): void => {
      current = key;
    };
    return { api: createRemoteApi({ url: server.url, key: () => current, renew, account: () => "" }), refused, set };
  }

  /** Counts how often the bytes are read. */
  function makeForm(): { readonly form: StreamedForm; readonly reads: () => number } {
    let reads = 0;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      reads += 1;
      yield new TextEncoder().encode("bytes");
    }
    return { form: streamForm([{ name: "file", fileName: "a.txt", bytes: bytes() }]), reads: () => reads };
  }

  test("is replaced before a form is sent that cannot be repeated", async () => {
    const { api, refused } = open("bc_refused");
    const { form, reads } = makeForm();
    const { name } = await api.sendForm("uploadFile", form);
    assert.deepEqual([name, reads(), refused], ["a.txt", 1, ["bc_refused"]]);
  });

  test("is replaced after a form was refused, so that the next form has the new key", async () => {
    const { data } = await clientOf(server, account).call("createKey", { label: "ends" });
    const { api, refused } = open(data.key);
    await api.call("getMe", {});
    await withDatabase(server, (db) => db.deleteFrom("api_keys").where("label", "=", "ends").execute());
    await assert.rejects(api.sendForm("uploadFile", makeForm().form), { code: "UNAVAILABLE" });
    await api.sendForm("uploadFile", makeForm().form);
    assert.deepEqual(refused, [data.key]);
  });
});

test("a server that limits requests gets none for the time that it names", async () => {
  for (const [wait, seconds, text] of [
    ["32", 32, "in 32 seconds"],
    ["1", 1, "in 1 second"],
    [undefined, undefined, "later"],
  ] as const) {
    await using busy = await startOrigin({
      "/api/agent/capabilities": (_, response) => response.writeHead(429, wait === undefined ? {} : { "retry-after": wait }).end("{}"),
    });
    await assert.rejects(discoverServer(busy.url), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.code, error.retryAfterSeconds], ["RATE_LIMITED", seconds]);
      assert.ok(error.message.endsWith(`Try again ${text}.`), error.message);
      return true;
    });
  }
});
