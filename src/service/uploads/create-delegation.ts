import { PART_SIZE } from "../../contract/scalars.ts";
import { invalidField } from "../../errors.ts";
import { newSecret, newSessionKey, newShortId, newUuid } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { toFileName } from "../../lib/text/file-name.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser, toCredentialColumns } from "../accounts/actor.ts";
import { checkFileSize } from "../accounts/quotas.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { newProtection } from "../shares/credentials.ts";
import { validateLineage } from "../shares/lineage.ts";
import { resolvePublishSettings } from "../shares/publish-settings.ts";
import { readPublish } from "../shares/read-publish.ts";
import { checkDestination } from "./check-destination.ts";
import { choosePartSize } from "./part-size.ts";

const DEFAULT_TTL_SECONDS = 900;

/**
 * `POST /files/upload-delegations`: allows one upload without a key (uploads, "Delegations"). Only this response contains the share's credentials.
 */
export const createDelegation: Operation<"createDelegation"> = async (ctx, call, input) => {
  const owner = requireUser(call.actor);
  const { name, sizeBytes, contentType, expiresInSeconds, immutable, upstreamFileIds, ...sent } = input;
  const nowMs = ctx.now();
  const limits = ctx.config.tiers[owner.tier];
  if (sent.shareToken) throw invalidField("shareToken", "A delegation adds files only to a shipment of its owner. Omit shareToken.");
  if (sent.alias) throw invalidField("alias", "A delegation's file gets no alias. Give the share one after the upload.");
  const publish = await readPublish(ctx, call, sent);
  const settings = resolvePublishSettings(publish, { actor: owner, limits, nowMs });
  if (sizeBytes != null) checkFileSize(sizeBytes, limits, owner.tier);
  const token = newSecret(ctx.random, "dg_");
  const uploadId = newSecret(ctx.random, "");
  const row = {
    id: newUuid(ctx.random, nowMs),
    key: newSessionKey(ctx.random),
    shortId: newShortId(ctx.random),
    expiresAtMs: nowMs + (expiresInSeconds ?? DEFAULT_TTL_SECONDS) * 1000,
  };
  const protection = settings.protect ? newProtection(ctx, row.shortId, settings.passwordHash) : undefined;
  const chunkSize = choosePartSize(sizeBytes ?? 0, PART_SIZE.defaultBytes);
  const created = {
    delegationId: row.id,
    delegationToken: token,
    uploadUrl: `${ctx.urls.siteUrl}/de/${token}`,
    uploadId,
    key: row.key,
    chunkSize,
    ...(sizeBytes != null && { totalParts: Math.ceil(sizeBytes / chunkSize) }),
    expiresAt: toIso(row.expiresAtMs),
    ...protection?.credentials,
  };
  return await commitResponse(ctx, call, async (ctx) => {
    await checkDestination(ctx, owner, settings);
    const upstream = [...new Set(upstreamFileIds ?? [])];
    await validateLineage(ctx, owner, [], upstream);
    await ctx.db
      .insertInto("upload_delegations")
      .values({
        id: row.id,
        token_hash: hashToken(token),
        owner_id: owner.userId,
        ...toCredentialColumns(owner),
        quota_owner: owner.quotaOwner,
        name: name ? toFileName(name) : null,
        content_type: contentType ?? null,
        size_bytes: sizeBytes ?? null,
        publish_fields: JSON.stringify({ ...publish, protect: null, passwordHash: null }),
        immutable: immutable ? 1 : 0,
        upstream_ids: JSON.stringify(upstream),
        short_id: row.shortId,
        session_key: row.key,
        upload_id_hash: hashToken(uploadId),
        unlock_hash: protection?.columns.unlock_hash ?? null,
        handoff_hash: protection?.columns.handoff_hash ?? null,
        created_at: nowMs,
        expires_at: row.expiresAtMs,
      })
      .execute();
    const details = { sizeBytes, shareShortId: publish.shareShortId, expiresAt: created.expiresAt };
    await recordAudit(ctx, call, { action: "delegation.created", subject: row.id, account: owner.userId, details });
    return created;
  });
};
