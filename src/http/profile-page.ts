import { renderProfilePage } from "../../web/settings/profile-page.tsx";
import { operations } from "../service/operations.ts";
import type { HttpContext } from "./env.ts";
import { pageContext } from "./page-context.ts";
import { respondPage } from "./respond-page.ts";
import { withPerson } from "./signed-in-page.ts";

/** `GET /settings`. */
export const showProfilePage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { owner } = await operations.getMe(c.env.ctx, call, {});
    return await respondPage(c, { html: renderProfilePage(pageContext(c), { name: owner.name, email: owner.email ?? "" }) });
  });
