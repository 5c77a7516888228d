import { countOf } from "../../lib/text/count-of.ts";
import { defineCommand } from "../command.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS } from "../options/client-options.ts";
import { ENCRYPT_OPTIONS, type EncryptionValues, wantsEncryption } from "../options/encryption-options.ts";
import { checkFileName } from "../options/file-name.ts";
import { PUBLISH_OPTIONS, readPublishFields } from "../options/publish-options.ts";
import { noSettings, REQUEST_OPTIONS, readRequest } from "../options/request-options.ts";
import { readSharePassword, SHARE_PASSWORD_OPTIONS } from "../options/share-password.ts";

const HELP = "filehost up --help";

export const up = defineCommand({
  details: `One file becomes one share; a folder, or several files, become one shipment with their relative paths. The link is printed on standard output as soon as it works: for files above 4 MB and for shipments before their bytes are sent.

If it is interrupted, run the same command again: it sends what is missing to the same link.

Without an account, the share is remembered on this device, so that filehost ls, rm and claim work on it.`,
  args: { FILE: { many: true, help: "Files and folders, or - for standard input" } },
  options: {
    ...PUBLISH_OPTIONS,
    ...SHARE_PASSWORD_OPTIONS,
    name: { kind: "text", value: "NAME", help: "The name of the file for its recipients" },
    into: { kind: "text", value: "ID", suggests: "shares", help: "Add the files to this shipment" },
    ...REQUEST_OPTIONS,
    copy: { kind: "flag", help: "Put the link on the clipboard" },
    qr: { kind: "flag", help: "Show the link as a QR code" },
    open: { kind: "flag", help: "Open the link in the browser" },
    watch: { kind: "flag", help: "Afterwards, show each download until Ctrl-C" },
    times: { kind: "flag", help: "Send modification times and executable bits (default with an account)" },
    "no-times": { kind: "flag", help: "Do not send modification times and executable bits" },
    "follow-links": { kind: "flag", help: "Send the targets of symbolic links in folders; without it, links are left out" },
    "no-resume": { kind: "flag", help: "Start a new upload, and do not record it on this device" },
    ...ENCRYPT_OPTIONS,
    spool: { kind: "flag", help: "Save standard input to a temporary file first, so that it can be sent again after a broken connection" },
    ...CLIENT_OPTIONS,
  },
  settings: [],
  jsonLines: true,
  examples: [
    "filehost up report.pdf --expires 7d --copy",
    "filehost up photos/ --title 'Trip to Rome' --protect",
    "filehost up report.pdf --password",
    "filehost up video.mp4 --once --watch",
    "filehost up report.pdf --encrypt",
    "tar c project | filehost up - --name project.tar",
    "filehost up *.log --into 7kXq9Zab",
    "filehost up photos/ --request https://files.example.org/r/3hT8nQ9kWm2X --sender-name Ada",
  ],
  async run({ args: { FILE: names }, options, terminal, json }) {
    const fields = { ...readPublishFields("up", options), ...(await readSharePassword(options, terminal)) };
    const isInput = names.includes("-");
    if (isInput && names.length > 1) throw new UsageError("Standard input is sent alone. Send the files by another command.", HELP);
    if (isInput && terminal.isInputTerminal)
      throw new UsageError("Standard input is a terminal. Send a program's output: tar c folder | filehost up - --name folder.tar", HELP);
    if (options.name !== undefined && names.length > 1) throw new UsageError("--name is for one file.", HELP);
    checkFileName({ command: "up", option: "name", name: options.name });
    if (options.spool && !isInput) throw new UsageError("--spool is for standard input.", HELP);
    const request = readRequest("up", options);
    if (request) checkRequested({ ...options, fields, isInput });
    if (isInput && options["encrypt-name"])
      throw new UsageError("--encrypt-name is for files: the size of standard input is unknown. Save it to a file first.", HELP);
    if (options.times && options["no-times"]) throw new UsageError("Choose one of --times and --no-times.", HELP);
    if (options.times && wantsEncryption(options) && !options["encrypt-name"])
      throw new UsageError(
        "Times of an encrypted file are only sent encrypted, with its name. Add --encrypt-name, or leave out --times.",
        HELP,
      );
    const { describeSent, runUp } = await import("../client/run-up.ts");
    const result = await runUp({ names, isInput, options, fields, request, terminal, json });
    const { failed } = result;
    return {
      data: result,
      text: "",
      important:
        failed.length > 0 ? [`${countOf(failed.length, "file")} not sent. Run the same command again to send what is missing.`] : [],
      // With --watch, the description was printed before.
      notes: options.watch ? [] : [describeSent(result, options)],
      exitCode: failed.length > 0 ? 1 : 0,
    };
  },
});

interface Requested extends EncryptionValues {
  /** Publish fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isInput: boolean;
  readonly folder: string | undefined;
  readonly into: string | undefined;
  readonly watch: boolean;
  readonly code: string | undefined;
}

/** Throws UsageError for options that do not apply to files that are sent to a request. */
function checkRequested({ fields, isInput, folder, into, watch, code, ...options }: Requested): void {
  if (Object.keys(fields).length > 0 || folder !== undefined) throw noSettings("up");
  if (into !== undefined) throw new UsageError("Files go to a shipment or to a request. Choose --into or --request.", HELP);
  if (watch) throw new UsageError("--watch does not work with --request. Leave one of them out.", HELP);
  const hasReader = options.recipient.length > 0 || options.passphrase || options["passphrase-file"] !== undefined;
  if (wantsEncryption(options) && !hasReader)
    throw new UsageError("Nobody else would get the key. With --request, encrypt with --recipient or --passphrase.", HELP);
  if (isInput && code === "-") throw new UsageError("Standard input has the file or the code, not both.", HELP);
}
