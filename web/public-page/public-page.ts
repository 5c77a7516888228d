import type { RequestContext } from "../../src/context.ts";
import { AppError } from "../../src/errors.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { shareListContract } from "../../src/service/shares/listing-contract.ts";
import { listPublicThumbnails } from "../../src/service/thumbnails/list-thumbnails.ts";
import { renderMessagePage } from "../site/message-page.tsx";
import { renderPublicPage } from "./public-page.tsx";

const TILES = 24;

/** `GET /u/:username`: the public page of an account. */
export async function showPublicPage(c: HttpContext): Promise<Response> {
  const { ctx, address } = c.env;
  // Everybody sees the same shares, also their owner.
  const call: RequestContext = {
    actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "" },
    address,
    channel: "page",
    userAgent: c.req.header("user-agent") ?? "",
  };
  const cursor = shareListContract.listPublicShares.input.shape.cursor.safeParse(c.req.query("cursor")).data;
  try {
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
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND")
      return await respondPage(c, { status: 404, html: renderMessagePage(pageContext(c), { kind: "noPublicPage" }) });
    return await respondErrorPage(c, error);
  }
}

/** The username of who is signed in. */
async function findOwnUsername(c: HttpContext, call: RequestContext): Promise<string | null> {
  const { ctx, person } = c.env;
  if (person === undefined) return null;
  return (await operations.getMe(ctx, { ...call, actor: person.actor }, {})).owner.username;
}
