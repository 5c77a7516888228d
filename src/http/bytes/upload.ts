import { createHash } from "node:crypto";
import { z } from "zod";
import type { RequestContext } from "../../context.ts";
import { MAX_FORM_FILES, MAX_PAGE_FORM_FILES } from "../../contract/scalars.ts";
import { AppError, toAppError } from "../../errors.ts";
import { decodePercentCodes } from "../../lib/text/decode-name.ts";
import { didYouMean } from "../../lib/text/suggestions.ts";
import { requireScope } from "../../service/accounts/authenticate.ts";
import { type UploadResult, uploadResult } from "../../service/files/contract.ts";
import { type IdempotentWork, withIdempotency } from "../../service/idempotency.ts";
import { checkUnknown, checkUnknownHeaders } from "../../service/parse-input.ts";
import { resolveUploader } from "../../service/requests/uploader.ts";
import { publishFields } from "../../service/shares/contract.ts";
import { uploadDelegated } from "../../service/uploads/delegation.ts";
import { verifyPartUrl } from "../../service/uploads/part-urls.ts";
import { putPart } from "../../service/uploads/parts.ts";
import { digestForm, storeForm, toFormResponse } from "../../service/uploads/upload-form.ts";
import { digestStream, uploadStream } from "../../service/uploads/upload-stream.ts";
import { identifyCaller } from "../callers/caller.ts";
import { countRefusal } from "../callers/count-request.ts";
import { formStream, parsePublish } from "../reading/form-stream.ts";
import { queryFields } from "../reading/read-input.ts";
import { declaredBytes, streamRequestBody } from "../reading/receive-body.ts";
import { PASSWORD_HEADER, readTextHeader, wantsJson, wantsPage } from "../reading/request-headers.ts";
import { respondJson } from "../responding/respond.ts";
import { respondError, respondErrorText } from "../responding/respond-error.ts";
import { respondErrorPage } from "../responding/respond-page.ts";
import type { HttpContext } from "../routing/env.ts";

/**
 * `PUT /{name}`, as `curl -T photo.jpg {site_url}/` sends it: the body is the file, and query parameters are publish fields (curl, "Methods and
 * paths"). The last segment of the path is the file's name; a path of several segments is also its relative path.
 */
export const putUpload =
  (showPage: ShowUploads) =>
  (c: HttpContext): Promise<Response> =>
    respondToUpload(c, receivePut, showPage);

async function receivePut(c: HttpContext): Promise<readonly UploadResult[]> {
  const { ctx } = c.env;
  const call = await toUploadCall(c);
  const { url } = c.env;
  const segments = url.pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map(decodePercentCodes);
  const path = segments.length > 1 ? { relativePath: segments.join("/") } : {};
  const input = {
    name: segments.at(-1) ?? "",
    type: c.req.header("content-type"),
    sizeBytes: declaredBytes(c.req.raw),
    body: streamRequestBody(c),
    publish: parsePublish({ ...path, ...readOuterFields(c) }),
  };
  const { data } = await ctx.uploadBodyLimiter.run({ quotaOwner: call.actor.quotaOwner }, () =>
    runOnce(c, call, {
      route: "PUT /",
      digest: async (sha256) => digestStream(input, sha256 ?? (await hashBody(input.body))),
      run: async (call) => {
        const { actor, ...uploader } = await resolveUploader(ctx, call, input.publish);
        return await uploadStream(ctx, { ...call, actor }, { ...input, ...uploader });
      },
      toResponse: toDataResponse,
    }),
  );
  return [data];
}

/**
 * `POST /`, as `curl -F file=@photo.jpg {site_url}/` and the front page send it: stores all files of a form of any size, or none. Each file gets its
 * own share, except files of a page's form, which get one share.
 */
export const postUpload =
  (showPage: ShowUploads) =>
  (c: HttpContext): Promise<Response> =>
    respondToUpload(c, receiveForm, showPage);

async function receiveForm(c: HttpContext): Promise<readonly UploadResult[]> {
  const { ctx } = c.env;
  const call = await toUploadCall(c);
  if (!/^multipart\/form-data\b/i.test(c.req.header("content-type") ?? "")) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send a form with a file, such as `curl -F file=@photo.jpg`, or PUT the file's bytes.");
  }
  const read = formStream(c, call, wantsPage(c) ? MAX_PAGE_FORM_FILES : MAX_FORM_FILES, { outer: readOuterFields(c) });
  const { data } = await ctx.uploadBodyLimiter.run({ quotaOwner: call.actor.quotaOwner }, () =>
    runOnce(c, call, {
      route: "POST /",
      async digest(formDigest) {
        if (formDigest !== undefined) return formDigest;
        const { results, publish } = await read(async ({ name, body }) => ({ name, sha256: await hashBody(body) }));
        return digestForm(results, publish);
      },
      run: (call) => storeForm(ctx, call, read, { isOneShare: wantsPage(c) }),
      toResponse: toFormResponse,
    }),
  );
  return "files" in data ? data.files.map((file) => ({ ...file, ...marksOf([data]) })) : [data];
}

/** Returns the publish fields beside the body: those of the query, and the password in its header. */
function readOuterFields(c: HttpContext): Record<string, string> {
  const password = readTextHeader(c, PASSWORD_HEADER);
  return { ...queryFields(c.env.url.searchParams), ...(password !== undefined && { password }) };
}

/** The marks of a repeated response (idempotency, "What a repeated request gets"). */
type Marks = Pick<UploadResult, "idempotent" | "secretsWithheld">;

const marksOf = (marked: readonly Marks[]): Marks => ({
  ...(marked.some(({ idempotent }) => idempotent) && { idempotent: true }),
  ...(marked.some(({ secretsWithheld }) => secretsWithheld) && { secretsWithheld: true }),
});

/** `PUT /up/:sessionKey/:partNumber`: receives one part at its signed URL. */
export async function putUploadPart(c: HttpContext): Promise<Response> {
  const { ctx } = c.env;
  const part = verifyPartUrl(ctx, {
    sessionKey: c.req.param("sessionKey") ?? "",
    partNumber: c.req.param("partNumber") ?? "",
    query: c.env.url.searchParams,
  });
  if (!part) throw new AppError("SIGNATURE_INVALID", "This upload URL is not valid or has expired. Request a new one with batch-urls.");
  const { etag } = await putPart(ctx, { part, sizeBytes: declaredBytes(c.req.raw), body: streamRequestBody(c) });
  const response = respondJson(c, { success: true, data: { partNumber: part.partNumber, etag } });
  response.headers.set("ETag", etag);
  return response;
}

/** `PUT /de/:token`: receives the file of an upload delegation. Responds with JSON, regardless of `Accept` (uploads, "Delegations"). */
export async function putDelegatedUpload(c: HttpContext): Promise<Response> {
  const { ctx } = c.env;
  const call = await identifyCaller(c, "delegation");
  // The delegation contains the settings, so the query must not.
  checkUnknown([], queryFields(c.env.url.searchParams));
  checkUnknownHeaders([], c.req.raw.headers);
  const input = {
    token: c.req.param("token") ?? "",
    type: c.req.header("content-type"),
    sizeBytes: declaredBytes(c.req.raw),
    body: streamRequestBody(c),
  };
  const { data } = await runOnce(c, call, {
    route: "PUT /de",
    digest: async (sha256) => digestStream({ name: input.token, publish: {} }, sha256 ?? (await hashBody(input.body))),
    run: (call) => uploadDelegated(ctx, call, input),
    toResponse: toDataResponse,
  });
  return respondJson(c, { success: true, data });
}

interface UploadWork<Output, Body> extends Pick<IdempotentWork<Output, Body>, "digest" | "toResponse"> {
  /** The method and path template for which the `Idempotency-Key` is valid. */
  readonly route: string;
  run(call: RequestContext): Promise<Output>;
}

/**
 * Runs an upload; if the request has an `Idempotency-Key`, only once for that key. The body of a repeated request is compared and not stored.
 * Resolves to the response's JSON.
 */
async function runOnce<Output, Body>(c: HttpContext, call: RequestContext, work: UploadWork<Output, Body>): Promise<Body> {
  const { route, digest, run, toResponse } = work;
  const key = c.req.header("idempotency-key");
  if (key === undefined) return toResponse(await run(call));
  return await withIdempotency(
    c.env.ctx,
    { call, key, route },
    { digest, run: (saveResponse) => run({ ...call, saveResponse }), toResponse, responseSchema: UPLOADED },
  );
}

/** The response to one file or several. */
const UPLOADED = z.object({ success: z.literal(true), data: z.union([uploadResult, z.object({ files: z.array(uploadResult) })]) });

const toDataResponse = (data: UploadResult) => ({ success: true, data }) as const;

/** Reads a body to its end only for its SHA-256. */
async function hashBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body) hash.update(chunk);
  return hash.digest("hex");
}

async function toUploadCall(c: HttpContext): Promise<RequestContext> {
  const call = await identifyCaller(c, "curl");
  if (call.actor.kind === "user") requireScope(call.actor, "files_write");
  const { [PASSWORD_HEADER.toLowerCase()]: _, ...headers } = Object.fromEntries(c.req.raw.headers);
  checkUnknownHeaders(KNOWN_FIELDS, new Headers(headers));
  return call;
}

type ReceiveUploads = (c: HttpContext) => Promise<readonly UploadResult[]>;

/** Shows a browser the page of its uploads. */
export type ShowUploads = (c: HttpContext, uploads: readonly UploadResult[]) => Promise<Response>;

async function respondToUpload(c: HttpContext, receive: ReceiveUploads, showPage: ShowUploads): Promise<Response> {
  const response = await receiveAndRespond(c, receive, showPage);
  const warning = warnOfUnknownFields(c.env.url.searchParams);
  if (warning !== undefined) response.headers.append("X-Filehost-Warning", warning);
  return response;
}

async function receiveAndRespond(c: HttpContext, receive: ReceiveUploads, showPage: ShowUploads): Promise<Response> {
  try {
    const uploads = await receive(c);
    return await (wantsPage(c) ? showPage(c, uploads) : respondWithUploads(c, uploads));
  } catch (thrown) {
    const error = countRefusal(c, toAppError(thrown));
    if (wantsPage(c)) return await respondErrorPage(c, error);
    return wantsJson(c) ? respondError(c, error) : respondErrorText(c, error);
  }
}

/** Headers for the secrets of uploads; values of several uploads are separated by commas, in the order of the links. */
const TOKEN_HEADERS = {
  claimToken: "X-Claim-Token",
  deletionToken: "X-Deletion-Token",
  unlockCode: "X-Unlock-Code",
  handoffUrl: "X-Handoff-Url",
} as const satisfies Partial<Record<keyof UploadResult, string>>;

/** Responds with JSON if the client prefers it, otherwise with the share links, one per line. */
function respondWithUploads(c: HttpContext, uploads: readonly UploadResult[]): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const [field, header] of Object.entries(TOKEN_HEADERS) as [keyof typeof TOKEN_HEADERS, string][]) {
    const values = uploads.flatMap((upload) => upload[field] ?? []);
    if (values.length > 0) headers.set(header, values.join(", "));
  }
  if (wantsJson(c)) {
    headers.set("Content-Type", "application/json");
    const { data, ...response } = toFormResponse(uploads);
    const marks = marksOf(uploads);
    return new Response(JSON.stringify({ ...response, data: { ...data, ...marks }, ...marks }), { headers });
  }
  headers.set("Content-Type", "text/plain; charset=utf-8");
  if (marksOf(uploads).secretsWithheld) headers.append("X-Filehost-Warning", SECRETS_WITHHELD);
  return new Response(uploads.map(({ shareUrl }) => `${shareUrl}\n`).join(""), { headers });
}

const SECRETS_WITHHELD = "This repeated response comes without its secrets. Only the key or session that got them first gets them again.";

const KNOWN_FIELDS = Object.keys(publishFields);
/** Maximum number of unknown fields in the warning, and of characters of each, so that the header stays below 1 KB. */
const MAX_NAMED = 5;
const MAX_CHARACTERS = 40;

/** Returns one line of ASCII that names the unknown query parameters, with suggestions; undefined if there are none. */
function warnOfUnknownFields(query: URLSearchParams): string | undefined {
  const unknown = [...new Set(query.keys())].filter((name) => !KNOWN_FIELDS.includes(name));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MAX_NAMED).map((name) => {
    const shown = name.slice(0, MAX_CHARACTERS).replace(/[^\w.-]/g, "?");
    return `Unknown parameter "${shown}" was ignored.${didYouMean(shown, KNOWN_FIELDS)}`;
  });
  const rest = unknown.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more were ignored.`] : [])].join(" ");
}
