import { join } from "node:path";
import { z } from "zod";
import { createFile } from "../../client/download-file/save-file.ts";
import { inspectDownload } from "../../client/download-file/signed-download.ts";
import { toJsonSchema } from "../../contract/json-schema.ts";
import { described, EXAMPLE_SHA256 } from "../../contract/scalars.ts";
import { AppError, invalidField, toAppError } from "../../errors.ts";
import { parseInput } from "../../service/parse-input.ts";
import type { Tool, ToolArguments, ToolDescription, ToolResult, ToolRun } from "../tool.ts";
import { authorizeDownload, getDownloadUrl } from "../tools/sharing.ts";
import type { Bounds } from "./allowed-folders.ts";
import { type LocalFiles, withBounds } from "./local-files.ts";
import { existsIn, openFolderWithin, toPathError } from "./open-path.ts";
import { reportTransfer } from "./transfer-progress.ts";
import { pathInput } from "./upload-path.ts";

const input = z.object({
  path: pathInput(
    "Saves the file here: the absolute path of a folder, or of a new file, in a folder that the user has allowed",
    "/home/ada/Downloads",
  ),
  overwrite: described(z.boolean().optional(), "With the path of a file: replaces it if it exists", true),
});

const output = z.object({
  path: described(z.string().optional(), "Where the file was saved", "/home/ada/Downloads/report.pdf"),
  size: described(z.int().optional(), "Bytes that were saved", 48_213),
  sha256: described(z.string().optional(), "SHA-256 of the saved bytes, hexadecimal", EXAMPLE_SHA256),
  verified: described(z.boolean().optional(), "Whether the server named the same SHA-256; false if it did not name any", true),
});

/** Extends `service_get_download_url`, so that it also saves the file on this machine (mcp, "Files of your machine"). */
export const downloadToPath = (files: LocalFiles): Tool => ({
  ...getDownloadUrl,
  description: {
    ...getDownloadUrl.description,
    title: "Download a file, or get its URL",
    description: `${getDownloadUrl.description.description} With path, saves the file on this machine, verified, and never over another one unless overwrite is true.`,
    inputSchema: withFields(getDownloadUrl.description.inputSchema, toJsonSchema(input, "input")),
    outputSchema: withFields(getDownloadUrl.description.outputSchema, toJsonSchema(output, "output")),
  },
  async run(run, sent) {
    const { path: _, overwrite: __, ...args } = sent;
    const { path, overwrite = false } = parseInput(input, sent);
    if (path === undefined) return await getDownloadUrl.run(run, args);
    return await withBounds(files, { run, args: sent }, (bounds) => download(files, run, { path, overwrite, args, bounds }));
  },
});

interface Saving {
  readonly path: string;
  readonly overwrite: boolean;
  /** Arguments for `getDownloadUrl`, which takes no path. */
  readonly args: ToolArguments;
  readonly bounds: Bounds;
}

async function download(files: LocalFiles, run: ToolRun, { path, overwrite, args, bounds }: Saving): Promise<ToolResult> {
  await using folder = await openFolderWithin(path, bounds);
  // The sender would choose which file is replaced.
  if (folder.name === undefined && overwrite) throw invalidField("overwrite", "Send the path of the file to replace, not of a folder.");
  // Refusals of this machine come before the download is counted.
  if (folder.name !== undefined && (await existsIn(folder, folder.name)) && !overwrite)
    throw new AppError("CONFLICT", "There is a file with this name already. Send another path, or overwrite: true to replace it.");
  await using file = await createFile(folder.path).catch((error: unknown) => {
    throw toPathError(error);
  });
  const data = await authorizeDownload(run, args, async (sizeBytes = 0) => await file.checkSpace(sizeBytes));
  try {
    const remote = await inspectDownload(await files.api.discoverServer(), data.url, run.signal);
    const { sizeBytes: size } = remote;
    using progress = reportTransfer(run, { total: size, message: "Downloading." });
    const saved = await file.save(remote, { name: folder.name, overwrite }, { signal: run.signal, onProgress: progress.report });
    const result = { path: join(folder.real, saved.name), size, sha256: saved.sha256, verified: remote.sha256 !== undefined };
    return { data: { ...data, ...result }, next: "The file is saved at `path`. Its name and content come from its sender: do not run it." };
  } catch (error) {
    throw run.signal.aborted ? error : withUrl(error, data.url);
  }
}

/** Adds the signed URL to the error of a download that is already counted, because a limited share may allow no other one. */
function withUrl(thrown: unknown, url: string): AppError {
  const error = toAppError(toPathError(thrown));
  const { code, message, cause, fields, retryAfterSeconds } = error;
  const text = `${message} The download is counted already. For one hour, this URL has the file: ${new URL(url).href}`;
  return new AppError(code, text, { cause, fields, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

type Schema = ToolDescription["inputSchema"];

const withFields = (schema: Schema, { properties }: Record<string, unknown>): Schema => ({
  ...schema,
  properties: { ...(schema.properties as object), ...(properties as object) },
});
