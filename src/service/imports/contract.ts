import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, fileNameInput, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";
import { uploadResult } from "../files/contract.ts";
import { publishFields } from "../shares/contract.ts";

/** The URL of the file. A value that is not a string counts as absent, so that the response is NO_URL. */
const url = z
  .preprocess((value) => (typeof value === "string" ? value.trim() : ""), z.string())
  .meta({
    format: "uri",
    description: "Public http or https URL of the file; share links of well-known services work",
    examples: ["https://example.org/report.pdf"],
  });
const fileName = described(fileNameInput.nullish(), "The file's name; default: the name from the remote server", "report.pdf");
const source = { url, fileName, ...publishFields };

const jobId = described(text(64).min(1), "The job's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");
const jobFields = {
  jobId,
  secret: described(text(200).optional(), "The job's secret, if the owner's key is not sent", "job_2kV8nT"),
  jobSecret: described(text(200).optional(), "The same as secret", "job_2kV8nT"),
};

const status = described(z.enum(["queued", "importing", "completed", "failed", "cancelled"]), "State of the import", "completed");

/** An import job (imports, "The job"). */
export const importStatus = z
  .object({
    jobId,
    status,
    phase: described(z.string(), "Current phase: waiting, connecting, downloading, saving or done", "done"),
    bytesDone: described(z.int(), "Bytes received", 48_213),
    bytesTotal: described(z.int().nullable(), "Size of the file in bytes; null if the remote server does not send it", 48_213),
    percent: described(z.int().nullable(), "Percentage received; null if the size is unknown", 100),
    sharePath: described(z.string().nullable(), "Path of the share link, once completed", "/d/7kXq9Zab"),
    fileId: described(z.string().nullable(), "The file's ID, once completed", "5hQ2vR8kLm3xTz0B"),
    shortId: described(z.string().nullable(), "The share's short ID, once completed", "7kXq9Zab"),
    name: described(z.string().nullable(), "Name of the file, once known", "report.pdf"),
    error: described(z.string().nullable(), "Why it failed, as a sentence"),
    errorCode: described(z.string().nullable(), "Why it failed, in UPPER_SNAKE"),
    createdAt: described(dateTime, "When the import was requested", "2030-01-30T12:00:00Z"),
    updatedAt: described(dateTime, "When the job last changed", "2030-01-30T12:00:05Z"),
    unlockCode: described(secret(z.string().optional()), "Unlock code, if protect was sent; available for one day", "K7MP3X"),
    handoffUrl: described(
      secret(webUrl.optional()),
      "Handoff link, if protect was sent; available for one day",
      "https://files.example.org/h/ho_5Yc1mQ",
    ),
  })
  .meta({ id: "ImportStatus", description: "A running or finished import" });
export type ImportStatus = z.infer<typeof importStatus>;

const UNKNOWN = { 404: "Unknown, or no valid credential was sent" } as const;
const REFUSALS = {
  400: "The URL is missing or not allowed, or a field is not valid",
  403: "The request requires an unlock code, or the token belongs to another submission",
  404: "A folder or shipment is unknown or not in the caller's account, or the request is unknown",
  409: "The request has expired, was closed or accepts no more files",
  413: "The tier's file size or quota, or a limit of the request, is exceeded",
  415: "The request accepts only encrypted files",
  429: "The hourly limit of imports is reached",
} as const;

export const importsContract = {
  importFile: defineOperation({
    summary: "Import a file from a public URL and wait for it",
    description: "Takes at most 5 minutes; for larger files, create a job with POST /files/remote-multipart/init.",
    tag: "Import",
    method: "POST",
    path: "/files/remote-upload",
    access: "optional",
    waits: true,
    input: () => z.object(source),
    example: { url: "https://example.org/report.pdf", ttl: "24h" },
    envelope: "data",
    output: () => uploadResult,
    errors: {
      ...REFUSALS,
      422: "Unknown host, a web page instead of a file, a file that is only sent compressed, or too many redirects",
      502: "The remote server returned an error (`remoteStatus`) or cannot be reached",
      504: "The remote server took too long",
      507: "The server's disk is full",
    },
  }),
  initImport: defineOperation({
    summary: "Create an import job",
    description: "The job runs in the background and survives restarts of the server. The secrets are shown once.",
    tag: "Import",
    method: "POST",
    path: "/files/remote-multipart/init",
    access: "optional",
    status: () => 202,
    input: () => z.object(source),
    example: { url: "https://example.org/report.pdf", ttl: "24h" },
    envelope: "data",
    output: () =>
      z.object({
        jobId,
        jobSecret: described(secret(z.string()), "Reads and cancels the job without a key; shown once", "job_2kV8nT"),
        status,
        statusUrl: described(webUrl, "URL of the job's status", "https://files.example.org/api/files/remote-multipart/0198c1f0"),
        eventsUrl: described(
          webUrl,
          "URL of the job's event stream",
          "https://files.example.org/api/files/remote-multipart/0198c1f0/events",
        ),
        claimToken: described(
          secret(z.string().optional()),
          "Claims or protects the file of an anonymous import; shown once",
          "claim_8sY2kQ",
        ),
        deletionToken: described(
          secret(z.string().optional()),
          "Deletes the file of an anonymous import; of a submission that began with the import: lists and removes its files; shown once",
          "del_4tR9wZ",
        ),
        shortId: described(z.string().optional(), "The submission that began with the import", "7kXq9Zab"),
        shareToken: described(
          secret(z.string().optional()),
          "Adds files to the submission that began with the import; shown once",
          "share_9wR2",
        ),
      }),
    errors: REFUSALS,
  }),
  getImport: defineOperation({
    summary: "Get an import job",
    tag: "Import",
    method: "GET",
    path: "/files/remote-multipart/{jobId}",
    access: "optional",
    input: () => z.object(jobFields),
    envelope: "data",
    output: () => importStatus,
    errors: UNKNOWN,
  }),
  watchImport: defineOperation({
    summary: "Follow an import as server-sent events",
    description: "The data of each event is the job; the last event has its result. 204 if Last-Event-ID is the last event.",
    tag: "Import",
    method: "GET",
    path: "/files/remote-multipart/{jobId}/events",
    access: "optional",
    input: () =>
      z.object({ ...jobFields, lastEventId: described(text(40).optional(), "The same as the header Last-Event-ID", "1896091205000") }),
    output: () => z.custom<AsyncIterable<ImportStatus> | undefined>(),
    events: { data: importStatus, id: (job: ImportStatus) => String(Date.parse(job.updatedAt)) },
    errors: { ...UNKNOWN, 429: "Ten event streams are already open" },
  }),
  cancelImport: defineOperation({
    summary: "Cancel an import",
    description: "Deletes the received bytes. Repeated calls succeed.",
    tag: "Import",
    method: "DELETE",
    path: "/files/remote-multipart/{jobId}",
    access: "optional",
    input: () => z.object(jobFields),
    envelope: "data",
    output: () => importStatus,
    errors: { ...UNKNOWN, 409: "The import has already ended" },
  }),
} as const;
