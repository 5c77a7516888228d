import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { ShareDescription } from "../../../src/client/shares/describe-share.ts";
import type { Output } from "../../../src/service/contract.ts";
import { startTerminal } from "../../support/machine/terminal.ts";
import { type Account, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { authorize, upload } from "../support/api/api.ts";
import {
  type ClientDevice,
  makeDevice,
  rememberUpload,
  type ServerWithDevice,
  siteOf,
  withDevice,
} from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

type Settings = Output<"updateShareSettings"> & { readonly url: string };
type Described = ShareDescription & { readonly url: string; readonly lastDownloads: ShareDescription["downloads"] };
interface Refused {
  readonly errorCode: string;
  readonly error: string;
}

/** client manage, "A share", "Settings" and "Unlock codes". */
describe("the client's commands about a share", () => {
  let server: ServerWithDevice<ServerWith<"owner" | "other" | "reader" | "pro">>;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(
      withAccounts(startPlainServer(), {
        owner: { username: "ada" },
        other: {},
        reader: { scope: "files_read" },
        pro: { tier: "pro" },
      }),
    );
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const as = ({ key }: Account) => ({ env: { FILEHOST_KEY: key } });
  const send = (name: string, account?: Account, fields: Record<string, string> = {}) =>
    upload(server, { name, bytes: `bytes of ${name}`, fields }, account === undefined ? {} : { key: account.key });

  test("info shows each caller the data that they may see", async () => {
    const file = await send("report.pdf", server.owner, { title: "Slides", maxDownloads: "5" });
    await authorize(server, file.id);
    for (const name of [file.shortId, file.id, file.shareUrl]) {
      const own = await device.runJson<Described>(["info", name], as(server.owner));
      assert.deepEqual([own.shortId, own.url, own.share?.name, own.settings?.maxDownloads], [file.shortId, file.shareUrl, "report.pdf", 5]);
      assert.deepEqual([own.lastDownloads?.length, own.file?.id], [1, name === file.id ? file.id : undefined]);
    }
    const { stdout } = await device.run(["info", file.shortId], as(server.owner));
    assert.match(stdout, /^name +report\.pdf\n/);
    assert.match(stdout, /\ntitle +Slides\n/);
    assert.match(stdout, /\ndownloads +1 of 5\n[\s\S]*Last downloads\n/);
    for (const caller of [as(server.other), {}]) {
      const known = await device.runJson<Described>(["info", file.shareUrl], caller);
      assert.deepEqual([known.share?.name, known.settings, known.lastDownloads, known.file], ["report.pdf", null, null, null]);
      const hidden = await device.runJson<Refused>(["info", file.id], { ...caller, code: 4 });
      assert.equal(hidden.errorCode, "NOT_FOUND");
    }
    assert.equal((await device.runJson<Refused>(["info", "zzzzzzzz"], { code: 4 })).errorCode, "NOT_FOUND");
    assert.equal((await device.runJson<Refused>(["info", "../etc"], { code: 2 })).errorCode, "VALIDATION_FAILED");
    assert.equal(
      (await device.runJson<Refused>(["info", file.shortId], { env: { FILEHOST_KEY: "bc_wrong" }, code: 3 })).errorCode,
      "UNAUTHENTICATED",
    );
  });

  test("info of a shipment hides its files until the code or the private link opens it", async () => {
    const first = await send("one.txt", server.owner, { openShare: "true", protect: "true", title: "Secret" });
    await send("two.txt", server.owner, { shareShortId: first.shortId });
    const code = first.unlockCode ?? assert.fail();
    const closed = await device.run(["info", first.shortId]);
    assert.match(closed.stdout, /protected[\s\S]*The files are shown with the unlock code/);
    assert.doesNotMatch(closed.stdout, /two\.txt|Secret/);
    assert.match((await device.run(["info", first.shortId, "--code", code])).stdout, /Secret[\s\S]*two\.txt/);
    assert.match((await device.run(["info", first.handoffUrl ?? ""])).stdout, /Secret[\s\S]*two\.txt/);
    assert.equal((await device.runJson<Refused>(["info", first.shortId, "--code", "WRONG2"], { code: 3 })).errorCode, "UNLOCK_INVALID");
  });

  test("share changes settings only with the key of the owner", async () => {
    const file = await send("settings.txt", server.owner);
    const changed = await device.runJson<Settings>(
      ["share", file.shortId, "--title", "New", "--max-downloads", "7", "--visibility", "public", "--no-notify"],
      as(server.owner),
    );
    assert.deepEqual([changed.title, changed.maxDownloads, changed.visibility, changed.notify], ["New", 7, "public", false]);
    const cleared = await device.runJson<Settings>(
      ["share", file.id, "--title", "", "--max-downloads", "", "--expires-at", "2999-01-01T00:00"],
      {
        ...as(server.owner),
        code: 2,
      },
    );
    assert.equal((cleared as unknown as Refused).errorCode, "EXPIRY_TOO_LONG");
    const shown = await device.run(["share", file.shareUrl, "--title", "", "--max-downloads", "", "--once"], as(server.owner));
    assert.match(
      shown.stdout,
      new RegExp(`^link +${file.shareUrl}\\nstate +ready, public\\nexpires .*\\nlatest expiry .*\\ndownloads +0 of 1\\nnotices +off\\n$`),
    );
    assert.equal((await device.runJson<Settings>(["share", file.shortId, "--no-once"], as(server.owner))).maxDownloads, null);
    assert.equal((await device.run(["share", file.shortId, "--link"], as(server.owner))).stdout, `${file.shareUrl}\n`);
    const refusals: readonly (readonly [readonly string[], object, number, string])[] = [
      [["--title", "x"], as(server.other), 4, "NOT_FOUND"],
      [["--title", "x"], as(server.reader), 3, "INSUFFICIENT_SCOPE"],
      [["--title", "x"], {}, 3, "UNAUTHENTICATED"],
      [["--price", "4.99"], as(server.owner), 6, "SELLER_NOT_READY"],
      [["--price", "0.50"], as(server.owner), 2, "VALIDATION_FAILED"],
      [["--expires-at", "never"], as(server.owner), 3, "PRO_REQUIRED"],
    ];
    for (const [args, caller, code, expected] of refusals) {
      const refused = await device.runJson<Refused>(["share", file.shortId, ...args], { ...caller, code });
      assert.equal(refused.errorCode, expected, `${args}: ${refused.error}`);
    }
    const wrong = await device.run(
      ["share", file.shortId, "--extend-ttl", "soon", "--max-downloads", "0", "--price", "free"],
      as(server.owner),
    );
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--max-downloads: give a whole number of at least 1/);
  });

  test("share says that a limit which is reached already ends the share, and asks first in a terminal", async () => {
    const file = await send("used-up.txt", server.owner);
    await authorize(server, file.id);
    const limit = ["share", file.shortId, "--max-downloads", "1"];
    {
      await using no = startTerminal(limit, { cwd: device.path, env: { ...device.env, ...as(server.owner).env } });
      await no.waitFor("1 download already: a file that has reached this limit ends, and cannot be opened again. Set it? [y/N]");
      no.press("enter");
      assert.equal(await no.ended(), 6);
    }
    assert.equal((await device.runJson<Settings>(["share", file.shortId], as(server.owner))).state, "active");
    const { code, stdout, stderr } = await device.run(limit, as(server.owner));
    assert.equal(code, 0);
    assert.match(stdout, /\nstate +used up\n[\s\S]*\ndownloads +1 of 1\n/);
    assert.match(stderr, /^Nobody can download it any more\. /);
    const anonymous = await send("used-up-too.txt");
    await authorize(server, anonymous.id);
    const token = ["--token", anonymous.claimToken ?? ""];
    assert.equal((await device.runJson<Settings>(["share", anonymous.shortId, "--once", ...token])).state, "used_up");
  });

  test("share sets and extends the expiry to exactly the time that is named, and never shortens it with --extend-ttl", async () => {
    const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().replace(/:\d\d\.\d+Z$/, ":00Z");
    const file = await send("extended.txt", server.owner, { ttl: "1h" });
    const change = (...words: readonly string[]) => device.runJson<Settings>(["share", file.shortId, ...words], as(server.owner));
    const until = inHours(50);
    assert.equal(Date.parse((await change("--extend-ttl", until)).expiresAt ?? ""), Date.parse(until));
    const earlier = await device.run(["share", file.shortId, "--extend-ttl", inHours(20)], as(server.owner));
    assert.match(earlier.stderr, /expires later already/);
    assert.equal(Date.parse((await change("--extend-ttl", "5h")).expiresAt ?? ""), Date.parse(until));
    const day = inHours(100).slice(0, 10);
    assert.equal((await change("--extend-ttl", `${day}T00:00Z`)).expiresAt, `${day}T00:00:00.000Z`);
    const sooner = Date.parse((await change("--expires-at", "3600s")).expiresAt ?? "") - Date.now();
    assert.ok(sooner > 3_500_000 && sooner <= 3_600_000, String(sooner));
    assert.equal(
      (await device.runJson<Refused>(["share", file.shortId, "--extend-ttl", "soon"], { ...as(server.owner), code: 2 })).errorCode,
      "VALIDATION_FAILED",
    );
  });

  test("never is the word for shares of Pro accounts that do not expire, and others are told the way out", async () => {
    const pro = as(server.pro);
    await writeFile(join(device.path, "never.txt"), "never");
    for (const words of [[], ["--expires", "never"]]) {
      const sent = await device.run(["up", "never.txt", "--no-resume", ...words], pro);
      assert.deepEqual([sent.code, /Never expires\./.test(sent.stderr)], [0, true], sent.stderr);
      const [link = ""] = sent.stdout.split("\n");
      const extended = await device.run(["share", link, "--extend-ttl", "10d"], pro);
      assert.match(extended.stderr, /never expires, so there is nothing to extend/);
      assert.match((await device.run(["share", link, "--expires-at", "never"], pro)).stderr, /never expires already/);
    }
    for (const caller of [as(server.owner), {}]) {
      const refused = await device.run(["up", "never.txt", "--no-resume", "--expires", "never"], caller);
      assert.equal(refused.code, 3);
      assert.match(refused.stderr, /Choose a time with --expires, or leave it out\./);
    }
  });

  test("an anonymous share is changed with the token that the device remembers, or that is passed", async () => {
    const file = await send("anonymous.txt");
    const { claimToken = "" } = file;
    assert.equal((await device.runJson<Refused>(["share", file.shortId, "--title", "Mine"], { code: 3 })).errorCode, "UNAUTHENTICATED");
    assert.equal((await device.runJson<Settings>(["share", file.shortId, "--title", "Passed", "--token", claimToken])).title, "Passed");
    const piped = await device.runJson<Settings>(["share", file.id, "--message", "Piped", "--token", "-"], { input: `${claimToken}\n` });
    assert.equal(piped.message, "Piped");
    const wrong = await device.runJson<Refused>(["share", file.shortId, "--title", "x", "--token", "claim_wrong"], { code: 3 });
    assert.equal(wrong.errorCode, "WRONG_TOKEN");

    await using own = await makeDevice();
    await rememberUpload(own, server, file);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const mine = await own.runJson<Settings>(["share", file.shortId, "--title", "Mine", "--expires-at", expiresAt]);
    assert.deepEqual([mine.title, mine.expiresAt], ["Mine", expiresAt]);
    assert.equal((await own.shares.find(file.shortId))?.expiresAt, expiresAt);
    assert.equal((await own.runJson<ShareDescription>(["info", file.id])).settings?.title, "Mine");
    const beside = await own.runJson<Settings>(["share", file.shortId, "--title", "With a key"], {
      env: { FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: server.other.key },
    });
    assert.equal(beside.title, "With a key");
    const notAllowed = await own.runJson<Refused>(["share", file.shortId, "--visibility", "public"], { code: 3 });
    assert.equal(notAllowed.errorCode, "FORBIDDEN");
  });

  test("protect makes, replaces and removes the code, and prints it once", async () => {
    const file = await send("protected.txt");
    await using own = await makeDevice();
    await rememberUpload(own, server, file);
    const made = await own.run(["protect", file.shortId]);
    const [, code = ""] = /\nunlock code +([2-9A-Z]{6})\n/.exec(made.stdout) ?? assert.fail(made.stdout);
    assert.match(made.stdout, /\nprivate link +http.*\/h\/ho_/);
    assert.match(made.stderr, /shown only once/);
    const again = await own.runJson<Refused>(["protect", file.shortId], { code: 6 });
    assert.equal(again.errorCode, "CONFLICT");
    assert.match(again.error, /--rotate/);
    assert.doesNotMatch((await own.run(["share", file.shortId])).stdout, new RegExp(code));
    const rotated = await own.runJson<Settings>(["protect", file.shortId, "--rotate", "--handoff-message", "For you"]);
    assert.notEqual(rotated.unlockCode, code);
    assert.equal((await device.runJson<Refused>(["info", file.shortId, "--code", code], { code: 3 })).errorCode, "UNLOCK_INVALID");
    assert.equal((await device.run(["info", file.shortId, "--code", rotated.unlockCode ?? ""])).code, 0);
    assert.equal((await own.runJson<Settings>(["protect", file.shortId, "--remove"])).unlockRequired, false);
    assert.equal((await own.run(["protect", file.shortId, "--remove", "--rotate"])).code, 2);
    assert.equal((await device.runJson<Refused>(["protect", file.shortId], { code: 3 })).errorCode, "UNAUTHENTICATED");
  });
});
