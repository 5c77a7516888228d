import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestSmtpServer } from "../../support/services/smtp-server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { askFor, connectApp, decideOn, exchange, MANY_REGISTRATIONS, refresh, registerApp, sendTo } from "../support/accounts/oauth.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, type InputOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const REDIRECT_URI = "https://notes.example/callback";

/** oauth, "Connected applications" and "Tokens"; administration, "The audit log"; accounts, "Notices of changes". */
describe("the actions of applications", () => {
  let smtp: TestSmtpServer;
  let server: MailServer;
  let administrator: Account;
  before(async () => {
    server = await startMailServer(MANY_REGISTRATIONS);
    ({ smtp } = server);
    administrator = await addAccount(server, { isAdministrator: true });
  });
  after(() => server?.[Symbol.asyncDispose]());

  const search = async (input: InputOf<"listAuditLog">) => (await clientOf(server, administrator).call("listAuditLog", input)).data;
  const startPerson = async () => {
    const person = await addAccount(server);
    return { ...person, session: await startSession(server, person), email: `${person.userId}@example.org` };
  };

  test("are in the audit log with the application, and its owner gets a mail when it is connected", async () => {
    const { userId, session, email } = await startPerson();
    const app = await registerApp(server, REDIRECT_URI, "Notes");
    const tokens = await connectApp(server, app, session, { scope: "account", resource: `${homeOf(server)}/api` });
    const mail = await smtp.next(email);
    assert.match(mail.text, /An application was connected to your account\./);
    assert.match(mail.text, /The application: Notes \(notes\.example\)\./);
    const [connected] = await search({ action: "application.connected", subject: userId });
    assert.deepEqual([connected?.origin, connected?.application], ["account", null]);
    const scopes = "files.read files.write account";
    assert.deepEqual(connected?.details, { name: "Notes", host: "notes.example", scopes });
    await clientOf(server, { key: tokens.access_token }).call("createDelegation", {});
    const id = connected?.subjectId ?? "";
    const did = async () => (await search({ actor: id })).map(({ action, origin, application }) => ({ action, origin, application }));
    assert.deepEqual(await did(), [{ action: "delegation.created", origin: "application", application: { id, name: "Notes" } }]);
    await connectApp(server, app, session);
    assert.equal(smtp.mails.filter(({ to }) => to.includes(email)).length, 1, "the same connection is no news");
    await sendTo(server, "/oauth/revoke", { client_id: app.clientId, token: tokens.refresh_token });
    assert.deepEqual(
      (await did()).map(({ action, application }) => [action, application]),
      ["application.disconnected", "delegation.created"].map((action) => [action, { id, name: null }]),
    );
  });

  for (const reused of ["code", "refresh_token"] as const)
    test(`end with a mail and an entry when a ${reused} is used twice`, async () => {
      const { userId, session, email } = await startPerson();
      const app = await registerApp(server, REDIRECT_URI, "Notes");
      const asked = askFor(server, app);
      const sent = { code: (await decideOn(asked, session)).searchParams.get("code") ?? "", verifier: asked.verifier };
      const { body: tokens } = await exchange(server, app, sent);
      assert.match((await smtp.next(email)).text, /was connected/);
      const token = String(tokens.refresh_token);
      assert.equal((await refresh(server, app, token)).status, 200);
      await withDatabase(server, (db) =>
        db.updateTable("oauth_refresh_tokens").set({ rotated_at: 1 }).where("revoked", "is not", null).execute(),
      );
      assert.equal((await search({ action: "application.disconnected", subject: userId })).length, 0);
      const again = reused === "code" ? await exchange(server, app, sent) : await refresh(server, app, token);
      assert.equal(again.body.error, "invalid_grant");
      assert.match((await smtp.next(email)).text, /disconnected from your account: its access was used twice/);
      const [entry] = await search({ action: "application.disconnected", subject: userId });
      assert.deepEqual([entry?.origin, entry?.details], ["system", { name: "Notes", host: "notes.example", reused }]);
      assert.deepEqual((await clientOf(server, { key: session }).call("listApplications", {})).data, []);
    });
});
