import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RecipientView } from "../../../src/service/recipients/contract.ts";
import { linkIn } from "../../support/services/smtp-server.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { call, upload } from "../support/api/api.ts";
import { type ClientDevice, type ServerWithDevice, withDevice } from "../support/client/client-device.ts";
import { type MailServer, startMailServer } from "../support/servers/mail-server.ts";

interface Sent {
  readonly shortId: string;
  readonly recipients: readonly RecipientView[];
}

/** client manage, "Sending by mail". */
describe("the client's command that sends a share by mail", () => {
  let server: ServerWithDevice<MailServer & ServerWith<"owner">>;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(withAccounts(startMailServer(), { owner: {} }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("sends, shows what became of the mails, and removes a recipient", async () => {
    const env = { FILEHOST_KEY: server.owner.key };
    const file = await upload(server, { name: "slides.txt", bytes: "slides" }, { key: server.owner.key });
    const none = await device.run(["send", file.shareUrl], { env });
    assert.equal(none.stdout, "This share was not sent to anybody.\n");
    const to = ["--to", "ada@example.org", "--to", "grace@example.org"];
    const sent = await device.runJson<Sent>(["send", file.id, ...to, "--message", "See page 3.", "--language", "fr", "--remind"], { env });
    assert.equal(sent.shortId, file.shortId);
    assert.deepEqual(sent.recipients.map(({ address, remind }) => [address, remind]).sort(), [
      ["ada@example.org", true],
      ["grace@example.org", true],
    ]);
    const mail = await server.smtp.next("ada@example.org");
    assert.match(mail.subject, /vous a envoyé/);
    assert.match(mail.text, /See page 3\./);
    const token = linkIn(mail, "h").replace(/^.*\//, "");
    assert.equal((await call(server, "GET", `/api/files/download/${file.id}?handoffToken=${token}`)).status, 200);
    const shown = await device.run(["send", file.shortId], { env });
    assert.match(shown.stdout, /ada@example\.org +downloaded \d{4}-/);
    const left = await device.runJson<Sent>(["send", file.shortId, "--remove", "Grace@example.org"], { env });
    assert.deepEqual(
      left.recipients.map(({ address }) => address),
      ["ada@example.org"],
    );
    const unknown = await device.run(["send", file.shortId, "--remove", "grace@example.org"], { env });
    assert.equal(unknown.code, 4, unknown.stderr);
    const both = await device.run(["send", file.shortId, "--remove", "a@example.org", "--to", "b@example.org"], { env });
    assert.equal(both.code, 2, both.stderr);
    const wrong = await device.run(["send", file.shortId, "--to", "nobody"], { env });
    assert.equal(wrong.code, 2, wrong.stderr);
  });
});
