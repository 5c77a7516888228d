import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { findSignedIn } from "../../../src/service/accounts/sessions.ts";
import { changeUser } from "../../../src/service/administration/users.ts";
import { operations } from "../../../src/service/operations.ts";
import { codeOf } from "../../e2e/support/accounts/two-step.ts";
import { openProcesses, type TestProcesses } from "../../jobs/support.ts";
import { type Authenticator, type AuthenticatorFaults, createAuthenticator } from "../../support/browser/authenticator.ts";
import { outcome, PASSWORD, signInCalls } from "./support.ts";

/** accounts, "Passkeys", "Proof" and "Attempts". */
describe("passkeys", () => {
  let processes: TestProcesses;
  let ctx: Ctx;
  before(async () => {
    processes = await openProcesses();
    [ctx] = processes.ctxs;
  });
  after(() => processes[Symbol.asyncDispose]());

  const { newCall, asPerson } = signInCalls(() => ctx);
  const wait = (ms: number): void => {
    processes.clock.nowMs += ms;
  };

  async function signUp() {
    const email = `passkey-${crypto.randomUUID()}@example.org`;
    const { sessionToken, owner } = await operations.signUp(ctx, newCall(), { email, password: PASSWORD, name: "Ada" });
    return { email, id: owner.id, sessionToken, call: await asPerson(sessionToken) };
  }

  async function add(call: RequestContext, device = createAuthenticator(), faults: AuthenticatorFaults = {}) {
    const { options } = await operations.startPasskey(ctx, call, {});
    const passkey = await operations.addPasskey(ctx, call, { credential: device.make(options, faults) });
    return { device, passkey };
  }

  async function makeAccount() {
    const account = await signUp();
    return { ...account, ...(await add(account.call)) };
  }

  async function signIn(device: Authenticator, faults: AuthenticatorFaults = {}, at = ctx) {
    const { options } = await operations.startPasskeySignIn(at, newCall(), {});
    return await operations.signInWithPasskey(at, newCall(), { credential: device.use(options, faults) });
  }

  test("signs in without an address, a password or a code, in any process, and is a proof", async () => {
    const { id, call, device, passkey } = await makeAccount();
    const { secret } = await operations.startTotp(ctx, call, {});
    await operations.confirmTotp(ctx, call, { code: codeOf(secret, 0, processes.clock.nowMs) });
    const { options } = await operations.startPasskeySignIn(ctx, newCall(), {});
    const { sessionToken } = await operations.signInWithPasskey(processes.ctxs[1], newCall(), { credential: device.use(options) });
    const { actor } = (await findSignedIn(ctx, sessionToken)) ?? assert.fail();
    assert.deepEqual([actor.userId, actor.provedAtMs], [id, processes.clock.nowMs]);
    const [listed] = await operations.listPasskeys(ctx, call, {});
    assert.deepEqual([listed?.id, listed?.name, listed?.isUsable], [passkey.id, "Bitwarden", true]);
    assert.equal(listed?.lastUsedAt, new Date(processes.clock.nowMs).toISOString());
  });

  test("asks for the owner's finger, face or PIN, and for a passkey that needs no address", async () => {
    const { call, passkey } = await makeAccount();
    const { options } = await operations.startPasskey(ctx, call, {});
    assert.deepEqual(options.authenticatorSelection, {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    });
    assert.equal((options.excludeCredentials as unknown[]).length, 1);
    assert.equal((await operations.startPasskeySignIn(ctx, newCall(), {})).options.userVerification, "required");
    assert.ok(!JSON.stringify(await operations.listPasskeys(ctx, call, {})).includes("credential"));
    assert.ok(passkey.createdAt);
  });

  for (const [name, faults] of [
    ["of another page", { origin: "https://evil.example" }],
    ["of another site", { rpId: "evil.example" }],
    ["of a device that did not ask for its owner", { isUnverified: true }],
    ["with a challenge that nobody gave", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ] as const)
    test(`does not accept a response ${name}, neither for a new passkey nor to sign in`, async () => {
      const { call, device } = await makeAccount();
      assert.equal(await outcome(add(call, createAuthenticator(), faults)), "FORBIDDEN");
      assert.equal(await outcome(signIn(device, faults)), "UNAUTHENTICATED");
      assert.equal(await outcome(signIn(device)), "done");
      assert.equal((await operations.listPasskeys(ctx, call, {})).length, 1);
    });

  test("accepts a response once, of several at the same time in two processes", async () => {
    const { device } = await makeAccount();
    const { options } = await operations.startPasskeySignIn(ctx, newCall(), {});
    const credential = device.use(options);
    const tries = await Promise.all(
      [0, 1, 0, 1].map((index) => outcome(operations.signInWithPasskey(processes.ctxs[index] ?? ctx, newCall(), { credential }))),
    );
    assert.deepEqual(tries.sort(), ["UNAUTHENTICATED", "UNAUTHENTICATED", "UNAUTHENTICATED", "done"]);
    assert.equal(await outcome(operations.signInWithPasskey(ctx, newCall(), { credential })), "UNAUTHENTICATED");
  });

  test("accepts a challenge for five minutes", async () => {
    const { device, call } = await makeAccount();
    const { options } = await operations.startPasskeySignIn(ctx, newCall(), {});
    const added = await operations.startPasskey(ctx, call, {});
    wait(5 * MINUTE_MS);
    assert.equal(await outcome(operations.signInWithPasskey(ctx, newCall(), { credential: device.use(options) })), "UNAUTHENTICATED");
    const credential = createAuthenticator().make(added.options);
    assert.equal(await outcome(operations.addPasskey(ctx, call, { credential })), "FORBIDDEN");
  });

  test("accepts a challenge for its purpose and its session alone", async () => {
    const [ada, eve] = [await makeAccount(), await makeAccount()];
    const proof = await operations.startPasskeyProof(ctx, ada.call, {});
    assert.equal(
      await outcome(operations.signInWithPasskey(ctx, newCall(), { credential: ada.device.use(proof.options) })),
      "UNAUTHENTICATED",
    );
    const signing = await operations.startPasskeySignIn(ctx, newCall(), {});
    assert.equal(await outcome(operations.proveWithPasskey(ctx, ada.call, { credential: ada.device.use(signing.options) })), "FORBIDDEN");
    const adding = await operations.startPasskey(ctx, ada.call, {});
    const credential = createAuthenticator().make(adding.options);
    assert.equal(await outcome(operations.addPasskey(ctx, eve.call, { credential })), "FORBIDDEN");
    assert.equal(await outcome(operations.addPasskey(ctx, ada.call, { credential })), "done");
    const other = await operations.startPasskeyProof(ctx, ada.call, {});
    assert.equal(await outcome(operations.proveWithPasskey(ctx, eve.call, { credential: ada.device.use(other.options) })), "FORBIDDEN");
  });

  test("proves who uses a session with its account's passkey alone, and names no other's", async () => {
    const [ada, eve] = [await makeAccount(), await makeAccount()];
    wait(15 * MINUTE_MS);
    assert.equal(await outcome(operations.startPasskey(ctx, ada.call, {})), "PROOF_REQUIRED");
    const { options } = await operations.startPasskeyProof(ctx, ada.call, {});
    assert.equal((options.allowCredentials as unknown[]).length, 1);
    assert.equal(await outcome(operations.proveWithPasskey(ctx, ada.call, { credential: eve.device.use(options) })), "FORBIDDEN");
    const again = await operations.startPasskeyProof(ctx, ada.call, {});
    await operations.proveWithPasskey(ctx, ada.call, { credential: ada.device.use(again.options) });
    assert.equal(await outcome(operations.startPasskey(ctx, await asPerson(ada.sessionToken), {})), "done");
  });

  test("does not accept the user handle of another account", async () => {
    const [ada, eve] = [await makeAccount(), await makeAccount()];
    const userHandle = Buffer.from(eve.id).toString("base64url");
    assert.equal(await outcome(signIn(ada.device, { userHandle })), "UNAUTHENTICATED");
  });

  test("refuses a copy whose counter went back, and records it; a device that does not count is no copy", async () => {
    const { id, device } = await makeAccount();
    await signIn(device, { counter: 7 });
    for (const counter of [7, 3, 0]) assert.equal(await outcome(signIn(device, { counter })), "UNAUTHENTICATED");
    const entries = await ctx.db.selectFrom("audit_log").select("action").where("account_id", "=", id).execute();
    assert.equal(entries.filter(({ action }) => action === "account.passkey_copied").length, 3);
    assert.equal(await outcome(signIn(device, { counter: 8 })), "done");
    const still = await signUp();
    const { device: quiet } = await add(still.call, createAuthenticator({ doesNotCount: true }));
    assert.deepEqual([await outcome(signIn(quiet)), await outcome(signIn(quiet))], ["done", "done"]);
  });

  test("ends with its removal, the account's disabling and its deletion", async () => {
    const removed = await makeAccount();
    await operations.removePasskey(ctx, removed.call, { id: removed.passkey.id });
    assert.equal(await outcome(signIn(removed.device)), "UNAUTHENTICATED");
    const disabled = await makeAccount();
    await changeUser(ctx, THIS_MACHINE, { id: disabled.id, isDisabled: true });
    assert.equal(await outcome(signIn(disabled.device)), "UNAUTHENTICATED");
    const deleted = await makeAccount();
    await operations.deleteMe(ctx, deleted.call, { confirm: deleted.email });
    assert.equal(await outcome(signIn(deleted.device)), "UNAUTHENTICATED");
  });

  test("stays when the password is changed or reset", async () => {
    const { call, device } = await makeAccount();
    await operations.changePassword(ctx, call, { currentPassword: PASSWORD, newPassword: "another horse battery" });
    assert.equal(await outcome(signIn(device)), "done");
  });

  test("is not removed if the account could not sign in without it", async () => {
    const { id, call, passkey } = await makeAccount();
    await ctx.db.deleteFrom("sign_in_methods").where("user_id", "=", id).execute();
    assert.equal(await outcome(operations.removePasskey(ctx, call, { id: passkey.id })), "CONFLICT");
    await ctx.db.updateTable("passkeys").set({ rp_id: "earlier.example" }).where("id", "=", passkey.id).execute();
    assert.equal((await operations.listPasskeys(ctx, call, {}))[0]?.isUsable, false);
    const second = await add(call);
    assert.equal(await outcome(operations.removePasskey(ctx, call, { id: second.passkey.id })), "CONFLICT");
    assert.equal(await outcome(operations.removePasskey(ctx, call, { id: passkey.id })), "done");
  });

  test("is unknown to another account", async () => {
    const [ada, eve] = [await makeAccount(), await makeAccount()];
    assert.equal(await outcome(operations.renamePasskey(ctx, eve.call, { id: ada.passkey.id, name: "Mine" })), "NOT_FOUND");
    assert.equal(await outcome(operations.removePasskey(ctx, eve.call, { id: ada.passkey.id })), "NOT_FOUND");
    await operations.renamePasskey(ctx, ada.call, { id: ada.passkey.id, name: "Phone" });
    assert.equal((await operations.listPasskeys(ctx, ada.call, {}))[0]?.name, "Phone");
  });

  test("is one of 20 at most, and belongs to one account", async () => {
    const ada = await makeAccount();
    const eve = await signUp();
    assert.equal(await outcome(add(eve.call, ada.device)), "CONFLICT");
    const [row] = await ctx.db.selectFrom("passkeys").selectAll().where("user_id", "=", ada.id).execute();
    assert.ok(row);
    const more = Array.from({ length: 19 }, (_, index) => ({ ...row, id: `${ada.id}-${index}`, credential_id: `${ada.id}-${index}` }));
    await ctx.db.insertInto("passkeys").values(more).execute();
    assert.equal(await outcome(operations.startPasskey(ctx, ada.call, {})), "CONFLICT");
  });

  test("limits the attempts of an address", async () => {
    const { device } = await makeAccount();
    const call = newCall();
    const tries: string[] = [];
    for (let index = 0; index < 51; index += 1) {
      const { options } = await operations.startPasskeySignIn(ctx, call, {});
      const credential = device.use(options, { rpId: "evil.example" });
      tries.push(await outcome(operations.signInWithPasskey(ctx, call, { credential })));
    }
    assert.deepEqual([tries[0], tries[49], tries[50]], ["UNAUTHENTICATED", "UNAUTHENTICATED", "RATE_LIMITED"]);
  });
});
