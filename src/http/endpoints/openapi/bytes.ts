import { z } from "zod";
import { exampleOf, type Json, toJsonSchema, toTextSchema, withoutNull } from "../../../contract/json-schema.ts";
import { described, MAX_FORM_FILES, PART_SIZE } from "../../../contract/scalars.ts";
import { uploadResult } from "../../../service/files/contract.ts";
import { sentPublish } from "../../../service/shares/contract.ts";
import { partNumber } from "../../../service/uploads/contract.ts";

/** The server's URLs, without a slash at the end. */
export interface DocumentUrls {
  readonly siteUrl: string;
  readonly apiUrl: string;
  /** The host of signed URLs. */
  readonly contentUrl: string;
}

/** Tag of the routes outside the API's URL, which receive or send a file's bytes. */
export const BYTES_TAG = "Bytes";

/** Returns the byte routes by path, each with the server that the path is relative to. */
export function byteRoutes({ siteUrl, contentUrl }: DocumentUrls): Record<string, Json> {
  const [site, content] = [[{ url: siteUrl }], [{ url: contentUrl }]];
  return {
    "/up/{sessionKey}/{partNumber}": { servers: site, put: PUT_PART },
    "/de/{token}": { servers: site, put: PUT_DELEGATED },
    "/dl/{fileId}/{name}": { servers: content, get: DOWNLOAD_FILE },
    "/ar/{archive}": { servers: content, get: DOWNLOAD_ARCHIVE },
    "/ar/own/{archive}": { servers: content, get: DOWNLOAD_OWN_ARCHIVE },
    "/": { servers: site, post: POST_FORM },
    "/{name}": { servers: site, put: PUT_FILE },
  };
}

const BINARY = { schema: { type: "string", format: "binary" } };
const ANY_BYTES = { description: "The bytes", required: true, content: { "application/octet-stream": BINARY } };
const IDEMPOTENCY = { $ref: "#/components/parameters/IdempotencyKey" };

const ERROR = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
/** The content of an error for `curl`: a line of text, or JSON if the client accepts it. */
const LINE = { "text/plain": { schema: { type: "string" }, example: "The file is too large.\n" }, ...ERROR };

const parameter = (location: "path" | "query" | "header", name: string, description: string, schema: Json = { type: "string" }): Json => ({
  name,
  in: location,
  required: location === "path",
  description,
  schema,
});
const inQuery = (name: string, description: string): Json => ({ ...parameter("query", name, description), required: true });

function refusals(content: Json, byStatus: Readonly<Record<number, string>>): Json {
  const entries = Object.entries(byStatus).map(([status, description]) => [status, { description, content }]);
  return { ...Object.fromEntries(entries), default: { description: "Another error; see `errorCode`", content } };
}

const toContent = (schema: z.ZodType): Json => {
  const json = toJsonSchema(schema, "output");
  return { schema: json, example: exampleOf(json) };
};

const headers = (byName: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(byName).map(([name, description]) => [name, { description, schema: { type: "string" } }]));

const SIGNED = "Use the URL unchanged: its query carries a signature and an expiry.";

const etag = described(z.string(), "Identifies the part for complete, like the header ETag", '"9b2c"');
const PUT_PART: Json = {
  operationId: "putPart",
  summary: "Send the bytes of a part",
  description: `A signed URL from POST /files/multipart/batch-urls. ${SIGNED} It may point to an S3-compatible store; in either case send only the bytes, without other headers.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "sessionKey", "Public name of the upload session"),
    parameter("path", "partNumber", "Number of the part", { type: "integer", minimum: 1, maximum: PART_SIZE.maxParts }),
    inQuery("d", "Expected SHA-256 of the part"),
    inQuery("e", "When the URL expires"),
    inQuery("s", "The signature"),
  ],
  requestBody: ANY_BYTES,
  responses: {
    200: {
      description: "The part has arrived",
      headers: headers({ ETag: "Identifies the part for complete" }),
      content: { "application/json": toContent(z.object({ success: z.literal(true), data: z.object({ partNumber, etag }) })) },
    },
    ...refusals(ERROR, {
      400: "The bytes do not match the expected size or SHA-256; nothing was stored",
      403: "The URL is not valid or has expired",
      404: "Unknown upload",
      409: "The upload is complete, or another transfer replaced the part",
      507: "The server's disk is full",
    }),
  },
};

const upload = z.object({ success: z.literal(true), data: uploadResult });

const PUT_DELEGATED: Json = {
  operationId: "putDelegated",
  summary: "Send the file of an upload delegation",
  description: "The `uploadUrl` of POST /files/upload-delegations, for `curl -T`. The token is in the URL; no key is required.",
  tags: [BYTES_TAG],
  security: [],
  parameters: [parameter("path", "token", "The delegation's token"), IDEMPOTENCY],
  requestBody: ANY_BYTES,
  responses: {
    200: { description: "The file is stored", content: { "application/json": toContent(upload) } },
    ...refusals(ERROR, {
      404: "Unknown or expired",
      409: "The delegation was already used",
      413: "Larger than the delegation or the tier allows",
    }),
  },
};

const CONDITIONS = [
  parameter("header", "Range", "One range of bytes, such as `bytes=0-1023`"),
  parameter("header", "If-Range", "Send the range only if the ETag matches; otherwise send all bytes"),
  parameter("header", "If-None-Match", "The ETag of your copy"),
];

const DOWNLOAD_FILE: Json = {
  operationId: "downloadFile",
  summary: "Get the bytes of a file",
  description: `A signed URL from GET /files/download/{fileId}, or from the upload. ${SIGNED} HEAD returns the same headers without the bytes. For a limited share, the URL is valid for one complete download, which can be resumed.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "fileId", "The file's ID"),
    parameter("path", "name", "The file's name"),
    inQuery("p", "Purpose of the URL"),
    inQuery("e", "When the URL expires"),
    inQuery("s", "The signature"),
    parameter("query", "g", "Identifies the download of a limited share"),
    ...CONDITIONS,
  ],
  responses: {
    200: {
      description: "All bytes",
      headers: headers({ ETag: "The file's ID; its bytes never change", "Repr-Digest": "SHA-256, if it is known" }),
      content: { "application/octet-stream": BINARY },
    },
    206: {
      description: "The range",
      headers: headers({ "Content-Range": "The range of these bytes" }),
      content: { "application/octet-stream": BINARY },
    },
    302: {
      description: "The bytes are at the file store; follow `Location` within one minute",
      headers: headers({ Location: "Signed URL of the bytes" }),
    },
    304: { description: "Your copy is current" },
    ...refusals(ERROR, {
      403: "The URL is not valid or has expired",
      404: "The file is missing, expired, used up or blocked",
      409: "The file is not ready: it is being uploaded, or its scan has not finished",
      412: "The file does not match If-Match",
      416: "The file has no such range",
    }),
  },
};

const DOWNLOAD_ARCHIVE: Json = {
  operationId: "downloadArchive",
  summary: "Get all files of a share as one ZIP",
  description: `A signed URL from GET /files/share/{shortId}/archive. ${SIGNED} HEAD returns the same headers without the bytes. The ZIP is not compressed, has a known length, and supports no ranges.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "archive", "The share's short ID, and `.zip`"),
    inQuery("i", "When the URL was issued"),
    inQuery("e", "When the URL expires"),
    parameter("query", "g", "Identifies the download of a limited share"),
    inQuery("s", "The signature"),
  ],
  responses: {
    200: { description: "The ZIP", content: { "application/zip": BINARY } },
    ...refusals(ERROR, { 403: "The URL is not valid or has expired", 404: "No file is left to send" }),
  },
};

const DOWNLOAD_OWN_ARCHIVE: Json = {
  operationId: "downloadOwnArchive",
  summary: "Get files of an account as one ZIP",
  description: `A signed URL from POST /files/archive. ${SIGNED} HEAD returns the same headers without the bytes. The ZIP is not compressed, has a known length, and supports no ranges.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "archive", "The archive's ID, and `.zip`"),
    inQuery("e", "When the URL expires"),
    inQuery("s", "The signature"),
  ],
  responses: {
    200: { description: "The ZIP", content: { "application/zip": BINARY } },
    ...refusals(ERROR, { 403: "The URL is not valid or has expired", 404: "No file is left to send" }),
  },
};

const publishProperties = toJsonSchema(sentPublish, "input").properties as Record<string, Json>;
const PUBLISH_PARAMETERS = Object.entries(publishProperties).map(([name, schema]) => ({
  ...(name === "password"
    ? parameter("header", "X-Password", String(schema.description ?? ""))
    : parameter("query", name, String(schema.description ?? ""))),
  schema: toTextSchema(withoutNull(schema), false),
}));

const CURL_SECURITY = [{}, { bearer: ["files_write"] }, { authorization: ["files_write"] }, { header: ["files_write"] }];
const CURL_HEADERS = headers({
  "X-Claim-Token": "Claims or protects an anonymous upload; shown once",
  "X-Deletion-Token": "Deletes an anonymous upload; shown once",
  "X-Unlock-Code": "Unlock code of a protected upload; shown once",
  "X-Handoff-Url": "Handoff link of a protected upload; shown once",
  "X-Filehost-Warning": "Lists unknown query parameters, which were ignored",
});
const LINK = "https://files.example.org/d/7kXq9Zab\n";
const CURL_REFUSALS = refusals(LINE, {
  400: "A field is not valid",
  401: "The API key is missing or not valid",
  413: "The tier's file size or quota is exceeded",
  429: "Too many requests",
  507: "The server's disk is full",
});

const PUT_FILE: Json = {
  operationId: "putFile",
  summary: "Send a file of any size, as curl -T does",
  description:
    "The path's last segment is the file's name; a path of several segments is its relativePath. `PUT /` works too. Returns the share link.",
  tags: [BYTES_TAG],
  security: CURL_SECURITY,
  parameters: [parameter("path", "name", "The file's name"), ...PUBLISH_PARAMETERS, IDEMPOTENCY],
  requestBody: ANY_BYTES,
  responses: {
    200: {
      description: "The share link, or the upload for `Accept: application/json`",
      headers: CURL_HEADERS,
      content: { "text/plain": { schema: { type: "string" }, example: LINK }, "application/json": toContent(upload) },
    },
    ...CURL_REFUSALS,
  },
};

const several = z.object({ files: described(z.array(uploadResult), "The uploads, in the order of the form's files") });
const formUpload = z.object({ success: z.literal(true), data: z.xor([uploadResult, several]) });

const POST_FORM: Json = {
  operationId: "postForm",
  summary: "Send files of any size in a form, as curl -F does",
  description: `A field with a file name is a file; the other fields are publish fields for all files. Up to ${MAX_FORM_FILES} files, each with its own share link: one line for each file, and the tokens in the same order, separated by commas. Either all files are stored or none.`,
  tags: [BYTES_TAG],
  security: CURL_SECURITY,
  parameters: [...PUBLISH_PARAMETERS, IDEMPOTENCY],
  requestBody: {
    description: "The files and publish fields, in any order",
    required: true,
    content: {
      "multipart/form-data": {
        schema: {
          type: "object",
          properties: { file: { type: "array", items: BINARY.schema, minItems: 1, maxItems: MAX_FORM_FILES, description: "The files" } },
          required: ["file"],
        },
      },
    },
  },
  responses: {
    200: {
      description: "The share links, or the uploads for `Accept: application/json`",
      headers: CURL_HEADERS,
      content: { "text/plain": { schema: { type: "string" }, example: LINK }, "application/json": toContent(formUpload) },
    },
    ...CURL_REFUSALS,
  },
};
