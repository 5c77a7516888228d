import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/lib/text/duration.ts";
import type { RecipientView } from "../../../src/service/recipients/contract.ts";
import { linkIn, type TestSmtpServer } from "../../support/services/smtp-server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, type InputOf, upload } from "../support/api/api.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { makeJobsDue, withDatabase } from "../support/servers/state.ts";
import { complete, init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";

/** recipients, "Sending", "What can be sent", "Links", "What the sender sees", "Reminders", "Blocking", "Limits" and "What is kept". */
describe("the mails to a recipient", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  let key: string;
  before(async () => {
    server = await startMailServer();
    ({ smtp } = server);
    const sender = await addAccount(server);
    key = sender.key;
    // The account is not new, so only the limits of all accounts apply.
    await withDatabase(server, (db) => db.updateTable("users").set({ created_at: 0 }).where("id", "=", sender.userId).execute());
  });
  after(() => server?.[Symbol.asyncDispose]());

  const newAddress = (): string => `${crypto.randomUUID()}@example.org`;
  const client = () => clientOf(server, { key });
  const share = (fields: Record<string, string> = {}) => upload(server, { bytes: crypto.randomUUID(), fields }, { key });
  const send = async (shortId: string, input: Omit<InputOf<"sendShare">, "shortId">) =>
    (await client().call("sendShare", { shortId, ...input })).data.recipients;
  const whenState = (shortId: string, address: string, state: RecipientView["state"]): Promise<RecipientView> =>
    until(`${address} is ${state}`, async () => {
      const { recipients } = (await client().call("listRecipients", { shortId })).data;
      const found = recipients.find((one) => one.address === address);
      return found?.state === state && found;
    });
  const mailsTo = (address: string) => smtp.mails.filter(({ to }) => to.includes(address));
  const waitingMails = (address: string) =>
    withDatabase(server, (db) => db.selectFrom("mails").select("id").where("recipient", "=", address).execute());
  const cleanUp = async (): Promise<void> => assert.equal((await server.run(["cleanup"])).code, 0);

  /** Sends to an address while the SMTP server accepts no mail; resolves once an attempt has failed. */
  async function sendMeanwhile(shortId: string, address: string): Promise<void> {
    smtp.refuseWith(451);
    await send(shortId, { recipients: [address] });
    await until("an attempt has failed", () =>
      withDatabase(server, async (db) => {
        const [mail] = await db.selectFrom("mails").select("id").where("recipient", "=", address).execute();
        const jobs = db.selectFrom("jobs").select("id").where("failed_at", "is not", null);
        return mail && (await jobs.where("subject", "=", mail.id).executeTakeFirst());
      }),
    );
  }
  async function acceptAgain(): Promise<void> {
    smtp.refuseWith(undefined);
    await withDatabase(server, makeJobsDue);
  }

  test("are one, with its message and language, if the share is sent again while its files arrive", async () => {
    const bytes = someBytes(MB, 1);
    const session = await init(server, { fileName: "slow.bin", fileSize: bytes.length }, { key });
    const { shortId } = session;
    const address = newAddress();
    await send(shortId, { recipients: [address], message: "The slides for Monday.", language: "fr", remind: true });
    const [again] = await send(shortId, { recipients: [address] });
    assert.deepEqual([again?.state, again?.remind], ["waiting", true]);
    await complete(server, session, { parts: await sendParts(server, session, bytes, { key }) }, { key });
    const mail = await smtp.next(address);
    assert.match(mail.text, /The slides for Monday\./);
    assert.match(mail.subject, /vous a envoyé/);
    await whenState(shortId, address, "sent");
    await withDatabase(server, (db) => db.deleteFrom("rate_windows").where("name", "=", "repeatedMails").execute());
    // Another mail has the chosen language, and no message of an earlier one.
    await send(shortId, { recipients: [address] });
    const second = await smtp.next(address);
    assert.match(second.subject, /vous a envoyé/);
    assert.doesNotMatch(second.text, /The slides for Monday\./);
    await whenState(shortId, address, "sent");
    assert.equal(mailsTo(address).length, 2);
  });

  test("are no second reminder when the share is sent again or expires later", async () => {
    const { shortId } = await share({ ttl: "7d" });
    const address = newAddress();
    const setExpiry = (expiresInMs: number) =>
      withDatabase(server, (db) =>
        db
          .updateTable("shares")
          .set({ expires_at: Date.now() + expiresInMs })
          .where("short_id", "=", shortId)
          .execute(),
      );
    const setSent = (sentBeforeMs: number) =>
      withDatabase(server, (db) =>
        db
          .updateTable("share_recipients")
          .set({ sent_at: Date.now() - sentBeforeMs })
          .where("short_id", "=", shortId)
          .execute(),
      );
    await send(shortId, { recipients: [address], remind: true });
    await smtp.next(address);
    assert.equal((await whenState(shortId, address, "sent")).remind, true);
    await setSent(5 * DAY_MS);
    await setExpiry(DAY_MS - HOUR_MS);
    // The reminder is due by the first mail, but another one has just been sent.
    await send(shortId, { recipients: [address] });
    await smtp.next(address);
    await whenState(shortId, address, "sent");
    await cleanUp();
    assert.deepEqual(await waitingMails(address), []);
    assert.equal(mailsTo(address).length, 2);
    await setSent(5 * DAY_MS);
    await setExpiry(DAY_MS - 2 * HOUR_MS);
    await cleanUp();
    assert.match((await smtp.next(address)).subject, /^Expires soon: /);
    await until("the reminder is recorded", async () => (await whenState(shortId, address, "sent")).remindedAt);

    // The reminder has counted as a mail, so no more are allowed today.
    const refused = await call(server, "POST", `/api/shares/${shortId}/recipients`, { key, json: { recipients: [address] } });
    assertRefused(refused, { status: 429, code: "RATE_LIMITED" });
    await withDatabase(server, (db) => db.deleteFrom("rate_windows").where("name", "=", "repeatedMails").execute());
    await send(shortId, { recipients: [address], remind: true });
    await smtp.next(address);
    await whenState(shortId, address, "sent");
    await setSent(5 * DAY_MS);
    await setExpiry(DAY_MS - 3 * HOUR_MS);
    await cleanUp();
    assert.deepEqual(await waitingMails(address), []);
    assert.equal(mailsTo(address).length, 4);
  });

  test("do not show the sender what the mail server says about the site", async () => {
    const { shortId } = await share();
    const address = newAddress();
    smtp.refuseWith(553, "sender");
    await send(shortId, { recipients: [address] });
    const { failure, failureDetail } = await whenState(shortId, address, "failed");
    smtp.refuseWith(undefined, "sender");
    assert.deepEqual([failure, failureDetail], ["unreachable", null]);
  });

  test("are not sent if the share may not be sent any more when the mail server is back", async () => {
    const [priced, blocked] = [await share(), await share()];
    const addresses = [newAddress(), newAddress()] as const;
    await sendMeanwhile(priced.shortId, addresses[0]);
    await sendMeanwhile(blocked.shortId, addresses[1]);
    await withDatabase(server, async (db) => {
      await db.updateTable("shares").set({ price_cents: 500 }).where("short_id", "=", priced.shortId).execute();
      await db.updateTable("files").set({ scan_status: "unavailable" }).where("id", "=", blocked.id).execute();
    });
    await acceptAgain();
    assert.equal((await whenState(priced.shortId, addresses[0], "failed")).failure, "priced");
    assert.equal((await whenState(blocked.shortId, addresses[1], "failed")).failure, "file_blocked");
    assert.deepEqual(addresses.flatMap(mailsTo), []);
  });

  test("are sent although the recipient deletes their account, and deleted with the recipient", async () => {
    const { shortId } = await share();
    const reader = await addAccount(server);
    const address = `${reader.userId}@example.org`;
    await sendMeanwhile(shortId, address);
    const administrator = await addAccount(server, { isAdministrator: true });
    await clientOf(server, { key: administrator.key }).call("deleteUser", { id: reader.userId, confirm: address });
    assert.equal((await waitingMails(address)).length, 1);
    await acceptAgain();
    await smtp.next(address);
    const sent = await whenState(shortId, address, "sent");

    await sendMeanwhile(shortId, address);
    await client().call("removeRecipient", { shortId, recipientId: sent.id });
    assert.deepEqual(await waitingMails(address), []);
    await acceptAgain();
  });

  test("are shown as failed when an administrator drops them", async () => {
    const { shortId } = await share();
    const address = newAddress();
    await sendMeanwhile(shortId, address);
    const administrator = await addAccount(server, { isAdministrator: true });
    await clientOf(server, { key: administrator.key }).call("dropFailedJobs", { kind: "mail" });
    assert.equal((await whenState(shortId, address, "failed")).failure, "unreachable");
    await acceptAgain();
    await send(shortId, { recipients: [address] });
    await smtp.next(address);
    assert.equal((await whenState(shortId, address, "sent")).failure, null);
  });

  test("are shown as failed when they cannot be decrypted any more", async () => {
    const { shortId } = await share();
    const address = newAddress();
    await sendMeanwhile(shortId, address);
    await withDatabase(server, (db) => db.updateTable("mails").set({ content: "unreadable" }).where("recipient", "=", address).execute());
    await acceptAgain();
    assert.equal((await whenState(shortId, address, "failed")).failure, "unreachable");
  });

  test("fail alone when the message to one recipient cannot be decrypted any more", async () => {
    const bytes = someBytes(MB, 2);
    const session = await init(server, { fileName: "slow.bin", fileSize: bytes.length }, { key });
    const { shortId } = session;
    const [unreadable, other] = [newAddress(), newAddress()];
    await send(shortId, { recipients: [unreadable, other], message: "Hello" });
    await withDatabase(server, (db) =>
      db.updateTable("share_recipients").set({ message: "unreadable" }).where("address", "=", unreadable).execute(),
    );
    await complete(server, session, { parts: await sendParts(server, session, bytes, { key }) }, { key });
    await smtp.next(other);
    assert.equal((await whenState(shortId, unreadable, "failed")).failure, "unreachable");
  });

  test("are blocked and counted for all tags of an address", async () => {
    const { shortId } = await share();
    const name = crypto.randomUUID();
    const [plain, ...tagged] = ["", "+a", "+b", "+c"].map((tag) => `${name}${tag}@example.org`) as [string, string, string, string];
    const post = (recipients: readonly string[]) =>
      call(server, "POST", `/api/shares/${shortId}/recipients`, { key, json: { recipients } });
    assertRefused(await post([plain, ...tagged]), { status: 429, code: "RATE_LIMITED" });
    await send(shortId, { recipients: tagged });
    const [first = plain] = tagged;
    const mail = await smtp.next(first);
    assertRefused(await post([plain]), { status: 429, code: "RATE_LIMITED" });
    assert.equal((await fetch(linkIn(mail, "block"), { method: "POST" })).status, 200);
    const other = await share();
    await send(other.shortId, { recipients: [plain] });
    assert.equal((await whenState(other.shortId, plain, "failed")).failure, "recipient_blocked");
  });

  test("have links that end when the share gets or changes a password", async () => {
    const file = await share();
    const { shortId } = file;
    const address = newAddress();
    for (const password of ["Tr0ub4dor & drei Süße", "another password"]) {
      await send(shortId, { recipients: [address] });
      const token = linkIn(await smtp.next(address), "h").replace(/^.*\//, "");
      await whenState(shortId, address, "sent");
      const page = () => fetch(`${server.url}/h/${token}`, { redirect: "manual" });
      assert.equal((await page()).status, 200);
      const { unlockToken } = await clientOf(server).call("unlockDownload", { handoffToken: token });
      await client().call("updateShareSettings", { fileId: file.id, password });
      assert.equal((await page()).status, 404);
      const unlock = await call(server, "POST", "/api/downloads/unlock", { json: { handoffToken: token } });
      assertRefused(unlock, { status: 403, code: "UNLOCK_INVALID" });
      for (const credential of [`handoffToken=${token}`, `unlockToken=${unlockToken}`])
        assert.equal((await call(server, "GET", `/api/files/download/${file.id}?${credential}`)).status, 403);
      await whenState(shortId, address, "ended");
    }
  });

  test("leave no address when the account of a share that was taken down is deleted", async () => {
    const { shortId } = await share();
    const address = newAddress();
    await send(shortId, { recipients: [address] });
    await smtp.next(address);
    const rows = () =>
      withDatabase(server, (db) => db.selectFrom("share_recipients").select("id").where("short_id", "=", shortId).execute());
    const setShare = (columns: { readonly status?: "dmca_removed"; readonly owner_id?: null }) =>
      withDatabase(server, (db) => db.updateTable("shares").set(columns).where("short_id", "=", shortId).execute());
    await setShare({ status: "dmca_removed" });
    assert.equal((await rows()).length, 1);
    await setShare({ owner_id: null });
    assert.deepEqual(await rows(), []);
  });
});
