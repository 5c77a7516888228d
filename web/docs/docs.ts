import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { PublicUrls } from "../../src/context.ts";
import { MCP_PATH } from "../../src/contract/endpoints.ts";
import { AppError } from "../../src/errors.ts";
import { findEncoding, readConditions } from "../../src/http/reading/request-headers.ts";
import { languageCookie, pageContext } from "../../src/http/responding/page-context.ts";
import { headLength } from "../../src/http/responding/respond.ts";
import { redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { pageHeaders } from "../../src/http/routing/response-headers.ts";
import { evaluatePreconditions } from "../../src/lib/http/preconditions.ts";
import type { PageContext, Site } from "../site/page-context.ts";
import type { Language } from "../texts/languages.ts";
import { listSlugs, renderDocsPage } from "./docs-page.tsx";
import { docsPath } from "./paths.ts";
import type { DocsView } from "./view.ts";

const ENCODE = { br: promisify(brotliCompress), gzip: promisify(gzip), none: async (html: string) => Buffer.from(html) };

interface EncodedPage {
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The rendered pages of people who are not signed in, by slug, language and encoding. A page changes only with the site's branding. */
const pages = new WeakMap<Site, Map<string, Promise<EncodedPage>>>();

/** The content for servers, each made once, because converting the schemas takes a noticeable time. */
const views = new WeakMap<PublicUrls, Promise<DocsView>>();

/** Handles `GET /docs` and `GET /docs/{page}`, the guides and the API reference (openapi, "The reference for people"). */
export async function showDocsPage(c: HttpContext): Promise<Response> {
  const slug = c.req.param("page") ?? "";
  const view = await getView(c.env.ctx.urls);
  const slugs = listSlugs(view);
  // Without scripts, the select of phones sends the path of a page.
  const chosen = slug === "" ? c.env.url.searchParams.get("page") : null;
  if (chosen !== null && [MCP_PATH, ...slugs.map(docsPath)].includes(chosen)) return redirect(c, 302, chosen);
  if (!slugs.includes(slug)) throw new AppError("NOT_FOUND", "There is no such page. The documentation begins at /docs.");
  const page = pageContext(c);
  if (page.person) return await respondPage(c, { html: renderDocsPage(page, view, slug) });
  const encoding = findEncoding(c);
  // The page is the same for every query, so its links to other languages drop the query.
  const { etag, body } = await getPage(c.env.site, { page: { ...page, query: "" }, view, slug, encoding: encoding ?? "none" });
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

function getView(urls: PublicUrls): Promise<DocsView> {
  const known = views.get(urls);
  if (known) return known;
  // The module is loaded on demand, because converting the schemas takes a sixth of the processor time of a start.
  const made = import("./reference.ts").then(({ toDocsView }) => toDocsView(urls));
  views.set(urls, made);
  return made;
}

interface WantedPage {
  readonly page: PageContext;
  readonly view: DocsView;
  readonly slug: string;
  readonly encoding: keyof typeof ENCODE;
}

function getPage(site: Site, wanted: WantedPage): Promise<EncodedPage> {
  const byKind = pages.get(site) ?? new Map<`${string} ${Language} ${string}`, Promise<EncodedPage>>();
  pages.set(site, byKind);
  const kind = `${wanted.slug} ${wanted.page.language} ${wanted.encoding}` as const;
  const known = byKind.get(kind);
  if (known) return known;
  const made = encodePage(wanted);
  byKind.set(kind, made);
  return made;
}

async function encodePage({ page, view, slug, encoding }: WantedPage): Promise<EncodedPage> {
  const html = renderDocsPage(page, view, slug);
  const digest = createHash("sha256").update(html).digest("hex").slice(0, 16);
  return { etag: `"${digest}-${encoding}"`, body: new Uint8Array(await ENCODE[encoding](html)) };
}
