import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { PublicUrls } from "../../src/context.ts";
import { findEncoding, readConditions } from "../../src/http/reading/request-headers.ts";
import { languageCookie, pageContext } from "../../src/http/responding/page-context.ts";
import { headLength } from "../../src/http/responding/respond.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { pageHeaders } from "../../src/http/routing/response-headers.ts";
import { evaluatePreconditions } from "../../src/lib/http/preconditions.ts";
import type { PageContext, Site } from "../site/page-context.ts";
import type { Language } from "../texts/languages.ts";
import { renderDocsPage } from "./docs-page.tsx";

const ENCODE = { br: promisify(brotliCompress), gzip: promisify(gzip), none: async (html: string) => Buffer.from(html) };

interface EncodedPage {
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The rendered pages by site, language and encoding. A page is large, and changes only with the site's branding. */
const pages = new WeakMap<Site, Map<string, Promise<EncodedPage>>>();

/** Handles `GET /docs`, the API reference (openapi, "The reference for people"). */
export async function showDocsPage(c: HttpContext): Promise<Response> {
  const encoding = findEncoding(c);
  const { etag, body } = await getPage(c, encoding ?? "none");
  const headers = {
    ...pageHeaders(c.env.ctx),
    ...languageCookie(c),
    "Cache-Control": "private, no-cache",
    Vary: "Accept-Encoding, Accept-Language, Cookie",
    ETag: etag,
  };
  const isCurrent = evaluatePreconditions(readConditions(c), { etag, modifiedMs: null }) === "unchanged";
  if (isCurrent) return new Response(null, { status: 304, headers });
  return new Response(c.req.method === "HEAD" ? null : body, {
    headers: { ...headers, ...(encoding && { "Content-Encoding": encoding }), ...headLength(c, body) },
  });
}

function getPage(c: HttpContext, encoding: keyof typeof ENCODE): Promise<EncodedPage> {
  const { site, ctx } = c.env;
  // The page is the same for everybody and for every query, so its links to other languages drop the query.
  const page = { ...pageContext(c), query: "", person: undefined };
  const byKind = pages.get(site) ?? new Map<`${Language} ${string}`, Promise<EncodedPage>>();
  pages.set(site, byKind);
  const kind = `${page.language} ${encoding}` as const;
  const known = byKind.get(kind);
  if (known) return known;
  const made = encodePage(ctx.urls, page, encoding);
  byKind.set(kind, made);
  return made;
}

async function encodePage(urls: PublicUrls, page: PageContext, encoding: keyof typeof ENCODE): Promise<EncodedPage> {
  // The module is loaded on demand, because converting the schemas takes a sixth of the processor time of a start.
  const { toDocsView } = await import("./reference.ts");
  const html = renderDocsPage(page, toDocsView(urls));
  const digest = createHash("sha256").update(html).digest("hex").slice(0, 16);
  return { etag: `"${digest}-${encoding}"`, body: new Uint8Array(await ENCODE[encoding](html)) };
}
