import assert from "node:assert/strict";
import type { Account } from "./accounts.ts";
import { call, type Upload, upload } from "./api.ts";
import { type Arrived, init, putPart, type Session, sendParts, sha256, someBytes } from "./multipart.ts";
import type { ProtectedUpload } from "./owned.ts";
import { addWebhook } from "./webhooks.ts";

/** Two accounts, and what the first one's operations are called with. */
export interface World {
  readonly server: { readonly url: string };
  readonly owner: Account;
  readonly stranger: Account;
  /** A public address that answers a file. */
  readonly remoteUrl: string;
  /** One that begins and does not end. */
  readonly slowUrl: string;
  /** Where webhooks may go, though nobody is there. */
  readonly hookUrl: string;
}

/** The owner's file. */
export const aFile = ({ server, owner }: World, fields: Record<string, string> = {}): Promise<ProtectedUpload> =>
  upload(server, { bytes: "some bytes", fields }, { key: owner.key });

/** A file that nobody has claimed. */
export const anAnonymousFile = ({ server }: World): Promise<Upload> => upload(server, { bytes: "some bytes" });

/** The owner's folder; resolves to its id. */
export const aFolder = (world: World, name = "A folder"): Promise<string> => make(world, "/api/folders", { name });

/** The owner's key beside the one used; resolves to its id. */
export const aKey = (world: World): Promise<string> => make(world, "/api/keys", {});

/** The owner's webhook; resolves to its id. */
export const aWebhook = async ({ server, owner, hookUrl }: World): Promise<string> =>
  (await addWebhook(server, owner.key, { url: hookUrl })).id;

/** A delivery to the owner's webhook, named as a path does. */
export async function aDelivery(world: World): Promise<{ readonly id: string; readonly deliveryId: string }> {
  const id = await aWebhook(world);
  return { id, deliveryId: await make(world, `/api/webhooks/${id}/test`) };
}

async function make({ server, owner: { key } }: World, path: string, json?: object): Promise<string> {
  const { status, body } = await call<{ data: { id: string } }>(server, "POST", path, { key, json });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
}

/** What a worker is given, as far as operations name it. */
export interface Delegation {
  readonly delegationToken: string;
  readonly uploadUrl: string;
  readonly uploadId: string;
  readonly key: string;
}

/** The bytes of every upload here. */
export const BYTES = someBytes(10);

/** An upload in parts whose one part has arrived. */
export async function arrivedSession({
  server,
  owner: { key },
}: World): Promise<{ readonly session: Session; readonly parts: readonly Arrived[] }> {
  const session = await init(server, { fileSize: BYTES.length }, { key });
  return { session, parts: await sendParts(server, session, BYTES, { key }) };
}

/** A delegation of which nothing has been used. */
export async function delegate({ server, owner: { key } }: Pick<World, "server" | "owner">, fields: object = {}): Promise<Delegation> {
  const json = { name: "delegated.txt", sizeBytes: BYTES.length, ...fields };
  const { status, body } = await call<{ data: Delegation }>(server, "POST", "/api/files/upload-delegations", { key, json });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** A delegation whose file has been sent by the one PUT. */
export async function usedDelegation(world: World): Promise<Delegation> {
  const delegation = await delegate(world);
  const response = await fetch(delegation.uploadUrl, { method: "PUT", body: BYTES, headers: { Accept: "application/json" } });
  assert.equal(response.status, 200, await response.text());
  return delegation;
}

/** A delegation whose one part has arrived; resolves with what its complete names. */
export async function arrivedDelegation(world: World) {
  const { server } = world;
  const { delegationToken, uploadId, key } = await delegate(world);
  const json = { delegationToken, uploadId, key, partDigests: { "1": sha256(BYTES) } };
  const { status, body } = await call(server, "POST", "/api/files/upload-delegations/multipart/batch-urls", { json });
  assert.equal(status, 200, JSON.stringify(body));
  const part = await putPart(body.urls?.["1"] ?? "", BYTES);
  assert.equal(part.status, 200, JSON.stringify(part.body));
  return { delegationToken, uploadId, key, parts: [{ partNumber: 1, etag: part.headers.get("etag") ?? "" }] };
}

/** An import job of the owner's, named as a path does. */
export async function startImport({ server, owner: { key }, remoteUrl }: World, url = remoteUrl): Promise<{ readonly jobId: string }> {
  const { status, body } = await call<{ data: { jobId: string } }>(server, "POST", "/api/files/remote-multipart/init", {
    key,
    json: { url },
  });
  assert.equal(status, 202, JSON.stringify(body));
  return { jobId: body.data.jobId };
}
