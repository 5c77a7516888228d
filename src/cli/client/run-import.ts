import type { ImportStatus } from "../../client/import/follow-import.ts";
import {
  type BegunImport,
  beginImport,
  cancelImport,
  type FinishedImport,
  finishImport,
  recallImport,
} from "../../client/import/import-files.ts";
import { type ImportRecords, openImportRecords } from "../../client/records/import-records.ts";
import { ensureFolder } from "../../client/shares/account-folders.ts";
import { findRequestKey } from "../../client/upload-share/request-key.ts";
import { openSubmission } from "../../client/upload-share/submission.ts";
import { AppError, ERRORS, type ErrorCode } from "../../errors.ts";
import { countOf } from "../../lib/text/count-of.ts";
import type { RequestInput } from "../../service/contract.ts";
import type { Result, Terminal } from "../command.ts";
import { type CommandClient, openClient } from "../options/client-options.ts";
import type { NamedRequest } from "../options/request-options.ts";
import { readCode } from "../options/unlock-code.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import type { JsonOutput } from "../terminal/json-output.ts";
import { showTransfer, type TransferProgress } from "../terminal/progress.ts";
import { alignColumns } from "../terminal/text.ts";
import { resolveNever } from "./never-expires.ts";

interface ImportCommand {
  readonly names: readonly string[];
  /** Whether the names are the IDs of imports that were begun before. */
  readonly isBegun: boolean;
  readonly fields: Omit<RequestInput<"initImport">, "url">;
  /** The request that gets the files. */
  readonly request: NamedRequest | undefined;
  readonly options: {
    readonly url: string | undefined;
    readonly profile: string | undefined;
    readonly "key-file": string | undefined;
    readonly quiet: boolean;
    readonly folder: string | undefined;
    readonly request: string | undefined;
    readonly code: string | undefined;
    readonly "no-wait": boolean;
    readonly cancel: boolean;
  };
  readonly terminal: Terminal;
  readonly json: JsonOutput | undefined;
}

interface FailedImport {
  readonly source: string;
  readonly jobId: string | null;
  readonly errorCode: ErrorCode;
  readonly error: string;
}

/** Begins, follows or cancels imports. Each succeeds or fails independently; the error of a single import is thrown. */
export async function runImportCommand(command: ImportCommand): Promise<Result> {
  const { names, isBegun, request, options, terminal } = command;
  const records = openImportRecords(terminal.env);
  const known = isBegun ? await records.find(names[0] ?? "") : undefined;
  const isNamed = Boolean(options.url ?? options.profile ?? terminal.env.FILEHOST_SERVER);
  const url = isNamed ? options.url : known?.server;
  const links = options.request === undefined ? [] : [options.request];
  const client = await openClient({ command: "import", options: { ...options, url }, terminal, links, isAnonymous: request !== undefined });
  if (options.cancel) return await cancelAll(client, records, names);
  const { begun, failed } = isBegun
    ? { begun: await Promise.all(names.map((id) => recallImport(records, id))), failed: [] }
    : await beginAll(client, records, command);
  if (options["no-wait"])
    return toResult(
      { imports: begun.map(({ jobId, source }) => ({ jobId, source })), failed },
      begun.map(({ jobId }) => [jobId]),
    );
  return await followAll(command, { client, records, begun, failed });
}

async function beginAll(client: CommandClient, records: ImportRecords, command: ImportCommand) {
  const { names, fields, request, options, terminal } = command;
  const { api, url, hasKey, shares } = client;
  const target = request && (await openSubmissionOf(client, request, await readCode(terminal, options.code, client)));
  const chosen = { ...(await resolveNever(client, fields)), ...target?.fields };
  const folder = options.folder === undefined ? undefined : await ensureFolder(api, options.folder);
  const begun: BegunImport[] = [];
  const failed: FailedImport[] = [];
  for (const source of names) {
    const input = { ...chosen, ...(folder?.id != null && { folderId: folder.id }), url: source };
    try {
      begun.push(await beginImport({ api, url, hasKey, shares }, records, input, target?.receiptUrl));
    } catch (error) {
      if (names.length === 1) throw error;
      failed.push(toFailed({ source, jobId: null }, error));
    }
  }
  return { begun, failed };
}

/** Begins a submission to a request. Throws ENCRYPTION_REQUIRED for an encrypted one, whose files the server must not read. */
async function openSubmissionOf({ api }: CommandClient, request: NamedRequest, unlockCode: string | undefined) {
  if ((await findRequestKey(api, request)) !== undefined)
    throw new AppError(
      "ENCRYPTION_REQUIRED",
      "This request is encrypted end to end, so the server must not fetch files for it. Download the file, and send it with `filehost up`.",
    );
  return await openSubmission(api, { ...request, unlockCode });
}

interface Followed {
  readonly client: CommandClient;
  readonly records: ImportRecords;
  readonly begun: readonly BegunImport[];
  readonly failed: readonly FailedImport[];
}

async function followAll(
  { terminal, json, options: { quiet } }: ImportCommand,
  { client, records, begun, failed }: Followed,
): Promise<Result> {
  const ids = begun.map(({ jobId }) => jobId).join(" ");
  const advice = (): string => `The server continues.\nFollow it: filehost import ${ids}\nEnd it: filehost import ${ids} --cancel`;
  return await whileInterruptible(advice, (signal) =>
    showTransfer({ terminal, json, quiet }, async (progress) => {
      for (const { jobId, source } of begun) await progress.event({ type: "import", jobId, source });
      const jobs = new Map<string, ImportStatus>();
      let waiting = "";
      progress.show(() => toState(begun, jobs, waiting));
      const onWait = (reason: string): void => {
        if (reason !== "" && waiting === "") void progress.note(`${reason} Trying again.`);
        waiting = reason;
      };
      const ends = await Promise.all(
        begun.map(async (one): Promise<FinishedImport | FailedImport> => {
          try {
            const finished = await finishImport(client, records, one, { signal, onJob: (job) => void jobs.set(one.jobId, job), onWait });
            await print(finished, { terminal, json, quiet, progress });
            return finished;
          } catch (error) {
            signal.throwIfAborted();
            if (begun.length + failed.length === 1) throw error;
            return toFailed(one, error);
          }
        }),
      );
      const imports = ends.flatMap((end) => ("error" in end ? [] : [end]));
      return toResult({ imports, failed: [...failed, ...ends.flatMap((end) => ("error" in end ? [end] : []))] }, []);
    }),
  );
}

interface Output {
  readonly terminal: Terminal;
  readonly json: JsonOutput | undefined;
  readonly quiet: boolean;
  readonly progress: TransferProgress;
}

/** Prints the link as soon as it works. */
async function print(finished: FinishedImport, { terminal, json, quiet, progress }: Output): Promise<void> {
  const { url, unlockCode, handoffUrl } = finished;
  if (json) return await progress.event({ type: "completed", ...finished });
  await progress.result(url);
  // The codes are shown only once, so --quiet does not hide them.
  const say = (line: string): Promise<void> => (quiet ? terminal.err(`${line}\n`) : progress.note(line));
  if (unlockCode !== undefined) await say(`Unlock code: ${unlockCode}`);
  if (handoffUrl !== undefined) await say(`Private link, which needs no code: ${handoffUrl}`);
}

/** Combines all imports to one transfer. Its size is known when the size of each import is known. */
function toState(begun: readonly BegunImport[], jobs: ReadonlyMap<string, ImportStatus>, waiting: string) {
  const states = begun.map(({ jobId }) => jobs.get(jobId));
  const sizes = states.map((job) => job?.bytesTotal ?? undefined);
  const [only] = begun;
  const isWaiting = waiting !== "" ? "waiting for the connection" : states.every((job) => job?.phase === "waiting") ? "waiting" : undefined;
  return {
    action: "Importing",
    name: begun.length === 1 ? (states[0]?.name ?? only?.source ?? "") : countOf(begun.length, "file"),
    doneBytes: states.reduce((sum, job) => sum + (job?.bytesDone ?? 0), 0),
    totalBytes: sizes.reduce<number | undefined>((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0),
    ...(begun.length > 1 && { files: { done: states.filter((job) => job?.status === "completed").length, total: begun.length } }),
    ...(isWaiting !== undefined && { waiting: isWaiting }),
  };
}

async function cancelAll(client: CommandClient, records: ImportRecords, ids: readonly string[]): Promise<Result> {
  const cancelled: string[] = [];
  const failed: FailedImport[] = [];
  for (const id of ids) {
    const begun = await recallImport(records, id);
    try {
      await cancelImport(client, records, begun);
      cancelled.push(id);
    } catch (error) {
      if (ids.length === 1) throw error;
      failed.push(toFailed(begun, error));
    }
  }
  return toResult(
    { cancelled, failed },
    cancelled.map((id) => [id]),
  );
}

/** Converts the error of an import to a result; throws other errors. */
function toFailed({ source, jobId }: { readonly source: string; readonly jobId: string | null }, error: unknown): FailedImport {
  if (!(error instanceof AppError)) throw error;
  return { source, jobId, errorCode: error.code, error: error.message };
}

function toResult(
  data: { readonly failed: readonly FailedImport[]; readonly [field: string]: unknown },
  rows: readonly (readonly string[])[],
): Result {
  const [first] = data.failed;
  return {
    data,
    text: alignColumns(rows),
    important: data.failed.map(({ source, error }) => `${source}: ${error}`),
    exitCode: first === undefined ? 0 : (ERRORS[first.errorCode]?.exit ?? 1),
  };
}
