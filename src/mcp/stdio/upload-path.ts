import { uploadLocalFile } from "../../client/upload-file/upload-file.ts";
import { described, text } from "../../contract/scalars.ts";
import { invalidField } from "../../errors.ts";
import { defineTool, type Tool } from "../tool.ts";
import { describeUpload, NO_BASE64, publishFieldsOf, upload, uploadInput, uploadOutput } from "../tools/upload.ts";
import { type LocalFiles, withBounds } from "./local-files.ts";
import { openFileWithin } from "./open-path.ts";
import { reportTransfer } from "./transfer-progress.ts";

const MAX_PATH_CHARACTERS = 4096;

export const pathInput = (description: string, example: string) => described(text(MAX_PATH_CHARACTERS).optional(), description, example);

/** Extends `service_upload`, so that it also sends files of this machine (mcp, "Files of your machine"). */
export const uploadWithPath = (files: LocalFiles): Tool =>
  defineTool({
    name: "upload",
    title: upload.description.title,
    description:
      "Uploads a file and returns its share link, which works immediately; downloads wait for the malware scan, if the server has a scanner. Send exactly one of path, url and contentBase64. " +
      (files.folders.length === 0
        ? "No folder of this machine is allowed: path works after its user has added --allow. For a file of a machine with a shell, use service_create_upload_delegation. "
        : "For a file of this machine, of any size, send its path: if the call fails or is cancelled, the same call continues it. ") +
      NO_BASE64,
    access: "optional",
    isForGuests: true,
    annotations: {},
    input: uploadInput.extend({
      path: pathInput("Absolute path of a file of this machine, in a folder that its user has allowed", "/home/ada/reports/report.pdf"),
    }),
    output: uploadOutput,
    async run(run, { path, url, contentBase64, fileName, idempotencyKey }, sent) {
      if ([path, url, contentBase64].filter((source) => source !== undefined).length !== 1)
        throw invalidField("path", "Send exactly one of path, url and contentBase64.");
      if (path === undefined) return await upload.run(run, sent);
      await using file = await withBounds(files, { run, args: sent }, async (bounds) => await openFileWithin(path, bounds));
      using progress = reportTransfer(run, { total: file.sizeBytes, message: "Uploading." });
      const uploaded = await uploadLocalFile(
        { file, fileName: fileName ?? file.name, fields: publishFieldsOf(sent), idempotencyKey },
        { ...files, signal: run.signal, onProgress: progress.report },
      );
      return describeUpload(uploaded, sent);
    },
  });
