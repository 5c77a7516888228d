import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { createUserKey } from "../../../src/service/accounts/admin-keys.ts";
import { asAdministrator, THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { toUserActor } from "../../../src/service/accounts/user-actor.ts";
import { getUser } from "../../../src/service/accounts/users.ts";
import { retryFailedJobs } from "../../../src/service/administration/failed-jobs.ts";
import { addUser, changeUser } from "../../../src/service/administration/users.ts";
import type { Input } from "../../../src/service/contract.ts";
import { blockDigests, countBlocks } from "../../../src/service/scanning/blocklist.ts";
import { openProcesses } from "../../jobs/support.ts";

async function addAdministrator(ctx: Ctx, name: string): Promise<{ readonly id: string; readonly call: RequestContext }> {
  const { id } = await addUser(ctx, THIS_MACHINE, { email: `${name}@example.org`, name, role: "admin" });
  const { id: keyId } = await createUserKey(ctx, THIS_MACHINE, { user: id, scope: "full", isAdminKey: true });
  const { prefix: keyPrefix } = await ctx.db.selectFrom("api_keys").select("prefix").where("id", "=", keyId).executeTakeFirstOrThrow();
  const actor = toUserActor(ctx, await getUser(ctx.db, id), { scope: "full", keyId, keyPrefix, isAdminKey: true });
  return { id, call: { actor, address: "192.0.2.7", channel: "api", userAgent: "" } };
}

const [first, second] = ["1", "2"].map((digit) => ({ digests: [digit.repeat(64)] })) as [Digests, Digests];

type Digests = Input<"blockDigests">;

/** administration, "Access". */
test("a call of an administrator changes nothing more when the role is lost between its transactions", async () => {
  await using processes = await openProcesses();
  const [ctx, other] = processes.ctxs;
  await addAdministrator(other, "keeper");
  const { id, call } = await addAdministrator(ctx, "ada");
  const demoting: Ctx = {
    ...ctx,
    async transaction(work) {
      const result = await ctx.transaction(work);
      await changeUser(other, THIS_MACHINE, { id, role: "user" });
      return result;
    },
  };
  const administration = asAdministrator(demoting, call);
  await blockDigests(administration, call, first);
  await assert.rejects(blockDigests(administration, call, second), { code: "FORBIDDEN" });
  assert.equal(await countBlocks(ctx.db), 1);
});

test("a call with which an administrator gives the role up is completed", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  await addAdministrator(ctx, "keeper");
  const { id, call } = await addAdministrator(ctx, "ada");
  const administration = asAdministrator(ctx, call);
  assert.equal((await changeUser(administration, call, { id, tier: "pro", role: "user" })).role, "user");
  assert.deepEqual(await retryFailedJobs(administration, call, {}), { retried: 0, skipped: 0 });
});
