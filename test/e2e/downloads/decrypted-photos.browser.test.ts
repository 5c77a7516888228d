import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Locator } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { pngOf } from "../../support/formats/images.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { postUpload } from "../support/api/api.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { useSealingSite } from "../support/encryption/sealing-site.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";

const PHOTO = pngOf(900, 600);

async function boxOf(
  element: Locator,
): Promise<{ readonly x: number; readonly y: number; readonly width: number; readonly height: number }> {
  const box = await element.boundingBox();
  assert.ok(box);
  return box;
}

/** encryption, "Previews of decrypted files". */
describeUnless(browserMissing, "decrypted photos", () => {
  const site = useSealingSite();

  for (const [device, options] of DEVICES) {
    test(`are enlarged in the dialog as other photos are, on ${device}`, async () => {
      const link = await site.sender.sendSeveral({ "a.png": Buffer.from(PHOTO), "b.png": Buffer.from(PHOTO) });
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      await page.goto(link);
      await tapOrClick(page.getByRole("button", { name: "a.png", exact: true }), options);
      const dialog = page.getByRole("dialog", { name: "a.png" });
      const frame = dialog.locator("iframe");
      const image = dialog.frameLocator("iframe").getByRole("img");
      await image.waitFor();
      await soon(async () => assert.equal(await frame.evaluate((element) => getComputedStyle(element).borderStyle), "none"));
      // The frame fills its place, in which the photo is centered.
      const place = await boxOf(dialog.locator(".viewer-preview"));
      assert.ok(Math.abs((await boxOf(frame)).height - place.height) <= 2);
      if (device === "a phone") {
        const buttons = await dialog.locator(".choices .button").filter({ visible: true }).all();
        const boxes = await Promise.all(buttons.map(boxOf));
        assert.equal(boxes.length, 4);
        const middles = boxes.map(({ y, height }) => Math.round(y + height / 2));
        assert.ok(Math.max(...middles) - Math.min(...middles) <= 2, String(middles));
        const [last] = boxes.slice(-1);
        assert.ok(last && last.x + last.width >= 390 - 16);
      }

      const stage = dialog.frameLocator("iframe").locator(".stage");
      const overflow = () => stage.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      await soon(async () => assert.equal(await overflow(), 0));
      await tapOrClick(dialog.getByRole("button", { name: "Zoom in" }), options);
      await dialog.getByRole("button", { name: "Zoom out" }).waitFor();
      await soon(async () => assert.ok((await overflow()) > 100));
      await page.keyboard.press("-");
      await dialog.getByRole("button", { name: "Zoom in" }).waitFor();
      await soon(async () => assert.equal(await overflow(), 0));
      await tapOrClick(image, options);
      await dialog.getByRole("button", { name: "Zoom out" }).waitFor();
      // The keys of an enlarged photo move it, and do not step.
      const scrolled = () => stage.evaluate(({ scrollLeft }) => scrollLeft);
      const start = await scrolled();
      await page.keyboard.press("ArrowRight");
      await until("the photo moves", async () => (await scrolled()) > start);
      await page.keyboard.press("-");
      await dialog.getByRole("button", { name: "Zoom in" }).waitFor();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("dialog", { name: "b.png" }).frameLocator("iframe").getByRole("img").waitFor();
      assert.deepEqual(complaints, []);
    });

    test(`of more than 16 MB are enlarged once their reader shows them, on ${device}`, async () => {
      await using sender = await makeDevice({ FILEHOST_SERVER: site.server.url });
      // Browsers ignore what follows the end of an image.
      await writeFile(join(sender.path, "large.png"), Buffer.concat([PHOTO, Buffer.alloc(16 * 1024 ** 2)]));
      const { stdout } = await sender.run(["up", "large.png", "--encrypt"]);
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      page.setDefaultTimeout(30_000);
      await page.goto(stdout.trim());
      const dialog = page.getByRole("dialog", { name: "large.png" });
      await page.getByRole("button", { name: "Show preview" }).click();
      await page.frameLocator(".preview iframe").getByRole("img").click();
      await dialog.waitFor();
      await dialog.getByRole("button", { name: "Show preview" }).click();
      const stage = dialog.frameLocator("iframe").locator(".stage");
      const overflow = () => stage.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      await tapOrClick(dialog.getByRole("button", { name: "Zoom in" }), options);
      await dialog.getByRole("button", { name: "Zoom out" }).waitFor();
      await soon(async () => assert.ok((await overflow()) > 100));
      await page.keyboard.press("-");
      await dialog.getByRole("button", { name: "Zoom in" }).waitFor();
      assert.deepEqual(complaints, []);
    });

    test(`are a grid of thumbnails that are drawn in sight, on ${device}`, async () => {
      const photos = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`${index}.png`, Buffer.from(PHOTO)]));
      const link = await site.sender.sendSeveral({ ...photos, "note.txt": Buffer.from("a note") });
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      await page.goto(link);
      const thumbnails = page.locator("#entries.grid > li > img.thumbnail");
      await thumbnails.first().waitFor();
      await page.locator("#entries > li").last().scrollIntoViewIfNeeded();
      await soon(async () => assert.equal(await thumbnails.count(), 13));
      await soon(async () =>
        assert.deepEqual(
          await thumbnails.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)),
          Array(13).fill(480),
        ),
      );
      await soon(async () => assert.equal(await page.locator("#entries .tile").count(), 1));
      await tapOrClick(page.locator("#entries > li").filter({ hasText: "0.png" }).first(), options);
      await page.getByRole("dialog", { name: "0.png" }).frameLocator("iframe").getByRole("img").waitFor();
      await page.keyboard.press("Escape");
      // A chosen view stays, with the thumbnails.
      await page.getByRole("link", { name: "List", exact: true }).click();
      await page.getByRole("link", { name: "Grid", exact: true }).waitFor();
      await page.locator("#entries.list > li > img.thumbnail").first().waitFor();
      assert.deepEqual(complaints, []);
    });

    test(`keep the transparent parts of their thumbnails, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const drawn = await page.evaluate(() => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 600, height: 400 });
        canvas.getContext("2d")?.fillRect(0, 0, 300, 400);
        return canvas.toDataURL("image/png");
      });
      const photo = Buffer.from(drawn.slice(drawn.indexOf(",") + 1), "base64");
      await page.goto(await site.sender.sendSeveral({ "clear.png": photo, "full.png": Buffer.from(PHOTO) }));
      const opacities = () =>
        page.locator("#entries.grid > li > img.thumbnail").evaluateAll((images) =>
          images.map((image) => {
            const context = document.createElement("canvas").getContext("2d");
            context?.drawImage(image as HTMLImageElement, 0, 0, 300, 150);
            return [50, 250].map((x) => context?.getImageData(x, 75, 1, 1).data[3]);
          }),
        );
      await soon(async () =>
        assert.deepEqual(await opacities(), [
          [255, 0],
          [255, 255],
        ]),
      );
    });

    test(`have no thumbnails while downloads are counted, on ${device}`, async () => {
      const link = await site.sender.sendSeveral({ "a.png": Buffer.from(PHOTO), "b.png": Buffer.from(PHOTO) }, { maxDownloads: 2 });
      await using opened = await openPage(site.browser, options);
      const reads: string[] = [];
      opened.page.on("request", (request) => reads.push(...(request.url().includes("/encrypted/") ? [request.url()] : [])));
      await opened.page.goto(link);
      await opened.page.getByText("Names are shown after downloading").waitFor();
      await soon(async () => assert.equal(await opened.page.locator("#entries.list .tile").count(), 2));
      assert.deepEqual(reads, []);
    });

    test(`are downloaded encrypted from the details, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(await site.sender.sendOne("a.png", Buffer.from(PHOTO)));
      await page.locator(".preview iframe.fit").waitFor();
      await page.locator("form [data-as-stored]").waitFor({ state: "hidden" });
      await page.locator("#details > summary").click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator("#details").getByRole("button", { name: "Download encrypted" }).click(),
      ]);
      assert.match(download.suggestedFilename(), /\.tar\.age$/);
    });

    test(`are shown without a frame on their page, as other photos are, on ${device}`, async () => {
      const { body } = await postUpload(site.server, { bytes: PHOTO, name: "a.png", fields: {} });
      await using plain = await openPage(site.browser, options);
      await plain.page.goto(`${site.server.url}/d/${body.data.shortId}`);
      const expected = await boxOf(plain.page.locator(".picture img"));
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      await page.goto(await site.sender.sendOne("a.png", Buffer.from(PHOTO)));
      const frame = page.locator(".preview iframe.fit");
      await frame.waitFor();
      const box = await boxOf(frame);
      const middle = ({ x, width }: typeof box): number => x + width / 2;
      assert.ok(Math.abs(middle(box) - middle(expected)) <= 1);
      assert.ok(Math.abs(box.height - expected.height) <= 1);
      for (const one of [page, plain.page]) {
        const card = await one.locator(".share").evaluate((element) => getComputedStyle(element).boxShadow);
        assert.equal(card, "none");
        await soon(async () => assert.equal(await one.locator(".share .tile").count(), 0));
      }
      assert.deepEqual(complaints, []);
    });
  }
});
