import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browserMissing, launchBrowser, openPage } from "../support/browser.ts";
import { freePort } from "../support/free-ports.ts";
import type { TestServer } from "../support/server.ts";
import { type Challenge, fromAddress, solve } from "./support/agents.ts";
import { type Answer, assertRefused, call } from "./support/api.ts";
import { download, postUnlock, wrongCode } from "./support/owned.ts";
import { type ProtectedUpload, post, protectedUpload } from "./support/pages.ts";
import { startPlainServer } from "./support/plain.ts";
import { withDatabase } from "./support/state.ts";

const SHARE_CAP = 3;
const HOLDER = fromAddress("203.0.113.1");

/** interface, "Protection credentials" and "Limits"; decisions, "Accounts, keys, tiers". The rules are in docs/interface/unlocking.md. */
describe("unlocking a share whose code strangers guess", () => {
  let server: TestServer;
  before(async () => {
    const port = await freePort();
    server = await startPlainServer({
      FILEHOST_LISTEN: `127.0.0.1:${port}`,
      FILEHOST_URL: `http://127.0.0.1:${port}`,
      FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
      FILEHOST_LIMITS: JSON.stringify({ rates: { unlockPerShare: SHARE_CAP } }),
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const stranger = (n: number) => fromAddress(`198.51.100.${n}`);
  const countOf = (shortId: string) =>
    withDatabase(server, (db) =>
      db
        .selectFrom("rate_windows")
        .select("count")
        .where("name", "=", "unlockPerShare")
        .where("subject", "=", shortId)
        .executeTakeFirstOrThrow(),
    );
  const setCount = (shortId: string, count: number) =>
    withDatabase(server, (db) =>
      db.updateTable("rate_windows").set({ count }).where("name", "=", "unlockPerShare").where("subject", "=", shortId).execute(),
    );

  /** A protected share that strangers have tried as many wrong codes on as it takes without work. */
  async function guessedShare(): Promise<ProtectedUpload> {
    const share = await protectedUpload(server);
    for (let n = 0; n < SHARE_CAP; n += 1) {
      const { shortId, unlockCode } = share;
      assert.equal((await postUnlock(server, { shortId, unlockCode: wrongCode(unlockCode, n) }, stranger(n + 1))).status, 403);
    }
    return share;
  }

  function challengeOf(answer: Answer): Challenge {
    assertRefused(answer, { status: 429, code: "RATE_LIMITED" });
    const { challenge } = answer.body as unknown as { challenge?: Challenge };
    assert.ok(challenge, JSON.stringify(answer.body));
    return challenge;
  }

  const proofOf = (challenge: Challenge, options = {}) => ({ challengeId: challenge.challenge_id, nonce: solve(challenge, options) });

  test("the right code opens it with a proof of work, on all three routes", async () => {
    const share = await guessedShare();
    const { shortId, unlockCode } = share;
    const routes = [
      (query: object) => postUnlock(server, { shortId, unlockCode, ...query }, HOLDER),
      (query: object) => download(server, share.id, { unlockCode, ...query }, HOLDER),
      (query: object) =>
        call(server, "GET", `/api/files/share/${shortId}/archive?${new URLSearchParams({ unlockCode, ...query })}`, { headers: HOLDER }),
    ];
    for (const send of routes) {
      const refused = await send({});
      const challenge = challengeOf(refused);
      assert.equal(challenge.difficulty, 18);
      const left = Date.parse(challenge.expires_at) - Date.now();
      assert.ok(left > 9 * 60_000 && left <= 10 * 60_000, String(left));
      assert.ok(Number(refused.headers.get("retry-after")) > 3000);
      const opened = await send(proofOf(challenge));
      assert.equal(opened.status, 200, JSON.stringify(opened.body));
    }
    assert.equal((await countOf(shortId)).count, SHARE_CAP, "right codes do not count");
  });

  test("without the work a right code and a wrong one get the same answer, and neither counts", async () => {
    const { shortId, unlockCode } = await guessedShare();
    const shapes = [];
    for (const code of [unlockCode, wrongCode(unlockCode)]) {
      const answer = await postUnlock(server, { shortId, unlockCode: code }, HOLDER);
      const { challenge: _, ...body } = answer.body;
      challengeOf(answer);
      shapes.push({ ...body, retryAfterSeconds: undefined, requestId: undefined });
    }
    assert.deepEqual(shapes[0], shapes[1]);
    assert.equal((await countOf(shortId)).count, SHARE_CAP);
  });

  test("a wrong code uses its proof up, and counts by share and by address", async () => {
    const { shortId, unlockCode } = await guessedShare();
    const proof = proofOf(challengeOf(await postUnlock(server, { shortId, unlockCode }, HOLDER)));
    const codes = [0, 1, 2, 3].map((n) => wrongCode(unlockCode, n + 10));
    const answers = await Promise.all(codes.map((code) => postUnlock(server, { shortId, unlockCode: code, ...proof }, HOLDER)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [403, 429, 429, 429]);
    assert.equal((await countOf(shortId)).count, SHARE_CAP + 1);
    challengeOf(await postUnlock(server, { shortId, unlockCode, ...proof }, HOLDER));
  });

  test("a proof that is not one for this code is not accepted", async () => {
    const [share, other] = [await guessedShare(), await guessedShare()];
    const { shortId, unlockCode } = share;
    const ask = async (headers = HOLDER) => challengeOf(await postUnlock(server, { shortId, unlockCode }, headers));
    const challenge = await ask();
    const { challengeId, nonce } = proofOf(challenge);
    const easier = challengeId.replace(/^uc_18/, "uc_1");
    const elsewhere = challengeOf(await postUnlock(server, { shortId: other.shortId, unlockCode: other.unlockCode }, HOLDER));
    for (const proof of [
      proofOf(challenge, { wrong: true }),
      { challengeId },
      { nonce },
      { challengeId: "", nonce: "" },
      { challengeId: "ch_nonsense", nonce },
      { challengeId: easier, nonce: solve({ ...challenge, challenge_id: easier, difficulty: 1 }) },
      proofOf(await ask(stranger(77))),
      proofOf(elsewhere),
    ])
      challengeOf(await postUnlock(server, { shortId, unlockCode, ...proof }, HOLDER));
    assert.equal((await postUnlock(server, { shortId, unlockCode, challengeId, nonce }, HOLDER)).status, 200);
  });

  test("new credentials start without wrong codes, and end the challenges of the old ones", async () => {
    const { id, shortId, unlockCode, claimToken } = await guessedShare();
    const proof = proofOf(challengeOf(await postUnlock(server, { shortId, unlockCode }, HOLDER)));
    const rotated = await call<{ data: { unlockCode: string } }>(server, "PATCH", "/api/files/link-protection", {
      json: { fileId: id, claimToken, protect: true },
    });
    const fresh = rotated.body.data.unlockCode;
    for (let n = 0; n < SHARE_CAP; n += 1)
      assert.equal((await postUnlock(server, { shortId, unlockCode: wrongCode(fresh, n) }, stranger(n + 20))).status, 403);
    challengeOf(await postUnlock(server, { shortId, unlockCode: fresh, ...proof }, HOLDER));
  });

  test("the work doubles as the wrong codes past the cap do; one bit less is accepted while a client works", async () => {
    const { shortId, unlockCode } = await guessedShare();
    const ask = async () => challengeOf(await postUnlock(server, { shortId, unlockCode }, HOLDER));
    const early = proofOf(await ask());
    const difficulties = [];
    for (const excess of [99, 100, 300, 25_500]) {
      await setCount(shortId, SHARE_CAP + excess);
      difficulties.push((await ask()).difficulty);
    }
    assert.deepEqual(difficulties, [18, 19, 20, 26]);
    await setCount(shortId, SHARE_CAP + 300);
    challengeOf(await postUnlock(server, { shortId, unlockCode, ...early }, HOLDER));
    await setCount(shortId, SHARE_CAP + 299);
    assert.equal((await postUnlock(server, { shortId, unlockCode, ...early }, HOLDER)).status, 200);
  });

  test("an address past its own cap waits, whatever work it does; tokens and private links are never held up", async () => {
    const share = await guessedShare();
    const { shortId, unlockCode } = share;
    const proof = proofOf(challengeOf(await postUnlock(server, { shortId, unlockCode }, HOLDER)));
    await withDatabase(server, (db) =>
      db
        .updateTable("rate_windows")
        .set({ count: 10 })
        .where("name", "=", "unlockPerAddress")
        .where("subject", "like", `${shortId} %`)
        .execute(),
    );
    const late = await postUnlock(server, { shortId, unlockCode }, stranger(1));
    assertRefused(late, { status: 429, code: "RATE_LIMITED" });
    assert.equal((late.body as { challenge?: unknown }).challenge, undefined);
    const opened = await postUnlock(server, { shortId, unlockCode, ...proof }, HOLDER);
    assert.equal(opened.status, 200);
    const handoffToken = new URL(share.handoffUrl).pathname.slice("/h/".length);
    assert.equal((await download(server, share.id, { handoffToken }, stranger(1))).status, 200);
    assert.equal((await download(server, share.id, { unlockToken: String(opened.body.unlockToken) }, stranger(1))).status, 200);
  });

  test("the page of such a share carries the challenge in its form, and says what to do without JavaScript", async () => {
    const share = await guessedShare();
    const unlock = (fields: Record<string, string>) => post(server, `${share.sharePath}/unlock`, fields, HOLDER);
    const { unlockCode } = share;
    const { status, html } = await unlock({ unlockCode });
    assert.equal(status, 429);
    assert.match(html, /Someone is guessing this code.*JavaScript.*use the private link.*Try again in/s);
    const [, id = "", difficulty] = /data-challenge="([^"]+)" data-difficulty="(\d+)"/.exec(html) ?? [];
    const proof = proofOf({ challenge_id: id, difficulty: Number(difficulty), expires_at: "" });
    const opened = await unlock({ unlockCode, ...proof });
    assert.equal(opened.status, 200, opened.html);
    assert.match(opened.html, /name="unlockToken"/);
    const sent = await post(server, `${share.sharePath}/download`, { fileId: share.id, unlockCode, ...proof }, HOLDER);
    assert.equal(sent.status, 303);
  });

  test("a browser does the work by itself: the right code opens the page, a wrong one is told", { skip: browserMissing }, async () => {
    const share = await guessedShare();
    await using browser = await launchBrowser();
    await using opened = await openPage(browser, { extraHTTPHeaders: HOLDER });
    const { page } = opened;
    const answers: number[] = [];
    page.on("response", (response) => void (response.request().method() === "POST" && answers.push(response.status())));
    await page.goto(server.url + share.sharePath);
    for (const code of [wrongCode(share.unlockCode, 20), share.unlockCode]) {
      await page.getByLabel("Unlock code").fill(code);
      await page.getByRole("button", { name: "Unlock" }).click();
      const isRight = code === share.unlockCode;
      await (isRight
        ? page.getByRole("button", { name: "Download note.txt" })
        : page.locator("#unlock-problem").getByText("That is not the code")
      ).waitFor();
    }
    assert.deepEqual(answers, [429, 403, 429, 200]);
    assert.equal((await countOf(share.shortId)).count, SHARE_CAP + 1);
  });
});
