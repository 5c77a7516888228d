import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ctx } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import { MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { findSignedIn } from "../../../src/service/accounts/sessions.ts";
import { changeUser } from "../../../src/service/administration/users.ts";
import { operations } from "../../../src/service/operations.ts";
import { resetUserTwoFactor } from "../../../src/service/sign-in/authenticator.ts";
import { codeOf } from "../../e2e/support/accounts/two-step.ts";
import { openProcesses, type TestProcesses } from "../../jobs/support.ts";
import { codeOfError, outcome, PASSWORD, signInCalls } from "./support.ts";

const STEP_MS = 30_000;

/** accounts, "Two-step sign-in" and "Attempts". */
describe("two-step sign-in", () => {
  let processes: TestProcesses;
  let ctx: Ctx;
  before(async () => {
    processes = await openProcesses();
    [ctx] = processes.ctxs;
  });
  after(() => processes[Symbol.asyncDispose]());

  const { newCall, asPerson } = signInCalls(() => ctx);
  const codeNow = (secret: string, stepsLater = 0): string => codeOf(secret, stepsLater, processes.clock.nowMs);
  const wait = (ms: number): void => {
    processes.clock.nowMs += ms;
  };

  async function makeAccount() {
    const email = `two-step-${crypto.randomUUID()}@example.org`;
    const { sessionToken, owner } = await operations.signUp(ctx, newCall(), { email, password: PASSWORD, name: "Ada" });
    const call = await asPerson(sessionToken);
    const { secret } = await operations.startTotp(ctx, call, {});
    const { recoveryCodes } = await operations.confirmTotp(ctx, call, { code: codeNow(secret) });
    return { email, id: owner.id, call, secret, recoveryCodes };
  }

  async function startSignIn(login: string, password = PASSWORD): Promise<string> {
    const error = await operations.signIn(ctx, newCall(), { login, password }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.equal(codeOfError(error), "SECOND_FACTOR_REQUIRED");
    return error instanceof AppError ? (error.fields.signInToken ?? "") : "";
  }
  const finish = (signInToken: string, code: string, at = ctx) => outcome(operations.signInWithCode(at, newCall(), { signInToken, code }));
  const countSessions = async (id: string): Promise<number> =>
    (await ctx.db.selectFrom("sessions").select("id").where("user_id", "=", id).execute()).length;

  test("starts a session with the password and a code, and none before", async () => {
    const { email, id, secret } = await makeAccount();
    const token = await startSignIn(email);
    assert.equal(await countSessions(id), 1);
    wait(STEP_MS);
    const { sessionToken } = await operations.signInWithCode(ctx, newCall(), { signInToken: token, code: codeNow(secret) });
    const { actor } = (await findSignedIn(ctx, sessionToken)) ?? assert.fail();
    assert.deepEqual([actor.userId, actor.provedAtMs], [id, processes.clock.nowMs]);
  });

  test("is set up in one session, with a secret that no other one is given", async () => {
    const login = `set-up-${crypto.randomUUID()}@example.org`;
    const stranger = await asPerson(
      (await operations.signUp(ctx, newCall(), { email: login, password: PASSWORD, name: "Ada" })).sessionToken,
    );
    const planted = (await operations.startTotp(ctx, stranger, {})).secret;
    assert.equal((await operations.startTotp(ctx, stranger, {})).secret, planted);
    const owner = await asPerson((await operations.signIn(ctx, newCall(), { login, password: PASSWORD })).sessionToken);
    assert.equal(await outcome(operations.confirmTotp(ctx, owner, { code: codeNow(planted) })), "CONFLICT");
    const { secret } = await operations.startTotp(ctx, owner, {});
    assert.notEqual(secret, planted);
    assert.equal(await outcome(operations.confirmTotp(ctx, stranger, { code: codeNow(secret) })), "CONFLICT");
    await operations.confirmTotp(ctx, owner, { code: codeNow(secret) });
    wait(2 * STEP_MS);
    assert.equal(await finish(await startSignIn(login), codeNow(planted)), "FORBIDDEN");
    assert.equal(await finish(await startSignIn(login), codeNow(secret)), "done");
  });

  test("accepts a code once, of several requests at the same time in two processes, and none that is older", async () => {
    const { email, id, secret } = await makeAccount();
    wait(2 * STEP_MS);
    const tokens = await Promise.all([1, 2, 3, 4].map(() => startSignIn(email)));
    const code = codeNow(secret);
    const tries = await Promise.all(tokens.map((token, index) => finish(token, code, processes.ctxs[index % 2])));
    assert.deepEqual(tries.sort(), ["FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "done"]);
    assert.equal(await countSessions(id), 2);
    assert.equal(await finish(await startSignIn(email), codeNow(secret, -1)), "FORBIDDEN");
    assert.equal(await finish(await startSignIn(email), codeNow(secret, 1)), "done");
  });

  test("accepts the token of a sign-in once, and for 5 minutes", async () => {
    const { email, secret } = await makeAccount();
    wait(2 * STEP_MS);
    const token = await startSignIn(email);
    assert.equal(await finish(token, codeNow(secret)), "done");
    wait(STEP_MS);
    assert.equal(await finish(token, codeNow(secret)), "UNAUTHENTICATED");
    const late = await startSignIn(email);
    wait(5 * MINUTE_MS);
    assert.equal(await finish(late, codeNow(secret)), "UNAUTHENTICATED");
    assert.equal(await finish("signin_unknown", codeNow(secret)), "UNAUTHENTICATED");
  });

  test("does not accept one account's code for another, even with both tokens", async () => {
    const [ada, eve] = [await makeAccount(), await makeAccount()];
    wait(2 * STEP_MS);
    assert.equal(await finish(await startSignIn(ada.email), codeNow(eve.secret)), "FORBIDDEN");
    assert.equal(await finish(await startSignIn(ada.email), eve.recoveryCodes[0] ?? ""), "FORBIDDEN");
    assert.equal(await finish(await startSignIn(eve.email), eve.recoveryCodes[0] ?? ""), "done");
  });

  test("accepts each recovery code once, as people write it", async () => {
    const { email, recoveryCodes, call } = await makeAccount();
    assert.equal(new Set(recoveryCodes).size, 10);
    for (const code of recoveryCodes) assert.match(code, /^(?:[2-9A-Z]{4}-){2}[2-9A-Z]{4}$/);
    const [code = "", second = ""] = recoveryCodes;
    const tries = await Promise.all(
      [code, code].map(async (one) => finish(await startSignIn(email), one.toLowerCase().replaceAll("-", " "))),
    );
    assert.deepEqual(tries.sort(), ["FORBIDDEN", "done"]);
    assert.equal((await operations.getTotp(ctx, call, {})).recoveryCodesLeft, 9);
    const renewed = await operations.createRecoveryCodes(ctx, call, {});
    assert.equal(await finish(await startSignIn(email), second), "FORBIDDEN");
    assert.equal(await finish(await startSignIn(email), renewed.recoveryCodes[0] ?? ""), "done");
  });

  test("limits tries of a code exactly, whatever the token or the process, also once a password was right again", async () => {
    const { email, secret } = await makeAccount();
    const tokens = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => startSignIn(email)));
    const tries = await Promise.all(tokens.map((token, index) => finish(token, "not-a-code", processes.ctxs[index % 2])));
    assert.deepEqual(tries.sort(), [...new Array(5).fill("FORBIDDEN"), ...new Array(3).fill("RATE_LIMITED")]);
    wait(2 * STEP_MS);
    assert.equal(await finish(await startSignIn(email), codeNow(secret)), "RATE_LIMITED");
    wait(15 * MINUTE_MS);
    assert.equal(await finish(await startSignIn(email), codeNow(secret)), "done");
    // 7 of the day are used.
    for (let used = 7; used < 30; used += 1) {
      if (used % 5 === 2) wait(15 * MINUTE_MS);
      assert.equal(await finish(await startSignIn(email), "not-a-code"), "FORBIDDEN");
    }
    wait(15 * MINUTE_MS);
    assert.equal(await finish(await startSignIn(email), codeNow(secret)), "RATE_LIMITED");
    wait(24 * 60 * MINUTE_MS);
    assert.equal(await finish(await startSignIn(email), codeNow(secret)), "done");
  });

  test("ends sign-ins that wait when the password changes or the account is disabled, and stays on", async () => {
    const { email, id, secret, call } = await makeAccount();
    const old = await startSignIn(email);
    wait(STEP_MS);
    await operations.changePassword(ctx, call, { currentPassword: PASSWORD, newPassword: "another horse battery" });
    wait(STEP_MS);
    assert.equal(await finish(old, codeNow(secret)), "UNAUTHENTICATED");
    const token = await startSignIn(email, "another horse battery");
    await changeUser(ctx, THIS_MACHINE, { id: id, isDisabled: true });
    assert.equal(await finish(token, codeNow(secret)), "UNAUTHENTICATED");
  });

  /** A context in which something happens while a password is compared: after the transaction that counts the try, before the next. */
  function whileComparing(event: () => Promise<unknown>): Ctx {
    let transactions = 0;
    const transaction: Ctx["transaction"] = async (work) => {
      transactions += 1;
      if (transactions === 2) await event();
      return await ctx.transaction(work);
    };
    return { ...ctx, transaction };
  }

  test("does not begin, and nothing is proved, with a password that is changed while it is compared", async () => {
    const { id, email, call } = await makeAccount();
    wait(STEP_MS);
    const passwords = [PASSWORD, "another horse battery", "a third horse battery"] as const;
    const change = (from: number) =>
      operations.changePassword(ctx, call, { currentPassword: passwords[from] ?? "", newPassword: passwords[from + 1] ?? "" });
    const first = whileComparing(() => change(0));
    assert.equal(await outcome(operations.signIn(first, newCall(), { login: email, password: PASSWORD })), "UNAUTHENTICATED");
    const second = whileComparing(() => change(1));
    assert.equal(await outcome(operations.prove(second, call, { password: passwords[1], code: "123456" })), "FORBIDDEN");
    assert.equal((await ctx.db.selectFrom("pending_sign_ins").selectAll().where("user_id", "=", id).execute()).length, 0);
  });

  test("is set up with one secret for 15 minutes, then with another, and is not on before a code", async () => {
    const { sessionToken } = await operations.signUp(ctx, newCall(), { email: "slow@example.org", password: PASSWORD, name: "Slow" });
    const call = await asPerson(sessionToken);
    const { secret } = await operations.startTotp(ctx, call, {});
    wait(14 * MINUTE_MS);
    assert.equal((await operations.startTotp(ctx, call, {})).secret, secret);
    assert.equal(await outcome(operations.confirmTotp(ctx, call, { code: "000000" })), "FORBIDDEN");
    assert.equal((await operations.getTotp(ctx, call, {})).isOn, false);
    assert.equal(await outcome(operations.signIn(ctx, newCall(), { login: "slow@example.org", password: PASSWORD })), "done");
    wait(MINUTE_MS);
    assert.equal(await outcome(operations.startTotp(ctx, call, {})), "PROOF_REQUIRED");
    await operations.prove(ctx, call, { password: PASSWORD });
    const renewed = await operations.startTotp(ctx, await asPerson(sessionToken), {});
    assert.notEqual(renewed.secret, secret);
    const stored = JSON.stringify(await ctx.db.selectFrom("authenticators").selectAll().execute());
    assert.ok(!stored.includes(renewed.secret));
  });

  test("needs a code for a proof as well, and a proof to be turned off", async () => {
    const { email, secret, call } = await makeAccount();
    wait(15 * MINUTE_MS);
    for (const change of [operations.endTotp(ctx, call, {}), operations.createRecoveryCodes(ctx, call, {})])
      assert.equal(await outcome(change), "PROOF_REQUIRED");
    assert.equal(await outcome(operations.prove(ctx, call, { password: PASSWORD })), "SECOND_FACTOR_REQUIRED");
    assert.equal(await outcome(operations.prove(ctx, call, { password: PASSWORD, code: "000000" })), "FORBIDDEN");
    await operations.prove(ctx, call, { password: PASSWORD, code: codeNow(secret) });
    const proved = { ...call, actor: { ...call.actor, provedAtMs: processes.clock.nowMs } };
    await operations.endTotp(ctx, proved, {});
    assert.equal(await outcome(operations.signIn(ctx, newCall(), { login: email, password: PASSWORD })), "done");
    assert.equal(await outcome(operations.endTotp(ctx, proved, {})), "CONFLICT");
  });

  test("is turned off by an administrator, once", async () => {
    const { email, id } = await makeAccount();
    assert.deepEqual(await resetUserTwoFactor(ctx, THIS_MACHINE, { id: email }), { id, email });
    assert.equal(await outcome(operations.signIn(ctx, newCall(), { login: email, password: PASSWORD })), "done");
    assert.equal(await outcome(resetUserTwoFactor(ctx, THIS_MACHINE, { id: email })), "CONFLICT");
    assert.equal(await outcome(resetUserTwoFactor(ctx, THIS_MACHINE, { id: "nobody@example.org" })), "NOT_FOUND");
  });
});
