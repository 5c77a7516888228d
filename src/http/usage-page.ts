import { renderUsagePage } from "../../web/settings/usage-page.tsx";
import { operations } from "../service/operations.ts";
import type { HttpContext } from "./env.ts";
import { pageContext } from "./page-context.ts";
import { respondPage } from "./respond-page.ts";
import { withPerson } from "./signed-in-page.ts";

/** `GET /settings/usage`. */
export const showUsagePage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => respondPage(c, { html: renderUsagePage(pageContext(c), await operations.getMe(c.env.ctx, call, {})) }));
