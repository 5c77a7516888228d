import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { RequestContext } from "../../../src/context.ts";
import { sharePassword } from "../../../src/contract/scalars.ts";
import { passwordLength } from "../../../src/contract/unlock-code.ts";
import { AppError, type ErrorCode } from "../../../src/errors.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/text/duration.ts";
import { addressSubject } from "../../../src/service/accounts/rate-limits.ts";
import { createShare } from "../../../src/service/shares/create-share.ts";
import { createPasswordHasher } from "../../../src/service/shares/password-hasher.ts";
import { setLinkProtection } from "../../../src/service/shares/set-link-protection.ts";
import { findWrongLength } from "../../../src/service/shares/share-password.ts";
import { unlockDownload } from "../../../src/service/shares/unlock-download.ts";
import { openProcesses } from "../../jobs/support.ts";

const call: RequestContext = {
  actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" },
  address: "192.0.2.7",
  channel: "api",
  userAgent: "",
};
const PASSWORD = "correct horse";
const withCode = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

/** unlocking, "Passwords"; sharing, "A password of your own". */
describe("passwords of shares", () => {
  test("hashes count for the address, right or wrong, but not those of a caller without rights", async () => {
    await using processes = await openProcesses({ FILEHOST_LIMITS: JSON.stringify({ rates: { passwordHashes: 3 } }) });
    const [ctx] = processes.ctxs;
    const { shortId } = await createShare(ctx, call, { password: PASSWORD });
    const refused = setLinkProtection(ctx, call, { fileId: shortId, claimToken: "claim_wrong", protect: true, password: PASSWORD });
    await assert.rejects(refused, withCode("WRONG_TOKEN"));
    await unlockDownload(ctx, call, { shortId, password: PASSWORD });
    await assert.rejects(unlockDownload(ctx, call, { shortId, password: "wrong password" }), withCode("UNLOCK_INVALID"));
    await assert.rejects(unlockDownload(ctx, call, { shortId, password: PASSWORD }), withCode("RATE_LIMITED"));
    await assert.rejects(createShare(ctx, call, { password: PASSWORD }), withCode("RATE_LIMITED"));
    await unlockDownload(ctx, { ...call, address: "192.0.2.8" }, { shortId, password: PASSWORD });
    const wrong = await ctx.db.selectFrom("rate_windows").select(["name", "count"]).where("name", "like", "unlock%").execute();
    // A password that could not be checked is no guess.
    assert.deepEqual(
      wrong
        .filter(({ count }) => count > 0)
        .map(({ name, count }) => [name, count])
        .sort(),
      [
        ["unlockPerAddress", 1],
        ["unlockPerShare", 1],
      ],
    );
    processes.clock.nowMs += HOUR_MS;
    await unlockDownload(ctx, call, { shortId, password: PASSWORD });
  });

  test("a right password returns nothing to a window that began while it was hashed", async () => {
    await using processes = await openProcesses();
    const { clock, ctxs } = processes;
    const [ctx] = ctxs;
    const { shortId } = await createShare(ctx, call, { password: PASSWORD });
    const subject = `${shortId} ${addressSubject(ctx.keyring, call.address)}`;
    const readCount = async () =>
      (await ctx.db.selectFrom("rate_windows").select("count").where("subject", "=", subject).executeTakeFirst())?.count;
    const gate = Promise.withResolvers<void>();
    const isReached = Promise.withResolvers<void>();
    const { passwordHasher } = ctx;
    const waiting = {
      ...ctx,
      passwordHasher: {
        ...passwordHasher,
        async verify(...args: Parameters<typeof passwordHasher.verify>) {
          isReached.resolve();
          await gate.promise;
          return await passwordHasher.verify(...args);
        },
      },
    };
    const right = unlockDownload(waiting, call, { shortId, password: PASSWORD });
    await isReached.promise;
    assert.equal(await readCount(), 1);
    clock.nowMs += 15 * MINUTE_MS;
    await assert.rejects(unlockDownload(ctx, call, { shortId, password: "wrong password" }), withCode("UNLOCK_INVALID"));
    gate.resolve();
    await right;
    assert.equal(await readCount(), 1);
  });

  test("a patient hash waits until the queue has a place, and others are refused", async () => {
    const hasher = createPasswordHasher({ maxRunning: 1, maxWaiting: { total: 0, perKey: 0 }, patience: { tries: 100_000, pauseMs: 1 } });
    const first = hasher.hash("a", PASSWORD);
    const patient = hasher.hash("a", PASSWORD, { isPatient: true });
    await assert.rejects(hasher.hash("a", PASSWORD), withCode("UNAVAILABLE"));
    await first;
    assert.equal(await hasher.verify("b", { password: PASSWORD, hash: await patient }), true);
    const busy = createPasswordHasher({ maxRunning: 0, maxWaiting: { total: 0, perKey: 0 }, patience: { tries: 2, pauseMs: 1 } });
    await assert.rejects(busy.hash("a", PASSWORD, { isPatient: true }), withCode("UNAVAILABLE"));
  });

  test("have the same length wherever it is counted", () => {
    const share = { unlock_hash: "scrypt:x" };
    const lengths: readonly [string, boolean][] = [
      ["eight 8!", true],
      ["seven77", false],
      ["😀".repeat(4), false],
      ["😀".repeat(8), true],
      ["😀".repeat(128), true],
      ["😀".repeat(129), false],
      ["é".repeat(8).normalize("NFD"), true],
      ["é".repeat(7).normalize("NFD"), false],
    ];
    for (const [password, isRight] of lengths) {
      assert.equal(sharePassword.safeParse(password).success, isRight, password);
      assert.equal(findWrongLength(share, password) === undefined, isRight, password);
    }
    assert.equal(passwordLength("é".repeat(7).normalize("NFD")), 7);
    assert.deepEqual(findWrongLength({ unlock_hash: "x" }, "ABC-DEF"), undefined);
    assert.deepEqual(findWrongLength({ unlock_hash: "x" }, "ABC"), { length: 3, required: 6 });
  });
});
