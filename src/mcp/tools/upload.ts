import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { IDEMPOTENCY_KEY } from "../../contract/operation.ts";
import { DIRECT_UPLOAD, described, fileNameInput, text } from "../../contract/scalars.ts";
import { AppError, invalidField } from "../../errors.ts";
import { uploadResult } from "../../service/files/contract.ts";
import { type ImportStatus, importStatus } from "../../service/imports/contract.ts";
import { publishFields } from "../../service/shares/contract.ts";
import { defineTool, type ToolArguments, type ToolResult, type ToolRun } from "../tool.ts";

/** The longest time that a tool waits for a job, in seconds (mcp, "Waiting"). */
const MAX_WAIT_SECONDS = 600;
const POLL_MS = 500;

const waitSeconds = described(
  z.number().min(0).max(MAX_WAIT_SECONDS).optional(),
  `Waits up to this many seconds, ${MAX_WAIT_SECONDS} at most, for the import to end`,
  60,
);

export const uploadInput = z.object({
  url: described(text(8192).optional(), "Public URL that the server fetches the file from", "https://example.org/report.pdf"),
  contentBase64: described(z.string().optional(), "The bytes in Base64, for a few kilobytes of text that you just wrote", "SGVsbG8="),
  fileName: described(fileNameInput.optional(), "The file's name; required with contentBase64", "report.txt"),
  background: described(z.boolean().optional(), "With url: returns a job immediately, for files that take more than a minute", true),
  waitSeconds,
  ...publishFields,
  idempotencyKey: described(
    z
      .string()
      .min(IDEMPOTENCY_KEY.minLength)
      .max(IDEMPOTENCY_KEY.maxLength)
      .regex(/^[\x21-\x7e]*$/, "use ASCII characters without spaces")
      .optional(),
    "Makes the call safe to repeat for a day: the same key with the same input returns the first result and stores nothing twice. Use a new random UUID for each upload",
  ),
});

const job = importStatus.pick({ jobId: true, status: true }).extend({
  jobSecret: described(z.string(), "Reads the job without a key; shown once", "job_2kV8nT"),
});

export const uploadOutput = uploadResult.partial().extend(job.partial().shape);

/** A hint that prevents models from typing the bytes of files. */
export const NO_BASE64 = "Do not type a file's bytes as Base64: models make mistakes after a few kilobytes, long before the limit of 4 MB.";

/** Returns the settings of the share among the arguments of an upload. */
export const publishFieldsOf = (sent: ToolArguments): ToolArguments =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => name in publishFields));

/** Uploads a file whose bytes come from a URL or from the call. */
export const upload = defineTool({
  name: "upload",
  title: "Upload a file",
  description:
    "Uploads a file and returns its share link, which works immediately; downloads wait for the malware scan, if the server has a scanner. Send exactly one of url and contentBase64. " +
    `${NO_BASE64} For a file that exists on a machine with a shell, ` +
    "use service_create_upload_delegation and run its curl command instead.",
  access: "optional",
  isForGuests: true,
  mayTakeLong: true,
  annotations: {},
  input: uploadInput,
  output: uploadOutput,
  run: async (run, { url, contentBase64, fileName, background = false, waitSeconds, idempotencyKey }, sent) => {
    if ((url === undefined) === (contentBase64 === undefined)) throw invalidField("url", "Send exactly one of url and contentBase64.");
    const publish = publishFieldsOf(sent);
    if (contentBase64 !== undefined) return await uploadBase64(run, { contentBase64, fileName, publish, idempotencyKey });
    const source = { url, fileName, ...publish };
    if (!background) return describeUpload(await run.api.call("importFile", source, { idempotencyKey }), publish);
    const { statusUrl: _, eventsUrl: __, ...started } = await run.api.call("initImport", source, { idempotencyKey });
    const secrets = describeSecrets(started);
    if (!waitSeconds) return { data: started, next: `The import runs. Call service_upload_status with jobId and jobSecret.${secrets}` };
    const ended = await waitForImport(run, started, waitSeconds);
    return { data: { ...started, ...ended }, next: describeImport(ended).next + secrets };
  },
});

interface Base64Upload {
  readonly contentBase64: string;
  readonly fileName: string | undefined;
  readonly publish: ToolArguments;
  readonly idempotencyKey: string | undefined;
}

async function uploadBase64({ api }: ToolRun, { contentBase64, fileName, publish, idempotencyKey }: Base64Upload): Promise<ToolResult> {
  if (fileName === undefined) throw invalidField("fileName", "Send fileName with contentBase64.");
  const file = { name: fileName, type: undefined, bytes: decodeBase64(contentBase64) };
  return describeUpload(await api.call("uploadFile", { file, ...publish }, { idempotencyKey }), publish);
}

function decodeBase64(base64: string): Uint8Array {
  if (base64.length > Math.ceil(DIRECT_UPLOAD.maxFileBytes / 3) * 4) throw tooLarge();
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64) || base64.replace(/=+$/, "").length % 4 === 1)
    throw invalidField("contentBase64", "The Base64 is not valid. Send it without spaces or a data: prefix.");
  const bytes = new Uint8Array(Buffer.from(base64, "base64url"));
  if (bytes.length > DIRECT_UPLOAD.maxFileBytes) throw tooLarge();
  return bytes;
}

const tooLarge = (): AppError =>
  new AppError(
    "FILE_TOO_LARGE_FOR_DIRECT",
    "The file is larger than 4 MB. Use service_create_upload_delegation, and send the bytes with curl.",
  );

const DELIVERED = "The file is delivered to the account that asked for it. Nobody else can open shareUrl, so do not give it to people.";

/** Describes an upload. `sent` has the arguments with the settings of the share. */
export function describeUpload(data: z.infer<typeof uploadResult>, { requestToken }: ToolArguments): ToolResult {
  if (typeof requestToken === "string") {
    const deletion =
      data.deletionToken === undefined ? "" : " Keep deletionToken: it is shown once and is the only way to delete the file.";
    return { data, next: `${DELIVERED}${deletion}` };
  }
  return { data, next: `Give people shareUrl. It works now; downloads start when the file is ready.${describeSecrets(data)}` };
}

/** Returns the advice about the secrets of a result. */
function describeSecrets({
  unlockCode,
  claimToken,
}: {
  readonly unlockCode?: string | undefined;
  readonly claimToken?: string | undefined;
}): string {
  const code = unlockCode === undefined ? "" : " Send unlockCode by another way than the link, or handoffUrl instead of both.";
  const tokens =
    claimToken === undefined ? "" : " Keep claimToken and deletionToken: they are shown once and are the only way to change or delete it.";
  return code + tokens;
}

export const uploadStatus = defineTool({
  name: "upload_status",
  title: "Get the state of an import",
  description: "Returns the state of an import that service_upload started with background. With waitSeconds, waits for its end.",
  access: "optional",
  isForGuests: true,
  mayTakeLong: true,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({
    jobId: importStatus.shape.jobId,
    jobSecret: described(text(200).optional(), "The job's secret; not needed by the account that started it", "job_2kV8nT"),
    waitSeconds,
  }),
  output: importStatus,
  run: async (run, { waitSeconds = 0, ...reference }) => describeImport(await waitForImport(run, reference, waitSeconds)),
});

async function waitForImport(
  { api, signal, reportProgress }: ToolRun,
  { jobId, jobSecret }: { readonly jobId: string; readonly jobSecret?: string | undefined },
  waitSeconds: number,
): Promise<ImportStatus> {
  const endMs = performance.now() + waitSeconds * 1000;
  for (let done = -1; ; ) {
    const job = await api.call("getImport", { jobId, ...(jobSecret !== undefined && { jobSecret }) });
    if (job.status !== "queued" && job.status !== "importing") return job;
    if (performance.now() >= endMs) return job;
    if (job.bytesDone > done) reportProgress({ done: job.bytesDone, total: job.bytesTotal ?? undefined, message: job.phase });
    done = Math.max(done, job.bytesDone);
    await pause(Math.min(POLL_MS, Math.max(0, endMs - performance.now())), undefined, { signal });
  }
}

function describeImport(data: ImportStatus): ToolResult {
  switch (data.status) {
    case "completed":
      return { data, next: "The file is imported. Give people its share link; downloads start when the file is ready." };
    case "failed":
      return { data, next: "The import failed, as `error` says. Nothing was stored." };
    case "cancelled":
      return { data, next: "The import was cancelled. Nothing was stored." };
    default:
      return { data, next: "The import is not finished. Call service_upload_status again, with waitSeconds." };
  }
}
