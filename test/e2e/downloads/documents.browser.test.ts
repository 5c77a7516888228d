import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { colorsOf } from "../../support/formats/images.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { uploadProtected, uploadShipment } from "../support/pages/pages.ts";
import { toPdf } from "../support/uploads/pdf.ts";
import { addFile, openShipment } from "../support/uploads/sent-shipments.ts";

const LONG_NAME = "a photograph that was taken in Rome during the summer.txt";
const NOTE = "Hi Ada,\n\nthe door code is 4711 <b>.";

/** previews, "Documents". */
describeUnless(browserMissing, "documents on the page of a share", () => {
  const site = useBrowsedServer();

  for (const [device, options] of DEVICES)
    test(`a table, JSON and a ZIP are arranged in a frame of their height, on ${device}`, async () => {
      const { key } = await addAccount(site.server);
      const shipment = await uploadShipment(site.server, { key, paths: ["a/10.txt", "a/2.txt", "c.txt", LONG_NAME] });
      const { url } = (await clientOf(site.server, { key }).call("authorizeArchive", { shortId: shipment.shortId })) as { url: string };
      const zip = new Uint8Array(await (await fetch(url)).arrayBuffer());
      const files = {
        table: await upload(site.server, { name: "a.csv", type: "text/csv", bytes: "name;age\nAda;36\nMax;5\n" }),
        json: await upload(site.server, { name: "a.json", type: "application/json", bytes: '{"a":[1,2],"b":12345678901234567890}' }),
        zip: await upload(site.server, { name: "a.zip", type: "application/zip", bytes: zip }),
      };
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const frame = page.frameLocator("#preview iframe");
      const isWhole = () => frame.locator("html").evaluate("document.documentElement.scrollHeight <= innerHeight");
      await page.goto(site.server.url + files.table.sharePath);
      await soon(async () => assert.deepEqual(await frame.locator("tr").allInnerTexts(), ["name\tage", "Ada\t36", "Max\t5"]));
      await soon(async () => assert.ok(await isWhole()));
      await assertAccessible(page, "a table");
      await page.goto(site.server.url + files.json.sharePath);
      await soon(async () =>
        assert.equal(await frame.locator("pre").textContent(), '{\n  "a": [\n    1,\n    2\n  ],\n  "b": 12345678901234567890\n}'),
      );
      await soon(async () => assert.ok(await isWhole()));
      await page.goto(site.server.url + files.zip.sharePath);
      await soon(async () => assert.deepEqual(await frame.locator("bdi").allInnerTexts(), ["a", "2.txt", "10.txt", LONG_NAME, "c.txt"]));
      await soon(async () =>
        assert.deepEqual(
          await frame.locator(".file span").allInnerTexts(),
          ["16", "17", String("bytes of ".length + LONG_NAME.length), "14"].map((bytes) => `${bytes}\u00a0bytes`),
        ),
      );
      await soon(async () => assert.ok(await isWhole()));
      await frame.getByText("a", { exact: true }).click();
      await frame.getByText("2.txt").waitFor({ state: "hidden" });
    });

  for (const [device, options] of DEVICES)
    for (const colorScheme of ["light", "dark"] as const)
      test(`a wide table scrolls by keyboard below its header, and only the edges with more have a shade, on ${device}, ${colorScheme}`, async () => {
        const columns = Array.from({ length: 30 }, (_, index) => `column ${index}`).join(",");
        const bytes = `${columns}\n`.repeat(100);
        const table = await upload(site.server, { name: "a.csv", type: "text/csv", bytes });
        const line = `| ${columns.replaceAll(",", " | ")} |\n`;
        const text = `${line}|${" --- |".repeat(30)}\n${line}`;
        const markdown = await upload(site.server, { name: "a.md", type: "text/markdown", bytes: text });
        for (const { sharePath } of [table, markdown]) {
          await using opened = await openPage(site.browser, { ...options, colorScheme });
          const { page } = opened;
          await page.goto(site.server.url + sharePath);
          const scroll = page.frameLocator("#preview iframe").locator(".scroll");
          await scroll.waitFor();
          const frame = page.frames().find((one) => one.url().includes("/pv/")) ?? assert.fail();
          await soon(async () => assert.equal(await frame.evaluate("document.documentElement.scrollWidth <= innerWidth"), true));
          // The cells have no background, so their edge has the color of the shade or the ground.
          const areShaded = async () => {
            const box = (await scroll.locator("td").first().boundingBox()) ?? assert.fail();
            const { x, width } = (await scroll.boundingBox()) ?? assert.fail();
            const strip = { y: box.y + 2, width: 2, height: 2 };
            const [left, right] = [
              { ...strip, x: x + 2 },
              { ...strip, x: x + width - 4 },
            ];
            return [await brightness(page, left), await brightness(page, right)];
          };
          const [ground = 0, shade = 0] = await areShaded();
          assert.ok(shade < ground - 3, `${shade} < ${ground}`);
          await scroll.focus();
          await page.keyboard.press("ArrowRight");
          await until("the table scrolls", () => frame.evaluate("document.querySelector('.scroll').scrollLeft > 0"));
          await frame.evaluate("document.querySelector('.scroll').scrollLeft = 200");
          for (const edge of await areShaded()) assert.ok(edge < ground - 3, `${edge} < ${ground}`);
          await frame.evaluate("document.querySelector('.scroll').scrollLeft = 1e6");
          const [left = 0, right = 0] = await areShaded();
          assert.ok(left < ground - 3 && right === ground, `${left} < ${ground} = ${right}`);
          if (sharePath === table.sharePath) {
            await page.keyboard.press("End");
            await until("the last row is visible", () => frame.evaluate("document.querySelector('.scroll').scrollTop > 500"));
            const head = (await scroll.locator("th").last().boundingBox()) ?? assert.fail();
            await soon(async () => assert.equal(head.y, ((await scroll.boundingBox()) ?? assert.fail()).y));
          }
          assert.deepEqual(opened.complaints, []);
          await assertAccessible(page, "a wide table");
        }
      });

  test("a note has the font of the page and a frame of its height, and code is monospaced", async () => {
    const note = await upload(site.server, { name: "note.txt", bytes: `${NOTE}\n\n${"A sentence of a letter. ".repeat(20)}` });
    const code = await upload(site.server, { name: "note.txt", bytes: "if (a) {\n  b();\n}\n" });
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const frame = page.frameLocator("#preview iframe");
    const font = (): Promise<string> => frame.locator("html").evaluate("getComputedStyle(document.querySelector('pre')).fontFamily");
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 1400 });
      await page.goto(site.server.url + note.sharePath);
      await frame.locator("pre").waitFor();
      await soon(async () => assert.equal(await font(), await page.evaluate("getComputedStyle(document.body).fontFamily")));
      await soon(async () => assert.ok(await frame.locator("html").evaluate("document.documentElement.scrollHeight <= innerHeight")));
    }
    await page.goto(site.server.url + code.sharePath);
    await frame.locator("pre").waitFor();
    await soon(async () => assert.match(await font(), /monospace/));
  });

  for (const [device, options] of DEVICES)
    test(`the frame of a long table ends with a whole row, and that of a PDF shows a page where the window permits, on ${device}`, async () => {
      const table = await upload(site.server, { name: "a.csv", type: "text/csv", bytes: `name;age\n${"Ada;36\n".repeat(900)}` });
      const bytes = toPdf({ text: "A report", pages: 2 }).replaceAll("0 0 300 200", "0 0 210 297");
      const pdf = await upload(site.server, { name: "a.pdf", type: "application/pdf", bytes });
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const frame = page.frameLocator("#preview iframe");
      await page.goto(site.server.url + table.sharePath);
      await frame.locator("tr").first().waitFor();
      const rowPx: number = await frame.locator("html").evaluate("document.querySelector('tbody tr').offsetHeight");
      await soon(async () => assert.equal(await frame.locator("html").evaluate(`innerHeight % ${rowPx}`), 0));
      await page.setViewportSize({ width: options.viewport?.width ?? 1280, height: 1600 });
      await page.goto(site.server.url + pdf.sharePath);
      await frame.locator("canvas").first().waitFor();
      const { bottom, height } = (await frame
        .locator("html")
        .evaluate("({ bottom: document.querySelector('.page').getBoundingClientRect().bottom, height: innerHeight })")) as {
        bottom: number;
        height: number;
      };
      assert.ok(bottom <= height && bottom > 0.8 * height, JSON.stringify({ bottom, height }));
      assert.deepEqual(opened.complaints, []);
    });

  /** Returns the mean brightness of a part of the window. */
  const brightness = async (page: Page, clip: { x: number; y: number; width: number; height: number }): Promise<number> => {
    const [color = [0, 0, 0]] = await colorsOf(new Uint8Array(await page.screenshot({ clip })), 1, 1);
    return color.reduce((sum, part) => sum + part, 0) / 3;
  };

  for (const [device, options] of DEVICES)
    test(`a note is copied, also in the dialog of a list and after unlocking, on ${device}`, async () => {
      const note = await upload(site.server, { name: "note.txt", bytes: NOTE });
      const locked = await uploadProtected(site.server, { name: "note.txt", bytes: NOTE });
      const list = await openShipment(site.server);
      await addFile(site.server, list, "a.txt", "another text");
      await addFile(site.server, list, "note.txt", NOTE);
      await using opened = await openPage(site.browser, { ...options, permissions: ["clipboard-read", "clipboard-write"] });
      const { page } = opened;
      const assertCopied = async () => {
        await page.evaluate("navigator.clipboard.writeText('')");
        // The dialog is the last element of the page.
        await page.getByRole("button", { name: "Copy text" }).last().click();
        await page.getByRole("button", { name: "Copied" }).waitFor();
        await soon(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), NOTE));
      };
      await page.goto(site.server.url + note.sharePath);
      await assertCopied();
      await page.goto(site.server.url + locked.sharePath);
      await soon(async () => assert.equal(await page.getByRole("button", { name: "Copy text" }).count(), 0));
      await page.locator("input.code").fill(locked.unlockCode);
      await page.keyboard.press("Enter");
      await assertCopied();
      await page.goto(`${site.server.url}${list.sharePath}?file=${(await idsOf(list.shortId))["a.txt"]}`);
      await page.locator("#listing[data-ready] [data-preview]", { hasText: "note.txt" }).click();
      await page.getByRole("dialog", { name: "note.txt" }).waitFor();
      await assertCopied();
      assert.deepEqual(opened.complaints, []);
    });

  const idsOf = async (shortId: string): Promise<Record<string, string>> => {
    const { data } = await clientOf(site.server).call("getShare", { shortId });
    return Object.fromEntries((data.files ?? []).map(({ id, name }) => [name, id]));
  };

  test("the text of a long file, and of a locked one, is not in the page", async () => {
    const long = await upload(site.server, { name: "long.txt", bytes: "secret line\n".repeat(2_000) });
    const locked = await uploadProtected(site.server, { name: "note.txt", bytes: "secret line" });
    for (const { sharePath } of [long, locked]) assert.doesNotMatch(await (await fetch(site.server.url + sharePath)).text(), /secret line/);
  });
});
