import type { HttpContext } from "../../src/http/routing/env.ts";
import { isPreviewAgent } from "../../src/lib/text/user-agent.ts";
import { findRecipientLink, recordOpened } from "../../src/service/shares/recipient-links.ts";

/**
 * Handles `POST /h/:token/opened`, which the script of a recipient's page sends. The response does not say whether the link is valid. A program that
 * checks the links of mails in a browser is counted too, so the sender sees "probably".
 */
export async function postOpened(c: HttpContext): Promise<Response> {
  const { ctx } = c.env;
  const link = isPreviewAgent(c.req.header("user-agent") ?? "") ? undefined : await findRecipientLink(ctx.db, c.req.param("token") ?? "");
  if (link) await recordOpened(ctx, link);
  return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
}
