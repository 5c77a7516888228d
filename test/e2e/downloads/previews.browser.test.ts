import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { type UploadForm, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { setScanning, uploadProtected } from "../support/pages/pages.ts";
import { toPdf } from "../support/uploads/pdf.ts";

/** A host that no preview may ask for anything. */
const EVIL = "http://127.0.0.1:9";
const CALLS = `alert(1);fetch('${EVIL}/fetch');top.document.title='taken';top.location='${EVIL}/top'`;

/** Files that try to run a script, to load from another host, or to leave the frame. Name → type, bytes, and text that the preview shows. */
const HOSTILE: Readonly<Record<string, { readonly form: UploadForm; readonly shows?: string }>> = {
  HTML: {
    form: {
      name: "a.html",
      type: "text/html",
      bytes: `<script>${CALLS}</script><img src="${EVIL}/img"><meta http-equiv=refresh content="0;url=${EVIL}">`,
    },
    shows: `<img src="${EVIL}/img">`,
  },
  SVG: {
    form: {
      name: "a.svg",
      type: "image/svg+xml",
      bytes: `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="10" onload="${CALLS}"><script>${CALLS}</script><image xlink:href="${EVIL}/image" width="9" height="9"/><style>@import url(${EVIL}/style);rect{fill:url(${EVIL}/fill)}</style><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${EVIL}/frame"/></foreignObject><rect width="9" height="9"/></svg>`,
    },
  },
  Markdown: {
    form: {
      name: "a.md",
      type: "text/markdown",
      bytes: `# Title\n\n<script>${CALLS}</script>\n\n![map](${EVIL}/img.png) <iframe src="${EVIL}/frame"></iframe> [click](javascript:${CALLS.replaceAll("(", "%28").replaceAll(")", "%29")})\n\n<meta http-equiv="refresh" content="0;url=${EVIL}">\n\n<style>@import "${EVIL}/style";</style>`,
    },
    shows: "map",
  },
  "a text with control characters": {
    form: { name: "a.txt", bytes: "a\u0000b\u202egnp.exe\u001b]0;taken\u0007 </pre><script>alert(1)</script>" },
    shows: "a␀b[U+202E]gnp.exe␛]0;taken␇",
  },
  code: {
    form: {
      name: "a.js",
      type: "text/javascript",
      bytes: `"</span></pre><script>${CALLS}</script>"; \`<img src=${EVIL}/img onerror=alert(1)>\``,
    },
    shows: "</span></pre><script>",
  },
  PDF: {
    form: {
      name: "a.pdf",
      type: "application/pdf",
      bytes: toPdf({ text: "Hello", openScript: `app.alert('hi'); this.submitForm('${EVIL}/submit'); app.launchURL('${EVIL}/launch');` }),
    },
  },
  "a PDF that opens a URL": {
    form: { name: "b.pdf", type: "application/pdf", bytes: toPdf({ text: "Hello", openAction: `<< /S /URI /URI (${EVIL}/uri) >>` }) },
  },
};

describeUnless(browserMissing, "previews in a browser", () => {
  const site = useBrowsedServer();

  /** Waits until the preview of the page is shown. */
  async function whenShown(page: Page): Promise<void> {
    const frame = page.frameLocator("#preview iframe");
    const image = page.locator("#preview img");
    await image.or(page.locator("#preview iframe")).waitFor();
    if ((await image.count()) > 0) await page.evaluate("document.querySelector('#preview img').decode()");
    else if ((await page.locator("#preview iframe").getAttribute("sandbox")) === "allow-scripts")
      await frame.locator("canvas[data-drawn]").first().waitFor();
    else await frame.locator("body").waitFor();
  }

  /** previews, "Documents". */
  test("a short text has a frame of its height, and a long one the full height", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
    const heights: number[] = [];
    for (const bytes of ["x", "a line of text\n".repeat(10), "a line of text\n".repeat(30), "a line of text\n".repeat(60)]) {
      const { sharePath } = await upload(site.server, { name: "a.txt", bytes });
      await opened.page.goto(site.server.url + sharePath);
      heights.push((await opened.page.locator("#preview iframe").boundingBox())?.height ?? 0);
    }
    assert.deepEqual(heights, [58, 274, 448, 448]);
  });

  /** previews, "Documents". */
  for (const [name, { form, shows }] of Object.entries(HOSTILE)) {
    for (const place of ["page", "tab"] as const) {
      test(`${name} runs no script and reaches no other host, in ${place === "page" ? "the share page" : "another tab"}`, async () => {
        const share = await upload(site.server, form);
        await using opened = await openPage(site.browser);
        const { page } = opened;
        const hosts = new Set<string>();
        const dialogs: string[] = [];
        page.context().on("request", (request) => hosts.add(new URL(request.url()).host));
        page.on("dialog", (dialog) => {
          dialogs.push(dialog.message());
          void dialog.dismiss();
        });
        await page.goto(site.server.url + share.sharePath);
        await whenShown(page);
        const frame = page.frameLocator("#preview iframe");
        if (shows !== undefined) await soon(async () => assert.ok((await frame.locator("body").textContent())?.includes(shows)));
        const title = await page.title();
        if (place === "tab") {
          const url = (await page.locator("#preview img, #preview iframe").getAttribute("src")) ?? "";
          // An SVG is downloaded.
          await page.goto(url).catch((error: unknown) => assert.match(String(error), /Download is starting/));
          await page.locator("body").waitFor();
        } else assert.match(title, /filehost$/);
        for (const link of await frame.getByText("click").all()) await link.click({ force: true });
        const { port } = new URL(site.server.url);
        assert.deepEqual(
          [...hosts].filter((host) => host !== `127.0.0.1:${port}` && host !== `localhost:${port}`),
          [],
        );
        assert.deepEqual(dialogs, []);
        assert.equal(page.context().pages().length, 1);
      });
    }
  }

  /** previews, "Documents". */
  test("the cells of a table in Markdown are aligned, without an error of the policy", async () => {
    const share = await upload(site.server, { name: "a.md", type: "text/markdown", bytes: "a | b | c\n:-|:-:|-:\n1 | 2 | 3" });
    await using opened = await openPage(site.browser);
    await opened.page.goto(site.server.url + share.sharePath);
    const cells = opened.page.frameLocator("#preview iframe").locator("th, td");
    await cells.first().waitFor();
    const frame = opened.page.frames().find((other) => other.url().includes("/pv/")) ?? assert.fail();
    const sides = await frame.evaluate("[...document.querySelectorAll('th, td')].map((cell) => getComputedStyle(cell).textAlign)");
    assert.deepEqual(sides, ["left", "center", "right", "left", "center", "right"]);
    assert.deepEqual(opened.complaints, []);
  });

  /** previews, "Documents". */
  test("a link of a Markdown file opens in a new tab, without an opener and a referrer", async () => {
    const target = `${site.server.url}/robots.txt`;
    const share = await upload(site.server, { name: "a.md", type: "text/markdown", bytes: `[look](${target})` });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + share.sharePath);
    const link = page.frameLocator("#preview iframe").getByRole("link", { name: "look" });
    const [popup] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await popup.waitForURL(target);
    await soon(async () =>
      assert.deepEqual(await popup.evaluate("[window.opener, document.referrer, window.origin]"), [null, "", site.server.url]),
    );
    assert.deepEqual(opened.complaints, []);
  });

  /** previews, "Which files have one". */
  test("a PDF is drawn page by page, without a violation of the policy", async () => {
    const share = await upload(site.server, { name: "a.pdf", type: "application/pdf", bytes: toPdf({ text: "Hello", pages: 120 }) });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + share.sharePath);
    const frame = page.frameLocator("#preview iframe");
    await frame.getByRole("img", { name: "Page 1 of 120" }).and(frame.locator("[data-drawn]")).waitFor();
    await soon(async () => assert.equal(await frame.locator("main canvas").count(), 100));
    await frame.getByText("The first 100 of 120 pages").waitFor();
    const drawn = page.frames().find((one) => one.url().includes("/pv/"));
    const hasInk = await drawn?.evaluate(`(() => {
      const canvas = document.querySelector("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value, index) => index % 4 === 0 && value < 100);
    })()`);
    assert.equal(hasInk, true);
    assert.deepEqual(opened.complaints, []);
    const broken = await upload(site.server, { name: "b.pdf", type: "application/pdf", bytes: "%PDF-1.7\nnothing" });
    await page.goto(site.server.url + broken.sharePath);
    await frame.getByText("This PDF cannot be shown. Download it to open it.").waitFor();
  });

  /** previews, "Which files have one". */
  test("a damaged image or recording is reported", async () => {
    const share = await upload(site.server, { name: "a.png", type: "image/png", bytes: `\x89PNG\r\n\x1a\n${"x".repeat(99)}` });
    await using opened = await openPage(site.browser);
    await opened.page.goto(site.server.url + share.sharePath);
    await opened.page.locator("#preview").getByText("This image cannot be shown. Download it to open it.").waitFor();
    await soon(async () => assert.equal(await opened.page.locator("#preview img").count(), 0));
    const video = await upload(site.server, { name: "a.mp4", type: "video/mp4", bytes: `\0\0\0\x18ftypmp42${"x".repeat(99)}` });
    await opened.page.goto(site.server.url + video.sharePath);
    await opened.page.locator("#preview").getByText("This recording cannot be played here. Download it to open it.").waitFor();
  });

  /** previews, "Documents": the text of a PDF. */
  test("the text of a PDF is above its drawing, on all pages, and can be selected", async () => {
    const text = "<b>bold</b> and long";
    const share = await upload(site.server, { name: "a.pdf", type: "application/pdf", bytes: toPdf({ text, pages: 5 }) });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + share.sharePath);
    const frame = page.frameLocator("#preview iframe");
    await frame.locator(".page[data-text]").nth(4).waitFor();
    await frame.locator(".layer span").first().click({ clickCount: 3 });
    const drawn = page.frames().find((one) => one.url().includes("/pv/"));
    await soon(async () => assert.equal(String(await drawn?.evaluate("getSelection().toString()")).trim(), text));
    const place = `(() => {
      const span = document.querySelector(".layer span").getBoundingClientRect();
      const canvas = document.querySelector("canvas").getBoundingClientRect();
      return Math.round((100 * (span.left - canvas.left)) / canvas.width);
    })()`;
    // At 50 of 300 units of the page, also after a change of the window.
    await soon(async () => assert.equal(await drawn?.evaluate(place), 17));
    await page.setViewportSize({ width: 390, height: 800 });
    await until("the text has the new size", async () => (await drawn?.evaluate(place)) === 17);
    assert.deepEqual(opened.complaints, []);
  });

  /** previews, "Signed URLs". */
  test("a player seeks by ranges, and renews its URL after it has expired", async () => {
    const share = await upload(site.server, { name: "a.wav", type: "audio/wav", bytes: silence(120) });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.addInitScript(
      "const now = performance.now.bind(performance); window.addedMs = 0; performance.now = () => now() + window.addedMs;",
    );
    const statuses: number[] = [];
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("response", (response) => {
      if (response.url().includes("/pv/")) statuses.push(response.status());
    });
    await page.goto(site.server.url + share.sharePath);
    await whenDuration(page, 120);
    await page.evaluate(`new Promise((resolve) => {
      const player = document.querySelector("#preview audio");
      player.addEventListener("seeked", resolve, { once: true });
      player.currentTime = 110;
    })`);
    assert.ok(statuses.includes(206) && !statuses.includes(302), JSON.stringify(statuses));
    await page.locator('form[data-renew="on"]').waitFor({ state: "attached" });
    await page.evaluate(
      `window.addedMs = 1_000_000; document.querySelector("#preview audio").src = ${JSON.stringify(`${site.server.url.replace("127.0.0.1", "localhost")}/pv/expired/a.wav`)}`,
    );
    await whenDuration(page, 120);
    // The browser reports no refusal of another origin, and may have the bytes of the new URL already.
    const expired = asked.findIndex((url) => url.includes("/pv/expired/"));
    assert.ok(
      expired > 0 && asked.slice(expired).some((url) => url.endsWith(`${share.sharePath}?file=${share.id}`)),
      JSON.stringify(asked),
    );
  });

  /** previews, "The policy of the page". */
  test("a preview appears when a code unlocks the page in place, and when the scan ends", async () => {
    const form = { name: "a.svg", type: "image/svg+xml", bytes: '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"/>' };
    const secret = await uploadProtected(site.server, form);
    const scanned = await upload(site.server, { name: "a.txt", bytes: "some text" });
    await setScanning(site.server, scanned.shortId, true);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + secret.sharePath);
    await page.getByLabel("Code").fill(secret.unlockCode);
    await page.getByRole("button", { name: "Unlock" }).click();
    await whenShown(page);
    await page.goto(site.server.url + scanned.sharePath);
    await page.getByText("Scanning the file").waitFor();
    await setScanning(site.server, scanned.shortId, false);
    await page.frameLocator("#preview iframe").getByText("some text").waitFor();
    assert.deepEqual(opened.complaints, []);
  });
});

/** Waits until the page's player knows that its sound has so many seconds. */
async function whenDuration(page: Page, seconds: number): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const player = document.querySelector("#preview audio");
    const check = () => player.duration === ${seconds} && resolve();
    player.addEventListener("loadedmetadata", check);
    check();
  })`);
}

/** A WAV file of seconds of silence: 8,000 samples a second, of one byte. */
function silence(seconds: number): Uint8Array<ArrayBuffer> {
  const size = seconds * 8_000;
  const bytes = Buffer.alloc(44 + size, 0x80);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + size, 4);
  bytes.write("WAVEfmt ", 8);
  for (const [offset, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, size],
  ] as const)
    bytes.writeUInt32LE(value, offset);
  for (const [offset, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    bytes.writeUInt16LE(value, offset);
  bytes.write("data", 36);
  return new Uint8Array(bytes);
}
