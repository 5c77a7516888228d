import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { sql } from "kysely";
import { linkIn, startSmtpServer } from "../../support/services/smtp-server.ts";
import { startStripe } from "../../support/services/stripe.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { fromAddress, register } from "../support/accounts/agents.ts";
import { connectApp, registerApp } from "../support/accounts/oauth.ts";
import { codeOf, startSignIn } from "../support/accounts/two-step.ts";
import { call, clientOf, type Upload, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { newKey } from "../support/api/idempotency.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";
import { tokenOf } from "../support/shares/requests.ts";
import { addSeller, buy, priced } from "../support/shares/selling.ts";
import { credentialsIn, unlock } from "../support/shares/shares.ts";

type Data = Readonly<Record<string, unknown>>;
const tokenIn = (link: string): string => new URL(link).pathname.split("/").at(-1) ?? "";

/**
 * identifiers, "Secrets"; selling, "Purchases"; oauth, "Tokens": who reads the database, or a backup of it, gets no right. Every secret that the
 * document names is made by a real operation and looked for in every column of every table.
 */
test("no secret that the documents name is in a column of the database", async () => {
  await using smtp = await startSmtpServer();
  await using stripe = await startStripe();
  await using server = await startPlainServer({
    ...smtp.env,
    ...stripe.env,
    FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
    FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
  });
  const owner = await addAccount(server, { isAdministrator: true });
  const post = async (path: string, json: object, key?: string): Promise<Data> => {
    const headers = { "Idempotency-Key": newKey(), ...fromAddress("198.51.100.7") };
    const { status, body } = await call<{ data: Data }>(server, "POST", `/api${path}`, { ...(key && { key }), headers, json });
    assert.ok(status < 300, `${path}: ${JSON.stringify(body)}`);
    return body.data ?? body;
  };
  const admin = await startSession(server, owner);

  const file: Upload = await upload(server, { bytes: "hello", fields: { protect: "true" } });
  const { unlockCode, handoffToken } = credentialsIn(file);
  const { unlockToken } = await unlock(server, { shortId: file.shortId, unlockCode });
  const sent = await upload(server, { bytes: "sent" }, { key: owner.key });
  await post(`/shares/${sent.shortId}/recipients`, { recipients: ["grace@example.org"] }, owner.key);
  const recipientToken = tokenIn(linkIn(await smtp.next("grace@example.org"), "h"));
  const sharePassword = "a password of these shares";
  const withPassword: Upload = await upload(server, { bytes: "hello", fields: { password: sharePassword } });
  await unlock(server, { shortId: withPassword.shortId, password: sharePassword });
  const session = await post("/files/multipart/init", { fileName: "a", fileSize: 1, password: sharePassword });
  const shipment = await post("/shares", { password: sharePassword });
  const job = await post("/files/remote-multipart/init", { url: "http://127.0.0.1:9/a", password: sharePassword });
  const request = await post("/requests", { title: "Photos" }, owner.key);
  const delegation = await post("/files/upload-delegations", { name: "a.txt", password: sharePassword }, owner.key);
  const webhook = await post("/webhooks", { url: "https://127.0.0.1:9/", events: ["file.failed"] }, owner.key);
  const invite = await post("/admin/invites", {}, admin);
  const challenge = await post("/agent/register/challenge", {});
  const agent = await register(server);

  const person = { email: "ada@example.org", password: "a password of these tests", name: "Ada" };
  const sessionToken = String((await post("/auth/sign-up", person)).sessionToken);
  const verify = tokenIn(linkIn(await smtp.next(person.email), "verify"));
  const unused = { ...person, email: "bob@example.org" };
  await post("/auth/sign-up", unused);
  const waitingVerify = tokenIn(linkIn(await smtp.next(unused.email), "verify"));
  await post("/auth/verify", { token: verify }, sessionToken);
  const authenticatorSecret = String((await post("/auth/totp", {}, sessionToken)).secret);
  const { recoveryCodes } = (await post("/auth/totp/confirm", { code: codeOf(authenticatorSecret) }, sessionToken)) as {
    recoveryCodes: readonly string[];
  };
  const signInToken = await startSignIn(server, person);
  await post("/auth/email", { newEmail: "ada2@example.org" }, sessionToken);
  const emailChange = tokenIn(linkIn(await smtp.next("ada2@example.org"), "email"));
  await post("/auth/forgot", { email: person.email });
  const passkey = (await post("/auth/passkeys/options", {}, sessionToken)) as { readonly options: { readonly challenge: string } };

  const seller = await addSeller(server, stripe);
  const sold = await priced(server, seller, { bytes: "sold" }, 500);
  const { sessionId, purchaseToken } = await buy(server, stripe, sold.shortId);
  const open = (await clientOf(server).call("createCheckout", { shortId: sold.shortId })).data.sessionId;
  const tokens = await connectApp(server, await registerApp(server), await startSession(server, await addAccount(server)));

  const reset = await until("the mail with the link", () =>
    smtp.mails.map(({ text }) => /\/reset_[\w-]+/.exec(text)?.[0].slice(1)).find((found) => found !== undefined),
  );
  const secrets: Readonly<Record<string, readonly unknown[]>> = {
    "API key": [owner.key, agent.key].map((key) => key.replace(/^bc_\w{8}_/, "")),
    "`uploadId`": [session.uploadId, delegation.uploadId],
    "`shareToken`": [shipment.shareToken],
    "`claimToken`": [file.claimToken, shipment.claimToken, job.claimToken],
    "`deletionToken`": [file.deletionToken, shipment.deletionToken, job.deletionToken],
    "`handoffToken`": [handoffToken],
    "token of a recipient's link": [recipientToken],
    "`jobSecret`": [job.jobSecret],
    "`requestToken`": [tokenOf({ requestUrl: String(request.requestUrl) })],
    "`delegationToken`": [delegation.delegationToken],
    "webhook signing secret": [webhook.secret],
    "token of a session": [sessionToken, admin],
    "`signInToken`": [signInToken],
    "secret of an authenticator app": [authenticatorSecret],
    "token of an invite": [tokenIn(String(invite.url))],
    "token of a link that verifies an address": [verify, waitingVerify],
    "token of a link that changes the address": [emailChange],
    "token of a link that sets a password": [reset],
    "challenge of a passkey": [passkey.options.challenge],
    "recovery code": recoveryCodes.flatMap((code) => [code, code.replaceAll("-", "")]),
    "`sessionId` of a checkout": [sessionId, open],
    "`purchaseToken`": [purchaseToken],
    "registration challenge": [challenge.challenge_id],
    "unlock code": [unlockCode],
    "`unlockToken`": [unlockToken],
    "access and refresh tokens": [tokens.access_token, tokens.refresh_token],
    password: [person.password],
    "password of a share": [sharePassword],
  };
  for (const [name, values] of Object.entries(secrets))
    for (const value of values) assert.ok(typeof value === "string" && value.length >= 6, `${name}: ${String(value)}`);
  assert.deepEqual(
    (await listDocumented()).filter((name) => !(name in secrets)),
    // The encrypted address, and a signature over the account's ID. Both are made for each mail.
    ["token that blocks mails", "token that unsubscribes"],
  );

  const cells = await withDatabase(server, async (db) => {
    const { rows } = await sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(db);
    const found: { place: string; text: string }[] = [];
    for (const { name } of rows) {
      const { rows: cells } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(name)}`.execute(db);
      for (const row of cells)
        for (const [column, value] of Object.entries(row)) found.push({ place: `${name}.${column}`, text: String(value) });
    }
    return found;
  });
  assert.ok(cells.some(({ text }) => text === file.shortId));
  for (const [name, values] of Object.entries(secrets))
    for (const value of values as readonly string[]) {
      const bare = value.replace(/^[a-z]{2,10}_(?=[\w-]{20,}$)/, "");
      // Six characters may occur in random text, so codes are searched as whole words.
      const pattern = bare.length > 6 ? undefined : new RegExp(`(?<![\\w-])${bare}(?![\\w-])`);
      const places = cells.filter(({ text }) => (pattern ? pattern.test(text) : text.includes(bare))).map(({ place }) => place);
      assert.deepEqual(places, [], name);
    }
});

/** The first column of the table of secrets. */
async function listDocumented(): Promise<string[]> {
  const text = await readFile(new URL("../../../docs/interface/identifiers.md", import.meta.url), "utf8");
  const section = /\n## Secrets\n(.*?)\n## /s.exec(text)?.[1] ?? "";
  const rows = section.split("\n").filter((line) => /^\| (?!secret|---)/.test(line));
  return rows.map((line) => (line.split("|")[1] ?? "").trim());
}
