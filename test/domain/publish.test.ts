import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PublishInput } from "../../src/contract/publish.ts";
import type { Actor } from "../../src/domain/actor.ts";
import { resolvePublish } from "../../src/domain/publish.ts";
import { DEFAULT_TIERS } from "../../src/domain/tiers.ts";
import { AppError } from "../../src/errors.ts";

const NOW_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const anonymous: Actor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" };
const account = (tier: "free" | "pro", username: string | null = null): Actor => {
  return { kind: "user", tier, quotaOwner: "user:u", userId: "u", username, scope: "full", keyId: "k", isAgent: false };
};
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();

const resolve = (input: PublishInput, actor: Actor = anonymous, acceptedExpiresAt?: string) =>
  resolvePublish(input, { actor, limits: DEFAULT_TIERS[actor.tier], nowMs: NOW_MS, acceptedExpiresAt });

const refusal = (input: PublishInput, actor?: Actor): string => {
  try {
    resolve(input, actor);
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "accepted";
};

/** interface, "Publish fields"; decisions, "Expiry and removal". */
describe("publish fields", () => {
  test("without any, a share is unlisted and kept as long as its tier says", () => {
    const { visibility, retention, expiresAtMs, expiryChosen, once, maxDownloads, direct, protect, shipment } = resolve({});
    assert.deepEqual(
      [visibility, retention, once, maxDownloads, direct, protect, shipment],
      ["unlisted", "ttl", false, null, false, null, "own"],
    );
    assert.deepEqual([expiresAtMs, expiryChosen], [NOW_MS + 3 * DAY_MS, false]);
    assert.equal(resolve({}, account("free")).expiresAtMs, NOW_MS + 7 * DAY_MS);
    assert.equal(resolve({}, account("pro")).expiresAtMs, null);
  });

  test("a chosen expiry is within the tier's bounds, and remembered as chosen", () => {
    assert.deepEqual([resolve({ ttl: "5m" }).expiresAtMs, resolve({ ttl: "5m" }).expiryChosen], [NOW_MS + 5 * MINUTE_MS, true]);
    assert.equal(resolve({ expiresAt: at(DAY_MS) }).expiresAtMs, NOW_MS + DAY_MS);
    assert.equal(resolve({ ttl: "90d" }, account("pro")).expiresAtMs, NOW_MS + 90 * DAY_MS);
    assert.equal(refusal({ ttl: "4m" }), "VALIDATION_FAILED");
    assert.equal(refusal({ expiresAt: at(-1) }), "VALIDATION_FAILED");
    assert.equal(refusal({ ttl: "3d" }), "accepted");
    assert.equal(refusal({ ttl: "4d" }), "EXPIRY_TOO_LONG");
    assert.equal(refusal({ ttl: "8d" }, account("free")), "EXPIRY_TOO_LONG");
    assert.equal(refusal({ ttl: "91d" }, account("pro")), "EXPIRY_TOO_LONG");
    assert.equal(refusal({ ttl: "1d", expiresAt: at(DAY_MS) }), "VALIDATION_FAILED");
    for (const [actor, days] of [
      [anonymous, 3],
      [account("free"), 7],
      [account("pro"), 90],
    ] as const) {
      assert.equal(refusal({ expiresAt: at(days * DAY_MS) }, actor), "accepted");
      assert.equal(refusal({ expiresAt: at(days * DAY_MS + 1) }, actor), "EXPIRY_TOO_LONG");
      assert.equal(refusal({ expiresAt: at(5 * MINUTE_MS) }, actor), "accepted");
      assert.equal(refusal({ expiresAt: at(5 * MINUTE_MS - 1) }, actor), "VALIDATION_FAILED");
    }
  });

  test("an expiry that was accepted at the start is not too short at the end", () => {
    const soon = at(MINUTE_MS);
    assert.equal(resolve({ expiresAt: soon }, anonymous, soon).expiresAtMs, NOW_MS + MINUTE_MS);
    assert.throws(() => resolve({ expiresAt: at(2 * MINUTE_MS) }, anonymous, soon));
  });

  test("once wins over maxDownloads", () => {
    assert.deepEqual([resolve({ once: true, maxDownloads: 5 }).once, resolve({ once: true, maxDownloads: 5 }).maxDownloads], [true, null]);
    assert.equal(resolve({ once: false, maxDownloads: 5 }).maxDownloads, 5);
  });

  test("for ever is for public shares of Pro accounts", () => {
    const forever = { retention: "forever", visibility: "public" } as const;
    assert.equal(resolve(forever, account("pro", "ada")).expiresAtMs, null);
    assert.equal(refusal(forever), "USERNAME_REQUIRED");
    assert.equal(refusal(forever, account("free", "ada")), "PRO_REQUIRED");
    assert.equal(refusal({ retention: "forever" }, account("pro", "ada")), "VALIDATION_FAILED");
    assert.equal(refusal({ ...forever, ttl: "1d" }, account("pro", "ada")), "VALIDATION_FAILED");
  });

  test("public needs a username, direct needs Pro, shipments and folders an account", () => {
    assert.equal(refusal({ visibility: "public" }, account("pro")), "USERNAME_REQUIRED");
    assert.equal(refusal({ visibility: "public" }, account("free", "ada")), "accepted");
    assert.equal(refusal({ direct: true }, account("free")), "PRO_REQUIRED");
    assert.equal(refusal({ direct: false }), "accepted");
    assert.equal(refusal({ direct: true }, account("pro")), "accepted");
    for (const input of [{ openShare: true }, { shareShortId: "abcdefgh" }, { folderId: crypto.randomUUID() }])
      assert.equal(refusal(input), "UNAUTHENTICATED");
    assert.equal(refusal({ openShare: true, shareShortId: "abcdefgh" }, account("free")), "VALIDATION_FAILED");
  });

  test("settings sent while joining a shipment are ignored, those of the file are not", () => {
    const joined = resolve(
      { shareShortId: "abcdefgh", once: true, visibility: "public", ttl: "1m", protect: true, runId: "r", relativePath: "a/../b" },
      account("free"),
    );
    assert.deepEqual([joined.shipment, joined.once, joined.visibility, joined.protect], [{ shortId: "abcdefgh" }, false, "unlisted", null]);
    assert.deepEqual([joined.runId, joined.relativePath], ["r", "a/b"]);
  });
});
