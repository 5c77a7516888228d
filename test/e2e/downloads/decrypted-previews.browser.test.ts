import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { GUARDED, useSealingSite } from "../support/encryption/sealing-site.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { toPdf } from "../support/uploads/pdf.ts";
import { makePng } from "../support/uploads/png.ts";

/** Bytes of a valid sound: a tenth of a second. */
function makeWav(): Buffer {
  const data = Buffer.alloc(800, 128);
  const header = Buffer.from("RIFF____WAVEfmt ________________________data____", "latin1").subarray(0, 44);
  header.writeUInt32LE(36 + data.length, 4);
  header.writeUInt32LE(16, 16);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    header.writeUInt16LE(value, at);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

const BINARY = Buffer.from([0, 1, 2, 3, 255, 254, 0, 9, 0, 0, 1, 128, 200, 3, 0, 0, 7, 0, 255, 0, 1, 2, 250, 0]);
const SCRIPT = "<script>top.document.title='attacked';fetch('https://evil.example/')</script>";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="top.document.title='attacked'"><script>top.document.title='attacked'</script></svg>`;

/** encryption, "Previews of decrypted files". */
describeUnless(browserMissing, "the previews of decrypted files", () => {
  const site = useSealingSite(GUARDED);
  const frameOf = (page: Page) => page.frameLocator(".preview iframe");

  for (const [device, options] of DEVICES) {
    test(`show an image under its own name on ${device}, and enlarge it`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      await page.goto(await site.sender.sendOne("holiday/Größe.png", makePng()));
      await page.getByRole("heading", { name: "Größe.png" }).waitFor();
      const image = frameOf(page).getByRole("img", { name: "Preview of Größe.png" });
      await image.waitFor();
      await page.waitForFunction(() => document.title.startsWith("Größe.png – "));
      await soon(async () => assert.equal(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth), 4));
      await image.click();
      const dialog = page.getByRole("dialog", { name: "Größe.png" });
      const enlarged = dialog.frameLocator("iframe").getByRole("img", { name: "Preview of Größe.png" });
      await enlarged.waitFor();
      // A closed dialog has no role any more, before it and its frame are removed.
      const removed = page.locator("dialog.viewer");
      await page.goBack();
      await removed.waitFor({ state: "detached" });
      await image.click();
      // The frame has the focus after a click on its image.
      await enlarged.click();
      await page.keyboard.press("Escape");
      await removed.waitFor({ state: "detached" });
      assert.ok(page.url().endsWith(site.sender.key.identity));
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Decrypt and download" }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "Größe.png");
      assert.deepEqual(await readFile(await download.path()), makePng());
      assert.deepEqual(complaints, []);
    });
  }

  test("name the files of a list, and open them in the dialog", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(
      await site.sender.sendSeveral({
        "photo.png": makePng(),
        "notes.txt": Buffer.from("the first line\nthe second line"),
        "table.csv": Buffer.from("name,count\nalpha,1\n"),
        "data.json": Buffer.from('{"a":1}'),
        "program.bin": BINARY,
      }),
    );
    const rows = page.locator("#entries > li .name");
    for (const name of ["photo.png", "notes.txt", "table.csv", "data.json", "program.bin"])
      await rows
        .getByText(name.split(".")[0] ?? "")
        .first()
        .waitFor();
    await soon(async () =>
      assert.equal(await page.locator("#entries").getByRole("button", { name: "program.bin", exact: true }).count(), 0),
    );
    await page.getByRole("button", { name: "notes.txt", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.frameLocator("iframe").getByText("the second line").waitFor();
    await dialog.getByRole("button", { name: "Copy text" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "table.csv", exact: true }).click();
    await dialog.frameLocator("iframe").getByRole("cell", { name: "alpha" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "data.json", exact: true }).click();
    await dialog.frameLocator("iframe").getByText('"a": 1').waitFor();
    assert.deepEqual(complaints, []);
  });

  test("draw a PDF, play a recording at a click, and say nothing of a file that browsers do not show", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(
      await site.sender.sendOne("report.pdf", Buffer.from(toPdf({ text: "words of a page", openScript: "app.alert('run')" }))),
    );
    await frameOf(page).locator(".layer").getByText("words of a page").waitFor();
    await page.goto(await site.sender.sendOne("sound.wav", makeWav()));
    await page.getByRole("button", { name: "Play" }).click();
    const player = frameOf(page).locator("audio");
    await player.waitFor();
    await until("the sound is known", () => player.evaluate((element) => (element as HTMLAudioElement).duration > 0));
    await page.goto(await site.sender.sendOne("program.bin", BINARY));
    await page.getByRole("heading", { name: "program.bin" }).waitFor();
    await soon(async () => assert.equal(await page.locator(".preview").count(), 0));
    assert.deepEqual(complaints, []);
  });

  test("show SVG, HTML and scripts only as texts, whatever their names are, in a frame without an origin", async () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ["image.png", SVG, "<svg"],
      ["image.svg", SVG, "<svg"],
      ["page.html", `<html>${SCRIPT}</html>`, "<script>"],
      ["notes.txt", SCRIPT, "<script>"],
      ["report.pdf", `<html>${SCRIPT}</html>`, "<script>"],
      ["table.csv", `a,b\n${SCRIPT},"<img src=x onerror=top.document.title='attacked'>"\n`, "<script>"],
    ];
    for (const [name, content, shown] of cases) {
      await using opened = await openPage(site.browser);
      const { page, complaints } = opened;
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(await site.sender.sendOne(name, Buffer.from(content)));
      await frameOf(page).getByText(shown).first().waitFor();
      const frame = page.frames().find((one) => one.url().endsWith("/decrypted-preview"));
      await soon(async () => assert.equal(await frame?.evaluate(() => globalThis.origin), "null"));
      await soon(async () => assert.equal(await frame?.evaluate(() => document.scripts.length), 1));
      await soon(async () => assert.equal(await page.locator(".preview iframe").getAttribute("sandbox"), "allow-scripts"));
      await soon(async () => assert.ok((await page.title()).startsWith(name)));
      assert.ok(!requests.some((url) => url.includes("evil.example")));
      assert.deepEqual(complaints, []);
    }
  });

  test("tell the server neither the key nor a name, and count no download", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const requests: string[] = [];
    page.on("request", (request) =>
      requests.push(JSON.stringify([request.url().replace(/#.*$/, ""), request.postData(), request.headers()])),
    );
    const link = await site.sender.sendOne("secret plans.txt", Buffer.from("the plan"));
    await page.goto(link);
    await frameOf(page).getByText("the plan").waitFor();
    const secret = site.sender.key.identity.slice("AGE-SECRET-KEY-1".length, 40);
    for (const request of requests) assert.doesNotMatch(request, new RegExp(`${secret}|secret plans|secret%20plans`, "i"));
    assert.doesNotMatch(JSON.stringify(site.server.logs()), new RegExp(`${secret}|secret plans`, "i"));
    assert.ok(!requests.some((request) => request.includes("/bytes")));
  });

  test("are only in shares whose downloads are not counted, whose names appear in no request for bytes", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(await site.sender.sendOne("a.txt", Buffer.from("words"), { maxDownloads: "2" }));
    await page.getByRole("button", { name: "Decrypt and download" }).waitFor();
    await soon(async () => assert.equal(await page.locator("[data-bytes]").count(), 0));
    assert.ok(!requests.some((url) => url.includes("/encrypted/")));
    assert.deepEqual(complaints, []);
  });

  test("say in the page and in the dialog that they failed, if the content cannot be loaded", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    // The first bytes, which have the name, are loaded.
    await page.route("**/d/*/encrypted/*", (route) =>
      route.request().headers().range?.startsWith("bytes=0-") ? route.continue() : route.abort(),
    );
    await page.goto(await site.sender.sendOne("alone.txt", Buffer.from("some words")));
    await page.getByText("The preview failed. Download the file to open it.").waitFor();
    await page.goto(await site.sender.sendSeveral({ "notes.txt": Buffer.from("some words"), "photo.png": makePng() }));
    await page.getByRole("button", { name: "notes.txt", exact: true }).click();
    await page.getByRole("dialog", { name: "notes.txt" }).getByText("The preview failed.").waitFor();
  });

  test("have a policy that allows neither a connection nor other scripts, and bytes only for a signature", async () => {
    const frame = await fetch(`${site.server.url}/decrypted-preview`);
    const policy = frame.headers.get("content-security-policy") ?? "";
    for (const part of ["sandbox allow-scripts;", "default-src 'none'", "connect-src blob:;", "frame-ancestors 'self'"])
      assert.ok(policy.includes(part), policy);
    assert.doesNotMatch(policy, /allow-same-origin|unsafe/);
    const link = new URL(await site.sender.sendOne("a.txt", Buffer.from("words")));
    const html = await (await fetch(link)).text();
    const path = (/data-bytes="([^"]+)"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&");
    const part = await fetch(new URL(path, site.server.url), { headers: { Range: "bytes=0-20" } });
    assert.deepEqual([part.status, await part.text()], [206, "age-encryption.org/v1"]);
    assert.match(part.headers.get("content-security-policy") ?? "", /sandbox/);
    for (const other of [path.replace(/s=.*/, "s=AAAA"), path.replace(/\?.*/, "")])
      assert.equal((await fetch(new URL(other, site.server.url))).status, 403);
  });
});
