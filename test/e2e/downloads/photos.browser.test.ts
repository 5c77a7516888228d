import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { pngOf } from "../../support/formats/images.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, listFiles, upload } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { getLink, whenSent } from "../support/pages/sending.ts";
import { hideThumbnails, waitForIdle, waitForThumbnail } from "../support/shares/thumbnails.ts";
import { addFile, joining, openShipment } from "../support/uploads/sent-shipments.ts";

/** Adds up the layout shifts of a page that no input caused. */
const COUNT_SHIFTS = `window.shifts = 0;
  new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts += value; })
    .observe({ type: "layout-shift", buffered: true });`;

/** previews, "Enlarged photos". */
describeUnless(browserMissing, "photos on the page of a share", () => {
  const site = useBrowsedServer();
  let list: Awaited<ReturnType<typeof openShipment>>;
  let single: Awaited<ReturnType<typeof upload>>;

  before(async () => {
    const photo = new Uint8Array(await new Bun.Image(pngOf(3200, 2400)).jpeg({ quality: 95 }).bytes());
    single = await upload(site.server, { name: "single.jpg", type: "image/jpeg", bytes: photo });
    list = await openShipment(site.server);
    for (const name of ["IMG_10.jpg", "IMG_2.jpg", "IMG_1.jpg"])
      await upload(site.server, { name, type: "image/jpeg", bytes: photo, fields: joining(list) });
    await addFile(site.server, list, "IMG_3.txt", "no photo");
    for (const { shortId } of [single, list]) await waitForThumbnail(site.server, shortId);
  });

  const openList = async (page: Page) => {
    await page.goto(site.server.url + list.sharePath);
    await page.locator("#listing[data-ready]").waitFor();
  };
  const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });
  interface Image {
    readonly src: string;
    readonly naturalWidth: number;
    readonly clientWidth: number;
    decode(): Promise<void>;
  }
  /** The shown image, and the width of its pixels, once it has loaded. */
  const imageIn = (page: Page) =>
    page.locator("dialog img").evaluate(async (element) => {
      const image = element as unknown as Image;
      await image.decode();
      const { src, naturalWidth, clientWidth } = image;
      return { isReduced: src.endsWith("&reduced=1"), naturalWidth, clientWidth };
    });
  const assertClosed = async (page: Page, path: string) => {
    await soon(async () => assert.equal(await page.evaluate("location.href"), site.server.url + path));
    await soon(async () => assert.equal(await page.getByRole("dialog").count(), 0));
  };
  const swipe = async (page: Page, fromX: number, toX: number) => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: fromX, y: 300 }] });
    await cdp.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: toX, y: 304 }] });
    await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };

  for (const [device, options] of DEVICES) {
    test(`on ${device}, a click opens a photo, and keys, buttons and swipes step to the other photos`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await openList(page);
      // The thumbnail is a part of the link.
      await page.locator("#entries > li", { hasText: "IMG_1.jpg" }).locator(".thumbnail").click({ force: true });
      await dialogOf(page, "IMG_1.jpg").getByText("1 of 3").waitFor();
      await soon(async () => assert.deepEqual((await imageIn(page)).isReduced, true));
      await assertAccessible(page, "an enlarged photo");
      await page.keyboard.press("ArrowRight");
      await dialogOf(page, "IMG_2.jpg").getByText("2 of 3").waitFor();
      await page.getByRole("button", { name: "Next" }).click();
      await dialogOf(page, "IMG_10.jpg").getByText("3 of 3").waitFor();
      await soon(async () => assert.equal(await page.getByRole("button", { name: "Next" }).getAttribute("aria-disabled"), "true"));
      if (options.hasTouch) {
        await swipe(page, 60, 320);
        await dialogOf(page, "IMG_2.jpg").waitFor();
        await swipe(page, 320, 60);
        await dialogOf(page, "IMG_10.jpg").waitFor();
      }
      await page.keyboard.press("ArrowLeft");
      await dialogOf(page, "IMG_2.jpg").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("[data-preview]:focus", { hasText: "IMG_2.jpg" }).waitFor();
      await soon(async () => assert.equal(await page.getByRole("dialog").count(), 0));
      assert.deepEqual(opened.complaints, []);
    });

    test(`on ${device}, a photo fits first, and zooming shows its original`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await openList(page);
      await page.getByTitle("Preview of IMG_1.jpg").click();
      const dialog = dialogOf(page, "IMG_1.jpg");
      await dialog.waitFor();
      const fitting = await imageIn(page);
      assert.deepEqual([fitting.isReduced, fitting.naturalWidth], [true, 1600]);
      assert.ok(fitting.clientWidth <= (options.viewport?.width ?? 0));
      await dialog.getByRole("button", { name: "Zoom in" }).click();
      await dialog.locator("img[data-original=shown]").waitFor();
      const enlarged = await imageIn(page);
      assert.deepEqual([enlarged.isReduced, enlarged.naturalWidth], [false, 3200]);
      assert.ok(enlarged.clientWidth >= 2 * Math.min(fitting.clientWidth, options.viewport?.width ?? 0) - 50, String(enlarged.clientWidth));
      // The arrow keys move an enlarged photo, and do not leave it.
      const scrolled = () => dialog.locator(".stage").evaluate("document.querySelector('.stage').scrollLeft");
      const before = Number(await scrolled());
      await page.keyboard.press("ArrowRight");
      await until("the photo is moved", async () => Number(await scrolled()) > before);
      await dialog.locator(".stage").click();
      await dialog.getByRole("button", { name: "Zoom in" }).waitFor();
      await soon(async () => assert.equal((await imageIn(page)).clientWidth, fitting.clientWidth));
      await page.keyboard.press("+");
      await dialog.getByRole("button", { name: "Zoom out" }).waitFor();
      await page.keyboard.press("-");
      await dialog.getByRole("button", { name: "Zoom in" }).waitFor();
      assert.deepEqual(opened.complaints, []);
    });

    test(`on ${device}, the photo of a share of one file is enlarged by a click or the keyboard`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(site.server.url + single.sharePath);
      const link = page.getByRole("link", { name: "Enlarge single.jpg" });
      await link.click();
      const dialog = dialogOf(page, "single.jpg");
      await dialog.waitFor();
      await soon(async () => assert.equal(await dialog.getByRole("button", { name: "Next" }).count(), 0));
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("button", { name: "Download", exact: true }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "single.jpg");
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.locator("a[data-enlarge]:focus").waitFor();
      await page.keyboard.press("Enter");
      await dialog.waitFor();
      assert.deepEqual(opened.complaints, []);
    });

    test(`on ${device}, Back closes an enlarged photo, and leaves the page only after that`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(`${site.server.url}/robots.txt`);
      for (const { sharePath } of [single, list]) {
        await page.goto(site.server.url + sharePath);
        await page.locator(sharePath === list.sharePath ? "#listing[data-ready]" : "a[data-enlarge]").waitFor();
        const opener = page.locator("[data-preview], [data-enlarge]").first();
        await opener.click();
        await page.getByRole("dialog").waitFor();
        await page.goBack();
        await assertClosed(page, sharePath);
        // Forward leads to the step of a dialog that is closed.
        await page.evaluate("history.forward()");
        await until("the step is left", async () => (await page.evaluate("history.state")) === null);
        await assertClosed(page, sharePath);
        await opener.click();
        await page.getByRole("dialog").waitFor();
        await page.reload();
        await until("the step is left", async () => (await page.evaluate("history.state")) === null);
        await assertClosed(page, sharePath);
      }
      await page.goBack();
      await page.waitForURL(site.server.url + single.sharePath);
      await page.goBack();
      await page.waitForURL(`${site.server.url}/robots.txt`);
      assert.deepEqual(opened.complaints, []);
    });

    test(`on ${device}, a photo that is opened and closed quickly, several times, does not leave the page`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(`${site.server.url}/robots.txt`);
      await openList(page);
      const opener = page.locator("[data-preview]").first();
      for (const close of ["Escape", "button", "Back", "Escape", "button"]) {
        await opener.click({ clickCount: close === "button" ? 2 : 1 });
        await page.getByRole("dialog").waitFor();
        if (close === "Back") await page.evaluate("history.back()");
        else if (close === "Escape") await page.keyboard.press("Escape");
        else await page.getByRole("button", { name: "Close" }).click();
      }
      // Without a pause for the browser, which leaves a step of its history later.
      await page.evaluate(`(async () => {
        const opener = document.querySelector("[data-preview]");
        for (let count = 0; count < 5; count += 1) {
          opener.click();
          await new Promise((resolve) => new MutationObserver((_, observer) => {
            if (!document.querySelector("dialog[open]")) return;
            observer.disconnect();
            resolve();
          }).observe(document.body, { childList: true, subtree: true, attributes: true }));
          const dialog = document.querySelector("dialog");
          dialog.close();
          await new Promise((resolve) => dialog.addEventListener("close", resolve));
        }
      })()`);
      await until("the step is left", async () => (await page.evaluate("history.state")) === null);
      await assertClosed(page, list.sharePath);
      await page.goBack();
      await page.waitForURL(`${site.server.url}/robots.txt`);
      assert.deepEqual(opened.complaints, []);
    });

    test(`on ${device}, the page shows the photo that was enlarged last after the dialog was closed`, async () => {
      const long = await openShipment(site.server);
      for (let number = 1; number <= 40; number += 1)
        await upload(site.server, { name: `${number}.png`, type: "image/png", bytes: pngOf(30, 20), fields: joining(long) });
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(site.server.url + long.sharePath);
      await page.locator("#listing[data-ready]").waitFor();
      for (const close of ["Escape", "Back"]) {
        await page.getByTitle("Preview of 2.png").click();
        await dialogOf(page, "2.png").waitFor();
        for (let number = 3; number <= 39; number += 1) {
          await page.keyboard.press("ArrowRight");
          await dialogOf(page, `${number}.png`).waitFor();
        }
        if (close === "Escape") await page.keyboard.press("Escape");
        else await page.goBack();
        await until("the step is left", async () => (await page.evaluate("history.state")) === null);
        await page.locator("[data-preview]:focus", { hasText: "39.png" }).waitFor();
        const box = await page.locator("[data-preview]:focus").boundingBox();
        assert.ok(box && box.y > 0 && box.y < (options.viewport?.height ?? 0), JSON.stringify(box));
      }
    });

    /** previews, "One photo". */
    test(`on ${device}, one photo is as large as the window permits, and its download is visible`, async () => {
      const tall = new Uint8Array(await new Bun.Image(pngOf(1200, 3000)).jpeg({ quality: 90 }).bytes());
      const portrait = await upload(site.server, { name: "portrait.jpg", type: "image/jpeg", bytes: tall, fields: { title: "A tower" } });
      await waitForThumbnail(site.server, portrait.shortId);
      const { width = 0, height = 0 } = options.viewport ?? {};
      for (const { sharePath } of [single, portrait]) {
        await using opened = await openPage(site.browser, options);
        const { page } = opened;
        await page.goto(site.server.url + sharePath);
        const image = (await page.locator("#preview img").boundingBox()) ?? assert.fail();
        const button = (await page.getByRole("button", { name: /^Download/ }).boundingBox()) ?? assert.fail();
        // A wide photo has the width of a phone. Otherwise the height of the window is the limit.
        if (sharePath === single.sharePath && options.hasTouch) assert.deepEqual([image.x, image.width], [0, width]);
        else assert.ok(image.height >= 0.6 * height && image.y + image.height <= height, JSON.stringify(image));
        const card = (await page.locator(".share").boundingBox()) ?? assert.fail();
        if (sharePath === single.sharePath && !options.hasTouch) {
          assert.deepEqual([image.x, image.width].map(Math.round), [card.x, card.width].map(Math.round));
          assert.equal(Math.round(button.x + button.width), Math.round(card.x + card.width));
          assert.equal(Math.round((image.width / image.height) * 100), 133);
        }
        assert.ok(button.y + button.height <= height, JSON.stringify(button));
        await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true));
        await soon(async () =>
          assert.equal(await page.evaluate("getComputedStyle(document.querySelector('.share')).backgroundColor"), "rgba(0, 0, 0, 0)"),
        );
        await assertAccessible(page, "one photo");
      }
    });

    /** previews, "Photos of a list". */
    test(`on ${device}, the photos of a list have even rows, and are selected in their corner`, async () => {
      const photos = await openShipment(site.server);
      for (const [index, size] of [
        [300, 200],
        [200, 300],
        [400, 100],
        [200, 200],
        [300, 200],
      ].entries())
        await upload(site.server, {
          name: `${index}.png`,
          type: "image/png",
          bytes: pngOf(size[0] ?? 0, size[1] ?? 0),
          fields: joining(photos),
        });
      await addFile(site.server, photos, "A text with a long name for a tile.txt", "no photo");
      await waitForIdle(site.server);
      for (const width of options.hasTouch ? [390, 320] : [1280]) {
        await using opened = await openPage(site.browser, { ...options, viewport: { width, height: 800 } });
        const { page } = opened;
        await page.goto(site.server.url + photos.sharePath);
        await page.locator("#listing[data-ready]").waitFor();
        const tiles = await page.locator("#entries > li > :is(.thumbnail, .tile)").all();
        const boxes = (await Promise.all(tiles.map((tile) => tile.boundingBox()))).map((box) => box ?? assert.fail());
        assert.equal(boxes.length, 6);
        for (const { width, height } of boxes)
          assert.deepEqual(
            [width, height].map(Math.round),
            [boxes[0]?.width, boxes[0]?.height].map((size) => Math.round(size ?? 0)),
          );
        await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true));
        if (options.hasTouch) {
          const [first, second, third, fourth] = boxes;
          assert.deepEqual(
            [first?.x, (third?.x ?? 0) + (third?.width ?? 0)].map((x) => Math.round(x ?? -1)),
            [0, width],
          );
          assert.equal(Math.round((second?.x ?? 0) - (first?.x ?? 0) - (first?.width ?? 0)), 2);
          assert.equal(Math.round((fourth?.y ?? 0) - (first?.y ?? 0) - (first?.height ?? 0)), 2);
        }
        await assertAccessible(page, "photos");
        const boxOf = page.locator("#entries > li", { hasText: "2.png" }).getByRole("checkbox");
        await tapOrClick(boxOf, options);
        await soon(async () => assert.ok(await boxOf.isChecked()));
        await page.locator("[data-selected]").waitFor();
        // The text of the tile is visible, and so are the names of photos on a desktop.
        await page.getByText("A text with a long name", { exact: false }).first().waitFor();
        await tapOrClick(page.getByTitle("Preview of 3.png"), options);
        await dialogOf(page, "3.png").waitFor();
        assert.deepEqual(opened.complaints, []);
      }
    });

    test(`on ${device}, nothing shifts while images load, also of unknown size`, async () => {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200"><rect width="300" height="200"/></svg>`;
      const drawing = await upload(site.server, { name: "a.svg", type: "image/svg+xml", bytes: svg });
      for (const { sharePath } of [single, list, drawing]) {
        await using opened = await openPage(site.browser, options);
        const { page } = opened;
        await page.addInitScript(COUNT_SHIFTS);
        await page.goto(site.server.url + sharePath, { waitUntil: "load" });
        const images = "[...document.querySelectorAll('#preview img, .thumbnail')]";
        await soon(async () =>
          assert.ok(Number(await page.evaluate(`Promise.all(${images}.map((image) => image.decode())).then((all) => all.length)`)) > 0),
        );
        await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
        await soon(async () => assert.equal(await page.evaluate("shifts"), 0, sharePath));
      }
    });
  }

  /** thumbnails, "Who sees them". */
  for (const protect of ["", "true"])
    test(`${protect ? "an unlocked" : "a"} page shows thumbnails that are made after it was opened, and moves nothing`, async () => {
      const share = await openShipment(site.server, { protect: protect !== "" });
      for (const name of ["1.png", "2.png", "3.png"])
        await upload(site.server, { name, type: "image/png", bytes: pngOf(300, 200), fields: joining(share) });
      await addFile(site.server, share, "4.txt");
      await waitForIdle(site.server);
      const showLater = await hideThumbnails(site.server, share.shortId);
      await using opened = await openPage(site.browser);
      const { page } = opened;
      await page.addInitScript(COUNT_SHIFTS);
      await page.goto(site.server.url + share.sharePath);
      if (protect) {
        await page.locator("input.code").fill(share.unlockCode ?? "");
        await page.keyboard.press("Enter");
      }
      await page.locator("#listing[data-ready]").waitFor();
      await soon(async () =>
        assert.deepEqual([await page.locator("#entries .tile").count(), await page.locator("main[data-refresh]").count()], [4, 1]),
      );
      await page.locator("#entries input[type=checkbox]").first().check();
      const heights = () => page.evaluate("[...document.querySelectorAll('#entries > li')].map((item) => item.offsetHeight)");
      const before = await heights();
      await showLater();
      await until("the thumbnails are shown", async () => (await page.locator("#entries .thumbnail").count()) === 3);
      await page.locator("main:not([data-refresh])").waitFor();
      await soon(async () =>
        assert.ok(
          await page.evaluate("Promise.all([...document.querySelectorAll('.thumbnail')].map((image) => image.decode())).then(() => true)"),
        ),
      );
      await soon(async () => assert.deepEqual(await heights(), before));
      await soon(async () => assert.equal(await page.evaluate("shifts"), 0));
      await soon(async () => assert.ok(await page.locator("#entries input[type=checkbox]").first().isChecked()));
      assert.deepEqual(opened.complaints, []);
    });

  test("a page shows the thumbnails of later parts and of opened folders that are made after these were added", async () => {
    const share = await openShipment(site.server);
    for (let number = 1; number <= 100; number += 1) await addFile(site.server, share, `${number}.txt`);
    for (const relativePath of ["a/1.png", "z.png"]) {
      const fields = { ...joining(share), relativePath };
      await upload(site.server, { name: relativePath.split("/").at(-1), type: "image/png", bytes: pngOf(300, 200), fields });
    }
    await waitForIdle(site.server);
    const showLater = await hideThumbnails(site.server, share.shortId);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(site.server.url + share.sharePath);
    await page.locator("#listing[data-ready]").waitFor();
    await page.locator("#entries summary").click();
    await page.getByRole("link", { name: "1.png" }).waitFor();
    await page.locator("#listing .pages [data-go=add]").click();
    await page.getByRole("link", { name: "z.png" }).waitFor();
    await soon(async () =>
      assert.deepEqual([await page.locator("main[data-refresh]").count(), await page.locator("#entries .thumbnail").count()], [0, 0]),
    );
    await showLater();
    for (const name of ["1.png", "z.png"])
      await page.locator("#entries li:not(.folder)", { hasText: name }).locator(".thumbnail").waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("the keys of an enlarged photo of an account, and Back, do not reach the list of its files", async () => {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: "correct horse battery", name: "Ada Lovelace" };
    const key = (await clientOf(site.server).call("signUp", person)).data.sessionToken;
    const { id } = await upload(site.server, { name: "mine.png", type: "image/png", bytes: pngOf(300, 200) }, { key });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const home = `http://localhost:${new URL(site.server.url).port}`;
    await page.context().addCookies([{ name: "session", value: key, url: home }]);
    await page.goto(`${home}/files?file=${id}`);
    await page.getByRole("link", { name: "Enlarge mine.png" }).click();
    await dialogOf(page, "mine.png").waitFor();
    await page.keyboard.press("Delete");
    await page.keyboard.press("Escape");
    await dialogOf(page, "mine.png").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Enlarge mine.png" }).click();
    await dialogOf(page, "mine.png").waitFor();
    await page.goBack();
    await dialogOf(page, "mine.png").waitFor({ state: "detached" });
    // The details of the file stay open.
    await page.getByRole("link", { name: "Enlarge mine.png" }).waitFor();
    await soon(async () => assert.equal(await page.evaluate("location.search"), `?file=${id}`));
    assert.deepEqual(
      (await listFiles(site.server, key)).files.map(({ name }) => name),
      ["mine.png"],
    );
    assert.deepEqual(opened.complaints, []);
  });

  test("without scripts, the photo is a link to its original, and the thumbnail a link to the preview", async () => {
    await using opened = await openPage(site.browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(site.server.url + single.sharePath);
    const url = (await page.getByRole("link", { name: "Enlarge single.jpg" }).getAttribute("href")) ?? "";
    assert.equal((await fetch(url)).headers.get("content-type"), "image/jpeg");
    await page.goto(site.server.url + list.sharePath);
    await page.locator("#entries > li", { hasText: "IMG_1.jpg" }).locator(".thumbnail").click({ force: true });
    await page.getByRole("link", { name: "Enlarge IMG_1.jpg" }).waitFor();
  });

  for (const [device, viewport] of [
    ["a phone", { width: 390, height: 844 }],
    ["a desktop", { width: 1280, height: 800 }],
  ] as const)
    test(`have the same width just after sending as later, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { viewport });
      const { page, complaints } = opened;
      await page.goto(site.server.url);
      const photo = Buffer.from(pngOf(400, 300));
      const names = Array.from({ length: 6 }, (_, index) => `${index}.png`);
      await page.setInputFiles(
        "#file",
        names.map((name) => ({ name, mimeType: "image/png", buffer: photo })),
      );
      await getLink(page);
      await whenSent(page);
      const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width;
      await page.locator(".sender-sent").waitFor();
      const width = await widthOf("#entries.grid");
      await page.reload();
      await page.locator(".sender-bar").waitFor();
      await soon(async () => assert.equal(await widthOf("#entries.grid"), width));
      assert.deepEqual(complaints, []);
    });
});
