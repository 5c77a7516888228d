import { notFound } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Operation } from "../operation.ts";
import { clampLimit } from "../paging.ts";
import { toLinks } from "./aliases.ts";
import { formatPosition, parsePosition } from "./list-shares.ts";
import { listPublicRows, positionOf, summarizeFiles } from "./share-list-queries.ts";

/** `GET /users/{username}/shares`: lists an account's public shares (sharing, "The public page"). */
export const listPublicShares: Operation<"listPublicShares"> = async (ctx, _call, { username: name, limit: requested, cursor }) => {
  const owner = await ctx.db
    .selectFrom("users")
    .select(["id", "username", "name", "show_name", "email_verified"])
    .where("username", "=", name)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  if (!owner) throw notFound("account", "Check the username.");
  const limit = clampLimit(requested, { defaultLimit: 50, maxLimit: 200 });
  const rows = await listPublicRows(ctx.db, { ownerId: owner.id, after: parsePosition(cursor), nowMs: ctx.now(), limit: limit + 1 });
  const shares = rows.slice(0, limit);
  const files = await summarizeFiles(
    ctx.db,
    shares.map(({ short_id }) => short_id),
    { isPublic: true },
  );
  const last = shares.at(-1);
  return {
    success: true,
    data: {
      username: owner.username ?? name,
      name: owner.show_name === 1 && owner.email_verified === 1 ? owner.name : null,
      shares: shares.map((share) => {
        const summary = files.get(share.short_id);
        return {
          shortId: share.short_id,
          ...toLinks(ctx, share),
          title: share.title,
          name: summary?.name ?? share.name,
          contentType: summary?.content_type ?? "application/octet-stream",
          encrypted: (summary?.encrypted ?? 0) > 0,
          files: summary?.files ?? 0,
          size: summary?.bytes ?? 0,
          createdAt: toIso(share.created_at),
          expiresAt: toIso(share.expires_at),
        };
      }),
    },
    nextCursor: last && rows.length > limit ? formatPosition(positionOf("active", last)) : null,
  };
};
