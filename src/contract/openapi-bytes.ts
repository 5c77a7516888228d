import { z } from "zod";
import { uploadResult } from "./files.ts";
import { exampleOf } from "./openapi-examples.ts";
import { type Json, toJsonSchema, toTextSchema } from "./openapi-schemas.ts";
import { partNumber } from "./part-fields.ts";
import { publishInput } from "./publish.ts";
import { described, MAX_FORM_FILES, PART_SIZE } from "./scalars.ts";

/** Where a server is reached, without a slash at the end. */
export interface DocumentAddresses {
  readonly siteUrl: string;
  readonly baseUrl: string;
  /** Of signed addresses. */
  readonly contentUrl: string;
}

/** Names the operations that are outside the API's own address: they take or give a file's bytes. */
export const BYTES_TAG = "Bytes";

/** The addresses that take or give a file's bytes, by path; each operation names the server that the path is below. */
export function byteRoutes({ siteUrl, contentUrl }: DocumentAddresses): Record<string, Json> {
  const [site, content] = [[{ url: siteUrl }], [{ url: contentUrl }]];
  return {
    "/up/{sessionKey}/{partNumber}": { put: { ...PUT_PART, servers: content } },
    "/de/{token}": { put: { ...PUT_DELEGATED, servers: content } },
    "/dl/{fileId}/{name}": { get: { ...DOWNLOAD_FILE, servers: content } },
    "/ar/{archive}": { get: { ...DOWNLOAD_ARCHIVE, servers: content } },
    "/": { post: { ...POST_FORM, servers: site } },
    "/{name}": { put: { ...PUT_FILE, servers: site } },
  };
}

const BINARY = { schema: { type: "string", format: "binary" } };
const ANY_BYTES = { description: "The bytes", required: true, content: { "*/*": BINARY } };
const IDEMPOTENCY = { $ref: "#/components/parameters/IdempotencyKey" };

const ERROR = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
/** A refusal of the addresses for `curl`: a line of text, but where JSON is accepted. */
const LINE = { "text/plain": { schema: { type: "string" }, example: "The file is too large.\n" }, ...ERROR };

const parameter = (place: "path" | "query" | "header", name: string, description: string, schema: Json = { type: "string" }): Json => ({
  name,
  in: place,
  required: place === "path",
  description,
  schema,
});
const inQuery = (name: string, description: string): Json => ({ ...parameter("query", name, description), required: true });

function refusals(content: Json, byStatus: Readonly<Record<number, string>>): Json {
  const entries = Object.entries(byStatus).map(([status, description]) => [status, { description, content }]);
  return { ...Object.fromEntries(entries), default: { description: "Something else is wrong; `errorCode` says what", content } };
}

const answered = (schema: z.ZodType): Json => {
  const json = toJsonSchema(schema, "output");
  return { schema: json, example: exampleOf(json) };
};

const headers = (byName: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(byName).map(([name, description]) => [name, { description, schema: { type: "string" } }]));

const SIGNED = "Use the address as it was answered: its query is signed, and says until when it is valid.";

const etag = described(z.string(), "Names the part for complete, as the header ETag does", '"9b2c"');
const PUT_PART: Json = {
  operationId: "putPart",
  summary: "Send the bytes of a part",
  description: `An address of POST /files/multipart/batch-urls. ${SIGNED} Where files are kept in an S3-compatible store, it may be the store's own; send the bytes and no header of yours either way.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "sessionKey", "Public name of the upload session"),
    parameter("path", "partNumber", "Number of the part", { type: "integer", minimum: 1, maximum: PART_SIZE.maxParts }),
    inQuery("d", "SHA-256 of the part, which its bytes must have"),
    inQuery("e", "Until when the address is valid"),
    inQuery("s", "The signature"),
  ],
  requestBody: ANY_BYTES,
  responses: {
    200: {
      description: "The part has arrived",
      headers: headers({ ETag: "Names the part for complete" }),
      content: { "application/json": answered(z.object({ success: z.literal(true), data: z.object({ partNumber, etag }) })) },
    },
    ...refusals(ERROR, {
      400: "Other bytes than were announced; nothing was kept",
      403: "The address is not valid, or no longer",
      404: "Unknown upload",
      409: "The upload is complete, or the part arrived in another transfer",
      507: "The server's disk is full",
    }),
  },
};

const upload = z.object({ success: z.literal(true), data: uploadResult });

const PUT_DELEGATED: Json = {
  operationId: "putDelegated",
  summary: "Send the file of an upload delegation",
  description: "The `uploadUrl` of POST /files/upload-delegations, as `curl -T` sends it. The token is in the address; no key is needed.",
  tags: [BYTES_TAG],
  security: [],
  parameters: [parameter("path", "token", "The delegation's token"), IDEMPOTENCY],
  requestBody: ANY_BYTES,
  responses: {
    200: { description: "The file is stored", content: { "application/json": answered(upload) } },
    ...refusals(ERROR, { 404: "Unknown or lapsed", 409: "Already used", 413: "Larger than the delegation or the tier allows" }),
  },
};

const CONDITIONS = [
  parameter("header", "Range", "One range of bytes, such as `bytes=0-1023`"),
  parameter("header", "If-Range", "The ETag for which the range holds; else all is sent"),
  parameter("header", "If-None-Match", "The ETag of what you have"),
];

const DOWNLOAD_FILE: Json = {
  operationId: "downloadFile",
  summary: "Get the bytes of a file",
  description: `An address of GET /files/download/{fileId}, or the uploader's own. ${SIGNED} HEAD is answered alike, without the bytes. Of a limited share it is good for one whole download, broken ones that go on included.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "fileId", "The file's id"),
    parameter("path", "name", "The file's name"),
    inQuery("p", "What the address was issued for"),
    inQuery("e", "Until when it is valid"),
    inQuery("s", "The signature"),
    parameter("query", "g", "Names the download of a limited share"),
    ...CONDITIONS,
  ],
  responses: {
    200: {
      description: "All bytes",
      headers: headers({ ETag: "The file's id: its bytes never change", "Repr-Digest": "SHA-256, where it is known" }),
      content: { "*/*": BINARY },
    },
    206: { description: "The range", headers: headers({ "Content-Range": "Which bytes these are" }), content: { "*/*": BINARY } },
    302: { description: "The bytes are at the store: follow `Location` within a minute", headers: headers({ Location: "The address" }) },
    304: { description: "You have it already" },
    ...refusals(ERROR, {
      403: "The address is not valid, or no longer",
      404: "The file is missing, expired, used up or blocked",
      409: "The safety check still runs",
      412: "Another file than If-Match asks for",
      416: "The file has no such range",
    }),
  },
};

const DOWNLOAD_ARCHIVE: Json = {
  operationId: "downloadArchive",
  summary: "Get all files of a share as one ZIP",
  description: `An address of GET /files/share/{shortId}/archive. ${SIGNED} HEAD is answered alike, without the bytes. Not compressed, of known length, without ranges.`,
  tags: [BYTES_TAG],
  security: [],
  parameters: [
    parameter("path", "archive", "The share's short id, and `.zip`"),
    inQuery("i", "When the address was issued"),
    inQuery("e", "Until when it is valid"),
    parameter("query", "g", "Names the download of a limited share"),
    inQuery("s", "The signature"),
  ],
  responses: {
    200: { description: "The ZIP", content: { "application/zip": BINARY } },
    ...refusals(ERROR, { 403: "The address is not valid, or no longer", 404: "No file is left to send" }),
  },
};

const publishProperties = toJsonSchema(publishInput, "input").properties as Record<string, Json>;
const PUBLISH_PARAMETERS = Object.entries(publishProperties).map(([name, schema]) => ({
  ...parameter("query", name, String(schema.description ?? "")),
  schema: toTextSchema(schema, false),
}));

const CURL_SECURITY = [{}, { bearer: ["files_write"] }, { authorization: ["files_write"] }, { header: ["files_write"] }];
const CURL_HEADERS = headers({
  "X-Claim-Token": "Of an anonymous upload, once: claims or protects it",
  "X-Deletion-Token": "Of an anonymous upload, once: deletes it",
  "X-Unlock-Code": "Of a protected upload, once",
  "X-Handoff-Url": "Of a protected upload, once: its private delivery link",
  "X-Filehost-Warning": "Names query parameters that are not known, and were ignored",
});
const LINK = "https://files.example.org/d/7kXq9Zab\n";
const CURL_REFUSALS = refusals(LINE, {
  400: "A field is not valid",
  401: "The API key is not valid, or one is needed",
  413: "Past the tier's file size or quota",
  429: "Too many requests",
  507: "The server's disk is full",
});

const PUT_FILE: Json = {
  operationId: "putFile",
  summary: "Send a file of any size, as curl -T does",
  description:
    "The path's last segment is the file's name; a path of several segments is its relativePath. `PUT /` works too. Answers the share link.",
  tags: [BYTES_TAG],
  security: CURL_SECURITY,
  parameters: [parameter("path", "name", "The file's name"), ...PUBLISH_PARAMETERS, IDEMPOTENCY],
  requestBody: ANY_BYTES,
  responses: {
    200: {
      description: "The share link, or the upload for `Accept: application/json`",
      headers: CURL_HEADERS,
      content: { "text/plain": { schema: { type: "string" }, example: LINK }, "application/json": answered(upload) },
    },
    ...CURL_REFUSALS,
  },
};

const several = z.object({ files: described(z.array(uploadResult), "The uploads, in the order of the form's files") });
const formUpload = z.object({ success: z.literal(true), data: z.union([uploadResult, several]) });

const POST_FORM: Json = {
  operationId: "postForm",
  summary: "Send files of any size in a form, as curl -F does",
  description: `Any field with a file name is a file, whatever it is called; the others are publish fields, which hold for all. Up to ${MAX_FORM_FILES} files, each with a share link of its own: a line a file, with their tokens in the same order, a comma between. All are stored, or none.`,
  tags: [BYTES_TAG],
  security: CURL_SECURITY,
  parameters: [...PUBLISH_PARAMETERS, IDEMPOTENCY],
  requestBody: {
    description: "The files, and publish fields before or after them",
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
      content: { "text/plain": { schema: { type: "string" }, example: LINK }, "application/json": answered(formUpload) },
    },
    ...CURL_REFUSALS,
  },
};
