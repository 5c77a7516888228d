import { chromium } from "playwright-core";
import { startMailServer } from "./test/e2e/support/servers/mail-server.ts";
import { addAccount } from "./test/e2e/support/accounts/accounts.ts";
import { homeOf } from "./test/e2e/support/accounts/person.ts";
import { upload, clientOf } from "./test/e2e/support/api/api.ts";
import { startSession } from "./test/e2e/support/api/callers.ts";
import { linkIn } from "./test/support/services/smtp-server.ts";
import { writeFileSync } from "node:fs";
import { withDatabase } from "./test/e2e/support/servers/state.ts";

const server = await startMailServer();
const account = await addAccount(server);
const { shortId, id } = await upload(server, { name: "slides.txt", bytes: "slides", fields: { protect: "true", title: "Trip to Rome" } }, { key: account.key });
const client = clientOf(server, { key: account.key });
await client.call("sendShare", { shortId, recipients: ["ada@example.org", "grace.hopper@example.org", "x@example.org"], message: "Hello!\nSee https://example.org/a page 3.", remind: true });
const mail = await server.smtp.next("ada@example.org");
const mail2 = await server.smtp.next("grace.hopper@example.org");
const tok = linkIn(mail, "h").replace(/^.*\//, "");
await fetch(`${server.url}/h/${tok}/opened`, { method: "POST" });
const tok2 = linkIn(mail2, "h").replace(/^.*\//, "");
await fetch(`${server.url}/api/files/download/${id}?handoffToken=${tok2}`);
await withDatabase(server, (db) => db.updateTable("share_recipients").set({ status: "failed", failure: "refused", failure_detail: "550 No such user here" }).where("address", "=", "x@example.org").execute());
writeFileSync("/tmp/mail-mail.html", mail.html);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox", "--disable-gpu"] });
for (const [device, viewport] of [["desktop", { width: 1280, height: 900 }], ["phone", { width: 390, height: 844 }]] as const)
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await context.newPage();
    const shot = (name: string) => page.screenshot({ path: `/tmp/mail-${name}-${device}-${colorScheme}.png`, fullPage: true });
    if (colorScheme === "light") {
      await page.goto(linkIn(mail, "h")); await page.waitForLoadState("networkidle"); await shot("recipient");
      await page.goto(linkIn(mail, "block")); await shot("block");
      await page.goto("file:///tmp/mail-mail.html"); await shot("mail");
    }
    await context.addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await page.goto(`${homeOf(server)}/d/${shortId}`);
    await page.locator("#sender-share-tool").click();
    await page.getByRole("heading", { name: "Send by email" }).waitFor();
    await page.waitForTimeout(300);
    await shot("panel");
    await context.close();
  }
await browser.close();
await server[Symbol.asyncDispose]();
process.exit(0);
