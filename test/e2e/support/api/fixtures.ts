import assert from "node:assert/strict";
import { type Account, createKey } from "../accounts/accounts.ts";
import { withDatabase } from "../servers/state.ts";
import type { Delegation } from "../shares/delegations.ts";
import { createFileRequest, joining, openSubmission, send, tokenOf } from "../shares/requests.ts";
import { addWebhook } from "../shares/webhooks.ts";
import { type CompletePart, init, putPart, type Session, sendParts, sha256, someBytes } from "../uploads/multipart.ts";
import { clientOf, type Upload, upload } from "./api.ts";

/** A server with two accounts, and the URLs that the owner's operations use. */
export interface OwnerFixture {
  readonly server: { readonly url: string; readonly dataDir: string };
  readonly owner: Account;
  readonly otherAccount: Account;
  readonly administrator: Account;
  /** A URL from which imports may fetch a file. */
  readonly remoteUrl: string;
  /** A URL whose response stalls. */
  readonly slowUrl: string;
  /** A URL that is allowed for webhooks. No server listens there. */
  readonly hookUrl: string;
}

/** Uploads a file of the owner. */
export const makeFile = ({ server, owner }: OwnerFixture, fields: Record<string, string> = {}): Promise<Upload> =>
  upload(server, { bytes: "some bytes", fields }, { key: owner.key });

/** Makes a closed share of the owner, whose file is in another share too; resolves to its short ID. */
export async function makeEndedShare(world: OwnerFixture): Promise<string> {
  const { id } = await makeFile(world);
  const client = clientOf(world.server, { key: world.owner.key });
  const { shortId } = (await client.call("shareFiles", { fileIds: [id], protect: true })).data;
  await client.call("closeShare", { shortId });
  return shortId;
}

/** Uploads an anonymous file. */
export const makeAnonymousFile = ({ server }: OwnerFixture): Promise<Upload> => upload(server, { bytes: "some bytes" });

/** Creates a folder of the owner; resolves to its ID. */
export const makeFolder = async ({ server, owner: { key } }: OwnerFixture, name = "A folder"): Promise<string> =>
  (await clientOf(server, { key }).call("createFolder", { name })).data.id;

/** Makes an unread notice of the owner about a download; resolves to its ID. */
export async function makeNotice(world: OwnerFixture): Promise<string> {
  const { server, owner } = world;
  const { id, shortId } = await makeFile(world, { notify: "true" });
  await clientOf(server).call("authorizeDownload", { fileId: id });
  const { notices } = (await clientOf(server, { key: owner.key }).call("listNotices", {})).data;
  return notices.find(({ about }) => about === shortId)?.id ?? "";
}

/** Creates another key of the owner; resolves to its ID. */
export const makeKey = async ({ server, owner: { key } }: OwnerFixture): Promise<string> => (await createKey(server, key)).id;

/** Creates a webhook of the owner; resolves to its ID. */
export const makeWebhook = async ({ server, owner, hookUrl }: OwnerFixture): Promise<string> =>
  (await addWebhook(server, owner.key, { url: hookUrl })).id;

/** Sends a test event to a new webhook of the owner; resolves to the path parameters of its delivery. */
export async function makeDelivery(world: OwnerFixture): Promise<{ readonly id: string; readonly deliveryId: string }> {
  const id = await makeWebhook(world);
  return { id, deliveryId: (await clientOf(world.server, { key: world.owner.key }).call("testWebhook", { id })).data.id };
}

/** Makes a delivery to a webhook of the owner that has failed; resolves to its ID. */
export async function makeFailedJob(world: OwnerFixture): Promise<string> {
  const { deliveryId } = await makeDelivery(world);
  await withDatabase(world.server, (db) =>
    db
      .updateTable("webhook_deliveries")
      .set({ status: "failed", failed_at: Date.now(), error: "The endpoint cannot be reached.", next_attempt_at: null })
      .where("id", "=", deliveryId)
      .execute(),
  );
  return deliveryId;
}

/** The bytes of every upload in this file. */
export const BYTES = someBytes(10);

/** Creates an upload session and uploads its one part. */
export async function makeUploadedSession({
  server,
  owner: { key },
}: OwnerFixture): Promise<{ readonly session: Session; readonly parts: readonly CompletePart[] }> {
  const session = await init(server, { fileSize: BYTES.length }, { key });
  return { session, parts: await sendParts(server, session, BYTES, { key }) };
}

/** Creates an unused delegation. */
export async function makeDelegation(
  { server, owner: { key } }: Pick<OwnerFixture, "server" | "owner">,
  fields: object = {},
): Promise<Delegation> {
  const input = { name: "delegated.txt", sizeBytes: BYTES.length, ...fields };
  return (await clientOf(server, { key }).call("createDelegation", input)).data;
}

/** Creates a delegation and uploads its file with one PUT. */
export async function makeUsedDelegation(world: OwnerFixture): Promise<Delegation> {
  const delegation = await makeDelegation(world);
  const response = await fetch(delegation.uploadUrl, { method: "PUT", body: BYTES, headers: { Accept: "application/json" } });
  assert.equal(response.status, 200, await response.text());
  return delegation;
}

/** Creates a delegation and uploads its one part; resolves to the input of complete. */
export async function makeUploadedDelegation(world: OwnerFixture) {
  const { server } = world;
  const { delegationToken, uploadId, key } = await makeDelegation(world);
  const partDigests = { "1": sha256(BYTES) };
  const { urls } = await clientOf(server).call("batchDelegatedPartUrls", { delegationToken, uploadId, key, partDigests });
  const part = await putPart(urls["1"] ?? "", BYTES);
  assert.equal(part.status, 200, JSON.stringify(part.body));
  return { delegationToken, uploadId, key, parts: [{ partNumber: 1, etag: part.headers.get("etag") ?? "" }] };
}

/** Starts an import job of the owner; resolves to its path parameters. */
export async function startImport(
  { server, owner: { key }, remoteUrl }: OwnerFixture,
  url = remoteUrl,
): Promise<{ readonly jobId: string }> {
  const { data } = await clientOf(server, { key }).call("initImport", { url });
  return { jobId: data.jobId };
}

/** Starts a session of the owner; resolves to its ID. */
export async function makeSession({ server, owner }: OwnerFixture): Promise<string> {
  const id = crypto.randomUUID();
  const nowMs = Date.now();
  const times = { created_at: nowMs, updated_at: nowMs, expires_at: nowMs + 60_000 };
  await withDatabase(server, (db) =>
    db
      .insertInto("sessions")
      .values({ id, user_id: owner.userId, token: id, ...times })
      .execute(),
  );
  return id;
}

/** Adds a recipient to a share of the owner; resolves to their path parameters. */
export async function makeRecipient(world: OwnerFixture): Promise<{ readonly shortId: string; readonly recipientId: string }> {
  const { shortId } = await makeFile(world);
  const recipientId = crypto.randomUUID();
  const sent = { id: recipientId, short_id: shortId, address: "grace@example.org", language: "en", status: "sent" } as const;
  await withDatabase(world.server, (db) =>
    db
      .insertInto("share_recipients")
      .values({ ...sent, created_at: Date.now() })
      .execute(),
  );
  return { shortId, recipientId };
}

/** Connects an application to the owner's account. */
export async function makeConnection({ server, owner }: OwnerFixture): Promise<string> {
  const id = crypto.randomUUID();
  const nowMs = Date.now();
  const client = { id, client_id: `client_${id}`, name: "An application", redirect_uris: "[]", grant_types: "[]" };
  const consent = { id, client_id: client.client_id, user_id: owner.userId, scopes: '["files.read"]', updated_at: nowMs };
  await withDatabase(server, async (db) => {
    await db
      .insertInto("oauth_clients")
      .values({ ...client, token_endpoint_auth_method: "none", created_at: nowMs, used_at: nowMs })
      .execute();
    await db
      .insertInto("oauth_consents")
      .values({ ...consent, created_at: nowMs })
      .execute();
  });
  return id;
}

/** Makes a request of the owner. */
export async function makeRequest({ server, owner }: OwnerFixture, input: { readonly protect?: boolean } = {}) {
  const { id, unlockCode, ...request } = await createFileRequest(server, owner.key, input);
  return { id, unlockCode, requestToken: tokenOf(request) };
}

/** Sends a file to a request of the owner. */
export async function makeSubmission(world: OwnerFixture) {
  const { id: requestId, requestToken } = await makeRequest(world);
  const submission = await openSubmission(world.server, requestToken);
  const { body } = await send(world.server, joining(requestToken, submission));
  return { ...submission, requestId, requestToken, fileId: body.data.id };
}

/** Inserts a report of an anonymous file; resolves to its ID. */
export async function makeReport(world: OwnerFixture): Promise<string> {
  const { shortId } = await makeAnonymousFile(world);
  const id = crypto.randomUUID();
  const share = { short_id: shortId, name: "note.txt", file_count: 1, size_bytes: 10 };
  await withDatabase(world.server, (db) =>
    db
      .insertInto("reports")
      .values({ id, ...share, reason: "malware", created_at: Date.now() })
      .execute(),
  );
  return id;
}
