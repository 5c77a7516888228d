import { hashToken } from "../../../../src/lib/secrets/secrets.ts";
import { unsubscribeUrl } from "../../../../src/service/notices/unsubscribe.ts";
import { blockUrl } from "../../../../src/service/recipients/blocked-addresses.ts";
import { addAccount } from "../accounts/accounts.ts";
import { askFor, registerApp } from "../accounts/oauth.ts";
import { clientOf, upload } from "../api/api.ts";
import {
  makeAnonymousFile,
  makeDelivery,
  makeFile,
  makeKey,
  makeReport,
  makeRequest,
  makeSubmission,
  type OwnerFixture,
} from "../api/fixtures.ts";
import { withServerContext } from "../servers/server-context.ts";
import { withDatabase } from "../servers/state.ts";

type Fields = Readonly<Record<string, string | undefined>>;

/** A request of a page route. */
export interface PageRequest {
  readonly path: string;
  /** The fields of the form. */
  readonly fields?: Fields;
  /** Identifiers and tokens of the owner in the path and the fields. */
  readonly names?: readonly string[];
  /** Whether a session needs a recent proof for the request. */
  readonly needsProof?: true;
  /** The status for the owner, if the page refuses this request. */
  readonly refused?: number;
}

export type MakeRequests = (world: OwnerFixture) => Promise<readonly PageRequest[]> | readonly PageRequest[];

export const PASSWORD = "correct horse battery";

/** Makes a request whose path names one object. */
export const named =
  (make: (world: OwnerFixture) => Promise<string>, toPath: (name: string) => string, fields?: Fields): MakeRequests =>
  async (world) => {
    const name = await make(world);
    return [{ path: toPath(name), names: [name], ...(fields && { fields }) }];
  };

export const shortIdOf = async (world: OwnerFixture): Promise<string> => (await makeFile(world)).shortId;
export const tokenOfRequest = async (world: OwnerFixture): Promise<string> => (await makeRequest(world)).requestToken;
export const handoffToken = async (world: OwnerFixture): Promise<string> =>
  ((await makeFile(world, { protect: "true" })).handoffUrl ?? "").replace(/^.*\/h\//, "");
export const inviteToken = async ({ server, administrator }: OwnerFixture): Promise<string> =>
  (await clientOf(server, administrator).call("createInvite", {})).data.url.replace(/^.*\//, "");
export const resetToken = async ({ server, administrator, owner }: OwnerFixture): Promise<string> =>
  (await clientOf(server, administrator).call("createUserResetLink", { id: owner.userId })).data.url.replace(/^.*\//, "");
export const userIdOf = async ({ owner }: OwnerFixture): Promise<string> => owner.userId;

/** Returns the path of an application's request for consent. */
export async function consentPath({ server }: OwnerFixture): Promise<string> {
  const { pathname, search } = new URL(askFor(server, await registerApp(server)).url);
  return pathname + search;
}

export const verifyToken = (world: OwnerFixture): Promise<string> => makeLink(world, { purpose: "verify", mailed_to: null });
export const emailToken = (world: OwnerFixture): Promise<string> =>
  makeLink(world, { purpose: "email", mailed_to: `${crypto.randomUUID()}@example.org` });

async function makeLink(
  { server, owner }: OwnerFixture,
  columns: { readonly purpose: "verify" | "email"; readonly mailed_to: string | null },
): Promise<string> {
  const token = `${columns.purpose}_${crypto.randomUUID()}`;
  const nowMs = Date.now();
  const link = { token_hash: hashToken(token), user_id: owner.userId, ...columns };
  await withDatabase(server, (db) =>
    db
      .insertInto("account_links")
      .values({ ...link, created_at: nowMs, expires_at: nowMs + 3_600_000 })
      .execute(),
  );
  return token;
}

export const blockToken = ({ server }: OwnerFixture): Promise<string> =>
  withServerContext(server, async (ctx) => blockUrl(ctx, "grace@example.org").replace(/^.*\//, ""));

export const unsubscribeToken = ({ server, owner }: OwnerFixture): Promise<string> =>
  withServerContext(server, async (ctx) => unsubscribeUrl(ctx, owner.userId).replace(/^.*\//, ""));

/** Makes the form of a protected share. The bytes of the share look encrypted, so that every form accepts them. */
export const unlocking: (action: string) => MakeRequests = (action) => async (world) => {
  const form = { bytes: "age-encryption.org/v1\n-> X25519 some bytes", fields: { protect: "true" } };
  const { shortId, id, unlockCode = "" } = await upload(world.server, form, { key: world.owner.key });
  return [{ path: `/d/${shortId}/${action}`, names: [shortId], fields: { unlockCode, fileId: id } }];
};

export const deletionLink: MakeRequests = async (world) => {
  const { id, deletionToken = "" } = await makeAnonymousFile(world);
  return [{ path: `/delete/${id}/${deletionToken}`, names: [id, deletionToken], fields: {} }];
};

export const receipt =
  (toFields: (fileId: string) => Fields): MakeRequests =>
  async (world) => {
    const { requestToken, shortId, deletionToken, fileId } = await makeSubmission(world);
    return [
      { path: `/r/${requestToken}/${shortId}/${deletionToken}`, names: [requestToken, shortId, deletionToken], fields: toFields(fileId) },
    ];
  };

export const webhookForms: MakeRequests = async (world) => {
  const { id, deliveryId } = await makeDelivery(world);
  const path = `/settings/webhooks/${id}`;
  const choices = [
    { action: "pause" },
    { action: "resume" },
    { action: "rotate" },
    { action: "retry", delivery: deliveryId },
    { action: "change", url: world.hookUrl, events: "file.ready", description: "Changed" },
    { action: "delete" },
  ];
  return choices.map((fields) => ({ path, names: [id, deliveryId], fields }));
};

export const requestForms: MakeRequests = async (world) => {
  const { id } = await makeRequest(world);
  const { fileId, requestId } = await makeSubmission(world);
  return [
    ...["close", "reopen", "rotate"].map((action) => ({ path: `/requests/${id}/${action}`, names: [id], fields: {} })),
    { path: `/requests/${id}/share`, names: [id, fileId], fields: { fileIds: fileId } },
    { path: `/requests/${requestId}/download`, names: [requestId], fields: {} },
    { path: `/requests/${id}/delete`, names: [id], fields: {} },
  ];
};

export const userForms: MakeRequests = async (world) => {
  const { userId } = world.otherAccount;
  const { version } = (await clientOf(world.server, world.administrator).call("getUserDetails", { id: userId })).data;
  const key = await makeKey({ ...world, owner: world.otherAccount });
  const path = `/admin/users/${userId}`;
  const sent = [
    { action: "sign-out" },
    { action: "reset-link" },
    { action: "revoke-key", key },
    { action: "tier", tier: "pro", until: "30d", version: String(version) },
  ].map((fields) => ({ path, fields }));
  const named = { action: "username", username: "ada" };
  return [
    ...sent,
    { path, fields: { ...named, version: "0" }, refused: 412 },
    { path, fields: { action: "reset-two-step" }, refused: 409 },
  ];
};

export const deleteUserForm: MakeRequests = async ({ server }) => {
  const { userId } = await addAccount(server);
  return [{ path: `/admin/users/${userId}/delete`, fields: { confirm: `${userId}@example.org` } }];
};

export const reportForms: MakeRequests = async (world) =>
  await Promise.all(
    [{ action: "takedown" }, { action: "dismiss", note: "Harmless" }].map(async (fields) => ({
      path: `/admin/reports/${await makeReport(world)}`,
      fields,
    })),
  );
