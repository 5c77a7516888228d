import { hashToken } from "../../auth/secrets.ts";
import { PART_SIZE } from "../../contract/scalars.ts";
import { newSecret, newSessionKey, newShortId, newUuid } from "../../domain/alphabet.ts";
import { toFileName } from "../../domain/filename.ts";
import { resolvePublish } from "../../domain/publish.ts";
import { checkFolder } from "../folders/own-folder.ts";
import type { Operation } from "../operation.ts";
import { checkUpstream } from "../ownership/check-upstream.ts";
import { newProtection } from "../protection/credentials.ts";
import { requireUser } from "../require-user.ts";
import { getShipment } from "../shares/shipment.ts";
import { checkFileSize } from "../uploads/limits.ts";
import { partSizeFor } from "../uploads/part-size.ts";

const DEFAULT_SECONDS = 900;

/** `POST /files/upload-delegations`: one upload by somebody who has no key (decisions, "Uploads"). Its share's credentials are told here alone. */
export const createDelegation: Operation<"createDelegation"> = async (ctx, { actor, remember }, input) => {
  const owner = requireUser(actor);
  const { name, sizeBytes, contentType, expiresInSeconds, immutable, upstreamFileIds, ...publish } = input;
  const nowMs = ctx.now();
  const limits = ctx.config.tiers[owner.tier];
  const settings = resolvePublish(publish, { actor: owner, limits, nowMs });
  if (sizeBytes != null) checkFileSize(sizeBytes, limits, owner.tier);
  const token = newSecret(ctx.random, "dg_");
  const uploadId = newSecret(ctx.random, "");
  const row = {
    id: newUuid(ctx.random, nowMs),
    key: newSessionKey(ctx.random),
    shortId: newShortId(ctx.random),
    expiresAtMs: nowMs + (expiresInSeconds ?? DEFAULT_SECONDS) * 1000,
  };
  const protection = settings.protect ? newProtection(ctx, row.shortId) : undefined;
  const chunkSize = partSizeFor(sizeBytes ?? 0, PART_SIZE.defaultBytes);
  const answer = {
    success: true,
    data: {
      delegationId: row.id,
      delegationToken: token,
      uploadUrl: `${ctx.addresses.contentUrl}/de/${token}`,
      uploadId,
      key: row.key,
      chunkSize,
      ...(sizeBytes != null && { totalParts: Math.ceil(sizeBytes / chunkSize) }),
      expiresAt: new Date(row.expiresAtMs).toISOString(),
      ...protection?.credentials,
    },
  } as const;
  await ctx.tx(async (ctx) => {
    if (settings.folderId) await checkFolder(ctx, settings.folderId, owner.userId);
    if (typeof settings.shipment === "object") await getShipment(ctx, owner, settings.shipment.shortId);
    const upstream = [...new Set(upstreamFileIds ?? [])];
    await checkUpstream(ctx, owner, [], upstream);
    await ctx.db
      .insertInto("delegations")
      .values({
        id: row.id,
        token_hash: hashToken(token),
        owner_id: owner.userId,
        key_id: owner.keyId,
        quota_owner: owner.quotaOwner,
        name: name ? toFileName(name) : null,
        content_type: contentType ?? null,
        size_bytes: sizeBytes ?? null,
        publish: JSON.stringify({ ...publish, protect: null }),
        immutable: immutable ? 1 : 0,
        upstream: JSON.stringify(upstream),
        short_id: row.shortId,
        session_key: row.key,
        upload_id_hash: hashToken(uploadId),
        unlock_hash: protection?.columns.unlock_hash ?? null,
        handoff_hash: protection?.columns.handoff_hash ?? null,
        created_at: nowMs,
        expires_at: row.expiresAtMs,
      })
      .execute();
    await remember?.(ctx, answer);
  });
  return answer;
};
