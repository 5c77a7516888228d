import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { browserMissing } from "../../support/browser/browser.ts";
import { joinSwift, swiftMissing, type TestSwift } from "../../support/services/swift.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { getShare } from "../support/api/api.ts";
import { type ServerWithSender, withSender } from "../support/pages/browsed-server.ts";
import { getLink, whenSent } from "../support/pages/sending.ts";
import { startOnS3, waitForPresignedParts } from "../support/servers/s3.ts";
import { sha256Of } from "../support/servers/state.ts";

const MB = 1024 ** 2;
/** Two parts of the store's smallest size, and a rest. */
const BYTES = Buffer.concat([Buffer.alloc(5 * MB, "one"), Buffer.alloc(5 * MB, "two"), Buffer.alloc(MB, "three")]);

/** storage, "Parts and an S3 store", in a browser: parts go to the store if its CORS rules allow it. */
describeUnless(browserMissing ?? swiftMissing, "a large upload from the front page to a store on another origin", () => {
  let browser: Browser;
  let swift: TestSwift;
  let server: ServerWithSender;
  let folder: string;
  before(async () => {
    swift = await joinSwift();
    server = await withSender(startOnS3(swift, { env: { FILEHOST_S3_UPLOADS: "direct" } }));
    ({ browser, folder } = server);
    await waitForPresignedParts(server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  for (const isAllowed of [true, false]) {
    test(
      isAllowed ? "parts go directly to the store" : "parts go through the server if the store does not allow the page's origin",
      async () => {
        const path = join(folder, `allowed-${isAllowed}.bin`);
        await writeFile(path, BYTES);
        const page = await browser.newPage();
        let direct = 0;
        // Adds the header that CORS rules of a bucket would cause; the bytes go to the real store.
        await page.route(`${swift.endpoint}/**`, async (route) => {
          direct += 1;
          if (!isAllowed) return await route.abort("failed");
          const response = await route.fetch();
          return await route.fulfill({ response: response, headers: { ...response.headers(), "access-control-allow-origin": "*" } });
        });
        await page.goto(server.url);
        await page.setInputFiles("#file", path);
        await getLink(page);
        const shortId = await whenSent(page);
        assert.ok(isAllowed ? direct === 3 : direct === 2, `${direct} requests to the store`);
        await until("it is clean", async () => (await getShare(server, shortId)).scanStatus === "clean");
        assert.equal(await sha256Of(server, shortId), createHash("sha256").update(BYTES).digest("hex"));
        await page.close();
      },
    );
  }
});
