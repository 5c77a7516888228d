import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { DAY_MS } from "../../../src/lib/text/duration.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { getMe } from "../support/accounts/accounts.ts";
import { askChallenge, fromAddress, getChallenge, postRegistration, register, solve } from "../support/accounts/agents.ts";
import { type ApiResponse, assertRefused, call, clientOf, postUpload, upload } from "../support/api/api.ts";
import { cleanUp } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";

const ENV = { FILEHOST_SCANNER: "off", FILEHOST_TRUSTED_PROXIES: "127.0.0.1", FILEHOST_RATE_LIMITS: "off" };

/** Asserts a refusal by its code, in upper and in lower case. */
function assertPowRefused(response: ApiResponse, code: string): void {
  assertRefused(response, { status: 400, code });
  assert.equal(response.body.error_code, code.toLowerCase());
}

function assertLimited({ status, headers, body }: ApiResponse): void {
  assertRefused({ status, headers, body }, { status: 429, code: "RATE_LIMITED" });
  const seconds = Number(headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 3600, `${seconds}`);
}

/** agents, "Challenge", "Registration" and "What an agent may do"; limits, "Rates". */
describe("agent registration", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ env: ENV });
  });
  after(() => server[Symbol.asyncDispose]());

  test("exchanges a solved challenge for a key that can write files", async () => {
    const challenge = await getChallenge(server);
    assert.deepEqual(Object.keys(challenge).sort(), ["challenge_id", "difficulty", "expires_at"]);
    assert.equal(challenge.difficulty, 18);
    const lifeMs = Date.parse(challenge.expires_at) - Date.now();
    assert.ok(lifeMs > 290_000 && lifeMs <= 300_000, `${lifeMs}`);

    const registration = await clientOf(server).call("registerAgent", {
      label: "my agent",
      challenge_id: challenge.challenge_id,
      nonce: solve(challenge),
    });
    assert.deepEqual(Object.keys(registration).sort(), ["key", "key_prefix", "note", "owner_id", "scope", "tier"]);
    assert.match(registration.key, /^bc_[0-9A-Za-z]{8}_[\w-]{43}$/);
    assert.ok(registration.key.startsWith(registration.key_prefix));
    assert.match(registration.owner_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    assert.deepEqual({ scope: registration.scope, tier: registration.tier }, { scope: "files_write", tier: "bootstrap" });

    const file = await upload(server, { bytes: "x" }, { key: registration.key });
    assert.equal(file.isAnonymous, false);
    const me = await getMe(server, registration.key);
    assert.deepEqual(me.owner, {
      id: registration.owner_id,
      name: "my agent",
      showName: false,
      email: null,
      emailVerified: false,
      username: null,
      role: "agent",
    });
    assert.equal(me.key?.tier, "bootstrap");
    assert.equal(me.storage.isShared, true);
    assert.equal(me.limits.importsPerHour, 30);
    assertRefused(await call(server, "GET", "/api/keys", { key: registration.key }), { status: 403, code: "INSUFFICIENT_SCOPE" });
  });

  test("rejects missing and wrong proofs, and leaves the challenge usable", async () => {
    const headers = fromAddress("192.0.2.10");
    const challenge = await getChallenge(server, headers);
    const { challenge_id } = challenge;
    const nonce = solve(challenge);
    for (const json of [{}, { challenge_id }, { nonce }, { challenge_id: "", nonce: "" }]) {
      assertPowRefused(await postRegistration(server, json, headers), "POW_REQUIRED");
    }
    assertPowRefused(await postRegistration(server, { challenge_id: "ch_unknown", nonce }, headers), "INVALID_CHALLENGE");
    assertPowRefused(
      await postRegistration(server, { challenge_id, nonce: solve(challenge, { wrong: true }) }, headers),
      "INSUFFICIENT_WORK",
    );
    assertPowRefused(await postRegistration(server, { challenge_id, nonce }, fromAddress("192.0.2.11")), "IP_MISMATCH");
    for (const json of [
      { challenge_id, nonce: 7 },
      { challenge_id: [], nonce },
      { challenge_id, nonce, label: "x".repeat(121) },
      { challenge_id, nonce: "x".repeat(201) },
    ]) {
      assertRefused(await postRegistration(server, json, headers), { status: 400, code: "VALIDATION_FAILED" });
    }
    // No refused attempt consumed the challenge.
    await clientOf(server, { headers }).call("registerAgent", { challenge_id, nonce });
    assertPowRefused(await postRegistration(server, { challenge_id, nonce }, headers), "POW_REUSED");
  });

  test("rejects an expired challenge, also after a cleanup", async () => {
    const headers = fromAddress("192.0.2.12");
    const challenge = await getChallenge(server, headers);
    await withDatabase(server, (db) =>
      db.updateTable("challenges").set({ expires_at: Date.now() }).where("id", "=", hashToken(challenge.challenge_id)).execute(),
    );
    assertPowRefused(
      await postRegistration(server, { challenge_id: challenge.challenge_id, nonce: solve(challenge) }, headers),
      "EXPIRED_CHALLENGE",
    );
    await cleanUp(server);
    assertPowRefused(
      await postRegistration(server, { challenge_id: challenge.challenge_id, nonce: solve(challenge) }, headers),
      "EXPIRED_CHALLENGE",
    );
  });

  test("accepts one of several concurrent registrations with the same proof", async () => {
    const headers = fromAddress("192.0.2.13");
    const challenge = await getChallenge(server, headers);
    const json = { challenge_id: challenge.challenge_id, nonce: solve(challenge) };
    const responses = await Promise.all(Array.from({ length: 8 }, () => postRegistration(server, json, headers)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1);
    for (const response of responses) if (response.status !== 200) assertPowRefused(response, "POW_REUSED");
  });

  test("issues 20 challenges per hour and IPv6 /64, also across a restart", async () => {
    for (let host = 1; host <= 20; host += 1) await getChallenge(server, fromAddress(`2001:db8:1:2::${host}`));
    assertLimited(await askChallenge(server, fromAddress("2001:db8:1:2:ffff::1")));
    await getChallenge(server, fromAddress("2001:db8:1:3::1"));
    await server.restart();
    assertLimited(await askChallenge(server, fromAddress("2001:db8:1:2::1")));
  });

  test("allows 5 registrations per hour and address, each with more work, and keeps the challenge of a refused sixth", async () => {
    const headers = fromAddress("192.0.2.14");
    const difficulties: number[] = [];
    const spare = await getChallenge(server, headers);
    for (let count = 1; count <= 5; count += 1) {
      const challenge = await getChallenge(server, headers);
      difficulties.push(challenge.difficulty);
      await clientOf(server, { headers }).call("registerAgent", { challenge_id: challenge.challenge_id, nonce: solve(challenge) });
    }
    assert.deepEqual(difficulties, [18, 18, 19, 20, 21]);
    assert.equal((await getChallenge(server, headers)).difficulty, 22);
    const json = { challenge_id: spare.challenge_id, nonce: solve(spare) };
    assertLimited(await postRegistration(server, json, headers));
    await withDatabase(server, (db) => db.updateTable("rate_windows").set({ resets_at: 0 }).where("name", "=", "registrations").execute());
    await clientOf(server, { headers }).call("registerAgent", json);
  });

  test("deletes agents that have had no file for 30 days, with their keys", async () => {
    const headers = fromAddress("192.0.2.15");
    const [idle, busy, young] = [
      await register(server, { headers }),
      await register(server, { headers }),
      await register(server, { headers }),
    ];
    await upload(server, { bytes: "x" }, { key: busy.key });
    await clientOf(server, { key: idle.key }).call("createFolder", { name: "A folder" });
    await withDatabase(server, (db) =>
      db
        .updateTable("users")
        .set({ created_at: Date.now() - 31 * DAY_MS })
        .where("id", "in", [idle.owner_id, busy.owner_id])
        .execute(),
    );
    await cleanUp(server);
    const statusOf = async ({ key }: { key: string }) => (await call(server, "GET", "/api/me", { key })).status;
    assert.deepEqual([await statusOf(idle), await statusOf(busy), await statusOf(young)], [401, 200, 200]);
  });
});

test("an IPv6 /48 has sixteen times the limit of an address", async () => {
  const env = { ...ENV, FILEHOST_LIMITS: JSON.stringify({ rates: { challenges: 1 } }) };
  await using server = await startServer({ env });
  for (let subnet = 1; subnet <= 16; subnet += 1) await getChallenge(server, fromAddress(`2001:db8:1:${subnet.toString(16)}::1`));
  assertLimited(await askChallenge(server, fromAddress("2001:db8:1:1::1")));
  assertLimited(await askChallenge(server, fromAddress("2001:db8:1:ffff::1")));
  await getChallenge(server, fromAddress("2001:db8:2:1::1"));
});

test("a registration repeated with the same Idempotency-Key creates one agent", async () => {
  await using server = await startServer({ env: ENV });
  const challenge = await getChallenge(server);
  const json = { challenge_id: challenge.challenge_id, nonce: solve(challenge) };
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const [first, second] = [await postRegistration(server, json, headers), await postRegistration(server, json, headers)];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.deepEqual(second.body, { ...first.body, idempotent: true });
});

/** agents, "What an agent may do". */
describe("the storage quota of agents", () => {
  const MB = 1024 ** 2;

  test("is shared by the agents of one address, within a pool for all agents", async () => {
    const limits = { tiers: { free: { storageBytes: 2 * MB } }, bootstrapPoolBytes: 3 * MB };
    await using server = await startServer({ env: { ...ENV, FILEHOST_LIMITS: JSON.stringify(limits) } });
    const sameAddress = { headers: fromAddress("198.51.100.1") };
    const [first, second] = [await register(server, sameAddress), await register(server, sameAddress)];
    const other = await register(server, { headers: fromAddress("198.51.100.2") });
    const send = (key: string, bytes: number) => postUpload(server, { bytes: new Uint8Array(bytes) }, { key });
    const sendAccepted = (key: string, bytes: number) => upload(server, { bytes: new Uint8Array(bytes) }, { key });

    await sendAccepted(first.key, 1.5 * MB);
    const refused = await send(second.key, MB);
    assertRefused(refused, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(refused.body.limitKind, "STORAGE_QUOTA");
    await sendAccepted(other.key, MB);
    const pool = await send(other.key, MB);
    assertRefused(pool, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual(
      { limitKind: pool.body.limitKind, limitBytes: pool.body.limitBytes },
      { limitKind: "INGEST_BUDGET", limitBytes: 3 * MB },
    );
    const me = await getMe(server, second.key);
    assert.equal(me.storage.usedBytes, 1.5 * MB);

    // An agent upgraded to Pro has a separate quota outside the pool.
    await server.run(["users", "set-tier", other.owner_id, "pro"]);
    await sendAccepted(other.key, 2 * MB);
  });
});
