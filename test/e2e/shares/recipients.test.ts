import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import type { RecipientView } from "../../../src/service/recipients/contract.ts";
import { linkIn, type ReceivedMail, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { until } from "../../support/until.ts";
import { type AccountOptions, addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, type InputOf, upload } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** recipients, "Sending", "What the sender sees", "Links", "Reminders", "Blocking" and "Limits". */
describe("sending a share by mail", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  before(async () => {
    server = await startMailServer();
    ({ smtp } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const newAddress = (): string => `${crypto.randomUUID()}@example.org`;
  async function addSender(options: AccountOptions = {}) {
    const { key, userId } = await addAccount(server, options);
    // The account is not new, so only the limits of all accounts apply.
    await withDatabase(server, (db) => db.updateTable("users").set({ created_at: 0 }).where("id", "=", userId).execute());
    return { key, userId, email: (await getMe(server, key)).owner.email ?? "" };
  }
  const send = async (key: string, shortId: string, input: Omit<InputOf<"sendShare">, "shortId">) =>
    (await clientOf(server, { key }).call("sendShare", { shortId, ...input })).data.recipients;
  const list = async (key: string, shortId: string) => (await clientOf(server, { key }).call("listRecipients", { shortId })).data;
  const findRecipient = async (key: string, shortId: string, address: string): Promise<RecipientView> => {
    const found = (await list(key, shortId)).recipients.find((one) => one.address === address);
    assert.ok(found);
    return found;
  };
  const whenState = (key: string, shortId: string, address: string, state: RecipientView["state"]): Promise<RecipientView> =>
    until(`${address} is ${state}`, async () => {
      const recipient = await findRecipient(key, shortId, address);
      return recipient.state === state && recipient;
    });
  const pathOf = (link: string): string => new URL(link).pathname;
  const tokenIn = (mail: ReceivedMail): string => linkIn(mail, "h").replace(/^.*\//, "");
  const getPage = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { Accept: "text/html", ...headers }, redirect: "manual" });

  test("gives each recipient a private link, and shows the sender who opened and downloaded", async () => {
    const { key, email } = await addSender();
    const file = await upload(server, { name: "slides.txt", bytes: "slides", fields: { protect: "true", title: "For Monday" } }, { key });
    const [ada, grace] = [newAddress(), newAddress()];
    const sent = await send(key, file.shortId, { recipients: [ada, grace.toUpperCase(), ada], message: "See page 3.\r\nAda" });
    assert.deepEqual(sent.map(({ address }) => address).sort(), [ada, grace].sort());
    const mails = [await smtp.next(ada), await smtp.next(grace)];
    for (const mail of mails) {
      assert.equal(mail.subject, `${email} sent you “For Monday”`);
      assert.equal(mail.headers.get("reply-to"), email);
      assert.match(mail.text, /> See page 3\.\n> Ada/);
      assert.match(mail.text, /sees when it is opened and downloaded/);
      assert.match(mail.html, /See page 3\.<br\s*\/?>Ada/);
    }
    const [first = "", second = ""] = mails.map(tokenIn);
    assert.notEqual(first, second);
    for (const address of [ada, grace]) await whenState(key, file.shortId, address, "sent");

    const page = await getPage(`/h/${first}`);
    const html = await page.text();
    assert.equal(page.status, 200);
    assert.match(html, /The sender sees when you open it and download/);
    assert.match(html, new RegExp(`data-opened="/h/${first}/opened"`));
    // Reading the page is no visit: programs that check mails do so too.
    assert.equal((await findRecipient(key, file.shortId, ada)).openedAt, null);
    const report = (userAgent: string) =>
      fetch(`${server.url}/h/${first}/opened`, { method: "POST", headers: { "User-Agent": userAgent } });
    assert.equal((await report("Slackbot 1.0")).status, 204);
    assert.equal((await findRecipient(key, file.shortId, ada)).openedAt, null);
    assert.equal((await report("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")).status, 204);
    const opened = await findRecipient(key, file.shortId, ada);
    assert.deepEqual([opened.openedAt !== null, opened.downloads], [true, 0]);

    const form = new URLSearchParams({ fileId: file.id, handoffToken: first });
    const download = await fetch(`${server.url}/d/${file.shortId}/download`, {
      method: "POST",
      body: form,
      headers: { Origin: server.url },
      redirect: "manual",
    });
    assert.equal(download.status, 303);
    assert.equal(await (await fetch(new URL(download.headers.get("location") ?? "", server.url))).text(), "slides");
    const downloaded = await findRecipient(key, file.shortId, ada);
    assert.deepEqual([downloaded.downloads, downloaded.downloadedAt !== null], [1, true]);
    const other = await findRecipient(key, file.shortId, grace);
    assert.deepEqual([other.downloads, other.openedAt], [0, null]);

    // Programs exchange the token, and their downloads are the recipient's as well.
    const { unlockToken } = await clientOf(server).call("unlockDownload", { handoffToken: second });
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}?unlockToken=${unlockToken}`)).status, 200);
    assert.equal((await findRecipient(key, file.shortId, grace)).downloads, 1);
    const forged = unlockToken.replace(/\.[^.]+$/, `.${opened.id}`);
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}?unlockToken=${forged}`)).status, 403);
  });
});
