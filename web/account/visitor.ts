import type { RequestContext } from "../../src/context.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { withErrorPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";

interface VisitorOptions {
  /** Whether the response signs the browser in. If it does, the request must come from a page of this server. */
  readonly setsCookie: boolean;
}

/** Responds with a page to anybody, signed in or not, or with an error page. */
export const withVisitor = (
  c: HttpContext,
  options: VisitorOptions,
  work: (call: RequestContext) => Promise<Response>,
): Promise<Response> => withErrorPage(c, async () => await work(await identifyCaller(c, "page", options)));
