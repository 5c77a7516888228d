import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_TIERS } from "../../../src/config/tiers.ts";
import { AppError } from "../../../src/errors.ts";
import { DAY_MS, MINUTE_MS } from "../../../src/lib/text/duration.ts";
import type { Actor } from "../../../src/service/accounts/actor.ts";
import { type PublishInput, publishInput } from "../../../src/service/shares/contract.ts";
import { resolvePublishSettings } from "../../../src/service/shares/publish-settings.ts";

const NOW_MS = Date.UTC(2030, 0, 1);

const anonymous: Actor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" };
const account = (tier: "free" | "pro", username: string | null = null): Actor => {
  return { kind: "user", tier, quotaOwner: "user:u", userId: "u", username, scope: "full", keyId: "k", sessionId: null, isAgent: false };
};
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();

const resolve = (input: PublishInput, actor: Actor = anonymous, acceptedExpiresAt?: string) =>
  resolvePublishSettings(input, { actor, limits: DEFAULT_TIERS[actor.tier], nowMs: NOW_MS, acceptedExpiresAt });

const errorCode = (input: PublishInput, actor?: Actor): string => {
  try {
    resolve(input, actor);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "accepted";
};

/** sharing, "Publish fields"; expiry, "How long a share is kept" and "Keeping a share forever". */
describe("publish fields", () => {
  test("a share without publish fields is unlisted and expires by its tier", () => {
    const { visibility, retention, expiresAtMs, expiryChosen, once, maxDownloads, direct, protect, shipment } = resolve({});
    assert.deepEqual(
      [visibility, retention, once, maxDownloads, direct, protect, shipment],
      ["unlisted", "ttl", false, null, false, null, "own"],
    );
    assert.deepEqual([expiresAtMs, expiryChosen], [NOW_MS + 3 * DAY_MS, false]);
    assert.equal(resolve({}, account("free")).expiresAtMs, NOW_MS + 7 * DAY_MS);
    assert.equal(resolve({}, account("pro")).expiresAtMs, null);
  });

  test("a chosen expiry must be within the tier's limits and is marked as chosen", () => {
    assert.deepEqual([resolve({ ttl: "5m" }).expiresAtMs, resolve({ ttl: "5m" }).expiryChosen], [NOW_MS + 5 * MINUTE_MS, true]);
    assert.equal(resolve({ expiresAt: at(DAY_MS) }).expiresAtMs, NOW_MS + DAY_MS);
    assert.equal(resolve({ ttl: "90d" }, account("pro")).expiresAtMs, NOW_MS + 90 * DAY_MS);
    assert.equal(errorCode({ ttl: "4m" }), "VALIDATION_FAILED");
    assert.equal(errorCode({ expiresAt: at(-1) }), "VALIDATION_FAILED");
    assert.equal(errorCode({ ttl: "3d" }), "accepted");
    assert.equal(errorCode({ ttl: "4d" }), "EXPIRY_TOO_LONG");
    assert.equal(errorCode({ ttl: "8d" }, account("free")), "EXPIRY_TOO_LONG");
    assert.equal(errorCode({ ttl: "91d" }, account("pro")), "EXPIRY_TOO_LONG");
    assert.equal(errorCode({ ttl: "1d", expiresAt: at(DAY_MS) }), "VALIDATION_FAILED");
    for (const [actor, days] of [
      [anonymous, 3],
      [account("free"), 7],
      [account("pro"), 90],
    ] as const) {
      assert.equal(errorCode({ expiresAt: at(days * DAY_MS) }, actor), "accepted");
      assert.equal(errorCode({ expiresAt: at(days * DAY_MS + 1) }, actor), "EXPIRY_TOO_LONG");
      assert.equal(errorCode({ expiresAt: at(5 * MINUTE_MS) }, actor), "accepted");
      assert.equal(errorCode({ expiresAt: at(5 * MINUTE_MS - 1) }, actor), "VALIDATION_FAILED");
    }
  });

  test("an expiry accepted when the upload started stays valid when it completes", () => {
    const soon = at(MINUTE_MS);
    assert.equal(resolve({ expiresAt: soon }, anonymous, soon).expiresAtMs, NOW_MS + MINUTE_MS);
    assert.throws(() => resolve({ expiresAt: at(2 * MINUTE_MS) }, anonymous, soon));
  });

  test("once overrides maxDownloads", () => {
    assert.deepEqual([resolve({ once: true, maxDownloads: 5 }).once, resolve({ once: true, maxDownloads: 5 }).maxDownloads], [true, 1]);
    assert.equal(resolve({ once: false, maxDownloads: 5 }).maxDownloads, 5);
  });

  test("retention forever requires a public share of a Pro account", () => {
    const forever = { retention: "forever", visibility: "public" } as const;
    assert.equal(resolve(forever, account("pro", "ada")).expiresAtMs, null);
    assert.equal(errorCode(forever), "USERNAME_REQUIRED");
    assert.equal(errorCode(forever, account("free", "ada")), "PRO_REQUIRED");
    assert.equal(errorCode({ retention: "forever" }, account("pro", "ada")), "VALIDATION_FAILED");
    assert.equal(errorCode({ ...forever, ttl: "1d" }, account("pro", "ada")), "VALIDATION_FAILED");
  });

  test("public requires a username, direct requires Pro, shipments and folders require an account", () => {
    assert.equal(errorCode({ visibility: "public" }, account("pro")), "USERNAME_REQUIRED");
    assert.equal(errorCode({ visibility: "public" }, account("free", "ada")), "accepted");
    assert.equal(errorCode({ direct: true }, account("free")), "PRO_REQUIRED");
    assert.equal(errorCode({ direct: false }), "accepted");
    assert.equal(errorCode({ direct: true }, account("pro")), "accepted");
    for (const input of [{ openShare: true }, { shareShortId: "abcdefgh" }, { folderId: crypto.randomUUID() }])
      assert.equal(errorCode(input), "UNAUTHENTICATED");
    assert.equal(errorCode({ openShare: true, shareShortId: "abcdefgh" }, account("free")), "VALIDATION_FAILED");
  });

  test("joining a shipment ignores settings of the share and uses settings of the file", () => {
    const joined = resolve(
      { shareShortId: "abcdefgh", once: true, visibility: "public", ttl: "1m", protect: true, runId: "r", relativePath: "a/../b" },
      account("free"),
    );
    assert.deepEqual(
      [joined.shipment, joined.once, joined.visibility, joined.protect],
      [{ shortId: "abcdefgh", token: null }, false, "unlisted", null],
    );
    assert.deepEqual([joined.runId, joined.relativePath], ["r", "a/b"]);
  });
});

/** Resolves fields sent as text, as forms and queries do. */
const resolveText = (fields: Readonly<Record<string, string | undefined>>, actor: Actor = anonymous) =>
  resolve(publishInput.parse(fields), actor);

const textErrorCode = (fields: Readonly<Record<string, string | undefined>>): string =>
  publishInput.safeParse(fields).success ? errorCode(publishInput.parse(fields)) : "VALIDATION_FAILED";

/** sharing, "Publish fields". */
describe("publish fields sent as text", () => {
  for (const [fields, ms] of [
    [{ ttl: "5m" }, 5 * MINUTE_MS],
    [{ ttl: "24h" }, DAY_MS],
    [{ ttl: "3d" }, 3 * DAY_MS],
    [{ expiresAt: at(DAY_MS) }, DAY_MS],
    [{ expiresAt: at(DAY_MS).replace("Z", "+00:00"), retention: "ttl" }, DAY_MS],
    [{ expiresAt: at(DAY_MS).replace("Z", "") }, DAY_MS],
    [{ expiresAt: at(DAY_MS).slice(0, 16) }, DAY_MS],
  ] as const) {
    test(`${JSON.stringify(fields)} expires in ${ms / MINUTE_MS} minutes`, () => {
      assert.equal(resolveText(fields).expiresAtMs, NOW_MS + ms);
    });
  }

  test("invalid times and times beyond the tier's limit are rejected", () => {
    for (const ttl of ["4m", "0m", "00h", "1y", "7", "d", "-1d", "1.5h", "12345m", "1d1h", "1 d", "forever"])
      assert.equal(textErrorCode({ ttl }), "VALIDATION_FAILED", ttl);
    for (const expiresAt of ["2001-01-01T00:00:00Z", at(MINUTE_MS), "tomorrow", "2030-13-01T00:00:00Z", "2030-01-01"])
      assert.equal(textErrorCode({ expiresAt }), "VALIDATION_FAILED", expiresAt);
    for (const fields of [{ ttl: "4d" }, { ttl: "73h" }, { ttl: "1w" }, { ttl: "9999w" }, { expiresAt: at(3 * DAY_MS + 1) }])
      assert.equal(textErrorCode(fields), "EXPIRY_TOO_LONG", JSON.stringify(fields));
  });

  for (const fields of [
    { maxDownloads: "0" },
    { maxDownloads: "-1" },
    { maxDownloads: "1.5" },
    { maxDownloads: "many" },
    { once: "yes" },
    { visibility: "secret" },
    { retention: "always" },
    { handoffMessage: "x".repeat(481) },
    { runId: "x".repeat(121) },
    { shareShortId: "abc" },
    { folderId: "not-a-uuid" },
  ]) {
    test(`${JSON.stringify(fields).slice(0, 40)} is rejected`, () => {
      assert.equal(textErrorCode(fields), "VALIDATION_FAILED");
    });
  }

  test("fields that require an account or Pro are rejected without one", () => {
    assert.equal(textErrorCode({ direct: "true" }), "PRO_REQUIRED");
    assert.equal(textErrorCode({ shareShortId: "abcdefgh" }), "UNAUTHENTICATED");
    assert.equal(textErrorCode({ folderId: crypto.randomUUID() }), "UNAUTHENTICATED");
  });
});
