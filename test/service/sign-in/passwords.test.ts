import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import { operations } from "../../../src/service/operations.ts";
import { openProcesses, type TestProcesses } from "../../jobs/support.ts";

const CALL: RequestContext = {
  actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" },
  address: "198.51.100.1",
  channel: "api",
  userAgent: "test",
};

/** Hashes as databases have them: the password, and what was stored for it. A hash that is in a database must stay valid. */
const STORED = [
  {
    password: "correct horse battery",
    hash: "5de2f92fa522ee0a31d5233aec1e5b7c:415bb0935cf2b4f0a4493abe3f6718ee47b5a9abcfae953633fcc57b3e67af3f63f55c018c76a5df86fc20ebb0664eb3352ae7c29daa845cac7e87ba2982602c",
  },
  {
    password: "Käse & 🧀 ﬁne – 12",
    hash: "ee9be08a37d6964ec207fa60f7974877:18f73d51da5c2ff5cc02338dd2a57ea15ad1d4f63055298d8799c68710d9f239cad73199e13a6ff2925785becb7e65acd48f63adb4469e97469c1f3ebda095ba",
  },
] as const;

/** accounts, "Signing in". */
describe("stored passwords", () => {
  let processes: TestProcesses;
  let ctx: Ctx;
  before(async () => {
    processes = await openProcesses();
    [ctx] = processes.ctxs;
  });
  after(() => processes[Symbol.asyncDispose]());

  const signIn = (login: string, password: string): Promise<string> =>
    operations.signIn(ctx, CALL, { login, password }).then(
      () => "done",
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );

  for (const [index, { password, hash }] of STORED.entries())
    test(`a hash that was stored before signs in, and with no other password: ${password}`, async () => {
      const email = `stored-${index}@example.org`;
      const { owner } = await operations.signUp(ctx, CALL, { email, password: "another password", name: "Ada" });
      await ctx.db.updateTable("sign_in_methods").set({ password: hash }).where("user_id", "=", owner.id).execute();
      assert.equal(await signIn(email, password), "done");
      assert.equal(await signIn(email, "another password"), "UNAUTHENTICATED");
      assert.equal(await signIn(email, `${password} `), "UNAUTHENTICATED");
    });

  test("stores a password as a hash with a unique salt", async () => {
    const password = "the same for both";
    const hashes = await Promise.all(
      ["salt-a@example.org", "salt-b@example.org"].map(async (email) => {
        const { owner } = await operations.signUp(ctx, CALL, { email, password, name: "Ada" });
        const row = await ctx.db.selectFrom("sign_in_methods").select("password").where("user_id", "=", owner.id).executeTakeFirstOrThrow();
        return row.password ?? "";
      }),
    );
    assert.equal(new Set(hashes).size, 2);
    for (const hash of hashes) assert.match(hash, /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  });
});
