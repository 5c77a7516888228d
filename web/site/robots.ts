import { respondText } from "../../src/http/responding/respond.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";

/** Handles `GET /robots.txt`: asks crawlers not to fetch paths below `folders`. */
export const sendRobotsText = (c: HttpContext, folders: readonly string[]): Promise<Response> =>
  respondText(c, `User-agent: *\n${folders.map((folder) => `Disallow: ${folder}/\n`).join("")}`);
