import { runtime } from "#runtime";
import type { DownEvents, DownResult } from "../../client/download-share/down-request.ts";
import type { UnlockAccess } from "../../client/download-share/unlock.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { wordError, wordNote } from "../client/client-advice.ts";
import { toUnlockWays } from "../client/unlock-access.ts";
import { defineCommand, type Result } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, openClient } from "../options/client-options.ts";
import { readPassphrase } from "../options/encryption-options.ts";
import { readToken } from "../options/token.ts";
import { CODE_OPTION, readCode } from "../options/unlock-code.ts";
import { whileInterruptible } from "../terminal/interrupt.ts";
import { showTransfer, type TransferProgress } from "../terminal/progress.ts";

export const down = defineCommand({
  details:
    "A file is saved with its name in the current folder, several in a folder with the name of the share. They are verified by their SHA-256. " +
    "The same command continues a download that was interrupted. Existing files are not replaced without --force.",
  args: {
    LINK: { suggests: "shares", help: "A share link, private link, download URL, short ID or file ID" },
    FILE: {
      suggests: [],
      help: "Of several files only these: names, paths, folders or patterns such as '*.pdf'",
      optional: true,
      many: true,
    },
  },
  options: {
    output: { kind: "text", short: "o", value: "PATH", help: "Save as this file, several files in this folder; - for standard output" },
    folder: {
      kind: "text",
      short: "C",
      value: "FOLDER",
      help: "Save in this folder, which is made if it is missing; default: the current one",
    },
    force: { kind: "flag", help: "Replace existing files" },
    code: CODE_OPTION,
    purchase: {
      kind: "text",
      value: "TOKEN",
      help: "The purchase token of a priced share; - reads it from standard input. Default: FILEHOST_PURCHASE_TOKEN, or what this device bought",
    },
    identity: { kind: "text", value: "FILE", many: true, help: "Decrypt with the age keys in this file" },
    passphrase: { kind: "flag", help: "Decrypt with a passphrase: you are asked for it, or set FILEHOST_PASSPHRASE" },
    "passphrase-file": { kind: "text", value: "FILE", help: "Decrypt with the passphrase in the first line of this file" },
    zip: { kind: "flag", help: "Save the files of a share as one ZIP" },
    "no-times": { kind: "flag", help: "Do not set when files were changed, nor that they can be executed" },
    "no-wait": { kind: "flag", help: "End with an error if the file is not ready yet" },
    ...CLIENT_OPTIONS,
  },
  jsonLines: true,
  settings: [],
  examples: ["filehost down https://files.example.org/d/7kXq9Zab", "filehost down 7kXq9Zab '*.pdf' --folder ~/Downloads"],
  async run({ options, args, terminal, json }) {
    const { parseDownloadTarget } = await import("../../client/download-share/target.ts");
    const { target, fragment } = parseDownloadTarget(args.LINK);
    if (options.code === "-" && options.purchase === "-" && !(terminal.isInputTerminal && terminal.canAsk))
      throw new UsageError("Standard input has the code or the token, not both.", "filehost down --help");
    const client = await openClient({ command: "down", options, terminal, links: [args.LINK] });
    const { api, namedBy, quiet, shares, url } = client;
    const code = await readCode(terminal, options.code, client);
    // A purchase token, like an unlock code, is sent only to the server that the user has named.
    const ownToken = namedBy === "link" ? undefined : terminal.env.FILEHOST_PURCHASE_TOKEN;
    const token = (await readToken(terminal, options.purchase, "purchase token")) ?? (ownToken || undefined);
    const { downloadLink } = await import("../../client/download-share/down.ts");
    const { openDecryption } = await import("../../client/download-share/decryption.ts");
    const { createPurchaseProof } = await import("../../client/buy/purchase-proof.ts");
    const records = (await import("../../client/records/purchase-records.ts")).openPurchaseRecords(terminal.env);
    const sources = {
      fragment: fragment ?? (await shares.find(args.LINK))?.fragmentKey,
      identityFiles: options.identity,
      passphrase: (await readPassphrase(options, terminal, { isNew: false })) ?? terminal.env.FILEHOST_PASSPHRASE,
      ...(terminal.canAsk && { ask: terminal.askSecret }),
      keepsTimes: !options["no-times"],
      ...(runtime.freeMemory && { freeMemory: runtime.freeMemory }),
    };
    const request = {
      target,
      files: args.FILE,
      output: options.output,
      folder: options.folder,
      overwrite: options.force,
      isZip: options.zip,
      waitsForScan: !options["no-wait"],
      keepsTimes: !options["no-times"],
    };
    // Streams and archives have no file that a later command could continue.
    const { findStream } = await import("../../client/download-share/stream-target.ts");
    const canContinue = (await findStream(request)) === undefined && !request.isZip;
    let hasArrived = false;
    const result = await whileInterruptible(
      () => (canContinue && hasArrived ? "Interrupted. Run the same command to continue." : "Interrupted."),
      (signal) =>
        showTransfer({ terminal, json, quiet }, async (progress) => {
          const shown = toEvents(progress);
          const events: DownEvents = {
            ...shown,
            onProgress(done) {
              hasArrived ||= done.bytes > 0;
              shown.onProgress(done);
            },
          };
          const purchase = createPurchaseProof({ api, url, records, signal, token, link: args.LINK.trim() });
          const access: UnlockAccess = { api, namedBy, signal, code, onWait: events.onWait, ...toUnlockWays(terminal), purchase };
          return await downloadLink(request, {
            access,
            events,
            env: terminal.env,
            signal,
            output: terminal.out,
            openDecryption: (isEncrypted: boolean) => openDecryption(sources, isEncrypted),
          });
        }),
    );
    return toResult(result);
  },
});

function toEvents({ show, note, event }: TransferProgress): DownEvents {
  let state = { name: "", done: { files: 0, bytes: 0 }, total: { files: 1, bytes: undefined as number | undefined }, waiting: "" };
  let isShown = false;
  return {
    onWait(reason) {
      if (reason !== "" && reason !== state.waiting) void note(reason.replace(/[^.!?]$/, "$&."));
      state = { ...state, waiting: reason };
    },
    onNote: (text, advice) => void note(wordNote(text, advice)),
    onTotal(name, total) {
      state = { ...state, name, total };
      if (isShown) return;
      isShown = true;
      show(() => ({
        action: "Downloading",
        name: state.name,
        doneBytes: state.done.bytes,
        totalBytes: state.total.bytes,
        ...(state.total.files > 1 && { files: { done: state.done.files, total: state.total.files } }),
        ...(state.waiting !== "" && { waiting: "waiting" }),
      }));
    },
    onProgress(done) {
      state = { ...state, done };
    },
    onSaved: ({ path, sizeBytes, sha256, verified }) => void event({ type: "file", path, sizeBytes, sha256, verified }),
  };
}

function toResult({ path, files, bytes, refused: failed }: DownResult): Result {
  const refused = failed.map(({ name, error }) => ({ name, error: wordError(error) }));
  const [first] = refused;
  return {
    data: {
      path,
      files,
      sizeBytes: bytes,
      refused: refused.map(({ name, error }) => ({ name, errorCode: error.code, error: error.message })),
    },
    text: path === null ? "" : `${path}\n`,
    important: refused.length === 0 ? [] : [...refused.slice(0, MAX_NAMED).map(({ error }) => error.message), notSaved(refused.length)],
    exitCode: first?.error.exitCode ?? 0,
  };
}

const MAX_NAMED = 20;

const notSaved = (count: number): string => `${countOf(count, "file")} could not be saved.`;
