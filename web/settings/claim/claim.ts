import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { withPerson } from "../../account/with-person.ts";
import { type ClaimPageProps, renderClaimPage } from "./claim-page.tsx";

export const showClaimPage = (c: HttpContext): Promise<Response> => withPerson(c, () => respondClaim(c, {}));

/** Handles `POST /settings/claim`: claims the share. */
export const postClaim = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const entered = form.get("link")?.trim() ?? "";
    const { problems } = pageContext(c).texts.usage;
    const refuse = (field: "link" | "token", text: string) => (refusal: AppError) =>
      respondClaim(c, { entered, problem: { field, text } }, refusal);
    return await respondToRefusals(
      async () => {
        const shortId = await claim(c, call, { id: toId(entered), claimToken: form.get("token")?.trim() ?? "" });
        return await respondClaim(c, { claimedPath: `/d/${shortId}` });
      },
      {
        NOT_FOUND: refuse("link", problems.missing),
        WRONG_TOKEN: refuse("token", problems.token),
        CONFLICT: refuse("link", problems.taken),
        QUOTA_EXCEEDED: refuse("link", problems.full),
      },
    );
  });

/** Claims a file by its ID or the short ID of its share. Resolves to the short ID of the share. */
async function claim(c: HttpContext, call: RequestContext, { id, claimToken }: { id: string; claimToken: string }): Promise<string> {
  const { ctx } = c.env;
  const { shortCode } = await respondToRefusals(() => operations.claimFile(ctx, call, { fileId: id, claimToken }), {
    NOT_FOUND: async () => {
      const share = await operations.getShare(ctx, call, { shortId: id });
      return await operations.claimFile(ctx, call, { fileId: share.id, claimToken });
    },
  });
  return shortCode;
}

/** Returns the ID in a share link, or the entered text. */
const toId = (entered: string): string => /\/d\/([^/?#]+)/.exec(entered)?.[1] ?? entered;

async function respondClaim(c: HttpContext, props: ClaimPageProps, refusal?: AppError): Promise<Response> {
  const html = renderClaimPage(pageContext(c), props);
  return await respondPage(c, { html, refusal });
}
