import type { RequestContext } from "../../src/context.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondMessage, respondPage, withErrorPage } from "../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { shareListContract } from "../../src/service/shares/listing-contract.ts";
import { listPublicThumbnails } from "../../src/service/thumbnails/list-thumbnails.ts";
import { renderPublicPage } from "./public-page.tsx";

const TILES = 24;

/** Handles `GET /u/:username`: shows the public page of an account. */
export async function showPublicPage(c: HttpContext): Promise<Response> {
  const { ctx, address } = c.env;
  // Everybody sees the same shares, including their owner.
  const call: RequestContext = {
    actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "" },
    address,
    channel: "page",
    userAgent: c.req.header("user-agent") ?? "",
  };
  const cursor = shareListContract.listPublicShares.input.shape.cursor.safeParse(c.req.query("cursor")).data;
  return await withErrorPage(c, () =>
    respondToRefusals(
      async () => {
        const { data, nextCursor } = await operations.listPublicShares(ctx, call, {
          username: c.req.param("username") ?? "",
          limit: TILES,
          cursor,
        });
        const thumbnails = await listPublicThumbnails(
          ctx,
          data.shares.map(({ shortId }) => shortId),
        );
        const html = renderPublicPage(pageContext(c), {
          ...data,
          thumbnails,
          nowMs: ctx.now(),
          siteUrl: ctx.urls.siteUrl,
          nextCursor,
          isLaterPage: cursor !== undefined,
          isOwn: (await findOwnUsername(c, call)) === data.username,
        });
        return await respondPage(c, { html, hasThumbnails: thumbnails.size > 0 });
      },
      { NOT_FOUND: () => respondMessage(c, { kind: "noPublicPage", status: 404 }) },
    ),
  );
}

/** Finds the username of the signed-in account. */
async function findOwnUsername(c: HttpContext, call: RequestContext): Promise<string | null> {
  const { ctx, person } = c.env;
  if (person === undefined) return null;
  return (await operations.getMe(ctx, { ...call, actor: person.actor }, {})).owner.username;
}
