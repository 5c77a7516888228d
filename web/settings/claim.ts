import type { RequestContext } from "../../src/context.ts";
import { AppError } from "../../src/errors.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { withPerson } from "../account/signed-in.ts";
import { type ClaimPageProps, renderClaimPage } from "./claim-page.tsx";

/** `GET /settings/claim`. */
export const showClaimPage = (c: HttpContext): Promise<Response> => withPerson(c, () => respondClaim(c, {}));

/** `POST /settings/claim`, by that page's form. */
export const sendClaim = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const entered = form.get("link")?.trim() ?? "";
    try {
      const shortId = await claim(c, call, { id: toId(entered), claimToken: form.get("token")?.trim() ?? "" });
      return await respondClaim(c, { claimedPath: `/d/${shortId}` });
    } catch (error) {
      const problem = toProblem(c, error);
      if (!(error instanceof AppError) || problem === undefined) throw error;
      return await respondClaim(c, { entered, problem }, error);
    }
  });

/** Claims a file by its ID or its share's. Resolves to the short ID of the share. */
async function claim(c: HttpContext, call: RequestContext, { id, claimToken }: { id: string; claimToken: string }): Promise<string> {
  const { ctx } = c.env;
  try {
    return (await operations.claimFile(ctx, call, { fileId: id, claimToken })).shortCode;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
    const share = await operations.getShare(ctx, call, { shortId: id });
    return (await operations.claimFile(ctx, call, { fileId: share.id, claimToken })).shortCode;
  }
}

/** The ID in a share link, or what was entered. */
const toId = (entered: string): string => /\/d\/([^/?#]+)/.exec(entered)?.[1] ?? entered;

function toProblem(c: HttpContext, error: unknown): ClaimPageProps["problem"] {
  const { problems } = pageContext(c).texts.usage;
  if (!(error instanceof AppError)) return undefined;
  switch (error.code) {
    case "NOT_FOUND":
      return { field: "link", text: problems.missing };
    case "WRONG_TOKEN":
      return { field: "token", text: problems.token };
    case "CONFLICT":
      return { field: "link", text: problems.taken };
    case "QUOTA_EXCEEDED":
      return { field: "link", text: problems.full };
    default:
      return undefined;
  }
}

async function respondClaim(c: HttpContext, props: ClaimPageProps, error?: AppError): Promise<Response> {
  const html = renderClaimPage(pageContext(c), props);
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}
