import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { createUserKey } from "../../../src/service/accounts/admin-keys.ts";
import { asAdministrator } from "../../../src/service/accounts/administrator.ts";
import { toUserActor } from "../../../src/service/accounts/user-actor.ts";
import { getUser } from "../../../src/service/accounts/users.ts";
import { setRole } from "../../../src/service/administration/change-user.ts";
import { changeUser, createUser } from "../../../src/service/administration/users.ts";
import { addBlocks, countBlocks } from "../../../src/service/scanning/blocklist.ts";
import { MAX_NEW_DIGESTS } from "../../../src/service/scanning/contract.ts";
import { openProcesses } from "../../jobs/support.ts";

async function addAdministrator(ctx: Ctx, name: string): Promise<{ readonly id: string; readonly call: RequestContext }> {
  const { id } = await createUser(ctx, "command_line", { email: `${name}@example.org`, name, tier: "free", isAdmin: true });
  const { id: keyId } = await createUserKey(ctx, "command_line", { user: id, scope: "full", isAdminKey: true });
  const { prefix: keyPrefix } = await ctx.db.selectFrom("api_keys").select("prefix").where("id", "=", keyId).executeTakeFirstOrThrow();
  const actor = toUserActor(ctx, await getUser(ctx.db, id), { scope: "full", keyId, keyPrefix, isAdminKey: true });
  return { id, call: { actor, address: "192.0.2.7", channel: "api", userAgent: "" } };
}

/** More digests than one transaction adds. */
const digests = Array.from({ length: MAX_NEW_DIGESTS + 1 }, (_, n) => n.toString(16).padStart(64, "0"));

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
      await setRole(other, "system", id, "user");
      return result;
    },
  };
  await assert.rejects(addBlocks(asAdministrator(demoting, call), call, { digests }), { code: "FORBIDDEN" });
  assert.equal(await countBlocks(ctx.db), MAX_NEW_DIGESTS);
});

test("a call with which an administrator gives the role up is completed", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  await addAdministrator(ctx, "keeper");
  const { id, call } = await addAdministrator(ctx, "ada");
  const administration = asAdministrator(ctx, call);
  assert.equal((await changeUser(administration, call, { id, tier: "pro", role: "user" })).role, "user");
  assert.equal((await addBlocks(administration, call, { digests })).added.length, digests.length);
});
