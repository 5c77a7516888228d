import type { AppError } from "../../src/errors.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { describeError, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { renderForcePage } from "./force-page.tsx";

export interface RefusedForm {
  readonly path: string;
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The path of the page that contains the form. */
  readonly back: string;
}

/** Responds to a form that was refused with HAS_BUYERS. Says what buyers would lose, and offers to send the form again with `force`. */
export function askToForce(c: HttpContext, refusal: AppError, { path, fields, back }: RefusedForm): Promise<Response> {
  const page = pageContext(c);
  const sent = [...fields].filter(([name]) => name !== "force");
  const html = renderForcePage(page, { text: describeError(page, refusal), path, fields: sent, back });
  return respondPage(c, { html, refusal });
}
