import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf } from "../support/api/api.ts";
import { type ServerWithBrowser, withBrowser } from "../support/pages/browsed-server.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const ADA = "ada@example.org";
const SUBJECT = `${ADA} · invite`;

/** administration, "Failed jobs" and "Overview". */
describeUnless(browserMissing, "failed jobs in the administration's pages", () => {
  let smtp: TestSmtpServer;
  let server: ServerWithBrowser<MailServer>;
  let browser: Browser;
  before(async () => {
    server = await withBrowser(startMailServer());
    ({ smtp, browser } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function signInAsAdministrator(page: Page): Promise<void> {
    const email = `${crypto.randomUUID()}@example.org`;
    await server.run(["users", "create", "--email", email, "--name", "Ada", "--admin"]);
    const { stdout } = await server.run(["users", "reset-password", email, "--json"]);
    const token = /\/reset\/([^/]+)$/.exec((JSON.parse(stdout) as { url: string }).url)?.[1] ?? "";
    await clientOf(server).call("resetPassword", { token, newPassword: PASSWORD });
    await page.goto(`http://localhost:${new URL(server.url).port}/signin?next=/admin`);
    await page.getByLabel("Email address or username").fill(email);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  }

  async function failMails(count: number): Promise<void> {
    smtp.refuseWith(550);
    for (let index = 0; index < count; index += 1) await server.run(["invites", "create", "--email", ADA]);
    await until("they failed", () =>
      withDatabase(server, async (db) => {
        const failed = await db.selectFrom("mails").select("id").where("failed_at", "is not", null).where("recipient", "=", ADA).execute();
        return failed.length === count;
      }),
    );
    smtp.refuseWith(undefined);
  }

  for (const [device, options] of [
    ["a desktop", {}],
    ["a phone without scripts", { viewport: { width: 390, height: 844 }, javaScriptEnabled: false }],
  ] as const)
    test(`are found from the overview, retried and dropped, on ${device}`, async () => {
      await using opened = await openPage(browser, options);
      const { page, complaints } = opened;
      await signInAsAdministrator(page);
      await failMails(1);
      await page.reload();
      await page.getByText("Mails: 1").waitFor();
      await page.getByRole("link", { name: "Failed jobs" }).click();
      await page.getByRole("heading", { name: "Jobs", exact: true }).waitFor();
      await page.getByText("1 waiting for you").waitFor({ state: "attached" });
      await page.getByText(SUBJECT).waitFor();
      await page.getByText(/Refused by the test/).waitFor();
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByText("It is retried now.").waitFor();
      await page.getByText("Nothing has failed").waitFor();
      await soon(async () => assert.equal(await page.getByText("waiting for you").count(), 0));
      assert.ok(linkIn(await smtp.next(ADA), "invite"));

      await failMails(2);
      await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: "Jobs" }).click();
      await page.getByRole("link", { name: "Mails" }).click();
      await page.locator(".items summary").first().click();
      await page.getByRole("button", { name: "Drop", exact: true }).first().click();
      await page.getByText("Dropped. It is not retried.").waitFor();
      await soon(async () => assert.equal(await page.getByText(SUBJECT).count(), 1));
      assert.equal((await server.run(["jobs", "retry", "--all"])).code, 0);
      await smtp.next(ADA);
      await page.getByRole("button", { name: "Retry" }).click();
      await page.getByText("It succeeded, or somebody retried or dropped it meanwhile.").waitFor();
      assert.deepEqual(
        complaints.filter((text) => !text.includes("404")),
        [],
      );
    });
});
