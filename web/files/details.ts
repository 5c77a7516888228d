import type { RequestContext } from "../../src/context.ts";
import { AppError } from "../../src/errors.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { readNotify } from "../../src/http/reading/read-notify.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { describeError, redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { MINUTE_MS } from "../../src/lib/duration.ts";
import type { Output, RequestInput } from "../../src/service/contract.ts";
import { listingContract } from "../../src/service/files/listing-contract.ts";
import { operations } from "../../src/service/operations.ts";
import { parseInput } from "../../src/service/parse-input.ts";
import { findFee } from "../../src/service/selling/sellers.ts";
import { ownershipContract } from "../../src/service/shares/contract.ts";
import { withPerson } from "../account/signed-in.ts";
import { askToForce } from "../sale/ask-to-force.ts";
import { readPrice, toPriceField } from "../sale/fee.ts";
import { renderDetailsPage, toFieldTime } from "./details-page.tsx";
import type { Credentials } from "./file-details.ts";
import { detailsPath } from "./file-views.ts";

type File = Output<"getFile">;
type Change = Omit<RequestInput<"updateShareSettings">, "fileId">;

/** `GET /files/details/:fileId`: one file with the settings of its share. */
export const showDetailsPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => respondDetails(c, await getFile(c, call), { isSaved: c.req.query("done") === "saved" }));

/** `POST /files/details/:fileId`, by the forms of that page: changes the share's settings, or what the file was made from. */
export const changeDetailsPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const file = await getFile(c, call);
    const form = await readPageForm(c, call);
    try {
      const source = form.get("action") === "addSource" ? await findSource(c, call, form.get("source") ?? "") : undefined;
      if (source && "problem" in source) return await respondDetails(c, file, { problem: source.problem, status: 400 });
      const price = form.get("price");
      const isPrice = price === null || readPrice(price) !== undefined;
      if (!isPrice) return await respondDetails(c, file, { problem: pageContext(c).texts.files.wrongPrice, status: 400 });
      const change = readChange(file, form, source?.id);
      const input = parseInput(ownershipContract.updateShareSettings.input, { fileId: file.id, ...change, force: form.has("force") });
      const isEmpty = Object.values(change).every((value) => value === undefined);
      const made = isEmpty ? undefined : await operations.updateShareSettings(c.env.ctx, call, input);
      if (made?.unlockCode === undefined) return redirect(c, 303, `${detailsPath(file.id)}?done=saved`);
      return await respondDetails(c, await getFile(c, call), { isSaved: true, credentials: made });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "HAS_BUYERS")
        return await askToForce(c, error, { path: detailsPath(file.id), fields: form, back: detailsPath(file.id) });
      return await respondDetails(c, file, { problem: toProblem(c, error, form), status: error.status });
    }
  });

/** A price is refused with CONFLICT for encrypted files alone. */
function toProblem(c: HttpContext, error: AppError, form: URLSearchParams): string {
  const page = pageContext(c);
  return error.code === "CONFLICT" && form.get("price") ? page.texts.files.priceEncrypted : describeError(page, error);
}

const getFile = (c: HttpContext, call: RequestContext): Promise<File> =>
  operations.getFile(c.env.ctx, call, { fileId: c.req.param("fileId") ?? "" });

function readChange(file: File, form: URLSearchParams, source: string | undefined): Change {
  const sources = file.madeFrom.map(({ id }) => id);
  const removed = form.get("remove");
  if (removed !== null) return { upstreamFileIds: sources.filter((id) => id !== removed) };
  if (source !== undefined) return { upstreamFileIds: [...new Set([...sources, source])] };
  return form.get("action") === "newCode" ? { protect: true } : readSettings(file, form);
}

/** The settings that differ from those that the form showed. A field that is not sent is one of an immutable file. */
function readSettings(file: File, form: URLSearchParams): Change {
  const { share, immutable } = file;
  const text = (name: string, shown: string | null): string | null | undefined => {
    const value = form.get(name)?.replaceAll("\r\n", "\n").trim();
    return value === undefined || value === (shown ?? "") ? undefined : value || null;
  };
  const isOn = (name: string, shown: boolean): boolean | undefined => (form.has(name) === shown ? undefined : !shown);
  const limit = form.get("downloads")?.trim() ?? "";
  const price = readPrice(form.get("price") ?? toPriceField(share.priceCents));
  const notify = readNotify(form);
  const expires = form.get("expires") ?? "";
  const isShown = expires === "" || (file.expiresAt !== null && expires === toFieldTime(Date.parse(file.expiresAt)));
  const visibility = isOn("visibility", file.visibility === "public");
  const retention = isOn("retention", share.retention === "forever");
  return {
    title: text("title", share.title),
    message: text("message", share.message),
    handoffMessage: text("handoffMessage", share.handoffMessage),
    expiresAt: isShown ? undefined : toExpiry(expires, share.latestExpiresAt),
    maxDownloads: limit === String(share.maxDownloads ?? "") ? undefined : limit === "" ? null : Number(limit),
    priceCents: price === share.priceCents ? undefined : price,
    protect: isOn("protect", file.unlockRequired),
    notify: !form.has("notify") || notify === share.notify ? undefined : notify,
    ...(!immutable && {
      priceThumbnails: share.priceCents === null ? undefined : isOn("thumbnails", share.priceThumbnails),
      visibility: visibility === undefined ? undefined : visibility ? "public" : "unlisted",
      retention: retention === undefined ? undefined : retention ? "forever" : "ttl",
      direct: isOn("direct", share.direct),
    }),
    immutable: isOn("immutable", immutable),
  };
}

/** The form has whole minutes in UTC: the last one that it offers means the latest time. */
function toExpiry(field: string, latest: string): string {
  const timeMs = Date.parse(`${field}Z`);
  const latestMs = Date.parse(latest);
  return timeMs > latestMs && timeMs - latestMs < MINUTE_MS ? latest : `${field}:00Z`;
}

/** A file of the account by its ID, the address of its details, or its exact name; otherwise a sentence that says what is wrong. */
async function findSource(
  c: HttpContext,
  call: RequestContext,
  entered: string,
): Promise<{ readonly id: string } | { readonly problem: string }> {
  const { ctx } = c.env;
  const { noSourceFound, sourceUnclear } = pageContext(c).texts.files;
  const text = entered.trim();
  const id = /\/details\/(\w+)/.exec(text)?.[1] ?? text;
  const search = listingContract.listFiles.input.safeParse({ search: text, limit: 200 });
  const list = search.success && text !== "" ? await operations.listFiles(ctx, call, search.data) : undefined;
  const named = (list && "pagination" in list ? list.data.files : []).filter(({ name }) => name === text);
  if (named.length > 1) return { problem: sourceUnclear };
  const [only] = named;
  if (only !== undefined) return only;
  try {
    return await operations.getFile(ctx, call, { fileId: id });
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return { problem: noSourceFound };
    throw error;
  }
}

interface Shown {
  readonly isSaved?: boolean;
  readonly problem?: string;
  readonly credentials?: Credentials;
  readonly status?: number;
}

async function respondDetails(c: HttpContext, file: File, { status, ...shown }: Shown): Promise<Response> {
  const fee = await findFee(c.env.ctx, c.env.person?.actor.userId);
  const html = renderDetailsPage(pageContext(c), { file, fee, nowMs: c.env.ctx.now(), ...shown });
  return await respondPage(c, { html, status, hasSecrets: shown.credentials !== undefined });
}
