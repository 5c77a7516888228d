import assert from "node:assert/strict";
import { test } from "node:test";
import { isSigned, makeAuthority, opensslMissing, startReceiver } from "../../support/services/webhook-receiver.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { addWebhook, startSendingServer, waitForEvent } from "../support/shares/webhooks.ts";
import { complete, init, sendParts, sha256, someBytes } from "../support/uploads/multipart.ts";

const PART_BYTES = 1024 ** 2;

/** webhooks, "Events": the complete delivery for a file that never becomes clean. */
test("file.failed contains the reason, and no file.ready is sent", { skip: opensslMissing ?? false }, async () => {
  await using authority = await makeAuthority();
  await using server = await startSendingServer(authority);
  await using receiver = await startReceiver(authority);
  const { key } = await addAccount(server);
  const { secret } = await addWebhook(server, key, { url: receiver.url });
  assert.match(secret, /^whsec_[\w-]{43}$/);
  // Two parts: with one, the digest is known when the upload is completed.
  const bytes = someBytes(PART_BYTES + 1000);
  const declared = { fileName: "wrong.bin", fileSize: bytes.length, partSize: PART_BYTES, sha256: sha256("other bytes") };
  const session = await init(server, declared, { key });
  await sendParts(server, session, bytes, { key });
  const file = await complete(server, session, {}, { key });
  const got = await waitForEvent(receiver, "file.failed");
  const { id, shortId, name, size, mimeType } = file;
  assert.deepEqual(got.event, {
    id: got.headers["service-webhook-id"],
    type: "file.failed",
    createdAt: new Date(got.event.createdAt).toISOString(),
    data: { fileId: id, shortId, name, size, mimeType, sharePath: `/d/${shortId}`, reason: "scan_failed" },
  });
  assert.ok(isSigned(got, secret));
  assert.match(String(got.headers["service-webhook-timestamp"]), /^\d{10}$/);
  assert.ok(Math.abs(Number(got.headers["service-webhook-timestamp"]) - Date.now() / 1000) < 60);
  assert.match(String(got.headers["service-webhook-signature"]), /^v1,[0-9a-f]{64}$/);
  assert.deepEqual(
    receiver.received.map(({ event }) => event.type),
    ["file.failed"],
  );
});
